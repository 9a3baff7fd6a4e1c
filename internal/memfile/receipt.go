package memfile

import (
	"strings"

	"github.com/hearsay-memory/hearsay"
)

// Receipt tells by the files themselves what became of a call that its host says it made:
// it is applied where what it was to write stands there, failed where the files are as
// they were, and unknown otherwise. before gives what was recorded of a file, now what is
// on disk; nil: it is not there.
func (c *Call) Receipt(before, now func(path string) ([]byte, error)) (hearsay.Delivery, error) {
	images, misfit := c.Replay(before)
	if misfit != nil {
		// It was recorded anew since, by whoever looked at it: the texts have to tell.
		images = nil
		for _, path := range c.Paths() {
			images = append(images, Image{Path: path})
		}
	}
	there, left := 0, 0 // what the call changed is there, or is as it was
	for _, im := range images {
		data, err := now(im.Path)
		if err != nil {
			return hearsay.UnknownDelivery, err
		}
		switch {
		case misfit == nil && same(im.Before, im.After) && same(data, im.After):
		case misfit == nil && same(data, im.After), c.stands(im.Path, data):
			there++
		case misfit == nil && same(data, im.Before), misfit != nil && Sum(data) == c.Base[im.Path]:
			left++
		default:
			return hearsay.UnknownDelivery, nil
		}
	}
	switch {
	case left == 0:
		return hearsay.Applied, nil
	case there == 0:
		return hearsay.Failed, nil
	}
	return hearsay.UnknownDelivery, nil
}

// stands reports whether a file has what the call put there, whatever else was done to it
// since: each new text as it is but for white space, or its lines in their order.
func (c *Call) stands(path string, data []byte) bool {
	text := spaced(string(data))
	for _, e := range c.Edits {
		moved := e.MoveTo != "" && e.MoveTo != e.Path
		switch {
		case e.Path != path && e.MoveTo != path:
		case e.Path == path && (e.Delete && e.Cell == "" || moved):
			if data != nil {
				return false
			}
		case data == nil:
			return false
		case e.Cell != "":
			// A cell's source is encoded in the file: that it changed is all that can be told.
			if Sum(data) == c.Base[e.Path] {
				return false
			}
		case e.New == "" && e.Old != "":
			if strings.Contains(string(data), e.Old) {
				return false
			}
		case e.New == "":
			if len(data) > 0 {
				return false
			}
		case Sum(data) == c.Base[e.Path] && !moved && e.Old != e.New:
			return false
		case !strings.Contains(text, spaced(e.New)) && !inOrder(Lines(data), Lines([]byte(e.New))):
			return false
		}
	}
	return true
}

// spaced is a text with single spaces for its white space.
func spaced(text string) string { return strings.Join(strings.Fields(text), " ") }

// inOrder reports whether all of the lines that have any text stand in the others, in
// their order.
func inOrder(have, lines []string) bool {
	for _, line := range lines {
		if line = spaced(line); line == "" {
			continue
		}
		for len(have) > 0 && spaced(have[0]) != line {
			have = have[1:]
		}
		if len(have) == 0 {
			return false
		}
		have = have[1:]
	}
	return true
}
