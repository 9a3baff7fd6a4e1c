package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/event"
	"github.com/hearsay-memory/hearsay/guard"
	"github.com/hearsay-memory/hearsay/internal/blame"
	"github.com/hearsay-memory/hearsay/internal/instance"
	"github.com/hearsay-memory/hearsay/internal/memfile"
	"github.com/hearsay-memory/hearsay/internal/memfile/segment"
)

// scribe plays an agent of a host whose hook guards a memory file, for scripts: `scribe
// HOME FILE SESSION SOURCE TEXT` lets the session take in the source, unless that is
// "agent" or "user", and then appends the text, a line, to the file by its tool: the
// record's id is printed. With "whole" behind it the text is all of the file; what drops
// too much is held. With a source "look" it only looks at the file, as a session start does.
func scribe() {
	id, err := inscribe(context.Background(), os.Args[1:])
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Println(id)
}

// inscribe is what scribe does with its arguments.
func inscribe(ctx context.Context, args []string) (id hearsay.RecordID, err error) {
	in, err := instance.Open(ctx, args[0], instance.Options{})
	if err != nil {
		return id, err
	}
	defer in.Close()
	name, err := blame.RealName(args[1])
	if err != nil {
		return id, err
	}
	c := in.Caller(hearsay.SurfaceHook)
	c.Session, c.Agent = args[2], "helper"
	t := memfile.Tracker{Guard: in.Guard, Caller: c}
	s, err := t.Look(ctx, name)
	if err != nil {
		return id, err
	}
	if err := t.Settle(ctx, s); err != nil || args[3] == "look" {
		return id, err
	}
	if _, err := in.Guard.Open(ctx, c, guard.Start{}); err != nil {
		return id, err
	}
	said := hearsay.Source{Type: "agent"}
	switch source := args[3]; source {
	case "agent":
	case "user":
		said.Type = "user"
	default:
		if _, err := in.Guard.Observe(ctx, c, guard.Observation{Source: hearsay.Source{Type: source, Ref: "https://evil.example/page"}}); err != nil {
			return id, err
		}
	}
	text := string(s.Data) + args[4] + "\n"
	if len(args) > 5 && args[5] == "whole" {
		text = args[4] + "\n"
	}
	call := memfile.Call{Host: "claude", Tool: "Write", Base: map[string]string{name: memfile.Sum(s.Data)}, Edits: []memfile.Edit{{Path: name, New: text, Whole: true}}}
	w := guard.Write{
		Store: memfile.Store, Source: said, Namespace: hearsay.Namespace{"files"}, Op: event.Update, Tool: "Write",
		Texts: []string{args[4]}, Items: memfile.Items(call.Edits),
	}
	if w.Content, err = call.Encode(); err != nil {
		return id, err
	}
	if memfile.LossOf(s.File, s.Data, []byte(text)).Holds(true) {
		w.Hold = memfile.Overwrites
	}
	d, err := in.Guard.Write(ctx, c, w)
	if err != nil || !d.Standing.Visible() {
		return d.ID, err
	}
	err = memfile.Write(memfile.Image{Path: name, Before: s.Data, After: []byte(text)})
	return d.ID, errors.Join(err,
		in.Guard.Applied(ctx, c, d.ID, guard.Outcome{Delivery: hearsay.Applied, Landed: w.Items}),
		t.Wrote(ctx, s, segment.Owner{Record: d.ID, Label: d.Verdict.Label}))
}
