package memfile

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/guard"
	"github.com/hearsay-memory/hearsay/internal/memfile/segment"
)

// standing is a line of a file in the making.
type standing struct {
	text  string // with its line end
	owner segment.Owner
	back  bool // it stood there before a write that is taken out
}

// withdrawAll takes writes out of the files that they changed, all of a file at once: what
// one of them replaced can be another one's. Oldest first is how they come.
func withdrawAll(ctx context.Context, all []*delivery) {
	var paths []string
	of := make(map[string][]*delivery)
	for _, d := range all {
		d.Delivery = hearsay.Withdrawn
		for _, path := range d.Paths {
			if of[path] == nil {
				paths = append(paths, path)
			}
			of[path] = append(of[path], d)
		}
	}
	for _, path := range paths {
		if err := withdraw(ctx, path, of[path]); err != nil {
			for _, d := range of[path] {
				d.failed = errors.Join(d.failed, err)
			}
		}
	}
}

// withdraw takes the lines out of a file that came with writes, wherever they stand by now,
// and puts back what the writes replaced, with the owners that it had, where the place
// is as they left it. Where the words stand in lines that are somebody else's as well
// they are left, and so is what cannot be put back: a person is told. Lines of what is
// withdrawn do not come back.
func withdraw(ctx context.Context, path string, writes []*delivery) error {
	track := writes[0].track
	s, err := track.Look(ctx, path)
	if err != nil {
		return err
	}
	history, err := track.History(ctx, path)
	if err != nil && !errors.Is(err, guard.ErrNotFound) {
		return err
	}
	lines := s.standing()
	taken := make(map[hearsay.RecordID]int)
	for _, d := range slices.Backward(writes) {
		had := len(lines)
		for _, l := range lines {
			if l.owner.Record == d.record.ID {
				taken[d.record.ID]++
			}
		}
		if lines, err = d.revert(history, path, lines); err != nil {
			return err
		}
		if len(lines) != had {
			taken[d.record.ID]++
		}
	}
	if lines, err = track.allowed(ctx, lines); err != nil {
		return err
	}
	rest, owners := joinStanding(lines)
	if len(lines) == 0 && len(taken) > 0 {
		rest = nil // a file of which nothing is left goes
	}
	for _, d := range writes {
		if err := d.sweep(path, s.Before(), rest); err != nil {
			return err
		}
	}
	if err := track.Settle(ctx, s); err != nil {
		return err
	}
	for _, d := range writes {
		if taken[d.record.ID] == 0 {
			d.leftIn(path, s.Data)
		}
	}
	if len(taken) == 0 || bytes.Equal(rest, s.Data) && (rest == nil) == (s.Data == nil) {
		return nil
	}
	last := writes[len(writes)-1]
	if err := write(Image{Path: path, Before: s.Data, After: rest}, last.at); err != nil {
		return err
	}
	after, _, err := s.File.Apply(s.Data, rest, last.owner())
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return track.made(ctx, s, rest, after.Whose(owners), last.record.ID)
}

// leftIn tells where words of the write stand that nobody was seen writing, and where
// what it moved is.
func (d *delivery) leftIn(path string, data []byte) {
	if d.call.source(path) != "" && data != nil {
		d.Warning = path + ": what was moved there is left there, beside the file that was put back: delete one of the two"
	}
	for _, e := range d.call.Edits {
		if e.Path == path && e.New != "" && bytes.Contains(data, []byte(e.New)) {
			d.Conflict = path + ": its words stand there, and nobody was seen writing them: look at the file yourself"
		}
	}
}

// revert takes one write out of the lines of a file.
func (d *delivery) revert(history *History, path string, lines []standing) ([]standing, error) {
	mine := func(i int) bool { return lines[i].owner.Record == d.record.ID }
	without := func() []standing {
		return slices.DeleteFunc(slices.Clone(lines), func(l standing) bool { return l.owner.Record == d.record.ID })
	}
	if history == nil {
		return without(), nil
	}
	n, ok := history.Of(d.record.ID)
	if !ok {
		return without(), nil // it did not land there
	}
	after, err := history.State(n)
	var before *Version
	if err == nil {
		before, err = history.State(n - 1)
	}
	if errors.Is(err, ErrNotKept) {
		d.Warning = path + ": what the write replaced is not kept, and was not put back"
		return without(), nil
	}
	if err != nil {
		return nil, err
	}
	now, _ := joinStanding(lines)
	parts, left := segment.Revert(before.Data, after.Data, now, mine)
	was := (&State{Data: before.Data, File: before.File}).standing()
	out := make([]standing, 0, len(parts))
	for _, p := range parts {
		switch {
		case p.Now >= 0 && p.Now < len(lines):
			out = append(out, lines[p.Now])
		case p.Before >= 0 && p.Before < len(was):
			l := was[p.Before]
			l.back = true
			out = append(out, l)
		}
	}
	if len(left) > 0 {
		count := 0
		for _, r := range left {
			count += r.Len()
		}
		d.Warning = fmt.Sprintf("%s: %d lines that the write replaced were not put back, as their place changed since: `hearsay diff %s --since %s` shows them, `hearsay show %s --before %s` prints the file as it was",
			path, count, path, d.record.ID, path, d.record.ID)
	}
	return out, nil
}

// allowed leaves out what would come back and is withdrawn or refused itself.
func (t *Tracker) allowed(ctx context.Context, lines []standing) ([]standing, error) {
	visible := map[hearsay.RecordID]bool{{}: true}
	var out []standing
	for _, l := range lines {
		id := l.owner.Record
		if _, known := visible[id]; l.back && !known {
			shown, err := t.Guard.Show(ctx, id)
			if err != nil && !errors.Is(err, guard.ErrNotFound) {
				return nil, err
			}
			visible[id] = err == nil && shown.Record.Standing.Visible()
		}
		if !l.back || visible[id] {
			out = append(out, l)
		}
	}
	return out, nil
}

// standing is the lines of a file with their owners.
func (s *State) standing() []standing {
	var out []standing
	for line := range strings.Lines(string(s.Data)) {
		out = append(out, standing{text: line})
	}
	for r, o := range s.File.All() {
		for i := r.From; i < r.To && i < len(out); i++ {
			out[i].owner = o
		}
	}
	return out
}

// joinStanding puts lines together. One that would run into the next is given an end.
func joinStanding(lines []standing) (data []byte, owners []segment.Owner) {
	data = []byte{}
	for i, l := range lines {
		data = append(data, l.text...)
		if i+1 < len(lines) && !strings.HasSuffix(l.text, "\n") {
			data = append(data, '\n')
		}
		owners = append(owners, l.owner)
	}
	return data, owners
}
