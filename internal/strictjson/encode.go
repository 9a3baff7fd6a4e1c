package strictjson

import (
	"math/bits"
	"unicode/utf8"
)

// shortEscape holds, for the characters that have one, the letter of their
// two-byte escape.
var shortEscape = [utf8.RuneSelf]byte{
	'"': '"', '\\': '\\', '\b': 'b', '\f': 'f', '\n': 'n', '\r': 'r', '\t': 't',
}

// AppendValue appends the one encoding of v: members in their order, no white
// space, numbers as they were written, and in strings no escape but where
// needed. Escaped are the quote, the backslash, controls, and the three
// characters U+0085, U+2028 and U+2029, at which some readers end a line. So
// the result is always one line to every reader, and UTF-8.
//
// Parsing the result and appending it again gives the same bytes.
func AppendValue(dst []byte, v Value) []byte {
	if v.doc != nil {
		return v.appendParsed(dst)
	}
	if v.made == nil {
		return append(dst, "null"...)
	}
	switch m := v.made; m.kind {
	case KindString:
		return appendString(dst, m.text)
	case KindArray:
		dst = append(dst, '[')
		for i, e := range m.vals {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = AppendValue(dst, e)
		}
		return append(dst, ']')
	case KindObject:
		dst = append(dst, '{')
		for i, e := range m.vals {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = AppendValue(dst, m.keys[i])
			dst = append(dst, ':')
			dst = AppendValue(dst, e)
		}
		return append(dst, '}')
	default:
		return append(dst, m.text...)
	}
}

// appendParsed appends a parsed value. Text that the scan found tight is
// copied whole.
func (v Value) appendParsed(dst []byte) []byte {
	n := v.node()
	if n.meta&metaTight != 0 {
		return append(dst, v.doc.text[n.start:n.end]...)
	}
	switch Kind(n.meta & metaKind) {
	case KindArray:
		dst = append(dst, '[')
		for at := v.at + 1; at < n.next; at = v.doc.tape[at].next {
			if at > v.at+1 {
				dst = append(dst, ',')
			}
			dst = Value{doc: v.doc, at: at}.appendParsed(dst)
		}
		return append(dst, ']')
	case KindObject:
		dst = append(dst, '{')
		for at := v.at + 1; at < n.next; at = v.doc.tape[at+1].next {
			if at > v.at+1 {
				dst = append(dst, ',')
			}
			dst = Value{doc: v.doc, at: at}.appendParsed(dst)
			dst = append(dst, ':')
			dst = Value{doc: v.doc, at: at + 1}.appendParsed(dst)
		}
		return append(dst, '}')
	default:
		return appendRequoted(dst, v.inner())
	}
}

// appendRequoted appends a string from its raw form between the quotes, which a
// scan has accepted.
func appendRequoted(dst, raw []byte) []byte {
	dst = append(dst, '"')
	for i := 0; i < len(raw); {
		switch c := raw[i]; {
		case c == '\\':
			r, n := unescape(raw[i:])
			dst = appendRune(dst, r)
			i += n
		case c < utf8.RuneSelf:
			dst = append(dst, c)
			i++
		default:
			r, n := utf8.DecodeRune(raw[i:])
			dst = appendRune(dst, r)
			i += n
		}
	}
	return append(dst, '"')
}

// appendString appends the encoding of the text s.
func appendString(dst []byte, s string) []byte {
	dst = append(dst, '"')
	from := 0 // s[from:i] is to be copied
	for i := 0; i < len(s); {
		if i+8 <= len(s) {
			m := special(load64(s, i))
			if m == 0 {
				i += 8
				continue
			}
			i += bits.TrailingZeros64(m) / 8
		}
		r, n := utf8.DecodeRuneInString(s[i:])
		if needsEscape(r) || r == utf8.RuneError && n == 1 {
			dst = append(dst, s[from:i]...)
			dst = appendRune(dst, r)
			from = i + n
		}
		i += n
	}
	dst = append(dst, s[from:]...)
	return append(dst, '"')
}

// load64 reads eight bytes of s at i in little-endian order. The compiler makes
// one load of it.
func load64(s string, i int) uint64 {
	s = s[i : i+8]
	return uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 |
		uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
}

// needsEscape reports whether r may not stand in an encoded string.
func needsEscape(r rune) bool {
	return r < ' ' || r == '"' || r == '\\' || breaksLine(r)
}

// appendRune appends r as it stands in an encoded string.
func appendRune(dst []byte, r rune) []byte {
	if !needsEscape(r) {
		return utf8.AppendRune(dst, r)
	}
	if r < utf8.RuneSelf && shortEscape[r] != 0 {
		return append(dst, '\\', shortEscape[r])
	}
	const digits = "0123456789abcdef"
	return append(dst, '\\', 'u', digits[r>>12&15], digits[r>>8&15], digits[r>>4&15], digits[r&15])
}
