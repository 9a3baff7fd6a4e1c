package ledger

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"testing"

	"golang.org/x/mod/sumdb/tlog"
)

func TestLeafHash(t *testing.T) {
	// SHA-256 of the single byte 0x00: the leaf of the empty entry.
	const empty = "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d"
	if got := LeafHash(nil); hex.EncodeToString(got[:]) != empty {
		t.Errorf("LeafHash of nothing = %x, want %s", got, empty)
	}
	for _, n := range []int{0, 1, 300, smallEntry - 1, smallEntry, smallEntry + 1, 5000} {
		entry := bytes.Repeat([]byte{0xa5}, n)
		if got, want := LeafHash(entry), tlog.RecordHash(entry); got != want {
			t.Errorf("%d bytes: LeafHash = %v, want %v", n, got, want)
		}
	}
}

// The leaves and roots that Certificate Transparency implementations share as test
// vectors of RFC 6962: root i is over the first i+1 leaves.
func TestRootVectors(t *testing.T) {
	leaves := []string{"", "00", "10", "2021", "3031", "40414243", "5051525354555657", "606162636465666768696a6b6c6d6e6f"}
	roots := []string{
		"6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
		"fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
		"aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
		"d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
		"4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
		"76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
		"ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
		"5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
	}
	var f Frontier
	for i, leaf := range leaves {
		f.Append(LeafHash(unhex(t, leaf)))
		if got := f.Root(); hex.EncodeToString(got[:]) != roots[i] {
			t.Errorf("root of %d = %x, want %s", i+1, got, roots[i])
		}
	}
}

func TestRootIsTreeHash(t *testing.T) {
	leaves := numbered(1100)
	ref := newReference(t, leaves)
	var f Frontier
	if f.Root() != sha256.Sum256(nil) {
		t.Errorf("root of the empty tree = %v", f.Root())
	}
	for n, leaf := range leaves {
		f.Append(leaf)
		want, err := tlog.TreeHash(int64(n+1), ref)
		if err != nil {
			t.Fatal(err)
		}
		if got := f.Root(); got != want || f.Size() != int64(n+1) {
			t.Fatalf("after %d leaves: root %v, size %d; want %v", n+1, got, f.Size(), want)
		}
	}
}

func TestFrontierIsAValue(t *testing.T) {
	var a Frontier
	for _, leaf := range numbered(7) {
		a.Append(leaf)
	}
	b, before := a, a.Root()
	b.Append(Hash{1})
	if a.Root() != before {
		t.Error("appending to a copy changed the original")
	}
	a.Append(Hash{1})
	if a != b {
		t.Error("frontiers over the same leaves are not equal")
	}
	a.Append(Hash{2})
	b.Append(Hash{3})
	if a == b {
		t.Error("frontiers over different leaves are equal")
	}
}

func TestFrontierFull(t *testing.T) {
	f := Frontier{size: MaxSize}
	if err := NewBuilder(f, nil).Append(Hash{}); !errors.Is(err, ErrFull) {
		t.Errorf("Builder.Append to a full log: %v", err)
	}
	defer func() {
		if recover() == nil {
			t.Error("Append to a full frontier did not panic")
		}
	}()
	f.Append(Hash{})
}

func TestFrontierBinary(t *testing.T) {
	var f Frontier
	for n := range 300 {
		data, err := f.MarshalBinary()
		if err != nil {
			t.Fatal(err)
		}
		var g Frontier
		if err := g.UnmarshalBinary(data); err != nil {
			t.Fatalf("%d leaves: %v", n, err)
		}
		if f != g {
			t.Fatalf("%d leaves: decoded frontier differs", n)
		}
		f.Append(Hash{byte(n), byte(n >> 8)})
	}
}

func TestFrontierGolden(t *testing.T) {
	var f Frontier
	for _, leaf := range []string{"", "00", "10"} {
		f.Append(LeafHash(unhex(t, leaf)))
	}
	const want = "0000000000000003" + // three entries, so two subtrees
		"fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125" + // entries 0 and 1
		"0298d122906dcfc10892cb53a73992fc5b9f493ea4c9badb27b791b4127a7fe7" // entry 2: SHA-256(00 10)
	data, _ := f.MarshalBinary()
	if got := hex.EncodeToString(data); got != want {
		t.Errorf("encoded frontier\n got %s\nwant %s", got, want)
	}
}

func TestFrontierRejects(t *testing.T) {
	sized := func(size string, hashes int) []byte {
		return append(unhex(t, size), make([]byte, hashes*32)...)
	}
	for name, data := range map[string][]byte{
		"nothing":           nil,
		"short size":        unhex(t, "00000000000000"),
		"hash too few":      sized("0000000000000003", 1),
		"hash too many":     sized("0000000000000003", 3),
		"hash for nothing":  sized("0000000000000000", 1),
		"half a hash":       sized("0000000000000001", 1)[:24],
		"one byte more":     append(sized("0000000000000001", 1), 0),
		"too large":         sized("0000010000000001", 2),
		"negative as int64": sized("8000000000000000", 1),
	} {
		f := Frontier{size: 1, nodes: [maxLevel + 1]Hash{{9}}}
		before := f
		if err := f.UnmarshalBinary(data); err == nil {
			t.Errorf("%s: accepted", name)
		}
		if f != before {
			t.Errorf("%s: an error changed the frontier", name)
		}
	}
	var f Frontier
	if err := f.UnmarshalBinary(sized("0000010000000000", 1)); err != nil || f.Size() != MaxSize {
		t.Errorf("the largest frontier: %v, size %d", err, f.Size())
	}
}

func FuzzFrontier(f *testing.F) {
	var seed Frontier
	for n := range 4 {
		data, _ := seed.MarshalBinary()
		f.Add(data)
		seed.Append(Hash{byte(n)})
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var g Frontier
		if g.UnmarshalBinary(data) != nil {
			return
		}
		again, err := g.MarshalBinary()
		if err != nil || !bytes.Equal(again, data) {
			t.Fatalf("%x decodes and encodes as %x, %v", data, again, err)
		}
		g.Root()
	})
}
