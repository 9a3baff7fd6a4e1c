package segment

import (
	"cmp"
	"slices"

	"github.com/hearsay-memory/hearsay"
)

// maxGhosts bounds the lines that are remembered after they vanished, each apart.
const maxGhosts = 1 << 14

// ghosts remembers lines that vanished, by prints of their words, so that a line that comes
// back is trusted no more than it was. Where there are too many, prints are cut shorter
// until enough fall together, and join: it forgets no line, and knows it less exactly. With
// prints of no bits at all, every line is one that vanished.
type ghosts struct {
	bits uint8   // of the prints, at most 32
	list []ghost // ascending by print
}

type ghost struct {
	print uint32
	label hearsay.Label
}

// find returns the label that a line with that print had; the identity if it is not known.
func (g ghosts) find(print uint64) hearsay.Label {
	at, ok := slices.BinarySearchFunc(g.list, g.cut(print), func(e ghost, p uint32) int { return cmp.Compare(e.print, p) })
	if !ok {
		return hearsay.LabelIdentity
	}
	return g.list[at].label
}

func (g ghosts) cut(print uint64) uint32 { return uint32(print >> 32 >> (32 - g.bits)) }

// with returns g with lines added. It leaves g as it is.
func (g ghosts) with(gone map[uint64]hearsay.Label) ghosts {
	if len(gone) == 0 {
		return g
	}
	if len(g.list) == 0 {
		g.bits = 32
	}
	list := slices.Clone(g.list)
	for print, l := range gone {
		list = append(list, ghost{g.cut(print), l})
	}
	// Joining is commutative, so the order of equal prints does not show.
	slices.SortFunc(list, byPrint)
	g.list = joinGhosts(list)
	for len(g.list) > maxGhosts {
		g = g.coarser(g.bits - 1)
	}
	return g
}

func byPrint(a, b ghost) int { return cmp.Compare(a.print, b.print) }

// coarser returns g with prints of fewer bits.
func (g ghosts) coarser(bits uint8) ghosts {
	list := slices.Clone(g.list)
	for i := range list {
		list[i].print >>= g.bits - bits
	}
	return ghosts{bits: bits, list: joinGhosts(list)}
}

// everything returns g where any line at all may have had the label.
func (g ghosts) everything(l hearsay.Label) ghosts {
	g = g.coarser(0)
	g.list = joinGhosts(append(g.list, ghost{0, l}))
	return g
}

// joinGhosts joins neighbours with equal prints, in place.
func joinGhosts(list []ghost) []ghost {
	out := list[:0]
	for _, e := range list {
		if n := len(out); n > 0 && out[n-1].print == e.print {
			out[n-1].label = out[n-1].label.Join(e.label)
			continue
		}
		out = append(out, e)
	}
	return out
}
