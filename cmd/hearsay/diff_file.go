package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"github.com/hearsay-memory/hearsay/internal/blame"
	"github.com/hearsay-memory/hearsay/internal/memfile"
	"github.com/hearsay-memory/hearsay/internal/tell"
	"github.com/hearsay-memory/hearsay/internal/term"
)

func (a *app) diffFile(ctx context.Context, name, since string) error {
	in, err := a.open(ctx, true)
	if err != nil {
		return err
	}
	defer in.Close()
	s, err := blame.LookFor(ctx, in, name)
	if err != nil {
		return err
	}
	switch {
	case s.First() && s.Data == nil:
		return fmt.Errorf("%s is no file and no record id: %w; `hearsay ls` shows the ids", term.Safe(name), fs.ErrNotExist)
	case s.First():
		return fmt.Errorf("%s was never recorded, so nothing of it can have changed; `hearsay blame` shows whose its lines are", term.Safe(name))
	case s.Before() == nil && s.Known().Image.Lines > 0:
		return errors.New("the bytes that were recorded are lost: what changed cannot be told; `hearsay blame` shows what is there")
	}
	was := &memfile.Version{T: s.Since, Data: s.Before()}
	if since != "" {
		was, err = formerOf(ctx, in, s.Path, since)
	} else {
		was.File, err = s.Was()
	}
	if err != nil {
		return err
	}
	hunks, err := blame.Hunks(ctx, in, was, s)
	if err != nil {
		return err
	}
	if a.json {
		return objects(a, hunks)
	}
	p := a.printer()
	if len(hunks) == 0 {
		p.Println("Nothing changed since it was last recorded.")
		return p.Err()
	}
	for _, h := range hunks {
		if err := withheld(p, h.Gone); err != nil {
			return err
		}
	}
	now := "now"
	if s.Data == nil {
		now = "now gone"
	}
	if since == "" {
		if said := s.Git.String(); said != "" {
			p.Printf("What is there now is %s.\n", said)
		}
		if s.OnlyEnds() {
			p.Println("Only line ends changed: nobody's words did.")
		}
	}
	recorded := "as recorded " + tell.Ago(was.T, time.Now())
	if was.Data == nil {
		recorded = "not there"
	}
	p.Printf("--- %s, %s\n+++ %s, %s\n", name, recorded, name, now)
	before, after := blame.TextLines(was.Data), blame.TextLines(s.Data)
	blame.PrintHunks(p, hunks, before, after)
	return p.Err()
}
