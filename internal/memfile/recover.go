package memfile

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/event"
	"github.com/hearsay-memory/hearsay/internal/memfile/segment"
)

// look finds out what became of a write that was begun: one of [delivery.ours] whose
// outcome nobody sealed. It is never made again. What an agent's own tool has under way is
// left to its host.
func (d *delivery) look(ctx context.Context) (done bool, err error) {
	if !d.ours() {
		return false, nil
	}
	d.Delivery = hearsay.UnknownDelivery
	if landed(d.call, Read) {
		d.Delivery = hearsay.Applied
	}
	if d.Delivery == d.record.Delivery {
		return false, nil
	}
	for _, name := range d.Paths {
		if err := d.sweepCall(ctx, name); err != nil {
			return true, err
		}
	}
	// The lines before the outcome: a crash in between leaves them to be looked for again.
	if err := d.claim(ctx); err != nil {
		return true, err
	}
	if d.Delivery == hearsay.UnknownDelivery {
		d.Conflict = strings.Join(d.Paths, ", ") + ": it is not known whether the write was made before Hearsay was stopped: look at the file yourself"
	}
	return true, d.seal(ctx)
}

// landed reports whether the files are as the call would leave them. It says no where
// that cannot be told.
func landed(call *Call, read func(string) ([]byte, error)) bool {
	for _, e := range call.Edits {
		name := e.Path
		if e.MoveTo != "" && e.MoveTo != e.Path {
			if old, err := read(e.Path); err != nil || old != nil {
				return false
			}
			name = e.MoveTo
		}
		now, err := read(name)
		if err != nil || e.Cell != "" {
			return false
		}
		text := string(now)
		switch {
		case e.Delete:
			if now != nil {
				return false
			}
		case now == nil, e.Whole && text != e.New, !strings.Contains(text, e.New):
			return false
		case !e.Whole && e.MoveTo == "" && Sum(now) == call.Base[e.Path]:
			return false // it is as it was before
		case e.Old != "" && !strings.Contains(e.New, e.Old) && strings.Contains(text, e.Old):
			return false
		}
	}
	return true
}

// claimTries bounds how often lines are claimed anew where somebody else recorded the
// file in between.
const claimTries = 20

// claim gives to the write the lines that it may have brought, whoever looked at the
// files since: bytes that it left must not pass for some that nobody was seen writing,
// which can be of a higher label.
func (d *delivery) claim(ctx context.Context) error {
	for _, name := range d.Paths {
		var err error
		for range claimTries {
			if err = d.claimOne(ctx, name); err == nil || ctx.Err() != nil {
				break
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (d *delivery) claimOne(ctx context.Context, name string) error {
	s, err := d.track.Look(ctx, name)
	if err != nil {
		return err
	}
	fits := false
	if s.Changed() && d.Delivery == hearsay.Applied {
		if fits, err = d.claimMade(ctx, name); err != nil {
			return err
		}
	}
	switch {
	case fits:
		if s, err = d.track.Look(ctx, name); err != nil {
			return err
		}
	case s.Changed() && d.Delivery == hearsay.Applied && Low(d.record.Label):
		err = d.track.WroteAs(ctx, s, d.owner())
	case s.Changed():
		var unseen segment.Owner
		if unseen, err = d.track.unseen(ctx, s.Since); err == nil {
			err = d.track.SettleAs(ctx, s, unseen.Label.Join(d.record.Label))
		}
	}
	if err != nil {
		return err
	}
	return d.join(ctx, s)
}

// join joins the write's label to lines that say what it says and that nobody was seen
// writing.
func (d *delivery) join(ctx context.Context, s *State) error {
	brought := make(map[string]bool)
	for _, e := range d.call.Edits {
		for line := range strings.Lines(e.New) {
			if line = strings.TrimSpace(line); line != "" {
				brought[line] = true
			}
		}
	}
	lines := slices.Collect(bytes.Lines(s.Data))
	file, changed := s.File, false
	for r, o := range s.File.All() {
		if !o.Record.IsZero() || o.Label.Origin > hearsay.Unverified {
			continue
		}
		o.Label = o.Label.Join(d.record.Label)
		if d.Delivery == hearsay.Applied {
			o.Record = d.record.ID
		}
		says := func(i int) bool { return brought[string(bytes.TrimSpace(lines[i]))] }
		for at := r.From; at < r.To; at++ {
			from := at
			for at < r.To && says(at) {
				at++
			}
			if from < at {
				file, changed = file.Own(segment.Range{From: from, To: at}, o), true
			}
		}
	}
	if !changed {
		return nil
	}
	s.File = file
	return d.track.save(ctx, s, event.Drift)
}

// sweepCall is [delivery.sweep] for a write that was begun.
func (d *delivery) sweepCall(ctx context.Context, name string) error {
	var known [][]byte
	if s, err := d.track.Known(ctx, name); err == nil {
		known = append(known, s.Data)
	}
	images, _ := d.call.Replay(Read) // none where it does not fit: then less is known to be ours
	for _, im := range images {
		known = append(known, im.After)
	}
	return d.sweep(name, known...)
}

// sweep removes what was left beside a file when a write of it was cut short: bytes that
// are the file's as it is, one of the known states, or the beginning of such. Any others
// are somebody's, who saved them in that moment: they stay, and a person is told.
func (d *delivery) sweep(name string, known ...[]byte) error {
	names, err := leftovers(name)
	if err != nil || len(names) == 0 {
		return err
	}
	now, err := Read(name)
	if err != nil {
		return err
	}
	known = append(known, now)
	var kept []string
	for _, left := range names {
		data, err := Read(left)
		ours := err == nil && (len(data) == 0 || Sum(data) == d.call.Base[name])
		for _, k := range known {
			ours = ours || err == nil && bytes.HasPrefix(k, data)
		}
		if ours {
			err = drop(left)
		}
		if err != nil || !ours {
			kept = append(kept, left)
		}
	}
	if len(kept) > 0 {
		d.Warning = fmt.Sprintf("%s: a write was cut short, and what somebody saved meanwhile may be in %s: look at it", name, strings.Join(kept, ", "))
	}
	return nil
}
