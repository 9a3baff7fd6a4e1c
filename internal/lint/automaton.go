package lint

import "math/bits"

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
// A state is the place of its row in next.
type automaton struct {
	class  [256]uint8 // of a byte of folded text, or of ASCII of any case
	shift  uint8      // a row has 1<<shift states
	next   []uint32
	accept uint32     // states from here on complete phrases
	found  [][]uint16 // by row from accept on, the phrases that it completes
}

// newAutomaton builds the automaton of those phrases for which use is true.
func newAutomaton(all []phrase, use func(symbols string) bool) *automaton {
	a := &automaton{}
	var mine []int
	size := 1
	for id, p := range all {
		if use(p.symbols) {
			mine = append(mine, id)
			size += len(p.symbols)
		}
	}
	classes := a.classify(all, mine)
	a.shift = uint8(bits.Len(uint(classes - 1)))
	t := newTrie(size/2, a.shift) // phrases share about half of their symbols
	for _, id := range mine {
		t.insert(&a.class, all[id].symbols, uint16(id))
	}
	order := t.complete()
	a.lay(t, order)
	return a
}

func (a *automaton) classify(all []phrase, mine []int) int {
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
	for _, id := range mine {
		p := all[id].symbols
		for i := range len(p) {
			if c := p[i]; a.class[c] == classOther {
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

// lay writes the states into one table, those that complete a phrase last and
// otherwise breadth first: the states that honest text visits lie together.
func (a *automaton) lay(t *trie, order []uint16) {
	place := make([]uint32, len(order))
	row := uint32(0)
	for _, accepting := range []bool{false, true} {
		if accepting {
			a.accept = row << a.shift
		}
		for _, at := range order {
			if (len(t.found[at]) > 0) == accepting {
				place[at] = row << a.shift
				row++
			}
		}
	}
	a.next = make([]uint32, len(order)<<a.shift)
	a.found = make([][]uint16, row-a.accept>>a.shift)
	for _, at := range order {
		to := a.next[place[at] : place[at]+1<<a.shift]
		for class, state := range t.row(at) {
			to[class] = place[state]
		}
		if place[at] >= a.accept {
			a.found[a.row(place[at])] = t.found[at]
		}
	}
}

// row returns the place in found of an accepting state.
func (a *automaton) row(state uint32) uint32 { return (state - a.accept) >> a.shift }

// start is the state in which a text begins: after a border.
func (a *automaton) start() uint32 { return a.next[classSeparator] }
