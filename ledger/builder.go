package ledger

import (
	"math/bits"
	"slices"
)

// Builder appends leaves to a frontier and gives out the tiles that a store must
// keep. An ordinary append reads nothing. Only the append that fills a tile may need
// the hashes before it that this Builder did not see itself; it reads them from the
// store, at most 255 leaf hashes and one tile for each level above.
//
// A store uses it inside the transaction that appends:
//
//   - take the Builder it kept, if its Frontier equals the stored head, else make
//     a new one from the head;
//   - Append each leaf; insert each entry with its leaf hash;
//   - put TakeTiles, replacing a tile that is already there; put the Frontier.
//
// After an error, or a transaction that did not commit, drop the Builder.
type Builder struct {
	frontier Frontier
	from     Hashes
	// runs[l] holds the last hashes of the tile now growing at level l; those
	// before them, if any, are still in the store.
	runs  [maxTileLevel + 1][]Hash
	full  []Tile
	grown [maxTileLevel + 1]bool // levels whose growing tile changed since TakeTiles
}

// NewBuilder returns a Builder that goes on from head. It reads nothing yet. A nil
// from is allowed if head is the zero Frontier: then nothing is ever read.
func NewBuilder(head Frontier, from Hashes) *Builder {
	return &Builder{frontier: head, from: from}
}

// Frontier returns the right edge of the tree with all leaves appended so far.
func (b *Builder) Frontier() Frontier { return b.frontier }

// Append adds one leaf. It fails if the log is full, if the store cannot be read, or
// with a *[Fault] if what it reads is not what the frontier was made from. A Builder
// that failed is unchanged.
func (b *Builder) Append(leaf Hash) error {
	size := b.frontier.size
	if size >= MaxSize {
		return ErrFull
	}
	// All reading comes first, so that an error leaves nothing half done.
	top := fills(size + 1)
	if top > 0 {
		for level := range top + 1 {
			if err := b.load(level); err != nil {
				return err
			}
		}
	}
	b.push(0, leaf)
	for level := range top {
		b.fill(level)
	}
	b.frontier.Append(leaf)
	return nil
}

// TakeTiles returns the tiles that are new or have grown since the last call, each
// at most once: full ones as they filled, then the growing ones above level 0. The
// Builder keeps no hold of them.
func (b *Builder) TakeTiles() []Tile {
	tiles := b.takeFull()
	for level := range b.grown {
		if b.grown[level] {
			tiles = append(tiles, Tile{level, b.frontier.size >> (tileHeight * (level + 1)), slices.Clone(b.runs[level])})
			b.grown[level] = false
		}
	}
	return tiles
}

// takeFull returns the tiles filled since the last call.
func (b *Builder) takeFull() []Tile {
	tiles := b.full
	b.full = nil
	return tiles
}

// push adds a hash to the growing run of a level.
func (b *Builder) push(level int, h Hash) {
	if b.runs[level] == nil {
		b.runs[level] = make([]Hash, 0, tileWidth)
	}
	b.runs[level] = append(b.runs[level], h)
	b.grown[level] = level > 0
}

// fill gives out the tile that the leaf now being appended completes at level, and
// pushes its root one level up. The frontier does not have that leaf yet, so it
// still holds the eight left siblings on the way to the root.
func (b *Builder) fill(level int) {
	size, run := b.frontier.size, b.runs[level]
	root := run[tileWidth-1]
	for i := range tileHeight {
		root = nodeHash(&b.frontier.nodes[level*tileHeight+i], &root)
	}
	b.full = append(b.full, Tile{level, size >> (tileHeight * (level + 1)), run})
	b.runs[level], b.grown[level] = nil, false
	b.push(level+1, root)
}

// load reads the part of a level's growing run that this Builder did not see, and
// checks the whole run against the frontier: a store that lies about old hashes must
// not have them written into a tile as if they were sealed.
func (b *Builder) load(level int) error {
	size, seen := b.frontier.size, b.runs[level]
	have := int(size >> (tileHeight * level) & (tileWidth - 1))
	missing := have - len(seen)
	if missing == 0 {
		return nil
	}
	index := size >> (tileHeight * (level + 1))
	old, err := readRun(b.from, level, index, missing)
	if err != nil {
		return err
	}
	run := append(append(make([]Hash, 0, tileWidth), old...), seen...)
	var edge Frontier
	for _, h := range run {
		edge.Append(h)
	}
	// A level of tiles has eight levels of nodes; the last one only as far as MaxSize.
	low := level * tileHeight
	high := min(low+tileHeight, len(b.frontier.nodes))
	if !slices.Equal(edge.nodes[:high-low], b.frontier.nodes[low:high]) {
		return fault(RootMismatch, -1,
			"the stored hashes of tile %d/%d are not those that the head was made from; verify the log before anything is appended", level, index)
	}
	b.runs[level] = run
	return nil
}

// fills returns how many tiles, from level 0 up, the last entry of a log of this
// size fills; size is at least 1.
func fills(size int64) int {
	return bits.TrailingZeros64(uint64(size)) / tileHeight
}
