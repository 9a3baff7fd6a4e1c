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
	g := d.file()
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
		g.runs[i].Edited = true
	}
	g.ghosts = f.ghosts.everything(all)
	return g, []Change{{Kind: Edit, Before: Range{0, f.Lines()}, After: Range{0, g.Lines()}, Owner: by}}
}

// delta is one change of a file.
type delta struct {
	f      File
	b, a   *text
	sum    [sha256.Size]byte // of the bytes after
	by     Owner
	m      *match
	run    []int   // for each line before: its run
	label  []int32 // for each run: its label
	t      *labels
	kin    *kin
	doubt  map[int]int32 // for a line after: what it may be the word of too
	pieces []piece
}

func (f File) compare(before, after []byte, by Owner) *delta {
	d := &delta{f: f, b: parse(before), a: parse(after), sum: sha256.Sum256(after), by: by, t: newLabels()}
	for i, r := range f.runs {
		d.label = append(d.label, d.t.add(r.Owner.Label))
		for range r.Lines {
			d.run = append(d.run, i)
		}
	}
	d.m = align(d.b, d.a)
	d.m.move(d.a)
	d.doubt = d.m.doubts(d.a, d.labelOf, d.t)
	d.derive()
	d.pieces = d.m.pieces(d.kin)
	return d
}

// labelOf returns the label of a line before.
func (d *delta) labelOf(i int) int32 { return d.label[d.run[i]] }

// gone reports whether a line before has vanished.
func (d *delta) gone(i int) bool { return d.m.to[i] < 0 && d.m.before[i] != stamp }

// fresh reports whether a line after is new.
func (d *delta) fresh(j int) bool { return d.m.from[j] < 0 && d.m.after[j] != stamp }

// derive finds what new lines come from.
func (d *delta) derive() {
	by := d.t.add(d.by.Label)
	k := &kin{
		t: d.t, by: by, left: budget, best: map[int]int{}, shares: map[[2]int]bool{},
		label: make([]int32, len(d.a.lines)), edited: make([]bool, len(d.a.lines)),
		newWords: make([][]uint64, len(d.a.lines)), oldWords: make([][]uint64, len(d.b.lines)),
	}
	d.kin = k
	var fresh, gone []int
	newWords, oldWords := 0, 0
	for j := range d.a.lines {
		if d.fresh(j) {
			fresh = append(fresh, j)
			k.newWords[j] = words(nil, d.a.text(j))
			k.label[j] = by
			newWords += len(k.newWords[j])
		}
	}
	for i := range d.b.lines {
		if d.gone(i) {
			gone = append(gone, i)
			k.oldWords[i] = words(nil, d.b.text(i))
			oldWords += len(k.oldWords[i])
		}
	}
	switch {
	case len(fresh) == 0:
		return
	case newWords > maxWords || oldWords > maxWords:
		all := d.t.add(d.f.Label())
		for _, j := range fresh {
			k.lower(j, all)
		}
	default:
		d.hunks(fresh, gone)
		d.vanished(fresh, gone)
		if d.by.Label != hearsay.LabelIdentity {
			d.repeats(fresh)
		}
	}
	for _, j := range fresh {
		if len(k.newWords[j]) > 0 {
			k.lower(j, d.t.add(d.f.ghosts.find(printOf(k.newWords[j]))))
		}
	}
}

// vanished joins the labels of lines that vanished anywhere and that new lines take up.
func (d *delta) vanished(fresh, gone []int) {
	k := d.kin
	var lower []int
	for _, i := range gone {
		if k.t.join(k.by, d.labelOf(i)) != k.by {
			lower = append(lower, i)
		}
	}
	if len(lower) == 0 {
		return
	}
	p := k.probe(fresh, runGone)
	g := gram{n: runGone}
	for _, i := range gone {
		p.see(&g, k.oldWords[i], i, d.labelOf)
	}
	k.tell(p, fresh, runGone)
	k.shorts(lower, fresh, d.labelOf)
	k.left = budget
	k.elsewhere(lower, fresh, d.labelOf)
}

// hunks compares the lines of each hunk: what lies between two lines that stayed.
func (d *delta) hunks(fresh, gone []int) {
	for a := 0; a <= len(d.a.lines); a++ {
		end := len(d.b.lines)
		if a < len(d.a.lines) {
			if d.m.from[a] < 0 || d.m.moved[a] {
				continue
			}
			end = d.m.from[a]
		}
		var here, there []int
		for len(gone) > 0 && gone[0] < end {
			here, gone = append(here, gone[0]), gone[1:]
		}
		for len(fresh) > 0 && fresh[0] < a {
			there, fresh = append(there, fresh[0]), fresh[1:]
		}
		d.kin.hunk(here, there, d.labelOf)
	}
}

// repeats joins the labels of lines that are still there and that new lines repeat.
func (d *delta) repeats(fresh []int) {
	lowers := make([]bool, len(d.label))
	any := false
	for r, l := range d.label {
		lowers[r] = d.t.join(d.kin.by, l) != d.kin.by
		any = any || lowers[r]
	}
	if !any {
		return
	}
	p := d.kin.probe(fresh, runStays)
	g := gram{n: runStays}
	var ws []uint64
	for i := range d.b.lines {
		if d.m.to[i] >= 0 && lowers[d.run[i]] {
			ws = words(ws[:0], d.b.text(i))
			p.see(&g, ws, i, d.labelOf)
		}
	}
	d.kin.tell(p, fresh, runStays)
}

// file returns the file after the change.
func (d *delta) file() File {
	g := File{digest: d.sum, front: d.a.front}
	owner, edited := d.by, false
	for j := range d.a.lines {
		switch i := d.m.from[j]; {
		case i >= 0:
			r := d.f.runs[d.run[i]]
			owner, edited = r.Owner, r.Edited
			if l := d.t.join(d.labelOf(i), d.doubt[j]); l != d.labelOf(i) {
				owner.Label, edited = d.t.list[l], true
			}
		case d.m.after[j] == stamp:
			// The host's time goes with the line above it: it says nothing of its own.
		default:
			owner, edited = d.by, d.kin.edited[j]
			owner.Label = d.t.list[d.kin.label[j]]
		}
		g.append(1, owner, edited)
	}
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
	return g
}

// changes lists what happened, neighbours of a kind and an owner together.
func (d *delta) changes(g File) []Change {
	owners := make([]Owner, 0, len(d.a.lines))
	for r, o := range g.All() {
		for range r.Len() {
			owners = append(owners, o)
		}
	}
	var out []Change
	if d.b.bom != d.a.bom {
		out = append(out, Change{Kind: EOLOnly, Owner: g.At(0)})
	}
	at := position{}
	for _, p := range d.pieces {
		c := at.change(p, d.b, d.a, d.m)
		if c.Kind == None {
			continue
		}
		if c.Kind == Delete {
			c.Owner = d.f.runs[d.run[c.Before.From]].Owner
		} else {
			c.Owner = owners[c.After.From]
			for _, o := range owners[c.After.From:c.After.To] {
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

// change returns what a piece is as a change, without its owner.
func (at *position) change(p piece, b, a *text, m *match) Change {
	c := Change{Before: p.before, After: p.after}
	if c.Before.Len() == 0 {
		c.Before = Range{at.b, at.b}
	}
	if c.After.Len() == 0 {
		c.After = Range{at.a, at.a}
	}
	at.b, at.a = c.Before.To, c.After.To
	switch p.kind {
	case same:
		if i, j := p.before.From, p.after.From; m.after[j] != stamp && b.eol(i) != a.eol(j) {
			c.Kind = EOLOnly
		}
	case edited:
		c.Kind = Edit
	case inserted:
		c.Kind = Insert
	case deleted:
		c.Kind = Delete
	case movedHere:
		i := m.from[p.after.From]
		c.Kind, c.Before = Move, Range{i, i + 1}
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
