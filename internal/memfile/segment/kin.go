package segment

import "slices"

// How long a run of words must be to count as taken from lines that vanished at the same
// place, from lines that vanished elsewhere, and from lines that are still there.
const (
	runHere  = 2
	runGone  = 3
	runStays = 6
)

// Bounds of one change. Beyond them a new line joins the labels of all lines that it could
// have come from.
const (
	budget   = 1 << 23 // comparisons of line with line, at one place and elsewhere each
	maxWords = 1 << 20 // of all new lines, and of all lines that vanished
)

// maxShares bounds the pairs of lines that are kept for telling what was merged.
const maxShares = 1 << 16

// kin finds what the words of new lines come from.
type kin struct {
	t        *labels
	by       int32
	label    []int32         // for each new line, by its number after: the join of its sources
	edited   []bool          // for each line after: its words are of others too
	best     map[int]int     // for a line after: the vanished line at its place that it is most like
	shares   map[[2]int]bool // lines after and vanished lines at their place that share words
	newWords [][]uint64      // by line after; nil for lines that are not new
	oldWords [][]uint64      // by line before; nil for lines that have not vanished
	left     int             // of the budget
}

// join makes a new line's label the join with another.
func (k *kin) join(line int, l int32) {
	k.edited[line] = true
	k.label[line] = k.t.join(k.label[line], l)
}

// share notes that a new line has words of a vanished line at its place.
func (k *kin) share(j, i int) {
	if len(k.shares) < maxShares {
		k.shares[[2]int{j, i}] = true
	}
}

// pool is lines that vanished, to compare new ones with.
type pool struct {
	gone   []int // by their numbers before
	words  [][]uint64
	with   map[uint64][]int32 // by word: which of them have it
	label  func(before int) int32
	whole  int32   // the join of all lines
	shared []int32 // for each of them: words in common with the line that is compared
}

// taken is where a run of words was taken from.
type taken struct {
	label int32
	line  int // the first one of it
}

func (k *kin) pool(gone []int, label func(int) int32) *pool {
	p := &pool{
		gone: gone, words: make([][]uint64, len(gone)), label: label,
		with: map[uint64][]int32{}, shared: make([]int32, len(gone)),
	}
	for n, i := range gone {
		p.whole = k.t.join(p.whole, label(i))
		p.words[n] = distinct(k.oldWords[i])
		for _, w := range p.words[n] {
			p.with[w] = append(p.with[w], int32(n))
		}
	}
	return p
}

// runs lists the runs of words of lines that vanished in one hunk.
func (k *kin) runs(gone []int, label func(int) int32) map[uint64]taken {
	out := map[uint64]taken{}
	g := gram{n: runHere}
	for _, i := range gone {
		for _, w := range k.oldWords[i] {
			h, lines, ok := g.push(w, i)
			if !ok {
				continue
			}
			e, have := out[h]
			if !have {
				e.line = lines[0]
			}
			for _, at := range lines {
				e.label = k.t.join(e.label, label(at))
			}
			out[h] = e
		}
	}
	return out
}

// hunk joins to the lines that are new at one place the labels of the lines that vanished
// there and are alike: half of the words of the shorter one are the other's, or they share
// two words in a row, or one that tells much by itself.
func (k *kin) hunk(gone, fresh []int, label func(int) int32) {
	if len(gone) == 0 || len(fresh) == 0 {
		return
	}
	p, runs := k.pool(gone, label), k.runs(gone, label)
	g := gram{n: runHere}
	for _, j := range fresh {
		for _, w := range k.newWords[j] {
			h, lines, ok := g.push(w, j)
			if !ok {
				continue
			}
			if e, have := runs[h]; have {
				for _, at := range lines {
					k.join(at, e.label)
					k.share(at, e.line)
					if _, have := k.best[at]; !have {
						k.best[at] = e.line
					}
				}
			}
		}
		k.alike(j, p, 1)
	}
}

// elsewhere joins to new lines the labels of lines that vanished anywhere and are alike,
// with two words in common at least.
func (k *kin) elsewhere(gone, fresh []int, label func(int) int32) {
	if len(gone) == 0 {
		return
	}
	p := k.pool(gone, label)
	for _, j := range fresh {
		k.alike(j, p, 2)
	}
}

// alike joins to a new line the labels of the lines of a pool with which it has half of
// the words of the shorter one in common: least words or more, or all that it has.
func (k *kin) alike(j int, p *pool, least int32) {
	ws := distinct(k.newWords[j])
	var touched []int32
	for _, w := range ws {
		for _, n := range p.with[w] {
			if k.left--; k.left < 0 {
				break
			}
			if p.shared[n] == 0 {
				touched = append(touched, n)
			}
			p.shared[n]++
			if w&literal != 0 && least == 1 {
				k.join(j, p.label(p.gone[n]))
			}
		}
	}
	if k.left < 0 && len(ws) > 0 {
		k.lower(j, p.whole)
	}
	best, most := -1, int32(0)
	for _, n := range touched {
		i, shared := p.gone[n], p.shared[n]
		p.shared[n] = 0
		switch {
		case shared < min(least, int32(len(ws))) || 2*int(shared) < min(len(ws), len(p.words[n])):
		case least > 1:
			k.lower(j, p.label(i))
		default:
			k.join(j, p.label(i))
			k.share(j, i)
			if shared > most {
				best, most = i, shared
			}
		}
	}
	if best >= 0 {
		k.best[j] = best
	}
}

// distinct returns the words sorted, each once.
func distinct(ws []uint64) []uint64 {
	out := slices.Clone(ws)
	slices.Sort(out)
	return slices.Compact(out)
}

// shorts joins to the new lines the labels of vanished lines too short for a run, wherever
// they were, that they have whole.
func (k *kin) shorts(gone, fresh []int, label func(int) int32) {
	found := map[uint64]int32{}
	for _, i := range gone {
		if ws := k.oldWords[i]; len(ws) > 0 && len(ws) < runGone {
			found[runOf(ws)] = k.t.join(found[runOf(ws)], label(i))
		}
	}
	if len(found) == 0 {
		return
	}
	for n := 1; n < runGone; n++ {
		g := gram{n: n}
		for _, j := range fresh {
			for _, w := range k.newWords[j] {
				if h, lines, ok := g.push(w, j); ok {
					for _, at := range lines {
						k.lower(at, found[h])
					}
				}
			}
		}
	}
}

// lower joins a label to a new line where that makes a difference.
func (k *kin) lower(j int, l int32) {
	if k.t.join(k.label[j], l) != k.label[j] {
		k.join(j, l)
	}
}

// probe finds the runs of words of the new lines, and whole lines, in other lines.
type probe struct {
	t     *labels
	words sieve            // of the new lines
	found map[uint64]int32 // by run or print: the join of the lines that have it
}

// probe makes ready to look for the new lines' runs of n words.
func (k *kin) probe(fresh []int, n int) *probe {
	p := &probe{t: k.t, found: map[uint64]int32{}}
	count := 0
	for _, j := range fresh {
		count += len(k.newWords[j])
	}
	p.words = newSieve(count)
	g := gram{n: n}
	for _, j := range fresh {
		for _, w := range k.newWords[j] {
			p.words.add(w)
			if h, _, ok := g.push(w, j); ok {
				p.found[h] = 0
			}
		}
		if len(k.newWords[j]) > 0 {
			p.found[printOf(k.newWords[j])] = 0
		}
	}
	return p
}

// see looks through a line and, by g, through runs that began above it. No run goes across
// a word that the new lines do not have, so most lines cost a look at their words.
func (p *probe) see(g *gram, ws []uint64, line int, label func(line int) int32) {
	whole := len(ws) > 0
	for _, w := range ws {
		if !p.words.has(w) {
			g.have, whole = 0, false
			continue
		}
		h, lines, ok := g.push(w, line)
		if !ok {
			continue
		}
		if l, have := p.found[h]; have {
			for _, at := range lines {
				l = p.t.join(l, label(at))
			}
			p.found[h] = l
		}
	}
	if !whole {
		return
	}
	if l, have := p.found[printOf(ws)]; have {
		p.found[printOf(ws)] = p.t.join(l, label(line))
	}
}

// tell joins to the new lines the labels of what was found.
func (k *kin) tell(p *probe, fresh []int, n int) {
	g := gram{n: n}
	for _, j := range fresh {
		for _, w := range k.newWords[j] {
			h, lines, ok := g.push(w, j)
			if !ok || p.found[h] == 0 {
				continue
			}
			for _, at := range lines {
				k.lower(at, p.found[h])
			}
		}
		if len(k.newWords[j]) > 0 {
			k.lower(j, p.found[printOf(k.newWords[j])])
		}
	}
}
