package mark

import (
	"strconv"
	"strings"
)

// Omitted is the line that announces that n items were left out of an answer,
// with the ids of those that the caller may name; "" if n is not positive.
//
// Ids are shown only where they have the form of one: up to 64 ASCII letters,
// digits and any of "-_.:". Anything else could be a sentence, and the line never
// carries content; such an item is counted and not named.
func Omitted(n int, ids []string) string {
	if n <= 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString(mint)
	b.WriteString("omitted] ")
	b.WriteString(strconv.Itoa(n))
	if n == 1 {
		b.WriteString(" item is left out")
	} else {
		b.WriteString(" items are left out")
	}
	separator := ": "
	for _, id := range ids {
		if plainID(id) {
			b.WriteString(separator)
			b.WriteString(id)
			separator = ", "
		}
	}
	b.WriteByte('.')
	return b.String()
}

// Withheld is the line that announces that n entries wait for a person or were
// withdrawn; "" if n is not positive. It says how many, never what.
func Withheld(n int) string {
	if n <= 0 {
		return ""
	}
	entries := " entries are"
	if n == 1 {
		entries = " entry is"
	}
	return mint + "withheld] " + strconv.Itoa(n) + entries + " not shown; `hearsay review` lists what waits for a person."
}

// longestID bounds, in bytes, what Omitted takes for an id.
const longestID = 64

func plainID(s string) bool {
	for i := range len(s) {
		switch c := s[i]; {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9':
		case c == '-', c == '_', c == '.', c == ':':
		default:
			return false
		}
	}
	return s != "" && len(s) <= longestID
}
