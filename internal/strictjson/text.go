package strictjson

import (
	"encoding/binary"
	"math/bits"
	"unicode/utf16"
	"unicode/utf8"
)

// traits are what a scan of a string found in it. Zero is plain ASCII.
type traits uint8

const (
	escaped  traits = 1 << iota // a backslash
	nonASCII                    // a byte of 0x80 or more
)

const (
	ones  = 0x0101010101010101
	highs = 0x8080808080808080
)

// special marks, in the high bit of each byte of x, the bytes that end a plain
// run of a string: controls, the quote, the backslash and non-ASCII. Borrows
// run only upwards from a marked byte, so the lowest mark is always exact.
func special(x uint64) uint64 {
	return (x | (x - 0x20*ones) | ((x ^ '"'*ones) - ones) | ((x ^ '\\'*ones) - ones)) & highs
}

// str reads the string whose opening quote is at i. It returns the offset after
// the closing quote and what the string held.
func (s *scanner) str(i int) (int, traits) {
	b := s.b
	var t traits
	i++
	for {
		for i+8 <= len(b) {
			if m := special(binary.LittleEndian.Uint64(b[i:])); m != 0 {
				i += bits.TrailingZeros64(m) / 8
				break
			}
			i += 8
		}
		if i >= len(b) {
			return s.unexpected(i, "a closing quote"), t
		}
		switch c := b[i]; {
		case c == '"':
			return i + 1, t
		case c == '\\':
			t |= escaped
			if i+1 < len(b) && (b[i+1] == 'n' || b[i+1] == '"' || b[i+1] == '\\') {
				i += 2 // the common ones, without a call
				continue
			}
			if i = s.escape(i); i == failed {
				return failed, t
			}
		case c >= utf8.RuneSelf:
			t |= nonASCII
			if i = s.wide(i); i == failed {
				return failed, t
			}
		case c < ' ':
			return s.fail(Malformed, i, "a control character in a string must be escaped"), t
		default:
			i++
		}
	}
}

// wide reads a run of non-ASCII UTF-8 at i.
func (s *scanner) wide(i int) int {
	b := s.b
	for i < len(b) && b[i] >= utf8.RuneSelf {
		// Most three-byte runes need no range check on the second byte; E0 and
		// ED (overlong forms, surrogates) do and take the general path.
		if c := b[i]; c > 0xE0 && c < 0xF0 && c != 0xED && i+2 < len(b) &&
			b[i+1]&0xC0 == 0x80 && b[i+2]&0xC0 == 0x80 {
			if c == 0xE2 && b[i+1] == 0x80 && b[i+2]&^1 == 0xA8 {
				s.broken = true
				s.loose++
			}
			i += 3
			continue
		}
		r, n := utf8.DecodeRune(b[i:])
		if r == utf8.RuneError && n <= 1 {
			return s.fail(InvalidUTF8, i, "the string is not UTF-8")
		}
		if breaksLine(r) {
			s.broken = true
			s.loose++
		}
		i += n
	}
	return i
}

// breaksLine reports whether some reader of lines ends a line at r though JSON
// lets it stand in a string: NEL, LINE SEPARATOR and PARAGRAPH SEPARATOR.
// Written raw, they would let a string be read as a message of its own.
func breaksLine(r rune) bool { return r == 0x85 || r == 0x2028 || r == 0x2029 }

// escape reads the escape at i (RFC 8259 §7).
func (s *scanner) escape(i int) int {
	b := s.b
	if i+1 >= len(b) {
		return s.unexpected(i+1, "an escape")
	}
	switch b[i+1] {
	case '"', '\\', 'b', 'f', 'n', 'r', 't':
		return i + 2
	case '/':
		s.loose++
		return i + 2
	case 'u':
	default:
		return s.fail(Malformed, i, "the string holds an unknown escape")
	}
	r, ok := hex4(b, i+2)
	if !ok {
		return s.fail(Malformed, i, "a \\u escape needs four hexadecimal digits")
	}
	if utf16.IsSurrogate(r) {
		s.loose++
		if i+7 < len(b) && b[i+6] == '\\' && b[i+7] == 'u' {
			if low, ok := hex4(b, i+8); ok && utf16.DecodeRune(r, low) != utf8.RuneError {
				return i + 12
			}
		}
		return s.fail(LoneSurrogate, i, "a surrogate escape has no partner")
	}
	if !canonicalEscape(b[i+2:i+6], r) {
		s.loose++
	}
	return i + 6
}

// canonicalEscape reports whether AppendValue too would write r as \u and these
// four digits.
func canonicalEscape(digits []byte, r rune) bool {
	if !breaksLine(r) && (r >= ' ' || shortEscape[r] != 0) {
		return false
	}
	for _, c := range digits {
		if c >= 'A' && c <= 'F' {
			return false
		}
	}
	return true
}

// hex4 reads four hexadecimal digits at i.
func hex4(b []byte, i int) (rune, bool) {
	if i+4 > len(b) {
		return 0, false
	}
	var r rune
	for _, c := range b[i : i+4] {
		switch {
		case c-'0' <= 9:
			r = r<<4 | rune(c-'0')
		case c|0x20 >= 'a' && c|0x20 <= 'f':
			r = r<<4 | rune(c|0x20-'a'+10)
		default:
			return 0, false
		}
	}
	return r, true
}

// unescape returns the rune of the escape at the start of b, which a scan has
// accepted, and the length of the escape.
func unescape(b []byte) (rune, int) {
	switch b[1] {
	case 'b':
		return '\b', 2
	case 'f':
		return '\f', 2
	case 'n':
		return '\n', 2
	case 'r':
		return '\r', 2
	case 't':
		return '\t', 2
	case 'u':
		r, _ := hex4(b, 2)
		if !utf16.IsSurrogate(r) {
			return r, 6
		}
		low, _ := hex4(b, 8)
		return utf16.DecodeRune(r, low), 12
	}
	return rune(b[1]), 2
}

// appendText appends the text of the string whose raw form between the quotes
// is b and which a scan has accepted.
func appendText(dst, b []byte) []byte {
	for len(b) > 0 {
		run := 0
		for run < len(b) && b[run] != '\\' {
			run++
		}
		dst = append(dst, b[:run]...)
		if b = b[run:]; len(b) > 0 {
			r, n := unescape(b)
			dst = utf8.AppendRune(dst, r)
			b = b[n:]
		}
	}
	return dst
}
