// Package segment says, for each line of a guarded Markdown file, who said it.
//
// A [File] is a list of runs of lines, each with its owner, for exact bytes that it
// knows by digest. It changes in two ways: [File.Apply] for a write that was recorded, and
// [File.Drift] for bytes that nobody was seen writing.
//
// A line keeps its owner only where it is a line of the file before, byte for byte but for
// the line end, and each line of the file before is used once: as itself or moved. So what
// an owner said can be dropped and reordered by others, never multiplied. Everything else
// in a new version is the writer's, at most, and joins the labels of the lines that its
// words come from: those replaced at the same place are compared loosely, those that
// vanished elsewhere by shared runs of words, those still there by longer ones. A line
// that vanished is remembered by a print, so that taking it out and putting it back raises
// nothing. Where telling costs too much, more is joined, never less.
//
// What it cannot see: words that a writer says again in other words, order that changes
// what a kept line means, and who is behind a write; the owner of a write is given, and
// what the writer had read is in its label.
package segment

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"iter"

	"github.com/hearsay-memory/hearsay"
)

// What is compared line by line at most. Beyond either, a changed file is one run with
// the join of all its labels.
const (
	MaxBytes = 16 << 20 // of one version
	MaxLines = 1 << 19  // of one version
)

// ErrStale means that the bytes are not those that a [File] describes.
var ErrStale = errors.New("the file is not the one that is described")

// Owner is who said a line: the record whose write it came with, and its label. The zero
// value is nobody's word: no record, external, tainted by the unknown.
type Owner struct {
	Record hearsay.RecordID
	Label  hearsay.Label
}

// Run is consecutive lines of one owner. Edited lines have words of others than the
// record too; their label is the join.
type Run struct {
	Lines  int
	Owner  Owner
	Edited bool
}

// Range is lines From up to but not including To, counted from 0.
type Range struct{ From, To int }

// Len returns the number of lines.
func (r Range) Len() int { return r.To - r.From }

// down returns the range a number of lines further down.
func (r Range) down(lines int) Range { return Range{r.From + lines, r.To + lines} }

// File says who said each line of exact bytes. It is immutable. The zero value fits no
// bytes, and every line of it is nobody's.
type File struct {
	digest [sha256.Size]byte
	front  int // lines of front matter, which share no run with what follows
	lines  int
	owners []Owner // each once, in the order of their first run
	runs   []run
	ghosts ghosts
}

// run is a [Run] with its owner as a number.
type run struct {
	lines  int
	owner  int32
	edited bool
}

// New returns the file of those bytes, all of one owner.
func New(data []byte, o Owner) File {
	return covering(data, o, sha256.Sum256(data))
}

// covering is [New] where the digest is known, or not needed.
func covering(data []byte, o Owner, digest [sha256.Size]byte) File {
	m := maker{File: File{digest: digest, front: frontOf(data).lines}}
	m.add(m.front, o, false)
	m.add(countLines(data)-m.front, o, false)
	return m.File
}

// Fits returns nil where data are the bytes that f describes, else [ErrStale].
func (f File) Fits(data []byte) error {
	if f.digest != sha256.Sum256(data) {
		return ErrStale
	}
	if f.lines != countLines(data) || f.front != frontOf(data).lines {
		return fmt.Errorf("%w: the runs do not cover its lines", ErrStale)
	}
	return nil
}

// Digest returns the SHA-256 of the bytes that f describes.
func (f File) Digest() [sha256.Size]byte { return f.digest }

// Lines returns the number of lines. The last one may lack its line end.
func (f File) Lines() int { return f.lines }

// Runs yields the runs from the top. Front matter shares no run with what follows it.
func (f File) Runs() iter.Seq[Run] { return f.between(0, f.lines) }

// between yields the runs of lines from up to but not including to.
func (f File) between(from, to int) iter.Seq[Run] {
	return func(yield func(Run) bool) {
		at := 0
		for _, r := range f.runs {
			lines := min(at+r.lines, to) - max(at, from)
			at += r.lines
			if lines > 0 && !yield(Run{Lines: lines, Owner: f.owners[r.owner], Edited: r.edited}) {
				return
			}
		}
	}
}

// All yields the owner of every line, by runs from the top.
func (f File) All() iter.Seq2[Range, Owner] {
	return func(yield func(Range, Owner) bool) {
		at := 0
		for _, r := range f.runs {
			if !yield(Range{at, at + r.lines}, f.owners[r.owner]) {
				return
			}
			at += r.lines
		}
	}
}

// At returns the owner of a line, counted from 0; the zero value where there is no such
// line. It walks the runs: for every line, use [File.All].
func (f File) At(line int) Owner {
	for r, o := range f.All() {
		if r.From <= line && line < r.To {
			return o
		}
	}
	return Owner{}
}

// Label returns the join of all lines; for a file without lines its identity.
func (f File) Label() hearsay.Label {
	l := hearsay.LabelIdentity
	for _, o := range f.owners {
		l = l.Join(o.Label)
	}
	return l
}

// countLines counts lines as [parse] finds them.
func countLines(data []byte) int {
	n := bytes.Count(data, []byte{'\n'})
	if len(data) > 0 && data[len(data)-1] != '\n' && string(data) != bom {
		n++
	}
	return n
}
