package segment

import (
	"bytes"
	"strings"
	"time"
)

// bom is the byte-order mark. At the top of a file it belongs to no line.
const bom = "\ufeff"

// text is a version of a file, cut into lines.
type text struct {
	s     string
	bom   bool
	lines []line
	front int // lines of front matter, with both fences
	stamp int // the line that the host writes its time to, or -1
}

// line is where a line lies: its text without and with its line end.
type line struct{ from, cut, end int }

// parse cuts a version into lines. A line ends with LF or CRLF, which is no part of its text.
func parse(data []byte) *text {
	t := &text{s: string(data), stamp: -1, front: frontOf(data)}
	at := 0
	if strings.HasPrefix(t.s, bom) {
		t.bom, at = true, len(bom)
	}
	t.lines = make([]line, 0, countLines(data))
	for at < len(t.s) {
		l := line{from: at, cut: len(t.s), end: len(t.s)}
		if n := strings.IndexByte(t.s[at:], '\n'); n >= 0 {
			l.cut, l.end = at+n, at+n+1
			if n > 0 && t.s[l.cut-1] == '\r' {
				l.cut--
			}
		}
		t.lines = append(t.lines, l)
		at = l.end
	}
	for i := 1; i < t.front-1; i++ {
		if isStamp(t.text(i)) {
			t.stamp = i
			break
		}
	}
	return t
}

// text returns a line without its line end.
func (t *text) text(i int) string { return t.s[t.lines[i].from:t.lines[i].cut] }

// eol returns a line's end: CRLF, LF or nothing.
func (t *text) eol(i int) string { return t.s[t.lines[i].cut:t.lines[i].end] }

// whole returns a line with its line end.
func (t *text) whole(i int) string { return t.s[t.lines[i].from:t.lines[i].end] }

// frontOf counts the lines of front matter: from a fence at the top to the fence that
// closes it; 0 where there is none.
func frontOf(data []byte) int {
	data = bytes.TrimPrefix(data, []byte(bom))
	n := 0
	for l := range bytes.SplitSeq(data, []byte{'\n'}) {
		l = bytes.TrimRight(l, " \t\r")
		switch {
		case n == 0 && string(l) != "---":
			return 0
		case n > 0 && (string(l) == "---" || string(l) == "..."):
			return n + 1
		}
		n++
	}
	return 0
}

// isStamp reports whether a line of front matter is the time of the last change that
// Claude Code keeps under the key "modified", and carries nothing else.
func isStamp(s string) bool {
	v, ok := strings.CutPrefix(strings.TrimLeft(s, " "), "modified:")
	v = strings.Trim(v, " ")
	if !ok || len(v) > 40 {
		return false
	}
	for _, q := range []string{`"`, `'`} {
		if in, ok := strings.CutPrefix(v, q); ok {
			if v, ok = strings.CutSuffix(in, q); !ok {
				return false
			}
			break
		}
	}
	for _, layout := range []string{time.RFC3339, time.DateOnly, "2006-01-02T15:04:05", time.DateTime} {
		if _, err := time.Parse(layout, v); err == nil {
			return true
		}
	}
	return false
}
