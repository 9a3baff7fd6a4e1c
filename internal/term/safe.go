package term

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Safe writes one line of text so that a terminal shows each of its characters and obeys none. Controls, line ends
// and tabs included, and bytes that are not UTF-8 become \x1b, \n, \xff; other runes that hide, or change what is
// around them, become <U+202E>. What a person can see stays as it is: emoji with their joiners, Persian and Indic
// joiners between letters, accents. The result is for eyes; it cannot be turned back, as a backslash is not escaped.
func Safe(s string) string { return escape(s, false) }

// SafeText is Safe for text of several lines: line feeds and tabs stay. A carriage return does not, even before a line
// feed.
func SafeText(s string) string { return escape(s, true) }

// maxMarks is how many combining marks may follow each other. Living scripts need three or four; more of them paint
// over the lines above.
const maxMarks = 4

func escape(s string, lines bool) string {
	if plain(s) {
		return s
	}
	var b strings.Builder
	b.Grow(len(s) + 16)
	marks := 0
	prev := rune(-1) // the last rune, if it was shown as itself
	for i := 0; i < len(s); {
		if c := s[i]; c >= 0x20 && c < 0x7f { // most of every text
			b.WriteByte(c)
			prev, marks = rune(c), 0
			i++
			continue
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		rest := s[i+size:]
		shown := false
		switch {
		case r == utf8.RuneError && size == 1:
			fmt.Fprintf(&b, `\x%02x`, s[i])
		case lines && (r == '\n' || r == '\t'):
			shown = true
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\r':
			b.WriteString(`\r`)
		case r == '\t':
			b.WriteString(`\t`)
		case r < 0x20 || r >= 0x7f && r < 0xa0:
			fmt.Fprintf(&b, `\x%02x`, r)
		case unicode.Is(unicode.M, r) && !blank(r):
			if shown = marks < maxMarks && prev >= 0; !shown {
				fmt.Fprintf(&b, "<U+%04X>", r)
			}
			marks++
		case joins(prev, r, rest), selects(prev, r):
			shown = true
		case hidden(r):
			fmt.Fprintf(&b, "<U+%04X>", r)
		default:
			shown = true
		}
		if !unicode.Is(unicode.M, r) {
			marks = 0
		}
		prev = -1
		if shown {
			b.WriteRune(r)
			prev = r
		}
		i += size
	}
	return b.String()
}

// plain reports whether s is printable ASCII, which is most of what is printed.
func plain(s string) bool {
	for i := range len(s) {
		if s[i] < 0x20 || s[i] >= 0x7f {
			return false
		}
	}
	return true
}

// hidden reports whether a rune must be written out: all that Unicode does not call graphic, line and paragraph
// separators, and the graphic runes that show nothing. Space separators stay.
func hidden(r rune) bool { return blank(r) || !unicode.IsGraphic(r) }

// blank reports whether a rune counts as graphic but leaves nothing, or nothing of its own, on the screen.
func blank(r rune) bool {
	switch {
	case r == 0x034f, // combining grapheme joiner
		r == 0x115f, r == 0x1160, r == 0x3164, r == 0xffa0, // Hangul fillers
		r == 0x17b4, r == 0x17b5, // Khmer inherent vowels
		r == 0x2800,                  // empty Braille pattern
		r >= 0x180b && r <= 0x180f,   // Mongolian variation selectors
		r >= 0xfe00 && r <= 0xfe0f,   // variation selectors
		r >= 0xfff9 && r <= 0xfffd,   // interlinear annotation; the replacement rune stands for what is not text
		r >= 0xe0000 && r <= 0xe0fff: // tags and further variation selectors
		return true
	}
	return false
}

// joins reports whether r is a joiner where its script needs one: ZWJ between parts of an emoji, ZWJ and ZWNJ after a
// letter or mark of a script that joins and before another of its letters (Persian, Devanagari, …).
func joins(prev, r rune, rest string) bool {
	const zwnj, zwj = 0x200c, 0x200d
	if r != zwnj && r != zwj || prev < 0 {
		return false
	}
	next, _ := utf8.DecodeRuneInString(rest)
	if hidden(next) { // the replacement rune of a broken byte, too, is classed as a symbol
		return false
	}
	if r == zwj && (unicode.Is(unicode.So, prev) || prev == 0xfe0f || unicode.Is(unicode.Sk, prev)) && unicode.Is(unicode.So, next) {
		return true
	}
	return unicode.In(prev, joining...) && unicode.In(next, joining...)
}

// joining are the scripts in whose words joiners are spelling.
var joining = []*unicode.RangeTable{
	unicode.Arabic, unicode.Syriac, unicode.Nko, unicode.Mongolian, unicode.Devanagari, unicode.Bengali, unicode.Gurmukhi, unicode.Gujarati,
	unicode.Oriya, unicode.Tamil, unicode.Telugu, unicode.Kannada, unicode.Malayalam, unicode.Sinhala, unicode.Khmer, unicode.Myanmar,
}

// selects reports whether r is a variation selector in its place: the text and emoji selectors directly after a symbol,
// digit, # or *.
func selects(prev, r rune) bool {
	if r != 0xfe0e && r != 0xfe0f || prev < 0 {
		return false
	}
	return unicode.In(prev, unicode.So, unicode.Sm, unicode.Sk) || prev >= '0' && prev <= '9' || prev == '#' || prev == '*' || prev == 0x203c || prev == 0x2049
}
