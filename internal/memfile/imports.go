package memfile

import (
	"bytes"
	"slices"
	"strings"
)

// Bounds of the names in one file: far above what a file holds that people read.
const (
	maxNames    = 1024
	maxLongName = 1024 // bytes of one
)

// Imports lists the names that a Markdown file imports: "@path" at the beginning of a
// word, outside of code spans and fenced code. What a host could read in two ways counts
// as no code, and a name that could end in two places is listed with both ends: a name
// too many guards a file that need not be, one too few leaves a file open. It returns at
// most 1,024 names.
func Imports(text []byte) []string {
	if bytes.IndexByte(text, '@') < 0 {
		return nil
	}
	if bytes.IndexByte(text, '\r') >= 0 {
		text = bytes.ReplaceAll(bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n")), []byte("\r"), []byte("\n"))
	}
	s := scanner{seen: make(map[string]bool)}
	for line := range bytes.Lines(text) {
		if len(s.out) >= maxNames {
			break
		}
		s.line(bytes.TrimRight(line, "\n"))
	}
	if s.fence != nil {
		// Fenced code without an end reaches to that of the file, or of a block of which
		// nothing is known here.
		s.words(s.fenced)
	}
	return s.out[:min(len(s.out), maxNames)]
}

// scanner reads the lines of a file.
type scanner struct {
	out    []string
	seen   map[string]bool
	fence  []byte // the marks that opened the fenced code that we are in; nil: none
	indent int    // of the fence
	fenced []byte // what stood in it so far
	open   bool   // a backtick of the paragraph has no other one on its line: spans cannot be told
	loose  bool   // blocks cannot be told from here on: nothing is code
}

func (s *scanner) line(line []byte) {
	text := bytes.TrimLeft(line, " ")
	indent := len(line) - len(text)
	mark := fenceOf(text)
	switch {
	case s.loose:
		s.words(line)
	case s.fence != nil:
		closing := bytes.HasPrefix(mark, s.fence)
		switch {
		case closing && indent <= 3 && len(bytes.TrimRight(text, " ")) == len(mark):
			s.fence, s.fenced = nil, nil
		case closing && len(bytes.Trim(text, "`~ \t")) == 0, len(text) > 0 && indent < s.indent:
			// Parsers differ on whether that closes it, or the item of a list that it is in.
			s.words(s.fenced)
			s.words(line)
			s.fence, s.fenced, s.loose = nil, nil, true
		default:
			s.fenced = append(append(s.fenced, line...), '\n')
		}
	case mark != nil && indent <= 3:
		s.fence, s.indent, s.open = mark, indent, false
	case len(bytes.TrimSpace(text)) == 0:
		s.open = false
	case indent <= 3 && text[0] == '<':
		// A block of HTML may begin here, in which fences are none.
		s.loose = true
		s.words(line)
	default:
		s.spans(line)
	}
}

// fenceOf returns the three or more marks that open or close fenced code. A run of
// backticks with another one on its line is a code span.
func fenceOf(text []byte) []byte {
	if len(text) < 3 || text[0] != '`' && text[0] != '~' {
		return nil
	}
	n := len(text) - len(bytes.TrimLeft(text, string(text[:1])))
	if n < 3 || text[0] == '`' && bytes.IndexByte(text[n:], '`') >= 0 {
		return nil
	}
	return slices.Clone(text[:n])
}

// spans reads a line without its code spans, where all of them begin and end on it, and
// did so on the lines before: then it does not matter to which block a line belongs.
func (s *scanner) spans(line []byte) {
	var prose [][]byte
	rest := line
	for !s.open {
		at := bytes.IndexByte(rest, '`')
		if at < 0 {
			break
		}
		n := backticks(rest[at:])
		end := -1
		for i := at + n; i < len(rest) && end < 0; {
			m := backticks(rest[i:])
			if i += max(m, 1); m == n {
				end = i
			}
		}
		if end < 0 || at > 0 && rest[at-1] == '\\' {
			s.open = true
			break
		}
		prose, rest = append(prose, rest[:at]), rest[end:]
	}
	if s.open {
		s.words(line)
		return
	}
	for _, p := range append(prose, rest) {
		s.words(p)
	}
}

func backticks(b []byte) int { return len(b) - len(bytes.TrimLeft(b, "`")) }

// words finds the names in text without code. A name ends at white space that no
// backslash stands before.
func (s *scanner) words(prose []byte) {
	for i := 0; i < len(prose) && len(s.out) < maxNames; i++ {
		if prose[i] != '@' || i > 0 && alphanumeric(prose[i-1]) {
			continue
		}
		end := i + 1
		for end < len(prose) && !space(prose[end]) {
			if prose[end] == '\\' && end+1 < len(prose) && prose[end+1] == ' ' {
				end++
			}
			end++
		}
		name := string(prose[i+1 : end])
		if len(name) > 2*maxLongName {
			i = end
			continue
		}
		s.add(name)
		s.add(strings.TrimRight(name, ".,;:!?*_)]}\"'>"))
		if at := strings.IndexAny(name, "*)]}\"'<>|,;`@"); at >= 0 {
			s.add(strings.TrimRight(name[:at], ".,;:!?_"))
		}
	}
}

func (s *scanner) add(name string) {
	name, _, _ = strings.Cut(name, "#")
	name = strings.ReplaceAll(name, `\ `, " ")
	switch {
	case strings.Trim(name, "./~") == "", len(name) > maxLongName, strings.ContainsRune(name, 0), s.seen[name]:
		return
	}
	s.seen[name] = true
	s.out = append(s.out, name)
}

func space(c byte) bool { return c == ' ' || '\t' <= c && c <= '\r' }

// alphanumeric reports whether an "@" after c stands within a word, as in an address.
func alphanumeric(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9'
}
