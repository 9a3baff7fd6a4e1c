package ledger

import (
	"crypto/sha256"
	"errors"
	"math/rand/v2"
	"testing"

	"golang.org/x/mod/sumdb/tlog"
)

// storeOf returns a store that has leaf hashes and no bodies.
func storeOf(t testing.TB, leaves []Hash) *memStore {
	t.Helper()
	s := &memStore{tiles: map[tileID][]Hash{}, leaves: leaves}
	b := NewBuilder(s.head, s)
	for _, leaf := range leaves {
		if err := b.Append(leaf); err != nil {
			t.Fatal(err)
		}
	}
	s.keep(b)
	return s
}

// Every node of every tree, also of trees smaller than the store, is the one that
// tlog stores.
func TestReaderIsTlog(t *testing.T) {
	leaves := numbered(256*256 + 700)
	s, ref := storeOf(t, leaves), newReference(t, leaves)
	for _, size := range []int64{1, 2, 255, 256, 257, 511, 512, 5000, 256 * 256, 256*256 + 256, int64(len(leaves))} {
		r := NewReader(size, s)
		step := max(1, size/500)
		for seq := int64(0); seq < size; seq += step {
			first := tlog.StoredHashIndex(0, seq)
			for x := first; x < tlog.StoredHashIndex(0, seq+1); x++ {
				got, err := r.ReadHashes([]int64{x})
				if err != nil {
					t.Fatalf("size %d, node %d: %v", size, x, err)
				}
				if got[0] != ref[x] {
					t.Fatalf("size %d, node %d: %v, want %v", size, x, got[0], ref[x])
				}
			}
		}
		if _, err := r.ReadHashes([]int64{tlog.StoredHashIndex(0, size)}); err == nil {
			t.Errorf("size %d: a leaf beyond the tree was served", size)
		}
	}
	for _, x := range []int64{-1, 1<<63 - 1} {
		if _, err := NewReader(10, s).ReadHashes([]int64{x}); err == nil {
			t.Errorf("node %d was served", x)
		}
	}
}

func TestReaderCacheIsBounded(t *testing.T) {
	s := storeOf(t, numbered(256*300))
	r := NewReader(s.head.Size(), s)
	for tile := range int64(300) {
		if _, err := r.node(0, tile*256); err != nil {
			t.Fatal(err)
		}
	}
	if len(r.tiles) > cachedTiles {
		t.Errorf("%d tiles are held, want at most %d", len(r.tiles), cachedTiles)
	}
}

func TestReaderFaults(t *testing.T) {
	s := storeOf(t, numbered(600))
	delete(s.tiles, tileID{0, 1})
	if _, err := ProveInclusion(600, 300, NewReader(600, s)); !isFault(err, StateMismatch) {
		t.Errorf("a tile is gone: %v", err)
	}
	errDisk := errors.New("disk")
	if _, err := ProveInclusion(600, 599, NewReader(600, failing{s, errDisk, nil})); !errors.Is(err, errDisk) {
		t.Errorf("the store fails: %v", err)
	}
}

func isFault(err error, kind FaultKind) bool {
	f, ok := errors.AsType[*Fault](err)
	return ok && f.Kind == kind
}

func rootsOf(leaves []Hash) []Hash {
	var f Frontier
	roots := []Hash{f.Root()}
	for _, leaf := range leaves {
		f.Append(leaf)
		roots = append(roots, f.Root())
	}
	return roots
}

func TestInclusion(t *testing.T) {
	leaves := numbered(70_000)
	s, roots := storeOf(t, leaves), rootsOf(leaves)
	rng := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		size := 1 + rng.Int64N(1+rng.Int64N(int64(len(leaves))))
		seq := rng.Int64N(size)
		proof, err := ProveInclusion(size, seq, NewReader(size, s))
		if err != nil {
			t.Fatal(err)
		}
		root, leaf := roots[size], leaves[seq]
		if err := CheckInclusion(proof, size, root, seq, leaf); err != nil {
			t.Fatalf("entry %d of %d: %v", seq, size, err)
		}
		leaf[0] ^= 1
		if err := CheckInclusion(proof, size, root, seq, leaf); !errors.Is(err, ErrProof) {
			t.Fatalf("entry %d of %d: another leaf passes", seq, size)
		}
		leaf[0] ^= 1
		if seq+1 < size && CheckInclusion(proof, size, root, seq+1, leaf) == nil {
			t.Fatalf("entry %d of %d: passes for its neighbour", seq, size)
		}
		if len(proof) > 0 {
			i := rng.IntN(len(proof))
			proof[i][rng.IntN(32)] ^= 1
			if CheckInclusion(proof, size, root, seq, leaf) == nil {
				t.Fatalf("entry %d of %d: a damaged proof passes", seq, size)
			}
		}
		if CheckInclusion(append(proof, Hash{}), size, root, seq, leaf) == nil {
			t.Fatalf("entry %d of %d: a proof with a hash too many passes", seq, size)
		}
	}
	for _, bad := range [][2]int64{{0, 0}, {5, 5}, {5, -1}, {-1, 0}} {
		if _, err := ProveInclusion(bad[0], bad[1], NewReader(5, s)); err == nil {
			t.Errorf("proved entry %d of %d", bad[1], bad[0])
		}
		if CheckInclusion(nil, bad[0], Hash{}, bad[1], Hash{}) == nil {
			t.Errorf("checked entry %d of %d", bad[1], bad[0])
		}
	}
}

func TestConsistency(t *testing.T) {
	leaves := numbered(70_000)
	s, roots := storeOf(t, leaves), rootsOf(leaves)
	rng := rand.New(rand.NewPCG(3, 4))
	for range 2000 {
		size := rng.Int64N(1 + rng.Int64N(int64(len(leaves))))
		old := rng.Int64N(size + 1)
		proof, err := ProveConsistency(size, old, NewReader(size, s))
		if err != nil {
			t.Fatal(err)
		}
		root, oldRoot := roots[size], roots[old]
		if err := CheckConsistency(proof, size, root, old, oldRoot); err != nil {
			t.Fatalf("%d in %d: %v", old, size, err)
		}
		other := oldRoot
		other[0] ^= 1
		if CheckConsistency(proof, size, root, old, other) == nil {
			t.Fatalf("%d in %d: another beginning passes", old, size)
		}
		if len(proof) > 0 {
			proof[rng.IntN(len(proof))][rng.IntN(32)] ^= 1
			if CheckConsistency(proof, size, root, old, oldRoot) == nil {
				t.Fatalf("%d in %d: a damaged proof passes", old, size)
			}
		}
	}
}

func TestConsistencyEdges(t *testing.T) {
	empty := Hash(sha256.Sum256(nil))
	for _, test := range []struct {
		name      string
		proof     []Hash
		size      int64
		root      Hash
		old       int64
		oldRoot   Hash
		wantError bool
	}{
		{"empty in empty", nil, 0, empty, 0, empty, false},
		{"empty in any", nil, 3, Hash{1}, 0, empty, false},
		{"empty with a root of its own", nil, 3, Hash{1}, 0, Hash{2}, true},
		{"empty grown to a root", nil, 0, Hash{1}, 0, empty, true},
		{"empty with a proof", []Hash{{1}}, 3, Hash{1}, 0, empty, true},
		{"negative size", nil, -1, empty, 0, empty, true},
		{"negative old size", nil, 1, Hash{1}, -1, empty, true},
		{"larger in smaller", nil, 2, Hash{1}, 3, Hash{1}, true},
		{"the same", nil, 2, Hash{1}, 2, Hash{1}, false},
		{"the same size, another root", nil, 2, Hash{1}, 2, Hash{2}, true},
	} {
		err := CheckConsistency(test.proof, test.size, test.root, test.old, test.oldRoot)
		if (err != nil) != test.wantError || err != nil && !errors.Is(err, ErrProof) {
			t.Errorf("%s: %v", test.name, err)
		}
	}
	for _, bad := range [][2]int64{{-1, 0}, {2, 3}, {0, 1}, {3, -1}} {
		if _, err := ProveConsistency(bad[0], bad[1], NewReader(3, storeOf(t, numbered(3)))); err == nil {
			t.Errorf("proved %d in %d", bad[1], bad[0])
		}
	}
}
