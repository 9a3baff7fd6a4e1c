package portable

import (
	"strconv"
	"strings"
)

// matter is the front matter of a Markdown file, as far as it is plain: single values and
// lists of single values. Files that people and other programs wrote hold anything; what
// is not plain is left in rest.
type matter struct {
	values map[string][]string
	rest   bool // there is something that the values do not hold
}

// splitMatter takes the front matter off a text; without one it returns the text. Lines
// end in "\n" or "\r\n".
func splitMatter(text string) (m matter, block, body string) {
	first, rest, _ := strings.Cut(text, "\n")
	if strings.TrimRight(first, " \t\r") != "---" {
		return matter{}, "", text
	}
	at := len(first) + 1
	for line := range strings.Lines(rest) {
		at += len(line)
		if end := strings.TrimRight(line, " \t\r\n"); end == "---" || end == "..." {
			block := text[len(first)+1 : at-len(line)]
			return parseMatter(block), text[:at], text[at:]
		}
		if at > maxMatter {
			break // a rule above a text, and not front matter
		}
	}
	return matter{}, "", text
}

// maxMatter bounds a front matter, in bytes.
const maxMatter = 16 << 10

// parseMatter reads lines of "key: value", "key: [a, b]", and "key:" with "- item" below.
func parseMatter(block string) matter {
	m := matter{values: make(map[string][]string)}
	list := ""
	for line := range strings.Lines(block) {
		line = strings.TrimRight(line, " \t\r\n")
		item, isItem := strings.CutPrefix(strings.TrimLeft(line, " "), "- ")
		key, value, isPair := strings.Cut(line, ":")
		switch {
		case line == "":
		case isItem && list != "":
			m.add(list, scalar(item))
		case isPair && key != "" && !strings.ContainsAny(key[:1], " \t-#"):
			value, list = strings.TrimSpace(value), ""
			switch inner, ok := strings.CutPrefix(value, "["); {
			case value == "":
				list = key
			case ok && strings.HasSuffix(inner, "]"):
				for _, v := range splitList(strings.TrimSuffix(inner, "]")) {
					m.add(key, v)
				}
			case strings.ContainsAny(value[:1], "{|>&*!"):
				m.rest = true
			default:
				m.add(key, scalar(value))
			}
		default:
			m.rest, list = true, ""
		}
	}
	return m
}

func (m *matter) add(key, value string) { m.values[key] = append(m.values[key], value) }

// one returns the value of a key that has one.
func (m *matter) one(key string) string {
	if v := m.values[key]; len(v) == 1 {
		return v[0]
	}
	return ""
}

// splitList takes a flow list apart; commas within quotes separate nothing.
func splitList(s string) []string {
	var out []string
	for s = strings.TrimSpace(s); s != ""; s = strings.TrimSpace(s) {
		if q, err := strconv.QuotedPrefix(s); err == nil && s[0] == '"' {
			out = append(out, scalar(q))
			s = strings.TrimPrefix(strings.TrimSpace(s[len(q):]), ",")
			continue
		}
		item, rest, _ := strings.Cut(s, ",")
		out, s = append(out, scalar(strings.TrimSpace(item))), rest
	}
	return out
}

// scalar takes the quotes off a value.
func scalar(s string) string {
	s = strings.TrimSpace(s)
	if len(s) >= 2 && s[0] == '\'' && s[len(s)-1] == '\'' {
		return strings.ReplaceAll(s[1:len(s)-1], "''", "'")
	}
	if v, err := strconv.Unquote(s); err == nil && s[0] == '"' {
		return v
	}
	return s
}
