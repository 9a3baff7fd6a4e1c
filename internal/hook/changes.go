package hook

import (
	"errors"
	"path"
	"strings"

	"github.com/hearsay-memory/hearsay/internal/memfile"
	"github.com/hearsay-memory/hearsay/internal/memfile/segment"
)

// changed is what a call would do to memory files: the texts that it adds, whether it
// takes, moves or replaces anything that is there, and what becomes of the files.
type changed struct {
	added      []string
	takes      bool
	overwrites bool // it drops what a person has to see first
	images     []memfile.Image
}

// plainWords is how many words the name of a new file may have and still be no text.
const plainWords = 3

// changes compares the files with what the call would make of them. A line that is
// dropped, moved or reordered is taken; a new file whose name is a sentence says it.
// Where the call does not fit the files its host will say so; what it brings counts then.
func changes(call *memfile.Call, states map[string]*memfile.State) (changed, error) {
	var ch changed
	images, err := call.Replay(func(name string) ([]byte, error) { return states[name].Data, nil })
	if _, conflict := errors.AsType[*memfile.Conflict](err); conflict {
		ch.takes = true
		for _, e := range call.Edits {
			if e.New != "" {
				ch.added = append(ch.added, e.New)
			}
		}
		return ch, nil
	}
	if err != nil {
		return ch, err
	}
	for _, e := range call.Edits {
		ch.takes = ch.takes || e.Delete || e.MoveTo != ""
	}
	ch.images = images
	for _, im := range images {
		ch.overwrites = ch.overwrites || overwrites(call, im, images, states[im.Path].File)
		added, all := memfile.Additions(im.Before, im.After)
		ch.takes = ch.takes || !all
		if added != "" {
			ch.added = append(ch.added, added)
		}
		if im.Before == nil && im.After != nil {
			if name := nameText(im.Path); name != "" {
				ch.added = append(ch.added, name)
			}
		}
	}
	return ch, nil
}

// overwrites reports whether what becomes of a file waits for a person: see
// [memfile.Loss]. A deletion says what it does.
func overwrites(call *memfile.Call, im memfile.Image, images []memfile.Image, was segment.File) bool {
	after, whole := im.After, false
	for _, e := range call.Edits {
		switch {
		case e.Path != im.Path:
		case e.Delete:
			return false
		case e.MoveTo != "" && e.MoveTo != e.Path:
			for _, to := range images {
				if to.Path == e.MoveTo {
					after = to.After
				}
			}
		}
		whole = whole || e.Path == im.Path && e.Whole
	}
	return im.Before != nil && memfile.LossOf(was, im.Before, after).Holds(whole)
}

// nameText is what the name of a file says, where it says more than a name does.
func nameText(name string) string {
	base := strings.TrimSuffix(path.Base(name), path.Ext(name))
	words := strings.FieldsFunc(base, func(r rune) bool { return r == '-' || r == '_' || r == ' ' || r == '.' })
	if len(words) <= plainWords && !strings.ContainsAny(base, "@:/\\") {
		return ""
	}
	return strings.Join(words, " ")
}
