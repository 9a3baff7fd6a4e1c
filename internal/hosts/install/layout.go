package install

import (
	"bytes"
	"strings"

	"github.com/tailscale/hujson"
)

// layout is how a file is written, so that what we add looks like the rest.
type layout struct {
	newline string // "\n" or "\r\n"; of the file, also where this part of it is on one line
	unit    string // of indentation
	space   string // after a colon, and after a comma on one line; empty in minified files
	oneLine bool
}

// guessLayout looks at the first lines of a file.
func guessLayout(data []byte) layout {
	l := layout{newline: "\n", unit: "  ", space: " "}
	i := bytes.IndexByte(data, '\n')
	trimmed := bytes.TrimSpace(data)
	if !bytes.ContainsRune(trimmed, '\n') && len(trimmed) > len("{}") {
		l.oneLine = true
		if !bytes.Contains(trimmed, []byte(`": `)) {
			l.space = ""
		}
	}
	if i > 0 && data[i-1] == '\r' {
		l.newline = "\r\n"
	}
	for line := range bytes.Lines(data) {
		rest := bytes.TrimLeft(line, " \t")
		if n := len(line) - len(rest); n > 0 && n <= 16 && len(rest) > 0 && rest[0] == '"' {
			l.unit = string(line[:n])
			break
		}
	}
	return l
}

// line is what stands before something on a line of its own, or nothing.
func (l layout) line(indent string) string {
	if l.oneLine {
		return ""
	}
	return l.newline + indent
}

func (l layout) flat() layout {
	l.oneLine = true
	return l
}

// field is a key and its value: a string, an int, a bool, a []string, or []*hujson.Object.
type field struct {
	name  string
	value any
}

// value renders a value that stands on a line with the given indentation. Lists of
// strings stay on one line.
func (l layout) value(v any, indent string) hujson.ValueTrimmed {
	switch v := v.(type) {
	case string:
		return hujson.String(v)
	case int:
		return hujson.Int(int64(v))
	case bool:
		return hujson.Bool(v)
	case []string:
		arr := &hujson.Array{}
		for i, s := range v {
			e := hujson.Value{Value: hujson.String(s)}
			if i > 0 {
				e.BeforeExtra = hujson.Extra(l.space)
			}
			arr.Elements = append(arr.Elements, e)
		}
		return arr
	case []field:
		obj := &hujson.Object{AfterExtra: hujson.Extra(l.line(indent))}
		for i, f := range v {
			before := l.line(indent + l.unit)
			if l.oneLine && i > 0 {
				before = l.space
			}
			obj.Members = append(obj.Members, hujson.ObjectMember{
				Name:  hujson.Value{BeforeExtra: hujson.Extra(before), Value: hujson.String(f.name)},
				Value: hujson.Value{BeforeExtra: hujson.Extra(l.space), Value: l.value(f.value, indent+l.unit)},
			})
		}
		return obj
	case [][]field:
		arr := &hujson.Array{AfterExtra: hujson.Extra(l.line(indent))}
		for i, f := range v {
			before := l.line(indent + l.unit)
			if l.oneLine && i > 0 {
				before = l.space
			}
			arr.Elements = append(arr.Elements, hujson.Value{BeforeExtra: hujson.Extra(before), Value: l.value(f, indent+l.unit)})
		}
		return arr
	}
	return hujson.Literal("null")
}

// indentOf returns the indentation of what follows extra, and whether it is on a line
// of its own.
func indentOf(extra hujson.Extra) (string, bool) {
	_, blank := splitBlank(extra)
	i := bytes.LastIndexByte(blank, '\n')
	return strings.Trim(string(blank[i+1:]), "\r"), i >= 0
}

// splitBlank parts the white space at the end of extra from the comments before it.
func splitBlank(extra hujson.Extra) (comments, blank hujson.Extra) {
	n := len(bytes.TrimRight(extra, " \t\r\n"))
	return extra[:n:n], extra[n:]
}
