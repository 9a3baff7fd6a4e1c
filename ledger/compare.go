package ledger

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
)

// add checks one entry against everything that is known of its place, so that the
// first bad one is the one named.
func (v *Verifier) add(e Entry) error {
	seq := v.build.frontier.size
	if err := v.comparePoints(); err != nil {
		return err
	}
	switch {
	case seq >= v.want.Head.size:
		return fault(RootMismatch, seq, "the head says that the log has %d entries, and here is one more", v.want.Head.size)
	case e.Seq > seq:
		return fault(MissingEntry, seq, "it is not there; the next entry is %d", e.Seq)
	case e.Seq < seq:
		return fault(MissingEntry, seq, "entry %d stands in its place, out of order", e.Seq)
	}
	if err := v.openTile(seq); err != nil {
		return err
	}
	leaf := LeafHash(e.Body)
	if e.Leaf != nil && !bytes.Equal(e.Leaf, leaf[:]) {
		return fault(HashMismatch, seq, "its bytes and the leaf hash kept beside them disagree%s", v.sealedAs(leaf))
	}
	if v.tile != nil && v.tile[seq%tileWidth] != leaf {
		return fault(HashMismatch, seq, "its bytes and tile 0/%d disagree%s", seq/tileWidth, v.sealedAs(leaf))
	}
	if err := v.build.Append(leaf); err != nil {
		return err
	}
	v.sum.Size++
	if v.build.full != nil {
		return v.compareTiles(v.build.takeFull())
	}
	return nil
}

// finish compares the whole: first what concerns entries, then what is only derived.
func (v *Verifier) finish() error {
	size, head := v.build.frontier.size, &v.want.Head
	if err := v.comparePoints(); err != nil {
		return err
	}
	if size < head.size {
		return fault(Truncated, size, "the log ends here; its head says that it has %d entries", head.size)
	}
	if v.build.frontier != *head {
		return fault(RootMismatch, -1, "%d entries hash to %v and the head says %v; the change is not before entry %d",
			size, v.build.frontier.Root(), head.Root(), v.sum.Confirmed)
	}
	if len(v.points) > 0 {
		p := v.points[0]
		return fault(Truncated, size, "the log ends here; a checkpoint of %q has seen %d entries, so this is an older copy or it was cut", p.Origin, p.Size)
	}
	if err := v.compareTiles(v.build.TakeTiles()); err != nil {
		return err
	}
	return v.stale
}

// comparePoints checks the checkpoints of the size reached.
func (v *Verifier) comparePoints() error {
	size := v.build.frontier.size
	for len(v.points) > 0 && v.points[0].Size <= size {
		p := v.points[0]
		if root := v.build.frontier.Root(); p.Size != size || p.Root != root {
			return fault(RootMismatch, -1, "the first %d entries hash to %v and a checkpoint of %q says %v; the change, or the replacement of the log, is not before entry %d",
				p.Size, root, p.Origin, p.Root, v.sum.Confirmed)
		}
		v.points = v.points[1:]
		v.sum.Checkpoints++
		v.sum.Confirmed = size
	}
	return nil
}

// openTile fetches the stored level 0 tile when its first entry comes, so that each
// entry can be compared as it comes and not only when the tile is over.
func (v *Verifier) openTile(seq int64) error {
	if seq%tileWidth != 0 {
		return nil
	}
	v.tile = nil
	if v.want.Tile == nil || v.want.Head.size-seq < tileWidth {
		return nil
	}
	stored, err := v.storedTile(0, seq/tileWidth)
	if err != nil {
		return err
	}
	if len(stored) != tileWidth {
		v.setStale(0, seq/tileWidth)
		return nil
	}
	v.tile = stored
	return nil
}

// compareTiles compares rebuilt tiles with stored ones. Those of level 0 were
// compared leaf by leaf, if there were any to compare with.
func (v *Verifier) compareTiles(tiles []Tile) error {
	if v.want.Tile == nil {
		return nil
	}
	for _, t := range tiles {
		same := v.tile != nil
		if t.Level > 0 {
			stored, err := v.storedTile(t.Level, t.Index)
			if err != nil {
				return err
			}
			if same = slices.Equal(stored, t.Hashes); !same {
				v.setStale(t.Level, t.Index)
			}
		}
		if same {
			v.sum.Tiles++
		}
	}
	return nil
}

// storedTile returns nil for a tile that is damaged, as for one that is missing.
func (v *Verifier) storedTile(level int, index int64) ([]Hash, error) {
	stored, err := v.want.Tile(level, index)
	if _, ok := errors.AsType[*Fault](err); ok {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("ledger: cannot read tile %d/%d: %w", level, index, err)
	}
	return stored, nil
}

// setStale remembers a tile that is missing or wrong. It does not stop the
// verification: entries are what was sealed, and a tile that someone removed must
// not hide which of them was changed.
func (v *Verifier) setStale(level int, index int64) {
	if v.stale == nil {
		v.stale = fault(StateMismatch, -1, "the entries are as they were sealed, and tile %d/%d is not what they give; rebuild the tiles", level, index)
	}
}

// sealedAs says where the tile at hand has a leaf that is not at its place, which
// tells a swapped or removed row from an edited one.
func (v *Verifier) sealedAs(leaf Hash) string {
	i := slices.Index(v.tile, leaf)
	if i < 0 {
		return ""
	}
	first := v.build.frontier.size &^ (tileWidth - 1)
	return fmt.Sprintf("; these bytes were sealed as entry %d", first+int64(i))
}
