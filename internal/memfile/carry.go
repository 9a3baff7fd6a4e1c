package memfile

import (
	"context"
	"fmt"
	"slices"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/event"
	"github.com/hearsay-memory/hearsay/guard"
	"github.com/hearsay-memory/hearsay/internal/memfile/segment"
)

// ByHearsay is the host of a call that Hearsay makes itself, with the lock of the store
// of files: where one is found under way by who holds that lock, nobody is at it.
const ByHearsay = "hearsay"

// Carry makes a call of [ByHearsay] that was let in just now, and seals what became of
// it: all of its files are written or none, and the lines that it brings are the owner's. A
// file that it moves keeps who said each line. The caller holds the lock of the store of
// files.
//
// A call that could not be made is told in the result; an error means that what became
// of it was not sealed.
func Carry(ctx context.Context, g *guard.Guard, c hearsay.Caller, by segment.Owner, call *Call) (Delivered, error) {
	return carry(ctx, g, c, by, call, func(string) {})
}

// carry calls at when it has reached one of [steps] or of [deliverySteps].
func carry(ctx context.Context, g *guard.Guard, c hearsay.Caller, by segment.Owner, call *Call, at func(step string)) (Delivered, error) {
	d := &delivery{
		Delivered: Delivered{Record: by.Record, Paths: call.Paths()},
		track:     Tracker{Guard: g, Caller: c}, record: &event.Record{ID: by.Record, Label: by.Label}, call: call, at: at,
	}
	d.at("begun")
	if err := d.make(ctx); err != nil {
		d.Conflict = err.Error()
	}
	if err := d.seal(ctx); err != nil {
		return d.Delivered, err
	}
	d.at("applied")
	return d.Delivered, nil
}

// ours reports whether a write that was begun is looked for by us: who released it has
// us make it, and else only who wrote by us left its end to us.
func (d *delivery) ours() bool {
	return d.record.Standing == hearsay.Released || d.record.Standing == hearsay.Allowed && d.call.Host == ByHearsay
}

// source is the file that a call moves to that name; empty where it moves none.
func (c *Call) source(name string) string {
	for _, e := range c.Edits {
		if e.MoveTo == name && e.Path != name {
			return e.Path
		}
	}
	return ""
}

// goneLast orders images so that no file goes before all that come are there: a file that
// is moved can be found twice after a crash, and never not at all.
func goneLast(a, b Image) int {
	switch {
	case a.After == nil && b.After != nil:
		return 1
	case a.After != nil && b.After == nil:
		return -1
	}
	return 0
}

// foretell seals whose the lines of files that the call moves will be, before they are
// there: who looks at them after a crash does not find lines that nobody was seen writing,
// which can be of a higher label. states are of the images.
func (d *delivery) foretell(ctx context.Context, images []Image, states []*State) error {
	for i, im := range images {
		from := d.call.source(im.Path)
		if from == "" || im.After == nil {
			continue
		}
		source := stateOf(states, from)
		file, _, err := source.File.Apply(source.Data, im.After, d.owner())
		if err != nil {
			return fmt.Errorf("%s: %w", im.Path, err)
		}
		moved := State{Path: im.Path, Data: im.After, File: file, known: states[i].known, by: d.record.ID}
		if err := d.track.save(ctx, &moved, event.FileWritten); err != nil {
			return err
		}
		states[i].known = moved.known
	}
	return nil
}

// unsay takes back what was foretold of files that did not come.
func (d *delivery) unsay(ctx context.Context, images []Image) error {
	for _, im := range images {
		if d.call.source(im.Path) == "" || im.After == nil {
			continue
		}
		s, err := d.track.Look(ctx, im.Path)
		if err == nil {
			err = d.track.Settle(ctx, s)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func stateOf(states []*State, name string) *State {
	i := slices.IndexFunc(states, func(s *State) bool { return s.Path == name })
	return states[i]
}

// wrote seals whose the lines of one image are: those that the call brought are the
// write's, those that it moved stay whose they were in the file that they come from, and
// whatever else is there by now nobody was seen writing. states are from before the call.
func (d *delivery) wrote(ctx context.Context, im Image, states []*State) error {
	s := *stateOf(states, im.Path)
	if from := d.call.source(im.Path); from != "" && im.After != nil {
		if now, err := d.track.Look(ctx, im.Path); err != nil || !now.Changed() {
			return err // it is as it was foretold
		}
		s.File, s.Data = stateOf(states, from).File, stateOf(states, from).Data
	}
	return d.track.Made(ctx, &s, im.After, d.owner())
}

// claimMade is [delivery.wrote] for a write that is seen to have landed and that was cut
// short before that: what it made of the file follows from what the files were known as.
// fits is false where it does not follow.
func (d *delivery) claimMade(ctx context.Context, name string) (fits bool, err error) {
	var states []*State
	for _, path := range d.Paths {
		s, err := d.track.Known(ctx, path)
		if err != nil {
			return false, err
		}
		states = append(states, s)
	}
	images, err := d.call.Replay(func(path string) ([]byte, error) {
		i := slices.Index(d.Paths, path)
		return states[i].Data, nil
	})
	if err != nil {
		return false, nil
	}
	for _, im := range images {
		if im.Path == name {
			return true, d.wrote(ctx, im, states)
		}
	}
	return false, nil
}
