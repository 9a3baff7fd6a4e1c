package ledger

import (
	"fmt"

	"golang.org/x/mod/sumdb/tlog"
)

// cachedTiles bounds what a Reader holds: 256 expanded tiles of 16 KiB.
const cachedTiles = 256

// Reader serves the inner nodes of a tree of fixed size from stored tiles, as a
// [tlog.HashReader], so that proofs can be made. It keeps up to 4 MiB of what it
// read; make a new one for a new size.
//
// A Reader does not check what it reads. A proof made from false hashes fails its
// check, so check one before handing it on.
type Reader struct {
	size  int64
	from  Hashes
	tiles map[tileID]*subtrees
}

type tileID struct {
	level int
	index int64
}

// subtrees are the roots of the complete subtrees inside a tile: subtrees[r][i] is
// over its hashes i·2^r to (i+1)·2^r - 1.
type subtrees [tileHeight][]Hash

// NewReader returns a Reader over the tree of the first size entries. The store may
// have more.
func NewReader(size int64, from Hashes) *Reader {
	return &Reader{size: size, from: from, tiles: make(map[tileID]*subtrees)}
}

// ReadHashes returns the nodes with the given stored hash indexes; see
// [tlog.StoredHashIndex]. It fails for a node that the tree does not have.
func (r *Reader) ReadHashes(indexes []int64) ([]Hash, error) {
	// Beyond the tree tlog's index arithmetic may not end, so the bound comes first.
	end := tlog.StoredHashCount(r.size)
	hashes := make([]Hash, len(indexes))
	for i, x := range indexes {
		if x < 0 || x >= end {
			return nil, fmt.Errorf("ledger: a tree of %d entries has no node with the stored hash index %d", r.size, x)
		}
		h, err := r.node(tlog.SplitStoredHashIndex(x))
		if err != nil {
			return nil, err
		}
		hashes[i] = h
	}
	return hashes, nil
}

// node returns the root of the n-th complete subtree of 2^level leaves, which the
// tree must have.
func (r *Reader) node(level int, n int64) (Hash, error) {
	tileLevel, inner := level/tileHeight, level%tileHeight
	first := n << inner
	t, err := r.tile(tileID{tileLevel, first >> tileHeight})
	if err != nil {
		return Hash{}, err
	}
	return t[inner][first&(tileWidth-1)>>inner], nil
}

// tile returns the subtrees of the part of a tile that lies within the tree.
func (r *Reader) tile(id tileID) (*subtrees, error) {
	if t, ok := r.tiles[id]; ok {
		return t, nil
	}
	within := r.size>>(tileHeight*id.level) - id.index<<tileHeight
	run, err := readRun(r.from, id.level, id.index, int(min(within, tileWidth)))
	if err != nil {
		return nil, err
	}
	t := expand(run)
	if len(r.tiles) >= cachedTiles {
		clear(r.tiles)
	}
	r.tiles[id] = t
	return t, nil
}

// expand computes the complete subtrees over a run of hashes.
func expand(run []Hash) *subtrees {
	var t subtrees
	t[0] = run
	for level := 1; level < tileHeight; level++ {
		below := t[level-1]
		t[level] = make([]Hash, len(below)/2)
		for i := range t[level] {
			t[level][i] = nodeHash(&below[2*i], &below[2*i+1])
		}
	}
	return &t
}
