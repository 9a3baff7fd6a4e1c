package segment

import "github.com/hearsay-memory/hearsay"

// labels numbers the labels of one change, so that joining them costs a look-up. Number 0
// is the identity.
type labels struct {
	list  []hearsay.Label
	index map[hearsay.Label]int32
	joins map[[2]int32]int32
}

func newLabels() *labels {
	t := &labels{index: map[hearsay.Label]int32{}, joins: map[[2]int32]int32{}}
	t.add(hearsay.LabelIdentity)
	return t
}

// add returns the number of a label.
func (t *labels) add(l hearsay.Label) int32 {
	l = l.Join(hearsay.LabelIdentity)
	n, ok := t.index[l]
	if !ok {
		n = int32(len(t.list))
		t.list = append(t.list, l)
		t.index[l] = n
	}
	return n
}

// join returns the number of the join.
func (t *labels) join(a, b int32) int32 {
	switch {
	case a == b || b == 0:
		return a
	case a == 0:
		return b
	case a > b:
		a, b = b, a
	}
	n, ok := t.joins[[2]int32{a, b}]
	if !ok {
		n = t.add(t.list[a].Join(t.list[b]))
		t.joins[[2]int32{a, b}] = n
	}
	return n
}
