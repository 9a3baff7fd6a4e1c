package segment

import (
	"bytes"
	"crypto/sha256"
	"slices"
	"strings"
)

// Hunk is what [Inverse] did at one place.
type Hunk struct {
	At      Range  // of the lines after that were taken out; empty where something was only put back
	Removed []byte // the exact bytes taken out
	Put     []byte // the exact bytes put in their place
}

// Inverse takes the changes from before to after back, except those that keep says stay, and
// leaves everything else as it is after: what keep says stays, what did not change, and the
// host's time stamp. Where every change stays, restored is after; where none does, it is
// before, but for that stamp.
//
// Keep is asked about each line by itself, about each edited block, and about the
// byte-order mark; changes have no owner. A line that would run into the next one is given
// a line end, and nothing else is added.
func Inverse(before, after []byte, keep func(Change) bool) (restored []byte, removed []Hunk) {
	if bytes.Equal(before, after) {
		return slices.Clone(after), nil
	}
	if tooLarge(before, after) {
		all := Change{Kind: Edit, Before: Range{0, countLines(before)}, After: Range{0, countLines(after)}}
		if keep(all) {
			return slices.Clone(after), nil
		}
		return slices.Clone(before), []Hunk{{At: all.After, Removed: slices.Clone(after), Put: slices.Clone(before)}}
	}
	return covering(before, Owner{}, [sha256.Size]byte{}).compare(before, after, Owner{}).inverse(keep)
}

// inverse is [Inverse] for versions that were compared.
func (d *delta) inverse(keep func(Change) bool) (restored []byte, removed []Hunk) {
	u := &undo{d: d, back: make([]bool, len(d.a.lines))}
	mark := d.a.bom
	if d.a.bom != d.b.bom && !keep(Change{Kind: EOLOnly}) {
		mark = d.b.bom
		h := Hunk{Removed: []byte(bom)}
		if mark {
			h = Hunk{Put: []byte(bom)}
		}
		u.hunks = append(u.hunks, h)
	}
	if mark {
		u.out.WriteString(bom)
	}
	u.ask(keep)
	u.out.Write(d.head)
	u.write()
	u.out.Write(d.tail)
	return []byte(u.out.String()), u.hunks
}

// undo writes the restored file.
type undo struct {
	d     *delta
	back  []bool // for each line after: it is undone
	taken []bool // for each piece: it is undone
	out   strings.Builder
	open  bool // the last line that was written has no line end
	hunks []Hunk
}

// ask asks about every change. A line that moved away is put back where it was taken out.
func (u *undo) ask(keep func(Change) bool) {
	at := position{u.d.top, u.d.top}
	u.taken = make([]bool, len(u.d.pieces))
	for n, p := range u.d.pieces {
		c := u.d.change(p, &at)
		if c.Kind == None || keep(c) {
			continue
		}
		u.taken[n] = true
		for j := p.after.From; j < p.after.To; j++ {
			u.back[j] = true
		}
	}
	for n, p := range u.d.pieces {
		if p.kind == movedAway {
			u.taken[n] = u.back[u.d.m.to[p.before.From]]
		}
	}
}

func (u *undo) write() {
	at := u.d.top
	for n, p := range u.d.pieces {
		after := p.after.down(u.d.top)
		if after.Len() > 0 {
			at = after.From
		}
		if !u.taken[n] {
			u.lines(u.d.a, p.after)
			if after.Len() > 0 {
				at = after.To
			}
			continue
		}
		u.lines(u.d.b, p.before)
		h := Hunk{At: Range{at, at + p.after.Len()}, Removed: []byte(stringsOf(u.d.a, p.after)), Put: []byte(stringsOf(u.d.b, p.before))}
		if p.kind == movedHere {
			h.Put = nil
		}
		at = h.At.To
		if k := len(u.hunks) - 1; k >= 0 && u.hunks[k].At.To == h.At.From && u.hunks[k].At.Len() > 0 && h.At.Len() > 0 {
			u.hunks[k].At.To = h.At.To
			u.hunks[k].Removed = append(u.hunks[k].Removed, h.Removed...)
			u.hunks[k].Put = append(u.hunks[k].Put, h.Put...)
			continue
		}
		u.hunks = append(u.hunks, h)
	}
}

// lines writes lines of a version.
func (u *undo) lines(t *text, r Range) {
	for i := r.From; i < r.To; i++ {
		if u.open {
			end := t.eol(i)
			if end == "" {
				end = "\n"
			}
			u.out.WriteString(end)
		}
		u.out.WriteString(t.whole(i))
		u.open = t.eol(i) == ""
	}
}
