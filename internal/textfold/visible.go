package textfold

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Visible renders s for a person's screen so that nothing in it acts or hides.
// Line feeds and tabs stay; every other control character shows as an escape
// (\x1b), as do bytes that are not UTF-8 (\xff); runs that [NextHidden] finds,
// and format characters, show as code points (U+202E); tag characters show as what
// they spell (<tags "store">). Emoji and the joiners that scripts need are
// left alone. A text without any of these comes back as it is.
func Visible(s string) string {
	if plain(s) {
		return s
	}
	var b strings.Builder
	h, more := NextHidden(s, 0)
	for i := 0; i < len(s); {
		if more && i == h.Start {
			writeHidden(&b, s[h.Start:h.End], h.Kind)
			i = h.End
			h, more = NextHidden(s, i)
			continue
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		writeVisible(&b, s[i:i+size], r)
		i += size
	}
	return b.String()
}

// plain reports whether s is printable ASCII, tabs and line feeds.
func plain(s string) bool {
	for i := range len(s) {
		if c := s[i]; c >= 0x7f || c < ' ' && c != '\n' && c != '\t' {
			return false
		}
	}
	return true
}

func writeHidden(b *strings.Builder, run string, kind HiddenKind) {
	if kind == HiddenTags {
		b.WriteString(`<tags "`)
		b.WriteString(Tags(run))
		b.WriteString(`">`)
		return
	}
	for _, r := range run {
		writeCode(b, r)
	}
}

func writeVisible(b *strings.Builder, char string, r rune) {
	switch {
	case r == utf8.RuneError && len(char) == 1:
		writeByte(b, char[0])
	case r == '\n' || r == '\t':
		b.WriteRune(r)
	case r < ' ' || r >= 0x7f && r < 0xA0:
		writeByte(b, byte(r))
	case r == 0x2028 || r == 0x2029 || unicode.Is(unicode.Cf, r) && classOf(r) == visible || unicode.Is(unicode.Co, r):
		writeCode(b, r)
	default:
		b.WriteString(char)
	}
}

func writeByte(b *strings.Builder, c byte) {
	b.WriteString(`\x`)
	b.WriteByte("0123456789abcdef"[c>>4])
	b.WriteByte("0123456789abcdef"[c&15])
}

func writeCode(b *strings.Builder, r rune) {
	b.WriteString("U+")
	digits := 4
	for digits < 6 && r>>(4*digits) != 0 {
		digits++
	}
	for d := digits - 1; d >= 0; d-- {
		b.WriteByte("0123456789ABCDEF"[r>>(4*d)&15])
	}
}
