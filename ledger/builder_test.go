package ledger

import (
	"errors"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// wantTiles derives every tile of a log from its leaves, level by level, the plain way.
func wantTiles(leaves []Hash) map[tileID][]Hash {
	tiles := map[tileID][]Hash{}
	for level := 0; len(leaves) > 0; level++ {
		var above []Hash
		for first := 0; first < len(leaves); first += tileWidth {
			run := leaves[first:min(first+tileWidth, len(leaves))]
			if level > 0 || len(run) == tileWidth {
				tiles[tileID{level, int64(first / tileWidth)}] = run
			}
			if len(run) == tileWidth {
				var edge Frontier
				for _, h := range run {
					edge.Append(h)
				}
				above = append(above, edge.Root())
			}
		}
		leaves = above
	}
	return tiles
}

// However the appends are cut into transactions, and whoever makes them, a store
// ends up with the same head and tiles.
func TestBuilderTiles(t *testing.T) {
	const n = 256*256 + 256 + 3 // a full level 1 tile, so that level 2 begins
	leaves := numbered(n)
	want := wantTiles(leaves)
	for _, step := range []int{1, 255, 256, 257, 1000, n} {
		s := &memStore{tiles: map[tileID][]Hash{}}
		kept := NewBuilder(s.head, s)
		for first := 0; first < n; first += step {
			b := kept
			if first/step%3 == 0 { // every third transaction is another process's
				b = NewBuilder(s.head, s)
				kept = b
			}
			for _, leaf := range leaves[first:min(first+step, n)] {
				if err := b.Append(leaf); err != nil {
					t.Fatal(err)
				}
				s.leaves = append(s.leaves, leaf)
			}
			s.keep(b)
		}
		for id := range want {
			if !slices.Equal(s.tiles[id], want[id]) {
				t.Fatalf("steps of %d: tile %d/%d has %d hashes, want %d, or others", step, id.level, id.index, len(s.tiles[id]), len(want[id]))
			}
		}
		if len(s.tiles) != len(want) {
			t.Errorf("steps of %d: %d tiles, want %d", step, len(s.tiles), len(want))
		}
		var edge Frontier
		for _, leaf := range leaves {
			edge.Append(leaf)
		}
		if s.head != edge {
			t.Errorf("steps of %d: the head differs", step)
		}
	}
}

func TestBuilderReadsOnlyToFillATile(t *testing.T) {
	s := newStore(t, testBodies(1000, "a"))
	for size := 1000; size < 1023; size++ {
		s.commit(t, []byte("entry"))
	}
	if s.reads != 0 {
		t.Errorf("appends that fill no tile read %d times", s.reads)
	}
	s.commit(t, []byte("entry")) // the 1024th
	if s.reads != 2 {            // leaves 768 to 1022, and tile 1/0
		t.Errorf("the append that fills a tile read %d times, want 2", s.reads)
	}
}

func TestBuilderTakesEachTileOnce(t *testing.T) {
	b := NewBuilder(Frontier{}, nil)
	for _, leaf := range numbered(512) {
		if err := b.Append(leaf); err != nil {
			t.Fatal(err)
		}
	}
	type id struct {
		Level, Hashes int
		Index         int64
		Full          bool
	}
	var got []id
	for _, tile := range b.TakeTiles() {
		got = append(got, id{tile.Level, len(tile.Hashes), tile.Index, tile.Full()})
	}
	want := []id{{0, 256, 0, true}, {0, 256, 1, true}, {1, 2, 0, false}}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("tiles (-want +got)\n%s", d)
	}
	if again := b.TakeTiles(); again != nil {
		t.Errorf("taken twice: %d tiles", len(again))
	}
}

// A store that lies about old hashes, or cannot give them, stops the append that
// would write them into a tile; the Builder stays as it was.
func TestBuilderChecksWhatItReads(t *testing.T) {
	bodies := testBodies(511, "a")
	errDisk := errors.New("disk")
	for name, test := range map[string]struct {
		tamper func(*memStore) Hashes
		kind   FaultKind
	}{
		"leaf hash edited":        {func(s *memStore) Hashes { s.leaves[300][0] ^= 1; return s }, RootMismatch},
		"leaf hashes swapped":     {func(s *memStore) Hashes { s.leaves[256], s.leaves[510] = s.leaves[510], s.leaves[256]; return s }, RootMismatch},
		"leaf hash gone":          {func(s *memStore) Hashes { s.leaves = s.leaves[:510]; return s }, StateMismatch},
		"tile above edited":       {func(s *memStore) Hashes { s.tiles[tileID{1, 0}][0][0] ^= 1; return s }, RootMismatch},
		"tile above gone":         {func(s *memStore) Hashes { delete(s.tiles, tileID{1, 0}); return s }, StateMismatch},
		"tile above too long":     {func(s *memStore) Hashes { s.tiles[tileID{1, 0}] = numbered(257); return s }, StateMismatch},
		"head edited":             {func(s *memStore) Hashes { s.head.nodes[3][0] ^= 1; return s }, RootMismatch},
		"leaf hashes unreadable":  {func(s *memStore) Hashes { return failing{s, errDisk, nil} }, ""},
		"tile above not readable": {func(s *memStore) Hashes { return failing{s, nil, errDisk} }, ""},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStore(t, bodies)
			from := test.tamper(s)
			b := NewBuilder(s.head, from)
			before := b.Frontier()
			err := b.Append(Hash{1})
			if test.kind == "" {
				if !errors.Is(err, errDisk) {
					t.Errorf("Append: %v, want the store's error", err)
				}
			} else if f, ok := errors.AsType[*Fault](err); !ok || f.Kind != test.kind {
				t.Errorf("Append: %v, want %s", err, test.kind)
			}
			if b.Frontier() != before || b.TakeTiles() != nil {
				t.Error("the failed append changed the Builder")
			}
		})
	}
}

type failing struct {
	Hashes
	leaves, tile error
}

func (f failing) Tile(level int, index int64) ([]Hash, error) {
	if f.tile != nil {
		return nil, f.tile
	}
	return f.Hashes.Tile(level, index)
}

func (f failing) Leaves(from, to int64) ([]Hash, error) {
	if f.leaves != nil {
		return nil, f.leaves
	}
	return f.Hashes.Leaves(from, to)
}

func TestTileBytes(t *testing.T) {
	for _, n := range []int{1, 2, 256} {
		run := numbered(n)
		got, err := ParseTile(Tile{Hashes: run}.Bytes())
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(run, got); d != "" {
			t.Errorf("%d hashes (-want +got)\n%s", n, d)
		}
	}
	for _, n := range []int{0, 31, 33, 257 * 32} {
		if _, err := ParseTile(make([]byte, n)); err == nil {
			t.Errorf("a tile of %d bytes was accepted", n)
		}
	}
}
