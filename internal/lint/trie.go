package lint

// trie is an automaton under construction. A node is a number, and its children
// by class are a row of next; 0 is the root, and as a child it means none.
type trie struct {
	shift    uint8
	next     []int32
	found    [][]uint16 // the phrases that end at a node
	boundary []bool     // whether what leads to a node ends with a separator
}

// newTrie returns a trie with room for size nodes and rows of 1<<shift.
func newTrie(size int, shift uint8) *trie {
	return &trie{
		shift:    shift,
		next:     make([]int32, 1<<shift, size<<shift),
		found:    make([][]uint16, 1, size),
		boundary: make([]bool, 1, size),
	}
}

func (t *trie) row(at int32) []int32 { return t.next[at<<t.shift : (at+1)<<t.shift] }

func (t *trie) insert(class *[256]uint8, symbols string, id uint16) {
	at := int32(0)
	for i := range len(symbols) {
		c := class[symbols[i]]
		to := at<<t.shift | int32(c)
		if t.next[to] == 0 {
			t.next[to] = int32(len(t.found))
			t.next = t.next[:len(t.next)+1<<t.shift]
			t.found = append(t.found, nil)
			t.boundary = append(t.boundary, c == classSeparator)
		}
		at = t.next[to]
	}
	t.found[at] = append(t.found[at], id)
}

// complete fills in where a text goes on that leaves the phrases, and returns
// the nodes breadth first.
func (t *trie) complete() []int32 {
	fail := make([]int32, len(t.found)) // the longest other way to read the end of what led here
	order := make([]int32, 1, len(t.found))
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
		row := t.row(int32(at))
		row[classSkip] = int32(at)
		if t.boundary[at] {
			row[classSeparator] = int32(at)
		}
	}
	return order
}
