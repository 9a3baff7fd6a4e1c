package segment

import (
	"strings"

	"github.com/hearsay-memory/hearsay"
)

// delta is one change of a file. Lines are those of the window, counted from its top.
type delta struct {
	window
	f      File
	before []byte
	by     Owner
	m      *match
	run    []int   // for each line before: its run
	label  []int32 // for each owner: its label
	t      *labels
	kin    *kin
	doubt  map[int]int32 // for a line after: what it may be the word of too
	pieces []piece
}

// compare compares two versions, the first of which f describes.
func (f File) compare(before, after []byte, by Owner) *delta {
	return f.compareIn(differing(before, after), before, by)
}

// compareIn compares what is in a window.
func (f File) compareIn(w window, before []byte, by Owner) *delta {
	d := &delta{window: w, f: f, before: before, by: by, t: newLabels()}
	d.label = make([]int32, len(f.owners))
	for i, o := range f.owners {
		d.label[i] = d.t.add(o.Label)
	}
	d.run = make([]int, 0, len(d.b.lines))
	at := -d.top
	for i, r := range f.runs {
		for range min(at+r.lines, len(d.b.lines)) - max(at, 0) {
			d.run = append(d.run, i)
		}
		at += r.lines
	}
	d.m = align(d.b, d.a)
	d.m.move(d.a)
	d.doubt = d.m.doubts(d.a, d.labelOf, d.t)
	d.derive()
	d.pieces = d.m.pieces(d.kin)
	return d
}

// labelOf returns the label of a line before.
func (d *delta) labelOf(i int) int32 { return d.label[d.f.runs[d.run[i]].owner] }

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
	lowers := make([]bool, len(d.label)) // by owner
	any := false
	for o, l := range d.label {
		lowers[o] = d.t.join(d.kin.by, l) != d.kin.by
		any = any || lowers[o]
	}
	if !any {
		return
	}
	p := d.kin.probe(fresh, runStays)
	g := gram{n: runStays}
	var ws []uint64
	rest := strings.TrimPrefix(string(d.before), bom)
	i := -d.top
	for _, r := range d.f.runs {
		for range r.lines {
			n := strings.IndexByte(rest, '\n') + 1
			if n == 0 {
				n = len(rest)
			}
			if stays := i < 0 || i >= len(d.m.to) || d.m.to[i] >= 0; stays && lowers[r.owner] {
				ws = words(ws[:0], rest[:n])
				p.see(&g, ws, int(d.label[r.owner]), func(label int) int32 { return int32(label) })
			}
			rest = rest[n:]
			i++
		}
	}
	d.kin.tell(p, fresh, runStays)
}
