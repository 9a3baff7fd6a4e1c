package detect

import (
	"fmt"
	"slices"
)

// textCliques finds memories of low trust that say the same: that share a passage, or half
// of what the shorter one says.
func (f *finder) textCliques() {
	size := 0
	for _, m := range f.low {
		size += len(m.Text)
	}
	n := neighbours{prints: make([]uint64, 0, size/perPrint)}
	p := printer{seed: f.seed}
	for _, m := range f.low {
		n.add(p.prints(n.prints, m.Text))
	}
	u, kin := newUnion(len(f.low)), f.kin()
	near := func(shared, a, b int) bool { return shared >= passagePrints || 2*shared >= min(a, b) }
	n.walk(near, func(i int, earlier []int) bool {
		for _, j := range earlier {
			u.join(i, j)
		}
		return true
	})
	for _, set := range u.sets(2) {
		if len(set) < TextClique && kin.of(set[0]) != kin.of(set[1]) {
			continue
		}
		ms := pick(f.low, set)
		f.about(Finding{
			Rule: RuleText, Level: worst(ms),
			Text: fmt.Sprintf("%d memories of low trust say the same, or share a passage", len(ms)),
		}, "", ms)
	}
}

// neighbours compares texts by their fingerprints, each with few of those before it: the
// time is linear in the number of fingerprints, whatever the texts are.
type neighbours struct {
	prints []uint64 // of all texts, one text after the other
	ends   []int    // where those of each text end
}

// add takes n.prints with those of one more text at the end.
func (n *neighbours) add(prints []uint64) {
	n.prints = prints
	n.ends = append(n.ends, len(prints))
}

func (n *neighbours) of(i int) []uint64 {
	if i == 0 {
		return n.prints[:n.ends[0]]
	}
	return n.prints[n.ends[i-1]:n.ends[i]]
}

// leaders is how many texts are remembered for one fingerprint.
const leaders = 4

// walk goes through the texts in order. see is told of each, and of those before it that
// are near, ascending; near is given how many fingerprints two texts share and how many
// each has.
//
// For a fingerprint that a near text is remembered for, the new one is not: a thousand
// copies are compared with the first. For the others it is, if see says so or if nothing
// was near, so that what it says beside the copied part is found again. A fingerprint that
// [leaders] texts hold already forgets one of them: who wants copies not to meet has to
// write several memories of low trust between each two.
func (n *neighbours) walk(near func(shared, a, b int) bool, see func(i int, earlier []int) bool) {
	again := n.repeated()
	slot := make(map[uint64]int32)
	var lists [][leaders]int32 // text + 1; 0: none
	shared := make([]int, len(n.ends))
	const isNear = -1
	var touched, earlier []int
	for i := range n.ends {
		own := n.of(i)
		touched, earlier = touched[:0], earlier[:0]
		for _, h := range own {
			if !again.has(h) {
				continue
			}
			at, ok := slot[h]
			if !ok {
				continue
			}
			for _, t := range lists[at] {
				if t == 0 {
					break
				}
				if shared[t-1] == 0 {
					touched = append(touched, int(t-1))
				}
				shared[t-1]++
			}
		}
		for _, t := range touched {
			if near(shared[t], len(n.of(t)), len(own)) {
				earlier = append(earlier, t)
				shared[t] = isNear
			}
		}
		slices.Sort(earlier)
		if see(i, earlier) || len(earlier) == 0 {
			for _, h := range own {
				if !again.has(h) {
					continue
				}
				at, ok := slot[h]
				if !ok {
					at = int32(len(lists))
					slot[h] = at
					lists = append(lists, [leaders]int32{})
				}
				list := &lists[at]
				put := i % leaders
				for k, t := range list {
					if t == 0 {
						put = k
						break
					}
					if shared[t-1] == isNear {
						put = -1
						break
					}
				}
				if put >= 0 {
					list[put] = int32(i + 1)
				}
			}
		}
		for _, t := range touched {
			shared[t] = 0
		}
	}
}

// repeats says of a fingerprint whether it was seen more than once, and now and then so of
// one that was not.
type repeats struct {
	twice []uint64
	mask  uint64
}

func (r *repeats) has(h uint64) bool { return r.twice[h&r.mask>>6]>>(h&63)&1 != 0 }

// repeated finds the fingerprints that more than one text has. The others, which are most,
// need not be remembered.
func (n *neighbours) repeated() *repeats {
	bits := uint64(64)
	for bits < 4*uint64(len(n.prints)) {
		bits *= 2
	}
	once := make([]uint64, bits/64)
	r := &repeats{make([]uint64, bits/64), bits - 1}
	for _, h := range n.prints {
		word, bit := h&r.mask>>6, uint64(1)<<(h&63)
		r.twice[word] |= once[word] & bit
		once[word] |= bit
	}
	return r
}
