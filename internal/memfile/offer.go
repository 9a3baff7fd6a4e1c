package memfile

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"github.com/aymanbagabas/go-udiff"
)

// maxOffered bounds the bytes of a file, and of what would be written to it, that are
// compared for a person.
const maxOffered = 1 << 20

// aroundOffer is how many lines are shown before and after the place of an edit.
const aroundOffer = 3

// Offer is a text for a person about a held call that does not fit the files any more:
// per edit what the file holds now, what the edit was made for and what it would make
// of it, and what to do. id is the record's. ok is false where the call fits.
//
// The text holds words that were held. It is for the person's eyes or a file that no
// agent reads: beside the guarded file nobody would know any more whose they are. It is
// not escaped.
func (c *Call) Offer(id string, read func(path string) ([]byte, error)) (text []byte, ok bool) {
	_, err := c.Replay(read)
	conflict, ok := errors.AsType[*Conflict](err)
	if !ok {
		return nil, false
	}
	var b strings.Builder
	fmt.Fprintf(&b, "The write that was held as %s does not fit any more: %s.\nNothing was changed. ", id, conflict)
	b.WriteString("To take it over, put its lines into the file with your own editor, look at the whole, and adopt them with\n")
	fmt.Fprintf(&b, "`hearsay attest %s`. To leave it, do nothing: its bytes are kept, `hearsay show %s` has them.\n", conflict.Path, id)
	for _, e := range c.Edits {
		now, err := read(e.Path)
		if err != nil {
			fmt.Fprintf(&b, "\n%s cannot be read: %v\n", e.Path, err)
			continue
		}
		c.offer(&b, id, e, now)
	}
	return []byte(b.String()), true
}

func (c *Call) offer(b *strings.Builder, id string, e Edit, now []byte) {
	if Sum(now) != c.Base[e.Path] {
		fmt.Fprintf(b, "\n%s changed since the write was held.\n", e.Path)
	} else {
		fmt.Fprintf(b, "\n%s is as it was when the write was held.\n", e.Path)
	}
	if e.MoveTo != "" {
		fmt.Fprintf(b, "It would be moved to %s.\n", e.MoveTo)
	}
	switch {
	case e.Delete:
		b.WriteString("It would be deleted.\n")
	case len(now) > maxOffered || len(e.New) > maxOffered || len(e.Old) > maxOffered:
		b.WriteString("It is too large to be compared here.\n")
	case e.Whole:
		b.WriteString("All of it would be replaced; the lines with + are the write's:\n")
		b.WriteString(udiff.Unified("the file now", "held as "+id, string(now), e.New))
	default:
		conflictText(b, id, e, now)
	}
}

// conflictText shows an edit between marks, as a merge does, at the place in the file
// that has most of what the edit was made for. The marks are longer than any run of
// their characters in the texts.
func conflictText(b *strings.Builder, id string, e Edit, now []byte) {
	lines := strings.SplitAfter(string(now), "\n")
	if lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	from, to := site(lines, e.Old)
	n := max(7, longestRun(string(now)), longestRun(e.Old), longestRun(e.New))
	mark := func(char, what string) { fmt.Fprintf(b, "%s %s\n", strings.Repeat(char, n), what) }
	put := func(text string) {
		b.WriteString(text)
		if text != "" && !strings.HasSuffix(text, "\n") {
			b.WriteString("\n")
		}
	}
	if from < to {
		mark("<", fmt.Sprintf("the file now, lines %d to %d", from+1, to))
	} else {
		mark("<", "the file now: nothing of the sort")
	}
	put(strings.Join(lines[from:to], ""))
	mark("|", "what the write was made for")
	put(e.Old)
	mark("=", "what it would be then")
	put(e.New)
	mark(">", "held as "+id)
}

// site returns the lines of a file around where the old text stood: as many lines as it
// has, where most of its lines still stand, with some around. It is empty where none do.
func site(lines []string, old string) (from, to int) {
	want := make(map[string]bool)
	for line := range strings.Lines(old) {
		if line = strings.TrimSpace(line); line != "" {
			want[line] = true
		}
	}
	size := strings.Count(old, "\n") + 1
	best, hits := 0, 0
	for i := range lines {
		// A window of the old text's size: one line comes in, one leaves.
		if want[strings.TrimSpace(lines[i])] {
			hits++
		}
		if i >= size && want[strings.TrimSpace(lines[i-size])] {
			hits--
		}
		if hits > best {
			best, from, to = hits, max(i+1-size, 0), i+1
		}
	}
	if best == 0 {
		return 0, 0
	}
	return max(from-aroundOffer, 0), min(to+aroundOffer, len(lines))
}

// longestRun returns one more than the longest run of a mark's character at the beginning
// of a line.
func longestRun(text string) int {
	longest := 0
	for line := range bytes.Lines([]byte(text)) {
		if c := line[0]; strings.IndexByte("<|=>", c) >= 0 {
			longest = max(longest, len(line)-len(bytes.TrimLeft(line, string(c))))
		}
	}
	return longest + 1
}

// Diff is what becomes of the file, for a person: a unified diff, not escaped.
func (im Image) Diff() []byte {
	if len(im.Before) > maxOffered || len(im.After) > maxOffered {
		return []byte(im.Path + ": it is too large to be compared here.\n")
	}
	now, then := "the file now", "as it would be"
	if im.Before == nil {
		now = "no file now"
	}
	if im.After == nil {
		then = "it would be gone"
	}
	return []byte(udiff.Unified(im.Path+", "+now, im.Path+", "+then, string(im.Before), string(im.After)))
}
