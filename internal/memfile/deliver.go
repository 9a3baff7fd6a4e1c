package memfile

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path"
	"slices"

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
	Conflict string // why it was not done, or not seen to be; empty: it was
	Warning  string // what a person should know besides
}

// Deliver does what waits for the caller's guarded files: released writes are made, once,
// just as they were held; what was begun and not finished is looked for; what was
// withdrawn is taken out again where it stands as it was put. The caller holds the
// lock of the store of files.
//
// A write that does not fit any more is a conflict: it is sealed as failed, its bytes are
// kept, and the rest goes on. So it does after an error, which is returned at the end.
func Deliver(ctx context.Context, g *guard.Guard, c hearsay.Caller) ([]Delivered, error) {
	return deliverAll(ctx, g, c, func(string) {})
}

// deliverAll calls at when it has reached one of [steps] or of [deliverySteps].
func deliverAll(ctx context.Context, g *guard.Guard, c hearsay.Caller, at func(step string)) ([]Delivered, error) {
	tasks, err := g.Tasks(ctx, c, Store)
	if err != nil {
		return nil, err
	}
	var out []Delivered
	var errs []error
	var taken []*delivery // to be taken out
	failed := func(id hearsay.RecordID, err error) { errs = append(errs, fmt.Errorf("deliver %s: %w", id, err)) }
	for _, t := range tasks {
		if err := ctx.Err(); err != nil {
			return out, errors.Join(append(errs, err)...)
		}
		call, err := DecodeCall(t.Content)
		if err != nil {
			failed(t.Record.ID, err)
			continue
		}
		d := &delivery{
			Delivered: Delivered{Record: t.Record.ID, Paths: call.Paths()},
			track:     Tracker{Guard: g, Caller: c}, record: t.Record, call: call, at: at,
		}
		if t.Withdraw {
			taken = append(taken, d)
			continue
		}
		done, err := d.do(ctx, t)
		if done {
			out = append(out, d.Delivered)
		}
		if err != nil {
			failed(t.Record.ID, err)
		}
	}
	withdrawAll(ctx, taken)
	for _, d := range taken {
		if d.failed == nil {
			d.failed = d.seal(ctx)
		}
		if d.failed != nil {
			failed(d.Record, d.failed)
		}
		out = append(out, d.Delivered)
	}
	return out, errors.Join(errs...)
}

// deliverySteps are what a delivery has reached: it is sealed that it begins; what the
// files are is sealed; all of them are written; whose their lines are is sealed; what
// became of it is sealed.
var deliverySteps = [...]string{"begun", "settled", "made", "recorded", "applied"}

// delivery is one thing that is done to guarded files.
type delivery struct {
	Delivered
	track  Tracker
	record *event.Record
	call   *Call
	at     func(step string)
	failed error // of taking it out
}

// owner is whose the lines are that the write brings.
func (d *delivery) owner() segment.Owner {
	return segment.Owner{Record: d.record.ID, Label: d.record.Label}
}

// seal seals what became of the write.
func (d *delivery) seal(ctx context.Context) error {
	return d.track.Guard.Applied(ctx, d.track.Caller, d.record.ID, guard.Outcome{Delivery: d.Delivery, Landed: Items(d.call.Edits)})
}

func (d *delivery) do(ctx context.Context, t guard.Task) (done bool, err error) {
	if t.Begun {
		return d.look(ctx)
	}
	if err := d.track.Guard.Begin(ctx, d.track.Caller, d.record.ID); err != nil {
		return false, err
	}
	d.at("begun")
	if err := d.make(ctx); err != nil {
		d.Conflict = err.Error()
	}
	if err := d.seal(ctx); err != nil {
		return true, err
	}
	d.at("applied")
	return true, nil
}

// makeTries bounds how often a write is made anew that found a file changed in the very
// moment, or whose lines somebody else recorded in between.
const makeTries = 4

// make makes the write. Of several files all are written or none.
func (d *delivery) make(ctx context.Context) (err error) {
	for range makeTries {
		d.Delivery = hearsay.Failed
		images, misfit := d.call.Replay(Read)
		if misfit != nil {
			return misfit
		}
		if err = d.put(ctx, images); err == nil || d.Delivery != hearsay.Failed {
			return err
		}
	}
	return err
}

// put makes the images true. What changed before is settled first: it is not the
// write's. Whose the lines are is sealed when all of them are there.
func (d *delivery) put(ctx context.Context, images []Image) (err error) {
	slices.SortStableFunc(images, goneLast)
	states := make([]*State, len(images))
	for i, im := range images {
		if states[i], err = d.track.Look(ctx, im.Path); err != nil {
			return err
		}
		if err := d.track.Settle(ctx, states[i]); err != nil {
			return err
		}
		if !bytes.Equal(states[i].Data, im.Before) {
			return changed(im)
		}
		if fs := network(path.Dir(im.Path)); fs != "" {
			d.Warning = im.Path + ": it lies on a network file system (" + fs + "): what another machine writes to it at the same moment can be lost"
		}
	}
	d.at("settled")
	if err := d.foretell(ctx, images, states); err != nil {
		return err
	}
	for i, im := range images {
		if err := write(im, d.at); err != nil {
			return d.undo(ctx, images[:i+1], err)
		}
	}
	d.at("made")
	d.Delivery = hearsay.Applied
	for i := range images {
		if err := d.wrote(ctx, images[i], states); err != nil {
			// Somebody else looked at the file between: the lines are the write's all the same.
			if claimed := d.claim(ctx); claimed != nil {
				d.Delivery = hearsay.UnknownDelivery
				return errors.Join(err, claimed)
			}
			break
		}
	}
	d.at("recorded")
	return nil
}

// undo puts files back of which the last one could not be written. Where one of them
// stays as the write made it, what became of the write is not known.
func (d *delivery) undo(ctx context.Context, images []Image, cause error) error {
	for i, im := range slices.Backward(images) {
		now, err := Read(im.Path)
		if err == nil && !same(now, im.After) && i == len(images)-1 {
			continue // it was not written
		}
		if err == nil && !same(im.Before, im.After) {
			err = Write(Image{Path: im.Path, Before: im.After, After: im.Before})
		}
		if err != nil {
			d.Delivery = hearsay.UnknownDelivery
			cause = errors.Join(cause, fmt.Errorf("and it was not put back: %w", err))
		}
	}
	if d.Delivery == hearsay.UnknownDelivery {
		return errors.Join(cause, d.claim(ctx))
	}
	return errors.Join(cause, d.unsay(ctx, images))
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
