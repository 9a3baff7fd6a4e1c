package segment

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hearsay-memory/hearsay"
)

func sample(t testing.TB, seed uint64) (File, string) {
	t.Helper()
	e := &editor{r: rand.New(rand.NewPCG(seed, 12))}
	f, have := New(nil, Owner{}), truth{}
	for range 10 {
		by := writers[e.r.IntN(len(writers))]
		want := e.write(have, by)
		g, _, err := f.Apply([]byte(have.String()), []byte(want.String()), by)
		if err != nil {
			t.Fatal(err)
		}
		f, have = g, want
	}
	return f, have.String()
}

func TestStoredForm(t *testing.T) {
	for seed := range uint64(300) {
		f, text := sample(t, seed)
		b, err := f.MarshalBinary()
		if err != nil {
			t.Fatal(err)
		}
		var g File
		if err := g.UnmarshalBinary(b); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if g.Fits([]byte(text)) != nil || show(f) != show(g) || !slices.Equal(f.ghosts.list, g.ghosts.list) {
			t.Fatalf("seed %d: read back another", seed)
		}
		for i := range b {
			if g.UnmarshalBinary(b[:i]) == nil {
				t.Fatalf("seed %d: read from %d of %d bytes", seed, i, len(b))
			}
		}
		if g.UnmarshalBinary(append(bytes.Clone(b), 0)) == nil || g.Lines() != 0 || g.At(0) != (Owner{}) {
			t.Fatal("read with a byte too many")
		}
	}
}

// The bytes of version 1 do not change.
func TestStoredFormVersion1(t *testing.T) {
	f, _ := play(t, step{by: ana, text: "---\na: b\n---\none rule\n"}, step{by: web, text: "---\na: b\n---\none rule\nother words\n"},
		step{by: agent, text: "---\na: b\n---\none rule\nlast\n"})
	b, err := f.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	want := "6873676d01" + fmt.Sprintf("%x", f.Digest()) +
		"03" + // lines of front matter
		"03" + "0500" + "0300" + "00" + "01" + "03" + "776562" + // labels: user, agent, external (web)
		"02" + "00000000000171008000000000000000" + "00" + "00000000000272008000000000000000" + "01" + // owners
		"03" + "0300" + "0100" + "0102" + // runs: 3 lines and 1 of the first, 1 of the second
		"20" + "01" + "8ceae1cd06" + "02" // ghosts: of 32 bits; one, external (web)
	if d := cmp.Diff(want, fmt.Sprintf("%x", b)); d != "" {
		t.Error(d)
	}
}

func TestStoredFormIsStrict(t *testing.T) {
	f, _ := sample(t, 3)
	good, err := f.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	head := good[:len(magic)+32]
	form := func(parts ...any) []byte {
		out := bytes.Clone(head)
		for _, p := range parts {
			switch p := p.(type) {
			case int:
				out = binary.AppendUvarint(out, uint64(p))
			case string:
				out = append(out, p...)
			}
		}
		return out
	}
	id := string(make([]byte, 16))
	v7 := hearsay.NewRecordID(1, [10]byte{1})
	var g File
	if err := g.UnmarshalBinary(form(0, 1, "\x05\x00", 1, string(v7[:]), 0, 1, 4, 0, 0, 0)); err != nil {
		t.Fatal(err)
	}
	for name, b := range map[string][]byte{
		"empty":                {},
		"no magic":             append([]byte("hsgm\x02"), good[len(magic):]...),
		"front past the end":   form(2, 1, "\x05\x00", 1, id, 0, 1, 1, 0, 0, 0),
		"runs not joined":      form(0, 1, "\x05\x00", 1, id, 0, 2, 1, 0, 1, 0, 0, 0),
		"a run of no lines":    form(0, 1, "\x05\x00", 1, id, 0, 1, 0, 0, 0, 0),
		"an unused label":      form(0, 2, "\x05\x00\x04\x00", 1, id, 0, 1, 1, 0, 0, 0),
		"labels out of order":  form(0, 2, "\x05\x00\x04\x00", 2, id, 1, id, 0, 2, 1, 0, 1, 2, 0, 0),
		"an unknown owner":     form(0, 1, "\x05\x00", 1, id, 0, 1, 1, 2, 0, 0),
		"an unknown label":     form(0, 1, "\x05\x00", 1, id, 1, 1, 1, 0, 0, 0),
		"an origin of 6":       form(0, 1, "\x06\x00", 1, id, 0, 1, 1, 0, 0, 0),
		"tags not sorted":      form(0, 1, "\x05\x02\x01b\x01a", 1, id, 0, 1, 1, 0, 0, 0),
		"a malformed tag":      form(0, 1, "\x05\x01\x01 ", 1, id, 0, 1, 1, 0, 0, 0),
		"a record of no kind":  form(0, 1, "\x05\x00", 1, "x"+id[1:], 0, 1, 1, 0, 0, 0),
		"too many runs":        form(0, 1, "\x05\x00", 1, id, 0, 1<<30, 1, 0, 0, 0),
		"too many lines":       form(0, 1, "\x05\x00", 1, id, 0, 1, 1<<40, 0, 0, 0),
		"a long varint":        form(0, 1, "\x05\x00", 1, id, 0, 1, "\x81\x00", 0, 0, 0),
		"ghosts of 33 bits":    form(0, 1, "\x05\x00", 1, id, 0, 1, 1, 0, 33, 1, 1, 0),
		"ghosts beyond bits":   form(0, 1, "\x05\x00", 1, id, 0, 1, 1, 0, 3, 1, 8, 0),
		"ghosts not ascending": form(0, 1, "\x05\x00", 1, id, 0, 1, 1, 0, 3, 2, 1, 0, 0, 0),
		"bits without ghosts":  form(0, 1, "\x05\x00", 1, id, 0, 1, 1, 0, 3, 0),
	} {
		if err := g.UnmarshalBinary(b); err == nil || g.Lines() != 0 {
			t.Errorf("%s is read", name)
		}
	}
	if _, err := New([]byte("a"), Owner{Record: hearsay.RecordID{1}}).MarshalBinary(); err == nil {
		t.Error("a record of no kind is written")
	}
}

// Too many vanished lines are known less exactly, never forgotten.
func TestGhostsCoarsen(t *testing.T) {
	var g ghosts
	for i := range uint64(3) {
		gone := map[uint64]hearsay.Label{}
		for n := range uint64(maxGhosts) {
			gone[(i<<40+n)*0x9E3779B97F4A7C15] = writers[1+n%5].Label
		}
		g = g.with(gone)
		if len(g.list) > maxGhosts || g.bits > 32 {
			t.Fatal(len(g.list), g.bits)
		}
		for print, l := range gone {
			if !g.find(print).Below(l) {
				t.Fatal("a ghost is forgotten")
			}
		}
	}
	if g.bits < 10 {
		t.Error(g.bits)
	}
}
