package memfile

import (
	"bytes"
	"fmt"
	"strings"
)

// Conflict is why a held call cannot be made again as it was shown: the files are not
// what it was made for. Nothing was changed.
type Conflict struct {
	Path   string
	Reason string
}

// Error returns the path and the reason.
func (c *Conflict) Error() string { return fmt.Sprintf("%s: %s", c.Path, c.Reason) }

// Image is what becomes of one file.
type Image struct {
	Path   string
	Before []byte // nil: not there
	After  []byte // nil: it goes
	Was    Looks  // how the file is to look where it is put back; the zero value: as it does, or as a new one
}

// Replay computes what a held call makes of the files now, and changes nothing. read
// returns a file's bytes, nil where there is none. An edit is made only where its text
// stands just once (or wherever it stands, if the call said so), a whole file is written
// only over what was there when the call was decided; anything else is a [Conflict].
func (c *Call) Replay(read func(path string) ([]byte, error)) ([]Image, error) {
	images := make(map[string]*Image)
	var order []string
	at := func(path string) (*Image, error) {
		if im, ok := images[path]; ok {
			return im, nil
		}
		data, err := read(path)
		if err != nil {
			return nil, err
		}
		im := &Image{Path: path, Before: data, After: bytes.Clone(data)}
		images[path], order = im, append(order, path)
		return im, nil
	}
	for _, e := range c.Edits {
		im, err := at(e.Path)
		if err != nil {
			return nil, err
		}
		if err := c.apply(im, e); err != nil {
			return nil, err
		}
		if e.MoveTo == "" || e.MoveTo == e.Path {
			continue
		}
		to, err := at(e.MoveTo)
		if err != nil {
			return nil, err
		}
		if to.After != nil {
			return nil, &Conflict{e.MoveTo, "there is a file of that name already"}
		}
		to.After, im.After = im.After, nil
	}
	out := make([]Image, 0, len(order))
	for _, path := range order {
		out = append(out, *images[path])
	}
	return out, nil
}

// apply makes one edit of a file's bytes.
func (c *Call) apply(im *Image, e Edit) error {
	unchanged := Sum(im.Before) == c.Base[e.Path]
	conflict := func(format string, args ...any) error { return &Conflict{e.Path, fmt.Sprintf(format, args...)} }
	switch {
	case e.Cell != "":
		return conflict("cells of notebooks are not written again: ask the agent to make the change anew")
	case e.Delete:
		if !unchanged {
			return conflict("the file changed since the deletion was held")
		}
		im.After = nil
	case e.Whole:
		if !unchanged {
			return conflict("the file changed since the write was held, and the write would replace all of it")
		}
		im.After = []byte(e.New)
	case e.Old == "":
		if len(im.After) > 0 {
			return conflict("the file is there by now")
		}
		im.After = []byte(e.New)
	default:
		text := string(im.After)
		at, n := e.At.find(text, e.Old)
		switch {
		case im.After == nil:
			return conflict("the file is gone")
		case n == 0:
			return conflict("the text that is replaced does not stand there any more")
		case n > 1 && !e.All:
			return conflict("the text that is replaced stands there %d times", n)
		case e.At != "":
			im.After = []byte(text[:at] + e.New + text[at+len(e.Old):])
			return nil
		}
		im.After = []byte(strings.ReplaceAll(text, e.Old, e.New))
	}
	return nil
}
