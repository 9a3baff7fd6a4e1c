package memfile

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"iter"
	"strings"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/event"
	"github.com/hearsay-memory/hearsay/guard"
	"github.com/hearsay-memory/hearsay/internal/memfile/segment"
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
	track := &Tracker{Guard: g, Caller: c}
	images, err := call.Replay(Read)
	for i := 0; err == nil && i < len(images); i++ {
		err = track.write(ctx, images[i], segment.Owner{Record: t.Record.ID, Label: t.Record.Label})
	}
	if err != nil {
		d.Delivery, d.Conflict = hearsay.Failed, err.Error()
		if _, ok := errors.AsType[*Conflict](err); !ok && landed(call, Read) {
			d.Delivery = hearsay.UnknownDelivery // a part of it may be there
		}
	}
	return d, g.Applied(ctx, c, t.Record.ID, guard.Outcome{Delivery: d.Delivery, Landed: Items(call.Edits)})
}

// write makes an image true and seals whose the lines are. What changed before is
// settled first: it is not the write's.
func (t *Tracker) write(ctx context.Context, im Image, by segment.Owner) error {
	s, err := t.Look(ctx, im.Path)
	if err != nil {
		return err
	}
	if err := t.Settle(ctx, s); err != nil {
		return err
	}
	if err := Write(im); err != nil {
		return err
	}
	return t.Wrote(ctx, s, by)
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

// withdraw takes out the lines that came with a write, wherever they stand by now. Where
// the words stand in lines that are somebody else's as well, they are left and told.
func withdraw(ctx context.Context, g *guard.Guard, c hearsay.Caller, r *event.Record, call *Call, d *Delivered) error {
	d.Delivery = hearsay.Withdrawn
	track := &Tracker{Guard: g, Caller: c}
	for _, name := range call.Paths() {
		s, err := track.Look(ctx, name)
		if err != nil {
			return err
		}
		if err := track.Settle(ctx, s); err != nil {
			return err
		}
		rest, taken := s.without(r.ID)
		if taken == 0 {
			for _, e := range call.Edits {
				if e.Path == name && e.New != "" && bytes.Contains(s.Data, []byte(e.New)) {
					d.Conflict = name + ": its words stand there, and nobody was seen writing them: look at the file yourself"
				}
			}
			continue
		}
		if err := Write(Image{Path: name, Before: s.Data, After: rest}); err != nil {
			return err
		}
		if err := track.Wrote(ctx, s, segment.Owner{Record: r.ID, Label: r.Label}); err != nil {
			return err
		}
	}
	return g.Applied(ctx, c, r.ID, guard.Outcome{Delivery: d.Delivery, Landed: Items(call.Edits)})
}

// without returns the file's bytes without the lines of a record, and how many they are. A
// file of which nothing is left goes.
func (s *State) without(id hearsay.RecordID) (rest []byte, taken int) {
	rest = []byte{}
	next, stop := iter.Pull2(s.File.All())
	defer stop()
	r, o, more := next()
	at := 0
	for line := range bytes.Lines(s.Data) {
		for more && at >= r.To {
			r, o, more = next()
		}
		at++
		if more && o.Record == id {
			taken++
			continue
		}
		rest = append(rest, line...)
	}
	if len(rest) == 0 && taken > 0 {
		return nil, taken
	}
	return rest, taken
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
