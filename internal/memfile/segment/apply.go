package segment

import (
	"bytes"
	"crypto/sha256"
	"strings"

	"github.com/hearsay-memory/hearsay"
)

// Apply returns the file after a write that was recorded as by's, and what the write did.
//
// Lines that stay or move keep their owner, inserted ones are by's. A line with words of
// lines that vanished joins their labels, and so does one that repeats a line that vanished
// in an earlier version. A line that repeats one that is still there joins its label
// too, unless by has the identity for label: that words are the user's own is found by
// their being in what the user said.
//
// The error is [ErrStale] where f does not describe before; then nothing is known of after.
func (f File) Apply(before, after []byte, by Owner) (File, []Change, error) {
	if err := f.Fits(before); err != nil {
		return File{}, nil, err
	}
	if bytes.Equal(before, after) {
		return f, nil, nil
	}
	by.Label = by.Label.Join(hearsay.LabelIdentity)
	if tooLarge(before, after) {
		g, c := f.coarse(after, by)
		return g, c, nil
	}
	d := f.compare(before, after, by)
	g := d.file(sha256.Sum256(after))
	return g, d.changes(g), nil
}

// Drift returns the file after bytes changed and nobody was seen writing. It is [File.Apply]
// by an owner who is at most unverified, whatever unseen says.
func (f File) Drift(before, after []byte, unseen Owner) (File, []Change, error) {
	unseen.Label = unseen.Label.Join(hearsay.Label{Origin: hearsay.Unverified, Taint: hearsay.Untainted})
	return f.Apply(before, after, unseen)
}

func tooLarge(before, after []byte) bool {
	return max(len(before), len(after)) > MaxBytes || max(countLines(before), countLines(after)) > MaxLines
}

// coarse returns the file where nothing is compared: all of it is by's, with all labels.
func (f File) coarse(after []byte, by Owner) (File, []Change) {
	all := f.Label()
	by.Label = by.Label.Join(all)
	for _, e := range f.ghosts.list {
		by.Label = by.Label.Join(e.label)
	}
	g := New(after, by)
	for i := range g.runs {
		g.runs[i].edited = true
	}
	g.ghosts = f.ghosts.everything(all)
	return g, []Change{{Kind: Edit, Before: Range{0, f.Lines()}, After: Range{0, g.Lines()}, Owner: by}}
}

// file returns the file after the change.
func (d *delta) file(sum [sha256.Size]byte) File {
	g := maker{File: File{digest: sum, front: d.a.front, runs: make([]run, 0, len(d.f.runs)+2)}}
	g.take(d.f, 0, d.top)
	owner, edited := d.by, false
	if n := len(g.runs); n > 0 {
		owner, edited = g.owners[g.runs[n-1].owner], g.runs[n-1].edited
	}
	for j := range d.a.lines {
		switch i := d.m.from[j]; {
		case i >= 0:
			r := d.f.runs[d.run[i]]
			owner, edited = d.f.owners[r.owner], r.edited
			if l := d.t.join(d.labelOf(i), d.doubt[j]); l != d.labelOf(i) {
				owner.Label, edited = d.t.list[l], true
			}
		case d.m.after[j] == stamp:
			// The host's time goes with the line above it: it says nothing of its own.
		default:
			owner, edited = d.by, d.kin.edited[j]
			owner.Label = d.t.list[d.kin.label[j]]
		}
		g.add(1, owner, edited)
	}
	g.take(d.f, d.top+len(d.b.lines), d.f.lines)
	vanished := map[uint64]hearsay.Label{}
	for i, ws := range d.kin.oldWords {
		l := d.t.list[d.labelOf(i)]
		if len(ws) == 0 || l == hearsay.LabelIdentity {
			continue
		}
		if have, ok := vanished[printOf(ws)]; ok {
			l = l.Join(have)
		}
		vanished[printOf(ws)] = l
	}
	g.ghosts = d.f.ghosts.with(vanished)
	return g.File
}

// changes lists what happened, neighbours of a kind and an owner together.
func (d *delta) changes(g File) []Change {
	owners := make([]Owner, 0, len(d.a.lines))
	for r := range g.between(d.top, d.top+len(d.a.lines)) {
		for range r.Lines {
			owners = append(owners, r.Owner)
		}
	}
	var out []Change
	if d.b.bom != d.a.bom {
		out = append(out, Change{Kind: EOLOnly, Owner: g.At(0)})
	}
	at := position{d.top, d.top}
	for _, p := range d.pieces {
		c := d.change(p, &at)
		if c.Kind == None {
			continue
		}
		if c.Kind == Delete {
			c.Owner = d.f.owners[d.f.runs[d.run[p.before.From]].owner]
		} else {
			c.Owner = owners[p.after.From]
			for _, o := range owners[p.after.From:p.after.To] {
				c.Owner.Label = c.Owner.Label.Join(o.Label)
			}
		}
		if n := len(out); n > 0 && follows(out[n-1], c) {
			out[n-1].Before.To, out[n-1].After.To = c.Before.To, c.After.To
			continue
		}
		out = append(out, c)
	}
	return out
}

// follows reports whether d continues c.
func follows(c, d Change) bool {
	return c.Kind == d.Kind && c.Kind != Edit && c.Owner == d.Owner &&
		c.Before.To == d.Before.From && c.After.To == d.After.From && (c.After.Len() > 0 || c.Before.Len() > 0)
}

// position is how far the pieces before have come in both versions.
type position struct{ b, a int }

// change returns what a piece is as a change of the versions, without its owner.
func (d *delta) change(p piece, at *position) Change {
	c := Change{Before: p.before.down(d.top), After: p.after.down(d.top)}
	if c.Before.Len() == 0 {
		c.Before = Range{at.b, at.b}
	}
	if c.After.Len() == 0 {
		c.After = Range{at.a, at.a}
	}
	at.b, at.a = c.Before.To, c.After.To
	switch p.kind {
	case same:
		if i, j := p.before.From, p.after.From; d.m.after[j] != stamp && d.b.eol(i) != d.a.eol(j) {
			c.Kind = EOLOnly
		}
	case edited:
		c.Kind = Edit
	case inserted:
		c.Kind = Insert
	case deleted:
		c.Kind = Delete
	case movedHere:
		i := d.m.from[p.after.From]
		c.Kind, c.Before = Move, Range{i, i + 1}.down(d.top)
	case movedAway, stamped:
	}
	return c
}

// stringsOf is the whole lines of a range.
func stringsOf(t *text, r Range) string {
	var s strings.Builder
	for i := r.From; i < r.To; i++ {
		s.WriteString(t.whole(i))
	}
	return s.String()
}
