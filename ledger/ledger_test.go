package ledger

import (
	"bytes"
	"crypto/ed25519"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"
)

// memStore keeps what the package doc says that a store keeps, and counts reads.
type memStore struct {
	bodies [][]byte
	leaves []Hash
	tiles  map[tileID][]Hash
	head   Frontier
	reads  int
}

func (s *memStore) Tile(level int, index int64) ([]Hash, error) {
	s.reads++
	return s.tiles[tileID{level, index}], nil
}

func (s *memStore) Leaves(from, to int64) ([]Hash, error) {
	s.reads++
	size := int64(len(s.leaves))
	return s.leaves[min(from, size):min(to, size)], nil
}

// commit appends entries as one transaction of a process that has just started, so
// that the Builder knows nothing but the head.
func (s *memStore) commit(t testing.TB, bodies ...[]byte) {
	t.Helper()
	b := NewBuilder(s.head, s)
	for _, body := range bodies {
		leaf := LeafHash(body)
		if err := b.Append(leaf); err != nil {
			t.Fatal(err)
		}
		s.bodies = append(s.bodies, body)
		s.leaves = append(s.leaves, leaf)
	}
	s.keep(b)
}

func (s *memStore) keep(b *Builder) {
	for _, tile := range b.TakeTiles() {
		s.tiles[tileID{tile.Level, tile.Index}] = tile.Hashes
	}
	s.head = b.Frontier()
}

// clone copies a store, so that a test can tamper with it.
func (s *memStore) clone() *memStore {
	c := &memStore{bodies: slices.Clone(s.bodies), leaves: slices.Clone(s.leaves), tiles: map[tileID][]Hash{}, head: s.head}
	for id, run := range s.tiles {
		c.tiles[id] = slices.Clone(run)
	}
	return c
}

func (s *memStore) checkpoint(t testing.TB, size int64) Checkpoint {
	t.Helper()
	root, err := tlog.TreeHash(size, NewReader(size, s))
	if err != nil {
		t.Fatal(err)
	}
	return Checkpoint{Origin: "hearsay/test", Size: size, Root: root}
}

func newStore(t testing.TB, bodies [][]byte) *memStore {
	t.Helper()
	s := &memStore{tiles: map[tileID][]Hash{}}
	s.commit(t, bodies...)
	return s
}

func testBodies(n int, tag string) [][]byte {
	bodies := make([][]byte, n)
	for i := range bodies {
		bodies[i] = fmt.Appendf(nil, `{"seq":%d,"log":%q}`, i, tag)
	}
	return bodies
}

// reference is the tree as tlog itself stores it: every complete node, in tlog's order.
type reference []Hash

func (r reference) ReadHashes(indexes []int64) ([]Hash, error) {
	hashes := make([]Hash, len(indexes))
	for i, x := range indexes {
		hashes[i] = r[x]
	}
	return hashes, nil
}

func newReference(t testing.TB, leaves []Hash) reference {
	t.Helper()
	var r reference
	for i, leaf := range leaves {
		hashes, err := tlog.StoredHashesForRecordHash(int64(i), leaf, r)
		if err != nil {
			t.Fatal(err)
		}
		r = append(r, hashes...)
	}
	return r
}

// numbered returns n distinct hashes that cost nothing to make.
func numbered(n int) []Hash {
	hashes := make([]Hash, n)
	for i := range hashes {
		copy(hashes[i][:], strconv.Itoa(i))
	}
	return hashes
}

func unhex(t testing.TB, s string) []byte {
	t.Helper()
	b, err := hex.DecodeString(s)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// signer returns a key pair made from a seed of one repeated byte.
func signer(t testing.TB, name string, seed byte) (note.Signer, note.Verifier) {
	t.Helper()
	private := ed25519.NewKeyFromSeed(bytes.Repeat([]byte{seed}, ed25519.SeedSize))
	vkey, err := note.NewEd25519VerifierKey(name, private.Public().(ed25519.PublicKey))
	if err != nil {
		t.Fatal(err)
	}
	id := strings.Split(vkey, "+")[1]
	encoded := base64.StdEncoding.EncodeToString(append([]byte{1}, private.Seed()...)) // 1 is Ed25519
	s, err := note.NewSigner("PRIVATE+KEY+" + name + "+" + id + "+" + encoded)
	if err != nil {
		t.Fatal(err)
	}
	v, err := note.NewVerifier(vkey)
	if err != nil {
		t.Fatal(err)
	}
	return s, v
}
