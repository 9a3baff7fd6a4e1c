package segment

import (
	"slices"

	"github.com/aymanbagabas/go-udiff/lcs"
)

// match pairs the lines of two versions that are the same but for their line ends. Each
// line is in one pair at most, whatever the search does: that is what keeps a line of one
// owner from becoming two.
type match struct {
	before, after []rune // the lines as numbers, equal for equal lines; stamp for the host's
	from          []int  // for each line after: the line before, or -1
	to            []int  // for each line before: the line after, or -1
	moved         []bool // for each line after: it is paired, but not in its place
	core          span   // what lies between the lines that both ends have in common
}

// stamp is the number of the host's own line in front matter.
const stamp rune = 0

// align pairs the lines that stay in their order: those at both ends, those that occur
// once in both versions, and between these what a bounded search for a longest common
// subsequence finds.
func align(b, a *text) *match {
	seen := make(map[string]rune, len(b.lines))
	m := &match{before: number(seen, b), after: number(seen, a)}
	m.from, m.to = nowhere(len(a.lines)), nowhere(len(b.lines))
	m.moved = make([]bool, len(a.lines))

	s := span{0, len(m.before), 0, len(m.after)}
	s = m.trim(s)
	m.core = s
	last := make([]int, len(seen)+1) // the gap in which a number occurs, from 1
	gap := 0
	for _, at := range append(m.anchors(s, len(seen)+1), [2]int{s.b1, s.a1}) {
		gap++
		m.search(m.trim(span{s.b0, at[0], s.a0, at[1]}), last, gap)
		if at[0] < s.b1 {
			m.pair(at[0], at[1])
		}
		s.b0, s.a0 = at[0]+1, at[1]+1
	}
	return m
}

// span is a range of lines before and one of lines after.
type span struct{ b0, b1, a0, a1 int }

func number(seen map[string]rune, t *text) []rune {
	out := make([]rune, len(t.lines))
	for i := range t.lines {
		if i == t.stamp {
			continue
		}
		s := t.text(i)
		n, ok := seen[s]
		if !ok {
			n = rune(len(seen) + 1)
			seen[s] = n
		}
		out[i] = n
	}
	return out
}

func nowhere(n int) []int { return slices.Repeat([]int{-1}, n) }

func (m *match) pair(b, a int) { m.from[a], m.to[b] = b, a }

// trim pairs what both ends of a span have in common, and returns the rest.
func (m *match) trim(s span) span {
	for s.b0 < s.b1 && s.a0 < s.a1 && m.before[s.b0] == m.after[s.a0] {
		m.pair(s.b0, s.a0)
		s.b0, s.a0 = s.b0+1, s.a0+1
	}
	for s.b0 < s.b1 && s.a0 < s.a1 && m.before[s.b1-1] == m.after[s.a1-1] {
		m.pair(s.b1-1, s.a1-1)
		s.b1, s.a1 = s.b1-1, s.a1-1
	}
	return s
}

// anchors returns the longest list, ascending on both sides, of pairs of lines that occur
// once on each side of the span.
func (m *match) anchors(s span, numbers int) [][2]int {
	at := make([]struct{ b, a, nb, na int }, numbers)
	for i := s.b0; i < s.b1; i++ {
		e := &at[m.before[i]]
		e.b, e.nb = i, e.nb+1
	}
	for i := s.a0; i < s.a1; i++ {
		e := &at[m.after[i]]
		e.a, e.na = i, e.na+1
	}
	var pairs [][2]int
	for i := s.a0; i < s.a1; i++ {
		if e := at[m.after[i]]; e.nb == 1 && e.na == 1 {
			pairs = append(pairs, [2]int{e.b, e.a})
		}
	}
	keep := ascending(len(pairs), func(i int) int { return pairs[i][0] })
	out := pairs[:0]
	for _, i := range keep {
		out = append(out, pairs[i])
	}
	return out
}

// ascending returns the indices of a longest strictly ascending subsequence of n distinct
// values.
func ascending(n int, value func(int) int) []int {
	var tails []int // for each length: the index of the least last value
	back := make([]int, n)
	for i := range n {
		v := value(i)
		at, _ := slices.BinarySearchFunc(tails, v, func(t, v int) int { return value(t) - v })
		back[i] = -1
		if at > 0 {
			back[i] = tails[at-1]
		}
		if at == len(tails) {
			tails = append(tails, i)
		} else {
			tails[at] = i
		}
	}
	if len(tails) == 0 {
		return nil
	}
	out := make([]int, len(tails))
	for i, at := len(tails)-1, tails[len(tails)-1]; i >= 0; i, at = i-1, back[at] {
		out[i] = at
	}
	return out
}

// search pairs lines between two anchors. The library gives up after a hundred
// differences; lines that it then misses are found as moved, with the same owner.
func (m *match) search(s span, last []int, gap int) {
	if s.b0 >= s.b1 || s.a0 >= s.a1 {
		return
	}
	for _, n := range m.before[s.b0:s.b1] {
		last[n] = gap
	}
	if !slices.ContainsFunc(m.after[s.a0:s.a1], func(n rune) bool { return last[n] == gap }) {
		return
	}
	diffs := lcs.DiffRunes(m.before[s.b0:s.b1], m.after[s.a0:s.a1])
	b, a := s.b0, s.a0
	for _, d := range append(diffs, lcs.Diff{Start: s.b1 - s.b0, ReplStart: s.a1 - s.a0}) {
		for b < s.b0+d.Start && a < s.a0+d.ReplStart && m.before[b] == m.after[a] {
			m.pair(b, a)
			b, a = b+1, a+1
		}
		b, a = max(b, s.b0+d.End), max(a, s.a0+d.ReplEnd)
	}
}
