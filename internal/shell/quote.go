package shell

import (
	"strconv"
	"strings"
)

// lit appends an unquoted literal to v: backslashes quote, "~" at the beginning is
// a home, and characters of patterns count.
func (w *walker) lit(v value, s string, first bool) value {
	if first && strings.HasPrefix(s, "~") {
		user, rest, slash := strings.Cut(s[1:], "/")
		v.s = unknownText
		switch {
		case user == "+" && len(w.env.dirs) == 1:
			v.s = w.env.dirs[0]
		case user == "" && w.ctx.Home != "":
			v.s = w.ctx.Home
		}
		if slash {
			v.s += "/"
		}
		s = rest
	}
	if strings.IndexByte(s, '\\') < 0 {
		if v.glob == 0 {
			if i := strings.IndexAny(s, "*?["); i >= 0 {
				v.glob = len(v.s) + i + 1
			}
		}
		v.s += s
		return v
	}
	var b strings.Builder
	b.WriteString(v.s)
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '\\':
			if i++; i < len(s) && s[i] != '\n' {
				b.WriteByte(s[i])
			}
			continue
		case '*', '?', '[':
			if v.glob == 0 {
				v.glob = b.Len() + 1
			}
		}
		b.WriteByte(s[i])
	}
	v.s = b.String()
	return v
}

// unescapeQuoted undoes the backslashes of double quotes or of a here-document.
func unescapeQuoted(s string, heredoc bool) string {
	if strings.IndexByte(s, '\\') < 0 {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+1 < len(s) {
			switch c := s[i+1]; {
			case c == '\n':
				i++
				continue
			case c == '$' || c == '`' || c == '\\' || c == '"' && !heredoc:
				i++
			}
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

// ansiC undoes the escapes of $'…'. What would be one of our own bytes is unknown.
func ansiC(s string) string {
	if strings.IndexByte(s, '\\') < 0 {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' || i+1 == len(s) {
			b.WriteByte(s[i])
			continue
		}
		i++
		switch c := s[i]; c {
		case 'a', 'b', 'e', 'E', 'f', 'n', 'r', 't', 'v':
			b.WriteByte(map[byte]byte{'a': 7, 'b': 8, 'e': 27, 'E': 27, 'f': 12, 'n': 10, 'r': 13, 't': 9, 'v': 11}[c])
		case 'x':
			i += number(&b, s[i+1:], 16, 2)
		case 'u':
			i += number(&b, s[i+1:], 16, 4)
		case 'U':
			i += number(&b, s[i+1:], 16, 8)
		case '0', '1', '2', '3', '4', '5', '6', '7':
			i += number(&b, s[i:], 8, 3) - 1
		case 'c':
			b.WriteByte(unknownByte)
			i++
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}

// number writes the character whose number stands at the beginning of s in at
// most so many digits and returns how many it read. Bash writes bytes for \x and
// for octal numbers.
func number(b *strings.Builder, s string, base, most int) int {
	n := 0
	for n < len(s) && n < most && strings.IndexByte("0123456789abcdefABCDEF"[:map[int]int{8: 8, 16: 22}[base]], s[n]) >= 0 {
		n++
	}
	c, err := strconv.ParseUint(s[:n], base, 32)
	switch {
	case err != nil || c == unknownByte || c == splitByte:
		b.WriteByte(unknownByte)
	case most <= 3:
		b.WriteByte(byte(c))
	default:
		b.WriteRune(rune(c))
	}
	return n
}
