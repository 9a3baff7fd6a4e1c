package segment

// move pairs lines that vanished in one place and appear the same in another. Of several
// alike the one that continues the line above goes first, then the first. A line without
// words moves only along with the line above it.
func (m *match) move(a *text) {
	gone := map[rune][]int{} // lines before, by number, in order
	for i := m.core.b0; i < m.core.b1; i++ {
		if n := m.before[i]; m.to[i] < 0 && n != stamp {
			gone[n] = append(gone[n], i)
		}
	}
	for j := m.core.a0; j < m.core.a1; j++ {
		n := m.after[j]
		if m.from[j] >= 0 || len(gone[n]) == 0 {
			continue
		}
		next := -1
		if j > 0 && m.moved[j-1] {
			next = m.from[j-1] + 1
		}
		if next < 0 || next >= len(m.before) || m.before[next] != n || m.to[next] >= 0 {
			for len(gone[n]) > 0 && m.to[gone[n][0]] >= 0 {
				gone[n] = gone[n][1:]
			}
			if len(gone[n]) == 0 || !hasWords(a.text(j)) {
				continue
			}
			next = gone[n][0]
		}
		m.pair(next, j)
		m.moved[j] = true
	}
}

// doubts returns, by line after, the join of all lines that it may be. Where the same words
// were said by several and some of them vanished, which ones stayed cannot be told, unless
// all that changed lies below the line or above it.
func (m *match) doubts(a *text, label func(before int) int32, t *labels) map[int]int32 {
	type kind struct {
		label          int32
		differ, vanish bool
	}
	kinds := map[rune]*kind{}
	for i := m.core.b0; i < m.core.b1; i++ {
		k := kinds[m.before[i]]
		if k == nil {
			k = &kind{label: label(i)}
			kinds[m.before[i]] = k
		}
		k.differ = k.differ || label(i) != k.label
		k.vanish = k.vanish || m.to[i] < 0
		k.label = t.join(k.label, label(i))
	}
	out := map[int]int32{}
	for j := m.core.a0; j < m.core.a1; j++ {
		k := kinds[m.after[j]]
		if k != nil && k.differ && k.vanish && m.from[j] >= 0 && m.after[j] != stamp && hasWords(a.text(j)) {
			out[j] = k.label
		}
	}
	return out
}
