package segment

import (
	"math/bits"
	"unicode"
	"unicode/utf8"
)

// FNV-1a, 64 bits. A collision makes two texts look alike, which lowers trust at most.
const (
	fnvBasis = 14695981039346656037
	fnvPrime = 1099511628211
)

// literal is the bit of a word's hash that says that the word tells much by itself: a
// number, a version, a key.
const literal = 1

// words appends the hashes of a line's words to dst. A word is a run of letters and digits
// without regard to case and marks; in scripts without spaces, and of symbols beyond ASCII,
// each character is one. Invisible characters are passed over.
func words(dst []uint64, s string) []uint64 {
	if dst == nil {
		dst = make([]uint64, 0, len(s)/5+1) // what most lines need
	}
	w := word{h: fnvBasis}
	for i := 0; i < len(s); {
		i += w.ascii(s[i:])
		if i == len(s) {
			break
		}
		if s[i] < utf8.RuneSelf {
			dst = w.end(dst)
			i++
			continue
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		i += size
		switch {
		case r == utf8.RuneError && size == 1:
			w.add(utf8.MaxRune + 1 + rune(s[i-1]))
		case unicode.In(r, unicode.Cf, unicode.M):
		case unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar):
			dst = w.end(dst)
			w.add(r)
			dst = w.end(dst)
		case unicode.IsLetter(r):
			w.add(unicode.ToLower(r))
		case unicode.IsNumber(r):
			w.add(r)
			w.digits = true
		case unicode.IsSymbol(r):
			dst = w.end(dst)
			w.add(r)
			dst = w.end(dst)
		default:
			dst = w.end(dst)
		}
	}
	return w.end(dst)
}

// word is a word as far as it was read.
type word struct {
	h      uint64
	n      int // characters
	digits bool
}

func (w *word) add(r rune) {
	w.h = (w.h ^ uint64(r)) * fnvPrime
	w.n++
}

// ascii adds the letters and digits of ASCII that s begins with, and returns their number.
// Nearly all text is that, so it looks at nothing else.
func (w *word) ascii(s string) int {
	h, i := w.h, 0
	for ; i < len(s); i++ {
		c := s[i]
		if lower := c | 0x20; lower-'a' < 26 {
			c = lower
		} else if c-'0' < 10 {
			w.digits = true
		} else {
			break
		}
		h = (h ^ uint64(c)) * fnvPrime
	}
	w.h, w.n = h, w.n+i
	return i
}

// end appends the word's hash, if there is a word, and begins the next.
func (w *word) end(dst []uint64) []uint64 {
	if w.n == 0 {
		return dst
	}
	h := w.h &^ literal
	if w.digits && w.n >= 3 || w.n >= 16 {
		h |= literal
	}
	*w = word{h: fnvBasis}
	return append(dst, h)
}

// hasWords reports whether a line has any.
func hasWords(s string) bool { return len(words(nil, s)) > 0 }

// mix folds a word into the hash of the words before it.
func mix(h, w uint64) uint64 {
	h = (h ^ w) * fnvPrime
	return h ^ h>>29
}

// printOf returns the print of a line's words in their order.
func printOf(ws []uint64) uint64 {
	h := uint64(fnvBasis)
	for _, w := range ws {
		h = mix(h, w)
	}
	return mix(h, uint64(len(ws)))
}

// gram yields the runs of n words of a stream of lines, with the lines that each touches.
type gram struct {
	n     int // at most runStays
	have  int
	words [runStays]uint64 // the last n
	lines [runStays]int    // of them
}

// push adds a word. It returns the hash of the last n words and the line of each, once
// there are n.
func (g *gram) push(w uint64, line int) (h uint64, lines []int, ok bool) {
	if g.have == g.n {
		for i := 1; i < g.n; i++ {
			g.words[i-1], g.lines[i-1] = g.words[i], g.lines[i]
		}
		g.have--
	}
	g.words[g.have], g.lines[g.have] = w, line
	if g.have++; g.have < g.n {
		return 0, nil, false
	}
	return runOf(g.words[:g.n]), g.lines[:g.n], true
}

// runOf returns the hash of a run of words.
func runOf(ws []uint64) uint64 {
	h := fnvBasis + uint64(len(ws))
	for _, w := range ws {
		h = mix(h, w)
	}
	return h
}

// sieve is a set of words that may hold a few more than were added.
type sieve []uint64

// newSieve returns a sieve for a number of words.
func newSieve(words int) sieve { return make(sieve, 1<<bits.Len(uint(words)/8)) }

func (s sieve) at(w uint64) (*uint64, uint64) {
	w ^= w >> 32 // the lowest bit is not the word's
	return &s[w>>7&uint64(len(s)-1)], 1 << (w >> 1 & 63)
}

func (s sieve) add(w uint64) {
	at, bit := s.at(w)
	*at |= bit
}

func (s sieve) has(w uint64) bool {
	at, bit := s.at(w)
	return *at&bit != 0
}
