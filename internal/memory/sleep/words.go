package sleep

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// plain is a text as it is compared: two of one plain form say the same, and none says more
// than the other. It leaves out white space within and after a line, empty lines, whether
// the text begins with a capital letter, and the full stop at its end.
//
// Nothing else is left out, since nothing else is safe: a word more can turn a text around,
// "git diff main.." is not "git diff main", two names can differ by a capital, and where a
// line ends, or how far it is set in, says what belongs together.
func plain(text string) string {
	var b strings.Builder
	b.Grow(len(text))
	for line := range strings.Lines(text) {
		words := strings.Fields(line)
		if len(words) == 0 {
			continue
		}
		if b.Len() > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(line[:strings.Index(line, words[0])]) // how far it is set in
		for i, w := range words {
			if i > 0 {
				b.WriteByte(' ')
			}
			b.WriteString(w)
		}
	}
	return withoutStop(withoutCapital(b.String()))
}

// withoutCapital makes a first letter small where that can be undone.
func withoutCapital(s string) string {
	r, n := utf8.DecodeRuneInString(s)
	if small := unicode.ToLower(r); small != r && unicode.ToUpper(small) == r {
		return string(small) + s[n:]
	}
	return s
}

// withoutStop leaves out one full stop, of any script, that follows a word.
func withoutStop(s string) string {
	r, n := utf8.DecodeLastRuneInString(s)
	if !strings.ContainsRune(".。．｡۔।", r) {
		return s
	}
	if before, _ := utf8.DecodeLastRuneInString(s[:len(s)-n]); !unicode.In(before, unicode.L, unicode.M, unicode.N) {
		return s
	}
	return s[:len(s)-n]
}
