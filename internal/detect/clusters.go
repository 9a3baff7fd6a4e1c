package detect

import (
	"unicode"
	"unicode/utf8"

	"github.com/hearsay-memory/hearsay"
)

// Text is one text to be compared with others.
type Text struct {
	Label hearsay.Label
	Words string
}

// Clusters groups texts that are nearly equal and so may be merged. Every member of a
// cluster is alike its first to the degree asked for: the part of their fingerprints that
// two texts have in common, 0 … 1. At .9 a word in a paragraph may differ. Texts of
// different labels never meet, however equal, and neither do texts in which other numbers
// stand, or the same in another order. The order of the texts decides who is first.
//
// It returns the indexes of each cluster of at least two, ascending, by their first.
//
// Alike is not the same: "always" and "never" are one word. Merge what can be taken back.
func Clusters(texts []Text, alike float64, seed uint64) [][]int {
	type class struct {
		label   hearsay.Label
		numbers uint64
	}
	classes := make(map[class]uint64)
	size := 0
	for _, t := range texts {
		size += len(t.Words)
	}
	n := neighbours{prints: make([]uint64, 0, size/perPrint)}
	p := printer{seed: seed}
	for _, t := range texts {
		from := len(n.prints)
		n.add(p.prints(n.prints, t.Words))
		c := class{t.Label, p.numbers()}
		id, ok := classes[c]
		if !ok {
			id = uint64(len(classes))
			classes[c] = id
		}
		for i := from; i < len(n.prints); i++ {
			n.prints[i] = p.mix(n.prints[i] + id) // of another class, another fingerprint
		}
	}
	u := newUnion(len(texts))
	near := func(shared, a, b int) bool { return float64(shared) >= alike*float64(a+b-shared) }
	n.walk(near, func(i int, earlier []int) bool {
		if len(earlier) > 0 {
			u.join(i, earlier[0])
		}
		return false
	})
	return u.sets(2)
}

// numbers is a hash of the words with a digit in the text that was folded last, in their
// order.
func (p *printer) numbers() (h uint64) {
	start, digit := 0, false
	for i := 0; i < len(p.folded); {
		r, size := rune(p.folded[i]), 1
		if r >= utf8.RuneSelf {
			r, size = utf8.DecodeRune(p.folded[i:])
		}
		switch {
		case r >= 'a' && r <= 'z':
		case unicode.IsDigit(r):
			digit = true
		case !unicode.IsLetter(r):
			if digit {
				h = p.mix(h ^ p.hash(p.folded[start:i]) + 1)
			}
			start, digit = i+size, false
		}
		i += size
	}
	if digit {
		h = p.mix(h ^ p.hash(p.folded[start:]) + 1)
	}
	return h
}
