package ledger

import (
	"cmp"
	"fmt"
	"iter"
	"slices"
)

// Entry is one stored entry on its way to be verified.
type Entry struct {
	Seq  int64  // position in the log, from 0
	Body []byte // the exact bytes that were sealed
	Leaf []byte // the leaf hash kept beside them; nil if the store keeps none
}

// Expectation is what a log is verified against. The zero value expects an empty log.
type Expectation struct {
	Head Frontier // the store's head

	// Tile returns the stored hashes of a tile, as [Hashes] does. If it is nil, no
	// tiles are compared, and an entry whose bytes and leaf hash were changed
	// together cannot be named, only noticed.
	Tile func(level int, index int64) ([]Hash, error)

	// Checkpoints are opened checkpoints of this log, in any order. Without one that
	// was kept elsewhere, a log that was replaced as a whole, or restored from an
	// old copy, verifies.
	Checkpoints []Checkpoint
}

// Summary says what was verified, as far as it went.
type Summary struct {
	Size        int64 // entries that passed
	Root        Hash  // the root over them
	Tiles       int64 // stored tiles that were compared and agree
	Checkpoints int   // checkpoints that agree
	Confirmed   int64 // entries covered by the largest of those checkpoints
}

// Verify reads a whole log in order and compares it with what is expected. The error
// is a *[Fault] that names the first bad entry, an error of the sequence, or one of
// reading tiles. Memory does not grow with the log.
func Verify(entries iter.Seq2[Entry, error], want Expectation) (Summary, error) {
	v := NewVerifier(want)
	for e, err := range entries {
		if err != nil {
			v.err = fmt.Errorf("ledger: cannot read entry %d: %w", v.sum.Size, err)
			break
		}
		if v.Add(e) != nil {
			break
		}
	}
	return v.Finish()
}

// Verifier is [Verify] for callers that have more to do with each entry: Add all of
// them in order, then Finish.
type Verifier struct {
	want   Expectation
	build  Builder
	points []Checkpoint // those not yet reached, by size
	tile   []Hash       // the stored level 0 tile that the next entry falls in, nil if none
	sum    Summary
	stale  error // the first tile that is missing or wrong; any fault of an entry outranks it
	err    error // what Add or Finish returned; it stays
}

// NewVerifier returns a Verifier that has seen no entry.
func NewVerifier(want Expectation) *Verifier {
	points := slices.SortedStableFunc(slices.Values(want.Checkpoints), func(a, b Checkpoint) int {
		return cmp.Compare(a.Size, b.Size)
	})
	return &Verifier{want: want, points: points}
}

// Add takes the next entry. It keeps no hold of the slices. After the first error it
// returns that error for ever.
func (v *Verifier) Add(e Entry) error {
	if v.err == nil {
		v.err = v.add(e)
	}
	return v.err
}

// Finish says that there are no more entries and returns what was found.
func (v *Verifier) Finish() (Summary, error) {
	if v.err == nil {
		v.err = v.finish()
	}
	v.sum.Root = v.build.frontier.Root()
	return v.sum, v.err
}
