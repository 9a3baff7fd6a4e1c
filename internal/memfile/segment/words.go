package segment

import (
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
	h, n, digits := uint64(fnvBasis), 0, false
	end := func() {
		if n > 0 {
			h &^= literal
			if digits && n >= 3 || n >= 16 {
				h |= literal
			}
			dst = append(dst, h)
		}
		h, n, digits = fnvBasis, 0, false
	}
	add := func(r rune) {
		h = (h ^ uint64(r)) * fnvPrime
		n++
	}
	for i := 0; i < len(s); {
		if c := s[i]; c < utf8.RuneSelf {
			i++
			switch {
			case 'a' <= c && c <= 'z':
				add(rune(c))
			case 'A' <= c && c <= 'Z':
				add(rune(c) | 0x20)
			case '0' <= c && c <= '9':
				add(rune(c))
				digits = true
			default:
				end()
			}
			continue
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && size == 1:
			add(utf8.MaxRune + 1 + rune(s[i]))
		case unicode.In(r, unicode.Cf, unicode.M):
		case unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar):
			end()
			add(r)
			end()
		case unicode.IsLetter(r):
			add(unicode.ToLower(r))
		case unicode.IsNumber(r):
			add(r)
			digits = true
		case unicode.IsSymbol(r):
			end()
			add(r)
			end()
		default:
			end()
		}
		i += size
	}
	end()
	return dst
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
