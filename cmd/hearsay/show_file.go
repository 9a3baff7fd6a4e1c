package main

import (
	"context"
	"fmt"
	"time"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/internal/blame"
	"github.com/hearsay-memory/hearsay/internal/instance"
	"github.com/hearsay-memory/hearsay/internal/memfile"
	"github.com/hearsay-memory/hearsay/internal/term"
)

// formerOf is a memory file as it was just before the write of a record, or as it was
// recorded at a time.
func formerOf(ctx context.Context, in *instance.Instance, path, when string) (*memfile.Version, error) {
	if id, err := hearsay.ParseRecordID(when); err == nil {
		return blame.BeforeWrite(ctx, in, path, id)
	}
	at, err := parseSince(when, time.Now())
	if err != nil {
		return nil, err
	}
	return blame.AsOf(ctx, in, path, at.UnixMilli())
}

// showFile prints a memory file as it was.
func (a *app) showFile(ctx context.Context, name, before, out string) error {
	in, err := a.open(ctx, true)
	if err != nil {
		return err
	}
	defer in.Close()
	path, err := blame.RealName(name)
	if err != nil {
		return err
	}
	v, err := formerOf(ctx, in, path, before)
	if err != nil {
		return err
	}
	if v.Data == nil {
		return fmt.Errorf("%s was not there then", term.Safe(name))
	}
	if out != "" {
		return writeNew(out, v.Data)
	}
	p := a.printer()
	runs, err := blame.Of(ctx, in, v.File.All())
	if err == nil {
		err = withheld(p, runs)
	}
	if err != nil {
		return err
	}
	if p.Terminal() {
		p.Text("", string(v.Data))
		return p.Err()
	}
	_, err = a.out.Write(v.Data)
	return err
}

// withheld is the error where lines are of a record that is not visible to agents: they
// are shown on a terminal only.
func withheld(p *term.Printer, runs []blame.Run) error {
	for _, r := range runs {
		if r.Hidden && !p.Terminal() {
			return &exitError{exitHeld, "lines of the record " + r.Record.String() + " are in it, which is not visible to agents: it is shown on a terminal only, or written with `hearsay show FILE --before … --out FILE`"}
		}
	}
	return nil
}
