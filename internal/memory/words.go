package memory

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/hearsay-memory/hearsay/internal/textfold"
)

// maxWord bounds a word of the index, in bytes: what is longer is found by its beginning.
const maxWord = 64

// words returns the words of a text as they are indexed, each followed by a space: folded,
// see package textfold, and of letters, marks and digits alone, so that SQLite's ascii
// tokenizer splits them at the spaces and nowhere else.
//
// Scripts that put no spaces between words, and Korean, which ties endings to them, are
// cut into overlapping pairs of characters; the last character of a run stands alone, so
// that every character begins a word of the index.
func words(text string) string {
	folded := textfold.FoldWords(make([]byte, 0, len(text)+len(text)/8), text)
	var b strings.Builder
	b.Grow(len(folded) + len(folded)/8 + 1)
	split(folded, func(run []byte, unspaced bool) {
		if !unspaced {
			b.Write(cutWord(run))
			b.WriteByte(' ')
			return
		}
		for i := 0; i < len(run); {
			_, n := utf8.DecodeRune(run[i:])
			_, next := utf8.DecodeRune(run[i+n:]) // 0 at the end
			b.Write(run[i : i+n+next])
			b.WriteByte(' ')
			i += n
		}
	})
	return b.String()
}

// term is a word that a query looks for.
type term struct {
	word   string
	prefix bool // words that begin so: a character of a script without spaces
}

// Bounds of a query. What is beyond them is not looked for.
const (
	maxQuery = 16 << 10 // bytes that are read
	maxTerms = 64
)

// terms returns what a query looks for, each term once, in the order of the query. Nothing
// in a query is syntax.
func terms(query string) []term {
	if len(query) > maxQuery {
		query = strings.ToValidUTF8(query[:maxQuery], "")
	}
	var out []term
	seen := make(map[term]bool)
	add := func(t term) {
		if !seen[t] && len(out) < maxTerms {
			seen[t], out = true, append(out, t)
		}
	}
	split(textfold.FoldWords(nil, query), func(run []byte, unspaced bool) {
		if !unspaced {
			add(term{word: string(cutWord(run))})
			return
		}
		_, n := utf8.DecodeRune(run)
		if n == len(run) {
			add(term{word: string(run), prefix: true})
			return
		}
		for n < len(run) {
			_, next := utf8.DecodeRune(run[n:])
			add(term{word: string(run[:n+next])})
			run, n = run[n:], next
		}
	})
	return out
}

// split calls f for every run of word characters of one sort.
func split(folded []byte, f func(run []byte, unspaced bool)) {
	from, sort := 0, other
	for i := 0; i < len(folded); {
		r, n := rune(folded[i]), 1
		if r >= utf8.RuneSelf {
			r, n = utf8.DecodeRune(folded[i:])
		}
		if now := sortOf(r); now != sort {
			if sort != other {
				f(folded[from:i], sort == unspaced)
			}
			from, sort = i, now
		}
		i += n
	}
	if sort != other {
		f(folded[from:], sort == unspaced)
	}
}

// The sorts of characters.
const (
	other    = iota // separates words
	spaced          // of a script with spaces between words
	unspaced        // of one without
)

func sortOf(r rune) int {
	switch {
	case r < utf8.RuneSelf:
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			return spaced
		}
		return other
	case r < 0x0E00:
	case r < 0x1100 && r >= 0x1000, // Burmese
		r < 0x1000,                                                                      // Thai, Lao, Tibetan
		r >= 0x1100 && r < 0x1200, r >= 0xA960 && r < 0xA980, r >= 0xAC00 && r < 0xD800, // Hangul
		r >= 0x1780 && r < 0x1800, r >= 0x19E0 && r < 0x1A00, // Khmer
		r >= 0x2E80 && r < 0x3000, r >= 0x3005 && r < 0xA4D0, r >= 0xF900 && r < 0xFB00, // Chinese, Japanese, Yi
		r >= 0x1B000 && r < 0x1B170, r >= 0x20000 && r < 0x40000:
		if unicode.In(r, unicode.L, unicode.M, unicode.N) {
			return unspaced
		}
		return other
	}
	if unicode.In(r, unicode.L, unicode.M, unicode.N, unicode.Co) {
		return spaced
	}
	return other
}

// cutWord returns the beginning of a word that is too long.
func cutWord(w []byte) []byte {
	if len(w) <= maxWord {
		return w
	}
	n := maxWord
	for !utf8.RuneStart(w[n]) {
		n--
	}
	return w[:n]
}
