package lint

// trie is an automaton under construction. A node is a number, and its children
// by class are a row of next; 0 is the root, and as a child it means none.
type trie struct {
	shift    uint8
	next     []uint16
	found    [][]uint16 // the phrases that end at a node
	boundary []bool     // whether what leads to a node ends with a separator
}

// newTrie returns a trie with rows of 1<<shift and room for size nodes; it grows
// beyond that, up to 1<<16.
func newTrie(size int, shift uint8) *trie {
	return &trie{
		shift:    shift,
		next:     make([]uint16, 1<<shift, size<<shift),
		found:    make([][]uint16, 1, size),
		boundary: make([]bool, 1, size),
	}
}

func (t *trie) row(at uint16) []uint16 {
	from := int(at) << t.shift
	return t.next[from : from+1<<t.shift]
}

func (t *trie) insert(class *[256]uint8, symbols string, id uint16) {
	at := uint16(0)
	for i := range len(symbols) {
		c := class[symbols[i]]
		to := int(at)<<t.shift | int(c)
		if t.next[to] == 0 {
			t.next[to] = uint16(len(t.found))
			t.next = append(t.next, make([]uint16, 1<<t.shift)...)
			t.found = append(t.found, nil)
			t.boundary = append(t.boundary, c == classSeparator)
		}
		at = t.next[to]
	}
	t.found[at] = append(t.found[at], id)
}

// complete fills in where a text goes on that leaves the phrases, and returns
// the nodes breadth first.
func (t *trie) complete() []uint16 {
	fail := make([]uint16, len(t.found)) // the longest other way to read the end of what led here
	order := make([]uint16, 1, len(t.found))
	for head := 0; head < len(order); head++ {
		at := order[head]
		row, back := t.row(at), t.row(fail[at])
		if at != 0 {
			t.found[at] = append(t.found[at], t.found[fail[at]]...)
		}
		for class, child := range row {
			switch {
			case child != 0:
				if at != 0 {
					fail[child] = back[class]
				}
				order = append(order, child)
			case at != 0:
				row[class] = back[class]
			}
		}
	}
	for at := range order {
		row := t.row(uint16(at))
		row[classSkip] = uint16(at)
		if t.boundary[at] {
			row[classSeparator] = uint16(at)
		}
	}
	return order
}
