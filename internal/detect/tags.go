package detect

import (
	"fmt"
	"slices"

	"github.com/hearsay-memory/hearsay/internal/textfold"
)

// maxPairs bounds the pairs of tags that are looked at, in all. Beyond it one shared tag
// counts for two: who makes many tags is found sooner, and not later.
const maxPairs = 4_000_000

// tagCliques finds memories of low trust that ranking would connect: groups of at least
// [TagClique] that share two tags, and the groups that they overlap with.
func (f *finder) tagCliques() {
	tags := make([][]int32, len(f.low)) // those that enough have
	pairs := 0
	for i := range tags {
		for _, n := range f.tags[i] {
			if f.tagged[n] >= TagClique {
				tags[i] = append(tags[i], n)
			}
		}
		t := tags[i]
		pairs += len(t) * (len(t) - 1) / 2
	}
	groups := make(map[[2]int32]*tagGroup)
	u := newUnion(len(f.low))
	add := func(key [2]int32, i int) {
		g := groups[key]
		if g == nil {
			g = &tagGroup{}
			groups[key] = g
		}
		g.add(u, i)
	}
	for i, t := range tags {
		for a := range t {
			if pairs > maxPairs {
				add([2]int32{t[a], t[a]}, i)
				continue
			}
			for b := a + 1; b < len(t); b++ {
				add([2]int32{t[a], t[b]}, i)
			}
		}
	}
	for _, set := range u.sets(TagClique) {
		ms := pick(f.low, set)
		f.about(Finding{
			Rule: RuleTags, Level: worst(ms),
			Text: fmt.Sprintf("%d memories of low trust hold together by shared tags", len(ms)),
		}, "", ms)
	}
}

// tagGroup is the memories that share something. The first ones wait until there are
// enough to be joined.
type tagGroup struct {
	n     int
	first [TagClique - 1]int32
}

func (g *tagGroup) add(u union, i int) {
	if g.n < len(g.first) {
		g.first[g.n] = int32(i)
		g.n++
		return
	}
	if g.n == len(g.first) {
		for _, j := range g.first {
			u.join(i, int(j))
		}
		g.n++
		return
	}
	u.join(i, int(g.first[0]))
}

// numberTags gives each tag a number. Tags are folded: look-alikes are one tag.
func (f *finder) numberTags() {
	number := make(map[string]int32)
	var folded []byte
	f.tags = make([][]int32, len(f.low))
	for i, m := range f.low {
		own := make([]int32, 0, len(m.Tags))
		for _, tag := range m.Tags {
			folded = textfold.Fold(folded[:0], tag)
			n, ok := number[string(folded)]
			if !ok {
				n = int32(len(number))
				number[string(folded)] = n
				f.tagged = append(f.tagged, 0)
			}
			own = append(own, n)
		}
		slices.Sort(own)
		f.tags[i] = slices.Compact(own)
		for _, n := range f.tags[i] {
			f.tagged[n]++
		}
	}
}
