// Package textfold is the one folding of text that everything which matches
// words shares: the lint, the markers and the attribution of words to sources.
//
// Folding brings different spellings of what a reader takes for the same text
// to one spelling: compatibility forms (NFKC), case, accents, letters of other
// alphabets that look like Latin ones, and characters that nobody sees. It is
// for matching only. Stored bytes are never folded.
//
// The package also finds characters that hide something ([NextHidden]) and
// renders them for people ([Visible]).
package textfold

import (
	"unicode/utf8"
	"unsafe"
)

// Version names the folding. Fingerprints keep it beside them, because two
// foldings of different versions must not be compared. Any change to what
// [Fold] returns for any text is a new version.
const Version = 1

// Fold appends the folding of s to dst and returns the extended slice.
//
//   - Every character becomes its compatibility decomposition, case-folded.
//     Hangul stays composed, and jamo are composed.
//   - Combining marks that only decorate a letter (Latin, Greek and Cyrillic
//     accents, Hebrew points, Arabic vowel signs) are removed; marks that are
//     letters in their script (kana voicing, Indic vowels, Thai tones) stay.
//   - Letters that pass for a Latin letter become it.
//   - Dashes, quotation marks, brackets and spaces become their ASCII forms.
//   - Control characters except \t \n \v \f \r, format characters, variation
//     selectors, tag characters and bytes that are not UTF-8 are removed.
//
// Folding is idempotent and works on each character by itself, jamo excepted:
// folding a text in pieces cut between characters gives the same result. It
// allocates only to grow dst.
func Fold[T string | []byte](dst []byte, s T) []byte { return appendFold(dst, View(s), false) }

// FoldWords is [Fold], except that every symbol or mark of punctuation outside
// ASCII becomes one space: what is left above ASCII belongs to a word.
func FoldWords[T string | []byte](dst []byte, s T) []byte { return appendFold(dst, View(s), true) }

// FoldRune appends the folding of r alone to dst.
func FoldRune(dst []byte, r rune) []byte {
	if r >= 0 && r < utf8.RuneSelf {
		if c := asciiFold[r]; c != 0 {
			dst = append(dst, c)
		}
		return dst
	}
	return appendRune(dst, r, false)
}

// ASCII reports whether s has no byte outside ASCII.
func ASCII[T string | []byte](s T) bool {
	v := View(s)
	for len(v) >= 8 {
		if (v[0]|v[1]|v[2]|v[3]|v[4]|v[5]|v[6]|v[7])&0x80 != 0 {
			return false
		}
		v = v[8:]
	}
	for i := range len(v) {
		if v[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

func appendFold(dst []byte, s string, words bool) []byte {
	for i := 0; i < len(s); {
		c := s[i]
		if c < utf8.RuneSelf {
			if f := asciiFold[c]; f != 0 {
				dst = append(dst, f)
			}
			i++
			continue
		}
		r, size := decode(s, i)
		switch v := lookup(r); {
		case v == keepWord && size == 3:
			dst = append(dst, c, s[i+1], s[i+2])
		case v == keepWord && size == 2:
			dst = append(dst, c, s[i+1])
		case v > asciiBase && v < poolBase:
			dst = append(dst, byte(v-asciiBase))
		case size > 1:
			dst = appendRune(dst, r, words)
		}
		i += size
	}
	return dst
}

// decode is [utf8.DecodeRuneInString] at byte i of s, with the plain cases of two
// and three bytes in line.
func decode(s string, i int) (r rune, size int) {
	switch c := s[i]; {
	case c >= 0xC2 && c < 0xE0 && i+1 < len(s) && s[i+1]&0xC0 == 0x80:
		return rune(c&0x1F)<<6 | rune(s[i+1]&0x3F), 2
	case c > 0xE0 && c < 0xF0 && c != 0xED && i+2 < len(s) && s[i+1]&0xC0 == 0x80 && s[i+2]&0xC0 == 0x80:
		return rune(c&0xF)<<12 | rune(s[i+1]&0x3F)<<6 | rune(s[i+2]&0x3F), 3
	}
	return utf8.DecodeRuneInString(s[i:])
}

func appendRune(dst []byte, r rune, words bool) []byte {
	switch v := lookup(r); {
	case v == keepWord:
		return utf8.AppendRune(dst, r)
	case v == keepSymbol:
		if words {
			return append(dst, ' ')
		}
		return utf8.AppendRune(dst, r)
	case v == remove:
		return dst
	case v == jamo:
		return appendJamo(dst, r)
	case v < poolBase:
		return append(dst, byte(v-asciiBase))
	default:
		return appendFold(dst, pooled(v), words) // pooled text folds to itself, so this does not go deeper
	}
}

// asciiFold maps ASCII to its folding; 0 removes.
var asciiFold = func() (t [utf8.RuneSelf]byte) {
	for c := range t {
		switch {
		case c >= 'A' && c <= 'Z':
			t[c] = byte(c) + 'a' - 'A'
		case c >= ' ' && c < 0x7f, c >= '\t' && c <= '\r':
			t[c] = byte(c)
		}
	}
	return t
}()

// View reads s without a copy. The string does not outlive the call that made
// it, and nothing writes to b meanwhile.
func View[T string | []byte](s T) string {
	switch s := any(s).(type) {
	case []byte:
		return unsafe.String(unsafe.SliceData(s), len(s))
	case string:
		return s
	}
	return ""
}
