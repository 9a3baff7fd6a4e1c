package segment

import (
	"bytes"
	"strings"
	"time"
)

// bom is the byte-order mark. At the top of a file it belongs to no line.
const bom = "\ufeff"

// text is a part of a version of a file, in whole lines.
type text struct {
	s     string
	lines []line
	bom   bool // of the version
	front int  // lines of front matter of the version, with both fences
	stamp int  // the line of this part that the host writes its time to, or -1
}

// line is where a line lies: its text without and with its line end.
type line struct{ from, cut, end int }

// parse cuts a part of a version into lines. A line ends with LF or CRLF, which is no part
// of its text. What the version says of the part, the caller adds.
func parse(data []byte) *text {
	t := &text{s: string(data), stamp: -1}
	t.lines = make([]line, 0, countLines(data))
	for at := 0; at < len(t.s); {
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
	return t
}

// text returns a line without its line end.
func (t *text) text(i int) string { return t.s[t.lines[i].from:t.lines[i].cut] }

// eol returns a line's end: CRLF, LF or nothing.
func (t *text) eol(i int) string { return t.s[t.lines[i].cut:t.lines[i].end] }

// whole returns a line with its line end.
func (t *text) whole(i int) string { return t.s[t.lines[i].from:t.lines[i].end] }

// front is the front matter of a version: from a fence at the top to the fence that closes
// it. Where there is none, it has no lines and no stamp.
type front struct {
	lines int // with both fences
	end   int // where it ends, in bytes
	stamp int // the line that the host writes its time to, or -1
}

// frontOf finds the front matter.
func frontOf(data []byte) front {
	f := front{stamp: -1}
	rest := bytes.TrimPrefix(data, []byte(bom))
	for len(rest) > 0 {
		l := firstLine(rest)
		rest = rest[len(l):]
		switch fence := bytes.TrimRight(l, " \t\r\n"); {
		case f.lines == 0 && string(fence) != "---":
			return front{stamp: -1}
		case f.lines > 0 && (string(fence) == "---" || string(fence) == "..."):
			f.lines, f.end = f.lines+1, len(data)-len(rest)
			return f
		}
		if f.stamp < 0 && isStamp(string(withoutEnd(l))) {
			f.stamp = f.lines
		}
		f.lines++
	}
	return front{stamp: -1}
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
