package memfile

import (
	"fmt"
	"strings"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/internal/memfile/segment"
)

// Overwrites is the built-in rule by which a write waits for a person that would drop what
// they said, or that stands for lines which it drops.
const Overwrites = "builtin-overwrites"

// OverwritesReason says it to a person.
const OverwritesReason = "it drops lines that you adopted, most of what was written by hand, or lines that it has a placeholder for"

// leastByHand is from how many lines on a write drops too many of those written by hand, and
// leastWide from how many on edits that drop most of a file amount to a write of it.
const (
	leastByHand = 10
	leastWide   = 10
)

// Loss is what a write drops of a file: lines with words that neither stay nor move, are
// edited or wrapped anew.
type Loss struct {
	Lines       int  // dropped
	Of          int  // lines with words that there were
	User        int  // dropped ones that are the user's own word
	ByHand      int  // dropped ones that no agent's tool wrote
	OfByHand    int  // such lines that there were
	Placeholder bool // a new line says that something is left as it was
}

// LossOf compares two states of a file; f says who said the lines of the first. Where it
// does not fit, no line is known to be anybody's.
func LossOf(f segment.File, before, after []byte) Loss {
	var l Loss
	dropped := make(map[int]bool)
	for _, i := range segment.Dropped(before, after) {
		dropped[i] = true
	}
	l.Lines = len(dropped)
	lines := Lines(before)
	if f.Fits(before) != nil {
		f = segment.New(before, segment.Owner{})
	}
	for r, o := range f.All() {
		byHand := o.Record.IsZero() && o.Label.Origin == hearsay.Unverified
		for i := r.From; i < r.To && i < len(lines); i++ {
			if strings.TrimSpace(lines[i]) == "" {
				continue
			}
			l.Of++
			if byHand {
				l.OfByHand++
			}
			switch {
			case !dropped[i]:
			case byHand:
				l.ByHand++
			case o.Label.Origin == hearsay.User:
				l.User++
			}
		}
	}
	if l.Lines > 0 {
		had := make(map[string]bool)
		for _, line := range lines {
			had[line] = true
		}
		for _, line := range Lines(after) {
			l.Placeholder = l.Placeholder || !had[line] && placeholder(line)
		}
	}
	return l
}

// Holds reports whether the loss waits for a person. whole says that the write is of the
// whole file: edits that name what they take out may take out anything but most of it.
func (l Loss) Holds(whole bool) bool {
	if l.Lines == 0 {
		return false
	}
	wide := whole || l.Lines >= leastWide && 2*l.Lines > l.Of
	return l.Placeholder || wide && (l.User > 0 || l.ByHand >= leastByHand && 2*l.ByHand > l.OfByHand)
}

// String says for a person what is lost.
func (l Loss) String() string {
	text := fmt.Sprintf("drops %d of %d lines", l.Lines, l.Of)
	if l.User > 0 {
		text += fmt.Sprintf(", %d of which are your own word", l.User)
	}
	if l.ByHand > 0 {
		text += fmt.Sprintf(", %d of %d that no agent's tool wrote", l.ByHand, l.OfByHand)
	}
	if l.Placeholder {
		text += ", and has a placeholder in their place"
	}
	return text
}

// Lines is the lines of a file without their ends.
func Lines(data []byte) []string {
	var out []string
	for line := range strings.Lines(string(data)) {
		out = append(out, strings.TrimRight(line, "\r\n"))
	}
	return out
}
