package lint

import (
	"strings"
	"unicode/utf8"

	"github.com/hearsay-memory/hearsay/internal/textfold"
)

// shortestRun is the length from which base64 is decoded: eighteen bytes of text,
// the shortest that a phrase with a meaning of its own needs.
const shortestRun = 24

// encoded scans what percent-encoding, numeric entities and base64 in s spell.
func (m *matcher) encoded(s string) {
	if m.decoded = entitiesDecoded(m.decoded[:0], s); len(m.decoded) > 0 {
		m.pass("+entities", textfold.View(m.decoded))
	}
	if m.decoded = percentDecoded(m.decoded[:0], s); len(m.decoded) > 0 {
		m.pass("+percent", textfold.View(m.decoded))
	}
	if m.decoded = base64Decoded(m.decoded[:0], s); len(m.decoded) > 0 {
		m.pass("+base64", textfold.View(m.decoded))
	}
}

// percentDecoded appends s with %XX decoded, or nothing if it has none.
func percentDecoded(dst []byte, s string) []byte {
	copied := 0
	for i := strings.IndexByte(s, '%'); i >= 0 && i+2 < len(s); {
		if c := unhex[s[i+1]]<<4 | unhex[s[i+2]]; c >= 0 {
			dst = append(append(dst, s[copied:i]...), byte(c))
			copied = i + 3
			i += 2
		}
		next := strings.IndexByte(s[i+1:], '%')
		if next < 0 {
			break
		}
		i += 1 + next
	}
	if copied == 0 {
		return dst
	}
	return append(dst, s[copied:]...)
}

// entitiesDecoded appends s with &#N; and &#xN; decoded, or nothing if it has none.
func entitiesDecoded(dst []byte, s string) []byte {
	copied := 0
	for i := strings.Index(s, "&#"); i >= 0; {
		after := i + 2
		if r, n := entity(s[after:]); n > 0 {
			dst = utf8.AppendRune(append(dst, s[copied:i]...), r)
			after += n
			copied = after
		}
		next := strings.Index(s[after:], "&#")
		if next < 0 {
			break
		}
		i = after + next
	}
	if copied == 0 {
		return dst
	}
	return append(dst, s[copied:]...)
}

// entity reads a number and an optional semicolon, and returns its character and
// how many bytes it took; 0 where there is no number.
func entity(s string) (r rune, n int) {
	base := int16(10)
	if s != "" && s[0]|0x20 == 'x' {
		base, n = 16, 1
	}
	digits := n
	for n < len(s) && unhex[s[n]] >= 0 && unhex[s[n]] < base {
		r = min(r*rune(base)+rune(unhex[s[n]]), utf8.MaxRune+1) // which appends as U+FFFD
		n++
	}
	if n == digits {
		return 0, 0
	}
	if n < len(s) && s[n] == ';' {
		n++
	}
	return r, n
}

// unhex gives the value of a hexadecimal digit, or -1.
var unhex = func() (t [256]int16) {
	for c := range t {
		t[c] = -1
	}
	for i := range int16(10) {
		t['0'+i] = i
	}
	for i := range int16(6) {
		t['a'+i], t['A'+i] = 10+i, 10+i
	}
	return t
}()

// base64Decoded appends what readable base64 in s spells, a line a run. A run that
// does not decode to text, as of a digest, appends nothing.
func base64Decoded(dst []byte, s string) []byte {
	for i := shortestRun - 1; i < len(s); {
		if digit64[s[i]] < 0 {
			i += shortestRun // no run of that length can cross this byte
			continue
		}
		start, end := i, i+1
		for start > i-shortestRun+1 && digit64[s[start-1]] >= 0 {
			start--
		}
		for end < len(s) && digit64[s[end]] >= 0 {
			end++
		}
		if end-start >= shortestRun {
			dst = appendReadable(dst, s[start:end])
		}
		i = end + shortestRun
	}
	return dst
}

// appendReadable appends the text that run encodes and a line end, or nothing
// if it is not text.
func appendReadable(dst []byte, run string) []byte {
	from := len(dst)
	for i := 0; i+4 <= len(run); i += 4 {
		v := uint32(digit64[run[i]])<<18 | uint32(digit64[run[i+1]])<<12 | uint32(digit64[run[i+2]])<<6 | uint32(digit64[run[i+3]])
		dst = append(dst, byte(v>>16), byte(v>>8), byte(v))
		if !printable(dst[len(dst)-3:]) {
			return dst[:from]
		}
	}
	switch rest := run[len(run)&^3:]; len(rest) {
	case 3:
		dst = append(dst, byte(digit64[rest[0]])<<2|byte(digit64[rest[1]])>>4, byte(digit64[rest[1]])<<4|byte(digit64[rest[2]])>>2)
	case 2:
		dst = append(dst, byte(digit64[rest[0]])<<2|byte(digit64[rest[1]])>>4)
	}
	if !utf8.Valid(dst[from:]) {
		return dst[:from]
	}
	return append(dst, '\n')
}

func printable(b []byte) bool {
	for _, c := range b {
		if c < ' ' && c != '\n' && c != '\t' && c != '\r' || c == 0x7f {
			return false
		}
	}
	return true
}

// digit64 gives the value of a base64 digit of either alphabet (RFC 4648), or -1.
var digit64 = func() (t [256]int8) {
	for c := range t {
		t[c] = -1
	}
	for i, c := range []byte("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/") {
		t[c] = int8(i)
	}
	t['-'], t['_'] = 62, 63
	return t
}()
