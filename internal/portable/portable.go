// Package portable reads the memories of other programs and writes ours in forms that
// others read. It is pure: bytes in, memories out, and the other way round.
//
// What is read says nothing about who spoke: every memory that comes in is unverified
// until a person adopts it. What a file says of itself, such as the origin in the front
// matter of an export of ours, can only lower that.
package portable

import (
	"fmt"
	"slices"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/internal/memory"
	"github.com/hearsay-memory/hearsay/mark"
	"github.com/hearsay-memory/hearsay/recall"
)

// Item is one memory that was read.
type Item struct {
	memory.Doc
	Ref   string         // where it lay in what was read: a path, an id, a line; for people
	Says  hearsay.Source // what it says of where it came from; the zero value says nothing
	Notes []string       // what of it did not fit, and where that went; for people, without its words
}

// Bounds of what is read at once.
const (
	MaxFile  = 64 << 20 // bytes of one file
	MaxItems = 100_000  // memories
)

// maxTexts bounds the texts that come of one file, in bytes. A name or a front matter goes
// into each memory that has it, so they can be as long as the file times their number.
const maxTexts = 4 * MaxFile

// usualKind is that of a memory whose form does not say.
const usualKind = recall.Learning

// Read reads one file. name is for the Ref of what comes out. Where a part of it cannot
// be read, the error names it and nothing is returned: half an import is worse than none.
func Read(f Format, name string, data []byte) ([]Item, error) {
	if len(data) > MaxFile {
		return nil, fmt.Errorf("%s has %d bytes: at most %d are read; split it", name, len(data), MaxFile)
	}
	var items []Item
	var err error
	switch f {
	case Markdown:
		items, err = readMarkdown(name, data)
	case ServerMemory:
		items, err = readServerMemory(name, data)
	case Mem0:
		items, err = readMem0(name, data)
	case Hearsay:
		items, err = readOurs(name, data)
	default:
		_, err = ParseFormat(string(f))
	}
	if err != nil {
		return nil, err
	}
	if err := tooMany(name, len(items)); err != nil {
		return nil, err
	}
	bytes := 0
	for i := range items {
		items[i].fit()
		bytes += len(items[i].Text)
		if err := tooLong(name, bytes); err != nil {
			return nil, err
		}
		if err := items[i].Check(); err != nil {
			return nil, fmt.Errorf("%s: %w", items[i].Ref, err)
		}
		if items[i].Says == (hearsay.Source{}) && slices.ContainsFunc(items[i].Texts(), mark.HasMarkers) {
			items[i].Says = hearsay.Source{Type: "external_marked"} // it went through a frame, or pretends to have
		}
	}
	return items, nil
}

// tooMany is the error of n memories in one file, nil while they are few enough. Readers
// ask it as they go on, so that a file of many small ones does not cost more than its size.
func tooMany(name string, n int) error {
	if n <= MaxItems {
		return nil
	}
	return fmt.Errorf("%s has more than %d memories: split it", name, MaxItems)
}

// tooLong is the error of texts of so many bytes in all, nil while they are short enough.
func tooLong(name string, bytes int) error {
	if bytes <= maxTexts {
		return nil
	}
	return fmt.Errorf("%s comes to more than %d MiB of text, as names, types or tags are repeated in each of its memories: shorten those", name, maxTexts>>20)
}
