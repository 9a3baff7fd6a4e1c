package memfile

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/event"
	"github.com/hearsay-memory/hearsay/guard"
)

// Delivered is what came of one thing that waited to be done to guarded files.
type Delivered struct {
	Record   hearsay.RecordID
	Paths    []string
	Delivery hearsay.Delivery
	Conflict string // why it was not done; empty: it was
}

// Deliver does what waits for the caller's guarded files: released writes are made, once,
// just as they were held; what was begun and not finished is looked for; what was
// withdrawn is taken out again where it stands as it was put. The caller holds the
// lock of the store of files.
//
// A write that does not fit any more is a conflict: it is sealed as failed, its bytes are
// kept, and the rest goes on.
func Deliver(ctx context.Context, g *guard.Guard, c hearsay.Caller) ([]Delivered, error) {
	tasks, err := g.Tasks(ctx, c, Store)
	if err != nil {
		return nil, err
	}
	var out []Delivered
	for _, t := range tasks {
		d, err := deliver(ctx, g, c, t)
		if err != nil {
			return out, fmt.Errorf("deliver %s: %w", t.Record.ID, err)
		}
		if d != nil {
			out = append(out, *d)
		}
	}
	return out, nil
}

func deliver(ctx context.Context, g *guard.Guard, c hearsay.Caller, t guard.Task) (*Delivered, error) {
	call, err := DecodeCall(t.Content)
	if err != nil {
		return nil, err
	}
	d := &Delivered{Record: t.Record.ID, Paths: call.Paths()}
	switch {
	case t.Withdraw:
		return d, withdraw(ctx, g, c, t.Record, call, d)
	case t.Begun:
		return look(ctx, g, c, t.Record, call, d)
	}
	if err := g.Begin(ctx, c, t.Record.ID); err != nil {
		return nil, err
	}
	d.Delivery = hearsay.Applied
	images, err := call.Replay(Read)
	for i := 0; err == nil && i < len(images); i++ {
		err = Write(images[i])
	}
	if err != nil {
		d.Delivery, d.Conflict = hearsay.Failed, err.Error()
		if _, ok := errors.AsType[*Conflict](err); !ok && landed(call, Read) {
			d.Delivery = hearsay.UnknownDelivery // a part of it may be there
		}
	}
	return d, g.Applied(ctx, c, t.Record.ID, guard.Outcome{Delivery: d.Delivery, Landed: Items(call.Edits)})
}

// look finds out what became of a write that was begun: a released one whose outcome
// nobody sealed. What an agent's own tool has under way is left to its host.
func look(ctx context.Context, g *guard.Guard, c hearsay.Caller, r *event.Record, call *Call, d *Delivered) (*Delivered, error) {
	if r.Standing != hearsay.Released {
		return nil, nil
	}
	d.Delivery = hearsay.UnknownDelivery
	if landed(call, Read) {
		d.Delivery = hearsay.Applied
	}
	if d.Delivery == r.Delivery {
		return nil, nil
	}
	return d, g.Applied(ctx, c, r.ID, guard.Outcome{Delivery: d.Delivery, Landed: Items(call.Edits)})
}

// withdraw takes out what a write put there, where it stands just once.
func withdraw(ctx context.Context, g *guard.Guard, c hearsay.Caller, r *event.Record, call *Call, d *Delivered) error {
	d.Delivery = hearsay.Withdrawn
	for _, e := range call.Edits {
		now, err := Read(e.Path)
		if err != nil {
			return err
		}
		if now == nil || e.New == "" || !strings.Contains(string(now), e.New) {
			continue // it is not there
		}
		after := []byte(strings.Replace(string(now), e.New, e.Old, 1))
		switch {
		case e.Whole && string(now) == e.New:
			after = nil
		case e.Whole || strings.Count(string(now), e.New) > 1:
			d.Conflict = fmt.Sprintf("%s: it does not stand there as it was put: look at the file yourself", e.Path)
			continue
		}
		if err := Write(Image{Path: e.Path, Before: now, After: after}); err != nil {
			return err
		}
	}
	return g.Applied(ctx, c, r.ID, guard.Outcome{Delivery: d.Delivery, Landed: Items(call.Edits)})
}

// landed reports whether the files are as the call would leave them.
func landed(call *Call, read func(string) ([]byte, error)) bool {
	for _, e := range call.Edits {
		now, err := read(e.Path)
		switch {
		case err != nil:
			return false
		case e.Delete:
			if now != nil {
				return false
			}
		case e.Whole && string(now) != e.New, !strings.Contains(string(now), e.New):
			return false
		}
	}
	return true
}

// Paths lists the files that a call touches.
func (c *Call) Paths() []string {
	var out []string
	seen := make(map[string]bool)
	for _, e := range c.Edits {
		for _, p := range []string{e.Path, e.MoveTo} {
			if p != "" && !seen[p] {
				seen[p] = true
				out = append(out, p)
			}
		}
	}
	return out
}

// Items are the things that edits put into files.
func Items(edits []Edit) []guard.Item {
	var out []guard.Item
	for _, e := range edits {
		out = append(out, guard.Item{Kind: "text", Parts: []string{e.Path, e.New}})
	}
	return out
}
