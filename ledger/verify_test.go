package ledger

import (
	"errors"
	"iter"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// entries streams a store's rows as they stand.
func (s *memStore) entries() iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) {
		for i, body := range s.bodies {
			if !yield(Entry{Seq: int64(i), Body: body, Leaf: s.leaves[i][:]}, nil) {
				return
			}
		}
	}
}

func without(entries iter.Seq2[Entry, error], seq int64) iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) {
		for e, err := range entries {
			if e.Seq != seq && !yield(e, err) {
				return
			}
		}
	}
}

const logSize = 256*3 + 40

func TestVerifyHonest(t *testing.T) {
	for _, size := range []int{0, 1, 255, 256, 257, logSize, 256 * 257} {
		s := newStore(t, testBodies(size, "a"))
		points := []Checkpoint{s.checkpoint(t, int64(size)), s.checkpoint(t, int64(size/2)), s.checkpoint(t, 0)}
		got, err := Verify(s.entries(), Expectation{Head: s.head, Tile: s.Tile, Checkpoints: points})
		if err != nil {
			t.Errorf("%d entries: %v", size, err)
		}
		want := Summary{Size: int64(size), Root: s.head.Root(), Tiles: int64(len(s.tiles)), Checkpoints: 3, Confirmed: int64(size)}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%d entries (-want +got)\n%s", size, d)
		}
		// Without tiles, leaf hashes and checkpoints the head still decides.
		bare := func(yield func(Entry, error) bool) {
			for e := range s.entries() {
				if !yield(Entry{Seq: e.Seq, Body: e.Body}, nil) {
					return
				}
			}
		}
		if _, err := Verify(bare, Expectation{Head: s.head}); err != nil {
			t.Errorf("%d bare entries: %v", size, err)
		}
	}
}

func TestVerifyFaults(t *testing.T) {
	honest := newStore(t, testBodies(logSize, "a"))
	seen := honest.checkpoint(t, 700) // kept elsewhere

	for name, test := range map[string]struct {
		// tamper changes a copy of the honest store; a nil sequence means its rows.
		tamper  func(s *memStore) iter.Seq2[Entry, error]
		outside bool // verified against the checkpoint
		kind    FaultKind
		seq     int64
		detail  string
	}{
		"body edited": {
			tamper: func(s *memStore) iter.Seq2[Entry, error] { s.bodies[300] = []byte("x"); return nil },
			kind:   HashMismatch, seq: 300,
		},
		"body edited in the tail": {
			tamper: func(s *memStore) iter.Seq2[Entry, error] { s.bodies[800] = []byte("x"); return nil },
			kind:   HashMismatch, seq: 800,
		},
		"two bodies edited, the first is named": {
			tamper: func(s *memStore) iter.Seq2[Entry, error] {
				s.bodies[800], s.bodies[5] = []byte("x"), []byte("y")
				return nil
			},
			kind: HashMismatch, seq: 5,
		},
		"body and leaf hash edited, the tile tells": {
			tamper: func(s *memStore) iter.Seq2[Entry, error] { s.edit(300); return nil },
			kind:   HashMismatch, seq: 300,
		},
		"body edited before a checkpoint in the same tile": {
			tamper:  func(s *memStore) iter.Seq2[Entry, error] { s.edit(690); return nil },
			outside: true, kind: HashMismatch, seq: 690,
		},
		"body and leaf hash edited in the tail, the head tells": {
			tamper: func(s *memStore) iter.Seq2[Entry, error] { s.edit(800); return nil },
			kind:   RootMismatch, seq: -1, detail: "not before entry 0",
		},
		"the same, and a checkpoint bounds it": {
			tamper:  func(s *memStore) iter.Seq2[Entry, error] { s.edit(800); return nil },
			outside: true, kind: RootMismatch, seq: -1, detail: "not before entry 700",
		},
		"body, leaf hash and tile edited": {
			tamper: func(s *memStore) iter.Seq2[Entry, error] {
				s.edit(300)
				s.tiles[tileID{0, 1}][300-256] = s.leaves[300]
				return nil
			},
			kind: RootMismatch, seq: -1,
		},
		"leaf hash edited": {
			tamper: func(s *memStore) iter.Seq2[Entry, error] { s.leaves[9][0] ^= 1; return nil },
			kind:   HashMismatch, seq: 9,
		},
		"leaf hash of another length": {
			tamper: func(s *memStore) iter.Seq2[Entry, error] {
				return func(yield func(Entry, error) bool) {
					for e := range s.entries() {
						if e.Seq == 9 {
							e.Leaf = []byte{}
						}
						if !yield(e, nil) {
							return
						}
					}
				}
			},
			kind: HashMismatch, seq: 9,
		},
		"row dropped": {
			tamper: func(s *memStore) iter.Seq2[Entry, error] { return without(s.entries(), 300) },
			kind:   MissingEntry, seq: 300,
		},
		"first row dropped": {
			tamper: func(s *memStore) iter.Seq2[Entry, error] { return without(s.entries(), 0) },
			kind:   MissingEntry, seq: 0,
		},
		"row dropped in the tail": {
			tamper: func(s *memStore) iter.Seq2[Entry, error] { return without(s.entries(), 790) },
			kind:   MissingEntry, seq: 790,
		},
		"row dropped and the rest renumbered": {
			tamper: func(s *memStore) iter.Seq2[Entry, error] {
				s.bodies, s.leaves = slices.Delete(s.bodies, 300, 301), slices.Delete(s.leaves, 300, 301)
				return nil
			},
			kind: HashMismatch, seq: 300, detail: "sealed as entry 301",
		},
		"two rows swapped": {
			tamper: func(s *memStore) iter.Seq2[Entry, error] {
				s.bodies[300], s.bodies[310] = s.bodies[310], s.bodies[300]
				return nil
			},
			kind: HashMismatch, seq: 300, detail: "sealed as entry 310",
		},
		"two rows swapped with their leaf hashes": {
			tamper: func(s *memStore) iter.Seq2[Entry, error] {
				s.bodies[300], s.bodies[310] = s.bodies[310], s.bodies[300]
				s.leaves[300], s.leaves[310] = s.leaves[310], s.leaves[300]
				return nil
			},
			kind: HashMismatch, seq: 300, detail: "sealed as entry 310",
		},
		"row twice": {
			tamper: func(s *memStore) iter.Seq2[Entry, error] {
				return func(yield func(Entry, error) bool) {
					for e := range s.entries() {
						if !yield(e, nil) || e.Seq == 300 && !yield(e, nil) {
							return
						}
					}
				}
			},
			kind: MissingEntry, seq: 301,
		},
		"row added at the end": {
			tamper: func(s *memStore) iter.Seq2[Entry, error] {
				s.bodies, s.leaves = append(s.bodies, []byte("x")), append(s.leaves, LeafHash([]byte("x")))
				return nil
			},
			kind: RootMismatch, seq: logSize,
		},
		"tail cut off": {
			tamper: func(s *memStore) iter.Seq2[Entry, error] { s.bodies = s.bodies[:780]; return nil },
			kind:   Truncated, seq: 780,
		},
		"tail cut off at a tile": {
			tamper: func(s *memStore) iter.Seq2[Entry, error] { s.bodies = s.bodies[:768]; return nil },
			kind:   Truncated, seq: 768,
		},
		"all rows gone": {
			tamper: func(s *memStore) iter.Seq2[Entry, error] { s.bodies = nil; return nil },
			kind:   Truncated, seq: 0,
		},
		"head of another log": {
			tamper: func(s *memStore) iter.Seq2[Entry, error] {
				s.head = newStore(t, testBodies(logSize, "b")).head
				return nil
			},
			kind: RootMismatch, seq: -1,
		},
		"head zeroed": {
			tamper: func(s *memStore) iter.Seq2[Entry, error] { s.head = Frontier{}; return nil },
			kind:   RootMismatch, seq: 0,
		},
		"replaced by another log of the same size": {
			tamper:  func(s *memStore) iter.Seq2[Entry, error] { *s = *newStore(t, testBodies(logSize, "b")); return nil },
			outside: true, kind: RootMismatch, seq: -1, detail: `checkpoint of "hearsay/test"`,
		},
		"replaced by a longer log": {
			tamper:  func(s *memStore) iter.Seq2[Entry, error] { *s = *newStore(t, testBodies(2*logSize, "b")); return nil },
			outside: true, kind: RootMismatch, seq: -1,
		},
		"older copy restored": {
			tamper:  func(s *memStore) iter.Seq2[Entry, error] { *s = *newStore(t, testBodies(600, "a")); return nil },
			outside: true, kind: Truncated, seq: 600, detail: "older copy",
		},
		"emptied": {
			tamper:  func(s *memStore) iter.Seq2[Entry, error] { *s = *newStore(t, nil); return nil },
			outside: true, kind: Truncated, seq: 0,
		},
		"leaf tile gone": {
			tamper: func(s *memStore) iter.Seq2[Entry, error] { delete(s.tiles, tileID{0, 1}); return nil },
			kind:   StateMismatch, seq: -1, detail: "tile 0/1",
		},
		"tile above edited": {
			tamper: func(s *memStore) iter.Seq2[Entry, error] { s.tiles[tileID{1, 0}][2][0] ^= 1; return nil },
			kind:   StateMismatch, seq: -1, detail: "tile 1/0",
		},
		"tile gone and a later body edited": {
			tamper: func(s *memStore) iter.Seq2[Entry, error] {
				delete(s.tiles, tileID{0, 1})
				s.bodies[600] = []byte("x")
				return nil
			},
			kind: HashMismatch, seq: 600,
		},
		"tile gone and tail cut off": {
			tamper: func(s *memStore) iter.Seq2[Entry, error] {
				delete(s.tiles, tileID{0, 1})
				s.bodies = s.bodies[:780]
				return nil
			},
			kind: Truncated, seq: 780,
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := honest.clone()
			entries := test.tamper(s)
			if entries == nil {
				entries = s.entries()
			}
			want := Expectation{Head: s.head, Tile: s.Tile}
			if test.outside {
				want.Checkpoints = []Checkpoint{seen}
			}
			_, err := Verify(entries, want)
			f, ok := errors.AsType[*Fault](err)
			if !ok {
				t.Fatalf("Verify: %v, want a fault", err)
			}
			if f.Kind != test.kind || f.Seq != test.seq || !strings.Contains(f.Detail, test.detail) {
				t.Errorf("Verify: %v (seq %d)\nwant %s at %d, %q", f, f.Seq, test.kind, test.seq, test.detail)
			}
		})
	}
}

// edit changes an entry and the leaf hash beside it.
func (s *memStore) edit(seq int) {
	s.bodies[seq] = []byte("x")
	s.leaves[seq] = LeafHash(s.bodies[seq])
}

// A replaced log, or an older copy, is consistent with itself: without a checkpoint
// from elsewhere nothing is found, and the summary says that nothing confirmed it.
func TestVerifyInsideOnly(t *testing.T) {
	for name, s := range map[string]*memStore{
		"replaced":   newStore(t, testBodies(logSize, "b")),
		"older copy": newStore(t, testBodies(600, "a")),
	} {
		sum, err := Verify(s.entries(), Expectation{Head: s.head, Tile: s.Tile})
		if err != nil || sum.Checkpoints != 0 || sum.Confirmed != 0 {
			t.Errorf("%s: %+v, %v", name, sum, err)
		}
	}
}

// Any one row changed in any way is named exactly, wherever it stands.
func TestVerifyNamesEveryEntry(t *testing.T) {
	honest := newStore(t, testBodies(300, "a"))
	for seq := range 300 {
		s := honest.clone()
		s.bodies[seq] = append(slices.Clone(s.bodies[seq]), ' ')
		_, err := Verify(s.entries(), Expectation{Head: s.head, Tile: s.Tile})
		if f, ok := errors.AsType[*Fault](err); !ok || f.Kind != HashMismatch || f.Seq != int64(seq) {
			t.Errorf("entry %d edited: %v", seq, err)
		}
		_, err = Verify(without(honest.entries(), int64(seq)), Expectation{Head: honest.head, Tile: honest.Tile})
		want := MissingEntry
		if seq == 299 {
			want = Truncated
		}
		if f, ok := errors.AsType[*Fault](err); !ok || f.Kind != want || f.Seq != int64(seq) {
			t.Errorf("entry %d dropped: %v", seq, err)
		}
	}
}

func TestVerifyErrors(t *testing.T) {
	errDisk := errors.New("disk")
	s := newStore(t, testBodies(300, "a"))
	broken := func(yield func(Entry, error) bool) {
		for e := range s.entries() {
			if e.Seq == 7 {
				yield(Entry{}, errDisk)
				return
			}
			if !yield(e, nil) {
				return
			}
		}
	}
	sum, err := Verify(broken, Expectation{Head: s.head})
	if _, isFault := errors.AsType[*Fault](err); !errors.Is(err, errDisk) || isFault || sum.Size != 7 {
		t.Errorf("unreadable entry: %+v, %v", sum, err)
	}
	for level := range 2 {
		tile := func(l int, index int64) ([]Hash, error) {
			if l == level {
				return nil, errDisk
			}
			return s.Tile(l, index)
		}
		if _, err := Verify(s.entries(), Expectation{Head: s.head, Tile: tile}); !errors.Is(err, errDisk) {
			t.Errorf("unreadable tile at level %d: %v", level, err)
		}
	}
	if _, err := Verify(s.entries(), Expectation{Head: s.head, Checkpoints: []Checkpoint{{Size: -1}}}); !isFault(err, RootMismatch) {
		t.Errorf("checkpoint of a negative size: %v", err)
	}
	if _, err := Verify(s.entries(), Expectation{}); !isFault(err, RootMismatch) {
		t.Errorf("the zero expectation takes entries: %v", err)
	}
}

// A damaged tile does not hide a changed entry after it, and is reported if there is none.
func TestVerifyDamagedTile(t *testing.T) {
	s := newStore(t, testBodies(600, "a"))
	tile := func(level int, index int64) ([]Hash, error) {
		if level == 0 && index == 0 {
			return ParseTile(make([]byte, 33))
		}
		return s.Tile(level, index)
	}
	want := Expectation{Head: s.head, Tile: tile}
	if _, err := Verify(s.entries(), want); !isFault(err, StateMismatch) {
		t.Errorf("tile damaged: %v", err)
	}
	s.edit(500)
	_, err := Verify(s.entries(), want)
	if f, ok := errors.AsType[*Fault](err); !ok || f.Kind != HashMismatch || f.Seq != 500 {
		t.Errorf("tile damaged and entry 500 edited: %v", err)
	}
}

// What the tiles are for: without them an attacker who also rewrites the head stays
// unseen. What they cannot do: guard the tail.
func TestVerifyRewrittenHead(t *testing.T) {
	for _, test := range []struct {
		seq   int
		found bool
	}{{300, true}, {logSize - 1, false}} {
		s := newStore(t, testBodies(logSize, "a"))
		s.edit(test.seq)
		s.head = Frontier{}
		for _, leaf := range s.leaves {
			s.head.Append(leaf)
		}
		_, err := Verify(s.entries(), Expectation{Head: s.head, Tile: s.Tile})
		if isFault(err, HashMismatch) != test.found {
			t.Errorf("entry %d and the head rewritten: %v", test.seq, err)
		}
	}
}

func TestVerifyCheckpointAtTheEnd(t *testing.T) {
	s := newStore(t, testBodies(10, "a"))
	point := s.checkpoint(t, 10)
	point.Root[0] ^= 1
	if _, err := Verify(s.entries(), Expectation{Head: s.head, Checkpoints: []Checkpoint{point}}); !isFault(err, RootMismatch) {
		t.Errorf("Verify: %v", err)
	}
}

func TestFault(t *testing.T) {
	for want, f := range map[string]*Fault{
		"hash_mismatch at entry 0: why": {HashMismatch, 0, "why"},
		"missing_entry at entry 7: why": {MissingEntry, 7, "why"},
		"truncated at entry 9: why":     {Truncated, 9, "why"},
		"root_mismatch: why":            {RootMismatch, -1, "why"},
		"state_mismatch: why":           {StateMismatch, -1, "why"},
		"bad_signature: why":            {BadSignature, -1, "why"},
		"session_cleaner: why":          {SessionCleaner, -1, "why"},
	} {
		if got := f.Error(); got != want {
			t.Errorf("Error() = %q, want %q", got, want)
		}
	}
}

func TestVerifierErrorStays(t *testing.T) {
	s := newStore(t, testBodies(3, "a"))
	v := NewVerifier(Expectation{Head: s.head})
	first := v.Add(Entry{Seq: 1, Body: s.bodies[1]})
	if !isFault(first, MissingEntry) {
		t.Fatalf("Add: %v", first)
	}
	if err := v.Add(Entry{Seq: 0, Body: s.bodies[0]}); err != first {
		t.Errorf("Add after a fault: %v", err)
	}
	if sum, err := v.Finish(); err != first || sum.Size != 0 {
		t.Errorf("Finish after a fault: %+v, %v", sum, err)
	}
}
