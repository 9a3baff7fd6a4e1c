package recall

import (
	"slices"
	"time"

	"github.com/hearsay-memory/hearsay"
)

const (
	linkWeight = .20 // of the edge between two memories one of which names the other
	tagsWeight = .10 // of the edge between two memories that share at least two tags
)

// Graph is how the memories of one principal hang together. Its edges are
//
//	link      .20, where one names the other
//	tags      .10, where they share at least two tags
//	tie       the weight of their tie, added to that of a link, 1 at most
//
// and of a tags edge and the others between the same two, the heavier counts. It may
// be made of all memories or of those around the candidates, and is not changed
// afterwards. A nil Graph has no edges.
//
// An edge between two trusted memories depends on trusted memories alone, and a tie
// counts only between them. Memories that share tags are kept as one group for each
// pair of tags and never as edges, so that making a graph, and every step over it,
// takes time linear in the number of memories, tag pairs (at most 66 a memory),
// links and ties, also where 10,000 memories share all of their tags.
type Graph struct {
	principal string
	nodes     []node                     // trusted ones first, each part in ascending order of id
	trusted   int                        // how many of the nodes are
	index     map[hearsay.RecordID]int32 // of nodes
	groups    []int32                    // nodes of all groups, ascending within a group
	groupAt   []int32                    // where each group begins; one more than there are groups
	member    []int32                    // groups of all nodes
	memberAt  []int32                    // where those of each node begin
	edges     []edge                     // of all nodes, ascending within a node
	edgeAt    []int32                    // where those of each node begin
}

type node struct {
	id        hearsay.RecordID
	factor    float64
	namespace hearsay.Namespace
}

type edge struct {
	to     int32
	weight float64
}

// NewGraph returns the graph of the principal's memories at a time. Memories of
// others, those that may not be shown or fail [Memory.Check], and ties and links to
// memories that are not there are left out.
func NewGraph(c *hearsay.Ceilings, principal string, memories []Memory, ties []Tie, at time.Time) *Graph {
	kept := make([]*Memory, 0, len(memories))
	for i := range memories {
		if m := &memories[i]; m.Principal == principal && m.Standing.Visible() && m.check() == nil {
			kept = append(kept, m)
		}
	}
	slices.SortStableFunc(kept, func(a, b *Memory) int {
		if x, y := a.Label.Trusted(), b.Label.Trusted(); x != y {
			if x {
				return -1
			}
			return 1
		}
		return compareIDs(a.ID, b.ID)
	})
	g := &Graph{principal: principal, index: make(map[hearsay.RecordID]int32, len(kept))}
	nodes := kept[:0]
	for _, m := range kept {
		if _, twice := g.index[m.ID]; twice {
			continue
		}
		g.index[m.ID] = int32(len(nodes))
		nodes = append(nodes, m)
		g.nodes = append(g.nodes, node{id: m.ID, factor: m.factor(c), namespace: m.Namespace})
		if m.Label.Trusted() {
			g.trusted++
		}
	}
	g.group(nodes)
	g.connect(nodes, ties, at)
	return g
}

// group makes one group for each pair of tags that at least two memories have.
func (g *Graph) group(nodes []*Memory) {
	own, ownAt, n := tagsOf(nodes)
	// Memories by tag, ascending.
	byTag, byTagAt := make([]int32, len(own)), make([]int32, n+1)
	for _, t := range own {
		byTagAt[t+1]++
	}
	for t := range n {
		byTagAt[t+1] += byTagAt[t]
	}
	next := slices.Clone(byTagAt)
	for i := range nodes {
		for _, t := range own[ownAt[i]:ownAt[i+1]] {
			byTag[next[t]] = int32(i)
			next[t]++
		}
	}
	// For each tag, the memories that have it, by their other and greater tags.
	count, place := make([]int32, n), make([]int32, n)
	memberships := make([]int32, len(nodes)+1)
	var others []int32
	for t := range int32(n) {
		others = others[:0]
		with := byTag[byTagAt[t]:byTagAt[t+1]]
		for _, i := range with {
			for _, u := range own[ownAt[i]:ownAt[i+1]] {
				if u > t {
					if count[u] == 0 {
						others = append(others, u)
					}
					count[u]++
				}
			}
		}
		for _, u := range others {
			place[u] = -1
			if count[u] > 1 {
				place[u] = int32(len(g.groups))
				g.groupAt = append(g.groupAt, place[u])
				g.groups = slices.Grow(g.groups, int(count[u]))[:len(g.groups)+int(count[u])]
			}
		}
		for _, i := range with {
			for _, u := range own[ownAt[i]:ownAt[i+1]] {
				if u > t && place[u] >= 0 {
					g.groups[place[u]] = i
					place[u]++
					memberships[i+1]++
				}
			}
		}
		for _, u := range others {
			count[u] = 0
		}
	}
	g.groupAt = append(g.groupAt, int32(len(g.groups)))
	for i := range nodes {
		memberships[i+1] += memberships[i]
	}
	g.memberAt = memberships
	g.member = make([]int32, len(g.groups))
	next = slices.Clone(memberships)
	for k := range len(g.groupAt) - 1 {
		for _, i := range g.groups[g.groupAt[k]:g.groupAt[k+1]] {
			g.member[next[i]] = int32(k)
			next[i]++
		}
	}
}

// tagsOf returns the tags of each memory as numbers below n, ascending and distinct:
// those of memory i are own[at[i]:at[i+1]].
func tagsOf(nodes []*Memory) (own, at []int32, n int) {
	number := make(map[string]int32)
	at = make([]int32, 1, len(nodes)+1)
	for _, m := range nodes {
		from := len(own)
		for _, t := range m.Tags {
			k, ok := number[t]
			if !ok {
				k = int32(len(number))
				number[t] = k
			}
			own = append(own, k)
		}
		slices.Sort(own[from:])
		own = own[:from+len(slices.Compact(own[from:]))]
		at = append(at, int32(len(own)))
	}
	return own, at, len(number)
}

// connect makes the edges of links and ties, in both directions.
func (g *Graph) connect(nodes []*Memory, ties []Tie, at time.Time) {
	type half struct {
		from, to  int32
		link, tie float64
	}
	var halves []half
	add := func(a, b int32, link, tie float64) {
		halves = append(halves, half{a, b, link, tie}, half{b, a, link, tie})
	}
	for i, m := range nodes {
		for _, id := range m.Links {
			if to, ok := g.index[id]; ok {
				add(int32(i), to, linkWeight, 0)
			}
		}
	}
	for _, t := range ties {
		a, ok := g.index[t.A]
		b, also := g.index[t.B]
		w := t.WeightAt(at)
		if ok && also && w > 0 && int(a) < g.trusted && int(b) < g.trusted {
			add(a, b, 0, w)
		}
	}
	slices.SortFunc(halves, func(x, y half) int {
		if x.from != y.from {
			return int(x.from) - int(y.from)
		}
		return int(x.to) - int(y.to)
	})
	g.edgeAt = make([]int32, len(nodes)+1)
	for i := 0; i < len(halves); {
		h := halves[i]
		for ; i < len(halves) && halves[i].from == h.from && halves[i].to == h.to; i++ {
			h.link, h.tie = max(h.link, halves[i].link), max(h.tie, halves[i].tie)
		}
		g.edges = append(g.edges, edge{h.to, min(1, h.link+h.tie)})
		g.edgeAt[h.from+1]++
	}
	for i := range nodes {
		g.edgeAt[i+1] += g.edgeAt[i]
	}
}
