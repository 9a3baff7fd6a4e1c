package ledger

import (
	"fmt"

	"golang.org/x/mod/sumdb/tlog"
)

const (
	tileHeight = 8
	tileWidth  = 1 << tileHeight

	// maxTileLevel is the highest level that a log of MaxSize entries has tiles on.
	maxTileLevel = maxLevel / tileHeight
)

// Tile is a run of up to 256 neighbouring hashes of one level of the tree, as in
// C2SP tlog-tiles. At level 0 they are leaf hashes; at level l, each is the root of
// the full tile at level l-1 with the index 256·Index + its position.
type Tile struct {
	Level  int   // 0..5
	Index  int64 // from the left, starting at 0
	Hashes []Hash
}

// Full reports whether the tile has all its 256 hashes and will never change again.
func (t Tile) Full() bool { return len(t.Hashes) == tileWidth }

// Bytes returns the hashes one after the other, which is the C2SP tlog-tiles form of
// a tile and what a store keeps of it.
func (t Tile) Bytes() []byte {
	buf := make([]byte, 0, len(t.Hashes)*tlog.HashSize)
	for i := range t.Hashes {
		buf = append(buf, t.Hashes[i][:]...)
	}
	return buf
}

// ParseTile returns the hashes of a tile from its stored bytes: 1 to 256 of them, 32
// bytes each.
func ParseTile(data []byte) ([]Hash, error) {
	n := len(data) / tlog.HashSize
	if n < 1 || n > tileWidth || len(data)%tlog.HashSize != 0 {
		return nil, fault(StateMismatch, -1, "a tile is 1 to 256 hashes of 32 bytes, and this one has %d bytes; rebuild the tiles", len(data))
	}
	hashes := make([]Hash, n)
	for i := range hashes {
		hashes[i] = Hash(data[i*tlog.HashSize:])
	}
	return hashes, nil
}

// Hashes is what a [Builder] and a [Reader] need to read back from a store. Both
// treat what they get as claims: a Builder checks it against the frontier, and a
// proof made from false hashes fails its check.
type Hashes interface {
	// Tile returns the hashes of the tile that a Builder last gave out for this
	// level and index. A tile that is not there is nil hashes and no error; one that
	// [ParseTile] refuses is its error.
	// The caller does not change the slice and keeps it only as long as the
	// Builder or Reader lives.
	Tile(level int, index int64) ([]Hash, error)

	// Leaves returns the leaf hashes kept beside the entries from..to-1, at most
	// 255 of them.
	Leaves(from, to int64) ([]Hash, error)
}

// readRun reads the first n hashes of a tile, wherever they are kept: a level 0 run
// that is not full stands beside its entries, all others are tiles.
func readRun(from Hashes, level int, index int64, n int) ([]Hash, error) {
	if level == 0 && n < tileWidth {
		first := index * tileWidth
		run, err := from.Leaves(first, first+int64(n))
		if err != nil {
			return nil, fmt.Errorf("ledger: cannot read the leaf hashes of entries %d to %d: %w", first, first+int64(n)-1, err)
		}
		if len(run) != n {
			return nil, fault(StateMismatch, -1, "the store has %d of %d leaf hashes from entry %d on", len(run), n, first)
		}
		return run, nil
	}
	run, err := from.Tile(level, index)
	if err != nil {
		return nil, fmt.Errorf("ledger: cannot read tile %d/%d: %w", level, index, err)
	}
	if len(run) < n || len(run) > tileWidth {
		return nil, fault(StateMismatch, -1, "tile %d/%d has %d hashes and should have %d", level, index, len(run), n)
	}
	return run[:n], nil
}
