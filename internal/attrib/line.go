package attrib

import "strings"

// line is one line without what marks its place.
type line struct {
	indent        int
	item, heading bool
	body          string
}

func lineOf(raw string) line {
	var l line
	i := 0
	for ; i < len(raw) && (raw[i] == ' ' || raw[i] == '\t'); i++ {
		l.indent++
		if raw[i] == '\t' {
			l.indent += 3
		}
	}
	s := strings.TrimSpace(raw)
	if rest := strings.TrimLeft(s, "#"); rest != s && (rest == "" || rest[0] == ' ') {
		l.heading, s = true, strings.TrimSpace(rest)
	} else if n := bullet(s); n > 0 {
		l.item, s = true, strings.TrimSpace(s[n:])
	}
	if rule := strings.Trim(s, "-*_= "); rule == "" {
		s = ""
	}
	l.body = s
	return l
}

// bullet returns the length of the mark of a list item at the start of s: a sign,
// or a number or letter with a point or bracket, and a space.
func bullet(s string) int {
	for _, sign := range []string{"- ", "* ", "+ ", "• ", "•"} {
		if strings.HasPrefix(s, sign) {
			return len(sign)
		}
	}
	i := 0
	if s != "" && s[0] == '(' {
		i++
	}
	start := i
	for i < len(s) && i-start < 2 && s[i] >= '0' && s[i] <= '9' {
		i++
	}
	if i == start && i < len(s) && (s[i]|0x20 >= 'a' && s[i]|0x20 <= 'z') {
		i++
	}
	if i > start && i+1 < len(s) && (s[i] == '.' || s[i] == ')') && s[i+1] == ' ' {
		return i + 2
	}
	return 0
}

// fenceMark returns the mark of a code fence that s begins with.
func fenceMark(s string) string {
	for _, m := range []string{"```", "~~~"} {
		if strings.HasPrefix(s, m) {
			return m
		}
	}
	return ""
}

// wraps reports whether a sentence goes on from one line to the next, so that the
// second alone could say the contrary of both. It notes in turned whether a negation or a
// condition stands in the sentence so far.
func wraps(line, next string, turned *bool) bool {
	last := line[len(line)-1]
	if strings.IndexByte(".!?;:", last) >= 0 {
		return false
	}
	tokens := lex(line)
	for _, t := range tokens {
		*turned = *turned || turning.has(t)
	}
	switch {
	case len(tokens) == 0:
		return false
	case last == ',', openEnd.has(tokens[len(tokens)-1]):
		return true
	case next[0] >= 'A' && next[0] <= 'Z':
		return false
	}
	return len(line) >= 40 || *turned
}
