package memfile

import (
	"bytes"

	"github.com/hearsay-memory/hearsay/event"
	"github.com/hearsay-memory/hearsay/guard"
	"github.com/hearsay-memory/hearsay/internal/memfile/segment"
)

// AdoptAll is [State.Adopt] of several ranges of lines, in order and apart from each other.
func (s *State) AdoptAll(ranges []segment.Range, by segment.Owner) (text []byte, ch guard.FileChange, err error) {
	own := *s
	for _, r := range ranges {
		own.File = own.File.Own(r, by)
	}
	at, left := 0, ranges
	for line := range bytes.Lines(s.Data) {
		for len(left) > 0 && at >= left[0].To {
			left = left[1:]
		}
		if len(left) > 0 && at >= left[0].From {
			text = append(text, line...)
		}
		at++
	}
	ch, err = own.change(event.FileWritten)
	return text, ch, err
}
