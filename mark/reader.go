package mark

import (
	"strings"
	"unicode/utf8"
)

// unit is one character as a reader, or a program that decodes entities for one,
// would take it.
type unit struct {
	r    rune
	size int // bytes in the text
}

// longestEscape bounds how far an entity or escape may reach: "&amp;#x0000005b;"
// and the like.
const longestEscape = 32

// next returns the character at the start of s, which is not empty: an HTML
// entity, a percent-encoded byte, a \u or \x escape, or itself.
func next(s string) unit {
	switch s[0] {
	case '&':
		if u, ok := entity(s); ok {
			return u
		}
	case '%':
		if r, n := digits(s[1:], 16, 2); n == 2 {
			return unit{r, 3}
		}
	case '\\':
		if u, ok := escape(s); ok {
			return u
		}
	}
	if s[0] < utf8.RuneSelf {
		return unit{rune(s[0]), 1}
	}
	r, size := utf8.DecodeRuneInString(s)
	if r == utf8.RuneError && size == 1 {
		r = 0 // not UTF-8, and most screens show nothing
	}
	return unit{r, size}
}

// named are the entities that spell a bracket, or part of what may stand between
// a bracket and the word behind it (HTML, section 13.5).
var named = []struct {
	name string
	r    rune
}{
	{"lt;", '<'}, {"lbrack;", '['}, {"lsqb;", '['}, {"lang;", '<'}, {"langle;", '<'},
	{"nbsp;", ' '}, {"sol;", '/'}, {"bsol;", '\\'}, {"shy;", '\u00AD'}, {"zwj;", '\u200D'}, {"zwnj;", '\u200C'},
	{"tab;", ' '}, {"newline;", '\n'}, {"lowbar;", '_'}, {"hyphen;", '-'}, {"dash;", '-'}, {"colon;", ':'},
}

func entity(s string) (unit, bool) {
	at := 1
	for at < longestEscape && hasFold(s[at:], "amp;") { // encoded more than once
		at += len("amp;")
	}
	rest := s[at:]
	if strings.HasPrefix(rest, "#") {
		at++
		base := rune(10)
		if hasFold(rest[1:], "x") {
			at, base = at+1, 16
		}
		r, n := digits(s[at:], base, 16)
		at += n
		if strings.HasPrefix(s[at:], ";") {
			at++
		}
		return unit{r, at}, n > 0
	}
	for _, e := range named {
		if hasFold(rest, e.name) {
			return unit{e.r, at + len(e.name)}, true
		}
	}
	return unit{}, false
}

func escape(s string) (unit, bool) {
	if len(s) < 2 {
		return unit{}, false
	}
	want := 0
	switch s[1] {
	case 'x':
		want = 2
	case 'u':
		want = 4
	case 'U':
		want = 8
	}
	r, n := digits(s[2:], 16, want)
	return unit{r, 2 + n}, n > 0 && n == want
}

// digits reads up to most digits of a base at the start of s.
func digits(s string, base rune, most int) (r rune, n int) {
	for n < most && n < len(s) {
		d := rune(-1)
		switch c := rune(s[n]); {
		case c >= '0' && c <= '9':
			d = c - '0'
		case c >= 'a' && c <= 'f':
			d = c - 'a' + 10
		case c >= 'A' && c <= 'F':
			d = c - 'A' + 10
		}
		if d < 0 || d >= base {
			break
		}
		r = min(r*base+d, utf8.MaxRune+1)
		n++
	}
	return r, n
}

// hasFold reports whether s begins with prefix, which is in small letters, in any case.
func hasFold(s, prefix string) bool {
	return len(s) >= len(prefix) && s[0]|0x20 == prefix[0] && strings.EqualFold(s[:len(prefix)], prefix)
}
