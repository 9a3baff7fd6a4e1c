package portable

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/hearsay-memory/hearsay/internal/memory"
)

// fit brings what a memory bounds within its bounds without losing it: a tag that is too
// long or one too many, and a title or subject that is too long or of several lines, become
// text, and a note says so.
func (it *Item) fit() {
	var tags, beyond []string
	for _, t := range it.Tags {
		switch t = strings.TrimSpace(t); {
		case t == "" || slices.Contains(tags, t):
		case len(tags) < memory.MaxTags && plainLine(t, memory.MaxTag):
			tags = append(tags, t)
		default:
			beyond = append(beyond, t)
		}
	}
	it.Tags = tags
	if n := len(beyond); n > 0 {
		it.Text += "\n\nTags: " + strings.Join(beyond, ", ")
		it.note("%d of its tags became text: a memory has at most %d of %d bytes, one line each", n, memory.MaxTags, memory.MaxTag)
	}
	if !plainLine(it.Title, memory.MaxTitle) {
		it.Text, it.Title = it.Title+"\n\n"+it.Text, ""
		it.note("its title became text: one has at most %d bytes on one line", memory.MaxTitle)
	}
	if !plainLine(it.Subject, memory.MaxTitle) {
		if !strings.Contains(it.Text, it.Subject) {
			it.Text += "\n\nSubject: " + it.Subject
		}
		it.Subject = ""
		it.note("its subject became text: one has at most %d bytes on one line", memory.MaxTitle)
	}
}

func (it *Item) note(format string, args ...any) {
	it.Notes = append(it.Notes, fmt.Sprintf(format, args...))
}

// plainLine reports whether s is at most so long, and one printable line, as
// [memory.Doc.Check] wants it.
func plainLine(s string, bytes int) bool {
	return len(s) <= bytes && utf8.ValidString(s) && !strings.ContainsFunc(s, func(r rune) bool {
		return r < ' ' || r >= 0x7f && r < 0xa0 || r == '\u2028' || r == '\u2029'
	})
}
