package segment

import (
	"cmp"
	"slices"
)

// maxAlike bounds the comparisons of dropped lines with new ones. Beyond it lines count as
// dropped.
const maxAlike = 1 << 21

// Dropped lists the lines of before, counted from 0, that are gone in after and that
// nothing in it takes up: they did not stay, nor move, nor are they edited at their place
// or wrapped and merged into other lines. A line counts as edited where a new line at its
// place has half of its words, and as taken up where half of its runs of two words
// stand in new lines anywhere. Lines without words and the host's time stamp do not count.
// Where there is too much to compare, every line with words that did not stay counts.
func Dropped(before, after []byte) []int {
	b, a, m, order := vanished(before, after)
	if len(order) == 0 {
		return nil
	}
	gone := make(map[int][]uint64) // by line before: its words
	for _, i := range order {
		gone[i] = words(nil, b.text(i))
	}
	fresh := make(map[int][]uint64)
	runs := make(map[uint64]int) // how often new lines have them
	g, left := gram{n: runHere}, maxAlike
	for j := range a.lines {
		if m.from[j] >= 0 || m.after[j] == stamp {
			continue
		}
		fresh[j] = words(nil, a.text(j))
		for _, w := range fresh[j] {
			if h, _, ok := g.push(w, j); ok {
				runs[h]++
			}
		}
	}
	edited := make(map[int]bool)
	for _, i := range order {
		if takenUp(gone[i], runs) {
			edited[i] = true
			delete(gone, i)
		}
	}
	for _, h := range m.hunks() {
		left = alikeAt(h, gone, fresh, edited, left)
	}
	return slices.DeleteFunc(order, func(i int) bool { return edited[i] })
}

// Gone lists the lines of before, counted from 0, that are not lines of after, in their
// place or moved. Lines without words and the host's time stamp do not count.
func Gone(before, after []byte) []int {
	_, _, _, gone := vanished(before, after)
	return gone
}

func vanished(before, after []byte) (b, a *text, m *match, gone []int) {
	b, a = parseAll(before), parseAll(after)
	m = align(b, a)
	m.move(a)
	for i := range b.lines {
		if m.to[i] < 0 && m.before[i] != stamp && hasWords(b.text(i)) {
			gone = append(gone, i)
		}
	}
	return b, a, m, gone
}

// takenUp reports whether half of a line's runs of words are among those, and takes them
// from there: words that many lines have do not stand for all of them.
func takenUp(ws []uint64, runs map[uint64]int) bool {
	if len(ws) < runHere {
		return false
	}
	g, all := gram{n: runHere}, 0
	var found []uint64
	for _, w := range ws {
		if h, _, ok := g.push(w, 0); ok {
			if all++; runs[h] > 0 {
				found = append(found, h)
			}
		}
	}
	if 2*len(found) < all {
		return false
	}
	for _, h := range found {
		runs[h]--
	}
	return true
}

// hunk is what lies between two lines that stayed in their place.
type hunk struct{ before, after Range }

// hunks lists where both versions differ, in order.
func (m *match) hunks() []hunk {
	var out []hunk
	b, a := 0, 0
	for j := 0; j <= len(m.from); j++ {
		end := len(m.to)
		if j < len(m.from) {
			if m.from[j] < 0 || m.moved[j] {
				continue
			}
			end = m.from[j]
		}
		if b < end || a < j {
			out = append(out, hunk{Range{b, end}, Range{a, j}})
		}
		b, a = end+1, j+1
	}
	return out
}

// alikeAt marks the lines gone at one place of which a new line there has half of the
// words. It returns what is left of the comparisons.
func alikeAt(h hunk, gone, fresh map[int][]uint64, edited map[int]bool, left int) int {
	if h.before.Len() == 0 || h.after.Len() == 0 {
		return left
	}
	with := make(map[uint64][]int32) // by word: which of the lines gone have it
	size, shared := make([]int32, h.before.Len()), make([]int32, h.before.Len())
	for n := range size {
		ws := distinct(gone[h.before.From+n])
		size[n] = int32(len(ws))
		for _, w := range ws {
			with[w] = append(with[w], int32(n))
		}
	}
	var touched []int32
	for j := h.after.From; j < h.after.To; j++ {
		for _, w := range distinct(fresh[j]) {
			if left -= len(with[w]) + 1; left <= 0 {
				return 0
			}
			for _, n := range with[w] {
				if shared[n] == 0 {
					touched = append(touched, n)
				}
				shared[n]++
			}
		}
		// The most alike ones first, and no more of them than its words can stand for.
		slices.SortFunc(touched, func(x, y int32) int { return cmp.Or(cmp.Compare(shared[y], shared[x]), cmp.Compare(x, y)) })
		room := 2 * len(distinct(fresh[j]))
		for _, n := range touched {
			if i := h.before.From + int(n); 2*shared[n] >= size[n] && room >= int(shared[n]) && !edited[i] {
				edited[i] = true
				room -= int(shared[n])
			}
			shared[n] = 0
		}
		touched = touched[:0]
	}
	return left
}
