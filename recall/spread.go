package recall

import (
	"cmp"
	"slices"

	"github.com/hearsay-memory/hearsay"
)

const (
	hops    = 2
	hopFade = .5 // a step carries this part of what the edge's weight lets through
)

// arrival is the most that came to a memory, and the most that came to it from
// another source. Two sources are enough for nobody to be handed back its own.
type arrival struct {
	value, second   float64
	source, another int32 // nodes; counts where the value is not 0
}

// take notes that value came from a source. What came is a maximum, not a sum: so no
// number of neighbours is worth more than the best of them, and the order in which
// they come makes no difference.
func (a *arrival) take(value float64, source int32) {
	switch {
	case value <= 0:
	case a.value == 0 || source == a.source:
		a.value, a.source = max(a.value, value), source
	case value > a.value:
		a.second, a.another = a.value, a.source
		a.value, a.source = value, source
	case value > a.second:
		a.second, a.another = value, source
	}
}

// without returns the most that did not come from a node.
func (a *arrival) without(node int32) float64 {
	if a.source == node {
		return a.second
	}
	return a.value
}

// spread lets the sources' values flow over two hops and returns what arrives at
// each of the first n nodes, which alone take part, and of which only those within
// the namespace. What a node passes on is multiplied by its factor, the weight of
// the edge and .5 a hop. A source gets nothing of its own back. Of each level, the
// sources and what the first hop reached, the strongest maxActive pass on, equal ones
// in ascending order of id.
func (g *Graph) spread(sources []hit, within hearsay.Namespace, n int) []float64 {
	total := make([]float64, n)
	level := wave{at: make([]arrival, n)}
	for _, h := range sources {
		if k, ok := g.index[h.ID]; ok && int(k) < n && g.nodes[k].namespace.HasPrefix(within) {
			level.add(k, arrival{value: unit(h.relevance), source: k}, 1)
		}
	}
	next, groups := wave{at: make([]arrival, n)}, wave{at: make([]arrival, len(g.groupAt)-1)}
	for range hops {
		for _, k := range level.strongest() {
			from, by := level.at[k], g.nodes[k].factor*hopFade
			for _, grp := range g.member[g.memberAt[k]:g.memberAt[k+1]] {
				groups.add(grp, from, by*tagsWeight)
			}
			for _, e := range g.edges[g.edgeAt[k]:g.edgeAt[k+1]] {
				if int(e.to) >= n {
					break // ascending: the rest do not take part either
				}
				if len(within) == 0 || g.nodes[e.to].namespace.HasPrefix(within) {
					next.add(e.to, from, by*e.weight)
				}
			}
		}
		for _, grp := range groups.reached {
			from := groups.at[grp]
			for _, to := range g.groups[g.groupAt[grp]:g.groupAt[grp+1]] {
				if int(to) >= n {
					break
				}
				if len(within) == 0 || g.nodes[to].namespace.HasPrefix(within) {
					next.add(to, from, 1)
				}
			}
		}
		groups.clear()
		level.clear()
		level, next = next, level
		for _, k := range level.reached {
			total[k] = max(total[k], level.at[k].without(k))
		}
	}
	return total
}

// maxActive is how many nodes of one level pass on.
const maxActive = 256

// wave is what arrived where at one level.
type wave struct {
	at      []arrival
	reached []int32 // where something did, each once
}

func (w *wave) add(to int32, from arrival, by float64) {
	a := &w.at[to]
	if a.value == 0 {
		w.reached = append(w.reached, to)
	}
	a.take(from.value*by, from.source)
	if from.second > 0 {
		a.take(from.second*by, from.another)
	}
	if a.value == 0 {
		w.reached = w.reached[:len(w.reached)-1]
	}
}

func (w *wave) clear() {
	for _, k := range w.reached {
		w.at[k] = arrival{}
	}
	w.reached = w.reached[:0]
}

// strongest returns the places that pass on.
func (w *wave) strongest() []int32 {
	if len(w.reached) <= maxActive {
		return w.reached
	}
	best := make([]Neighbour, 0, maxActive)
	for _, k := range w.reached {
		best = push(best, Neighbour{int(k), w.at[k].value}, maxActive)
	}
	out := make([]int32, len(best))
	for i, b := range best {
		out[i] = int32(b.Row)
	}
	return out
}

// spreading returns the term of a memory for what arrived at it: the part of the
// most that a step can carry, 0 … 1.
func spreading(arrived float64) float64 { return min(1, arrived/hopFade) }

// Near returns the ids of the trusted memories that are no candidates and that the
// trusted candidates reach by spreading, at most most of them, those reached
// strongest first. A store that wants what is associated beside what was found loads
// them and hands them to [Select] as candidates without relevance. Untrusted
// memories are neither counted as a source nor returned.
func (g *Graph) Near(trusted []Candidate, within hearsay.Namespace, most int) []hearsay.RecordID {
	if g == nil {
		return nil
	}
	sources := make([]hit, len(trusted))
	for i := range trusted {
		sources[i] = hit{&trusted[i].Memory, trusted[i].Relevance}
	}
	arrived := g.spread(sources, within, g.trusted)
	for _, h := range sources {
		if k, ok := g.index[h.ID]; ok && int(k) < g.trusted {
			arrived[k] = 0
		}
	}
	var found []int
	for k, v := range arrived {
		if v > 0 {
			found = append(found, k)
		}
	}
	slices.SortStableFunc(found, func(a, b int) int { return cmp.Compare(arrived[b], arrived[a]) })
	ids := make([]hearsay.RecordID, 0, min(len(found), max(0, most)))
	for _, k := range found[:cap(ids)] {
		ids = append(ids, g.nodes[k].id)
	}
	return ids
}
