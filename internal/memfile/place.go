package memfile

import "strings"

// Place says where in a file the text that an edit replaces has to stand. The zero value
// is anywhere.
type Place string

// The places. All but the zero value are of whole lines: what is replaced begins where a
// line does, and ends where one does.
const (
	AtLines Place = "lines"
	AtHead  Place = "head" // and it is the beginning of the file
	AtTail  Place = "tail" // and it is the end of the file
)

// find returns the first offset at which old stands in its place, and how often it does;
// occurrences may overlap where whole lines are meant. A place that is not known is none.
func (p Place) find(text, old string) (at, n int) {
	switch p {
	case "":
		return strings.Index(text, old), strings.Count(text, old)
	case AtHead:
		if strings.HasPrefix(text, old) && endsLine(text, len(old)) {
			return 0, 1
		}
	case AtTail:
		if at := len(text) - len(old); strings.HasSuffix(text, old) && beginsLine(text, at) {
			return at, 1
		}
	case AtLines:
		first := -1
		for from := 0; ; {
			i := strings.Index(text[from:], old)
			if i < 0 {
				return first, n
			}
			i += from
			if beginsLine(text, i) && endsLine(text, i+len(old)) {
				if n++; first < 0 {
					first = i
				}
			}
			// Only where a line begins can it stand again.
			next := strings.IndexByte(text[i:], '\n')
			if next < 0 {
				return first, n
			}
			from = i + next + 1
		}
	}
	return -1, 0
}

func beginsLine(text string, at int) bool { return at == 0 || text[at-1] == '\n' }

func endsLine(text string, at int) bool {
	return at == len(text) || at > 0 && text[at-1] == '\n'
}

// maxAround is how many lines before and after the place of an insertion are tried to
// tell it from others.
const maxAround = 64

// Insertion is the edit that puts text after the first n lines of a file, 0 ≤ n ≤ their
// number. It can be made again only where the lines around the place are what they are:
// as many as tell the place from all others. text is whole lines; where the line before
// it lacks its line end it gets one, and no other byte changes.
func Insertion(path string, data []byte, n int, text string) Edit {
	lines := strings.SplitAfter(string(data), "\n")
	if lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	edit := func(from, to int, at Place) Edit {
		before := strings.Join(lines[from:n], "")
		e := Edit{Path: path, Old: strings.Join(lines[from:to], ""), At: at}
		if before != "" && !strings.HasSuffix(before, "\n") {
			before += "\n"
		}
		e.New = before + text + strings.Join(lines[n:to], "")
		return e
	}
	switch {
	case len(lines) == 0:
		return Edit{Path: path, New: text, Whole: true}
	case n == 0:
		return edit(0, 1, AtHead)
	case n == len(lines):
		return edit(n-1, n, AtTail)
	}
	for around := 1; around <= maxAround && around < n; around *= 2 {
		e := edit(n-around, min(n+around, len(lines)), AtLines)
		if _, count := e.At.find(string(data), e.Old); count == 1 {
			return e
		}
	}
	return edit(0, n+1, AtHead)
}
