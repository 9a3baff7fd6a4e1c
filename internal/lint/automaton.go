package lint

import (
	"math/bits"
	"slices"
	"strings"
)

// The first classes of bytes; each letter that a phrase uses has its own above them.
const (
	classOther     = iota // part of a word, in no phrase
	classSeparator        // neither letter nor digit; a run of them counts as one
	classSkip             // a control character that folding removes
	classDigit
	classLetters
)

// automaton finds many phrases in one pass: Aho and Corasick's, with every
// transition spelt out, so that one byte costs one look-up whatever the text.
type automaton struct {
	class  [256]uint8 // of a byte of folded text, or of ASCII of any case
	shift  uint8      // a state's row begins at state<<shift
	next   []uint16
	accept uint16     // states from here on complete phrases
	found  [][]uint16 // indices of the phrases that state accept+i completes
}

// node is a state under construction.
type node struct {
	next     []int32 // by class; -1 is unset
	fail     int32
	phrases  []uint16
	boundary bool // what led here ends with a separator
}

// newAutomaton builds the automaton of those phrases for which use is true.
func newAutomaton(all []phrase, use func(symbols string) bool) *automaton {
	a := &automaton{}
	classes := a.classify(all, use)
	a.shift = uint8(bits.Len(uint(classes - 1)))
	nodes := a.trie(all, use, classes)
	order := a.complete(nodes)
	a.lay(nodes, order)
	return a
}

func (a *automaton) classify(all []phrase, use func(string) bool) int {
	for c := range a.class {
		switch {
		case c < ' ' && (c < '\t' || c > '\r') || c == 0x7f:
			a.class[c] = classSkip
		case c >= '0' && c <= '9':
			a.class[c] = classDigit
		case c < 0x80 && !(c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'):
			a.class[c] = classSeparator
		}
	}
	n := classLetters
	for _, p := range all {
		if !use(p.symbols) {
			continue
		}
		for i := range len(p.symbols) {
			if c := p.symbols[i]; a.class[c] == classOther {
				a.class[c] = uint8(n)
				n++
			}
		}
	}
	for c := byte('A'); c <= 'Z'; c++ {
		a.class[c] = a.class[c+'a'-'A']
	}
	return n
}

func newNode(classes int, boundary bool) node {
	return node{next: slices.Repeat([]int32{-1}, classes), boundary: boundary}
}

func (a *automaton) trie(all []phrase, use func(string) bool, classes int) []node {
	nodes := []node{newNode(classes, false)}
	for id, p := range all {
		if !use(p.symbols) {
			continue
		}
		at := int32(0)
		for i := range len(p.symbols) {
			class := a.class[p.symbols[i]]
			if nodes[at].next[class] < 0 {
				nodes[at].next[class] = int32(len(nodes))
				nodes = append(nodes, newNode(classes, class == classSeparator))
			}
			at = nodes[at].next[class]
		}
		nodes[at].phrases = append(nodes[at].phrases, uint16(id))
	}
	return nodes
}

// complete fills in all transitions and returns the states breadth first.
func (a *automaton) complete(nodes []node) []int32 {
	order := []int32{0}
	for head := 0; head < len(order); head++ {
		at := order[head]
		n := &nodes[at]
		n.phrases = append(n.phrases, nodes[n.fail].phrases...)
		if at == 0 {
			n.phrases = nil
		}
		for class := range n.next {
			child, back := n.next[class], int32(0)
			if at != 0 {
				back = nodes[n.fail].next[class]
			}
			if child < 0 {
				n.next[class] = back
				continue
			}
			nodes[child].fail = back
			order = append(order, child)
		}
	}
	for i := range nodes {
		nodes[i].next[classSkip] = int32(i)
		if nodes[i].boundary {
			nodes[i].next[classSeparator] = int32(i)
		}
	}
	return order
}

// lay writes the states into one dense table, those that complete a phrase last.
func (a *automaton) lay(nodes []node, order []int32) {
	slices.SortStableFunc(order, func(x, y int32) int {
		return min(len(nodes[x].phrases), 1) - min(len(nodes[y].phrases), 1)
	})
	place := make([]uint16, len(nodes))
	for i, at := range order {
		place[at] = uint16(i)
	}
	a.next = make([]uint16, len(nodes)<<a.shift)
	a.accept = uint16(len(nodes))
	for i, at := range order {
		row := a.next[i<<a.shift:]
		for class, to := range nodes[at].next {
			row[class] = place[to]
		}
		if len(nodes[at].phrases) > 0 {
			a.accept = min(a.accept, uint16(i))
			a.found = append(a.found, nodes[at].phrases)
		}
	}
}

// start is the state in which a text begins: after a border.
func (a *automaton) start() uint16 { return a.next[classSeparator] }

// tables is everything that is built once from phrases.txt. It is immutable.
type tables struct {
	*catalogue
	latin *automaton // phrases that fold to ASCII
	wide  *automaton // the others
	raw   [256]uint8 // latin's classes for text that was not folded: bytes above ASCII separate
}

func buildTables() *tables {
	c, err := readCatalogue(phrases)
	if err != nil {
		panic("lint: " + err.Error()) // the table is part of the program, and a test reads it
	}
	t := &tables{catalogue: c}
	t.latin = newAutomaton(c.phrases, isASCII)
	t.wide = newAutomaton(c.phrases, func(s string) bool { return !isASCII(s) })
	t.raw = t.latin.class
	for b := 0x80; b < len(t.raw); b++ {
		t.raw[b] = classSeparator
	}
	return t
}

func isASCII(s string) bool { return strings.IndexFunc(s, func(r rune) bool { return r >= 0x80 }) < 0 }
