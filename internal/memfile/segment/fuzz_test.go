package segment

import (
	"bytes"
	"testing"

	"github.com/hearsay-memory/hearsay"
)

// FuzzUnmarshalBinary reads any bytes. What is read encodes to the same bytes and can be used.
func FuzzUnmarshalBinary(f *testing.F) {
	for seed := range uint64(8) {
		file, _ := sample(f, seed)
		b, err := file.MarshalBinary()
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		var g File
		if g.UnmarshalBinary(b) != nil {
			if g.Lines() != 0 || g.Fits(nil) == nil {
				t.Fatal("an error leaves something")
			}
			return
		}
		again, err := g.MarshalBinary()
		if err != nil || !bytes.Equal(again, b) {
			t.Fatalf("%x encodes to %x: %v", b, again, err)
		}
		n := 0
		for r, o := range g.All() {
			if r.From != n || r.Len() < 1 || o != g.At(r.From) {
				t.Fatal("runs do not follow each other")
			}
			n = r.To
		}
		if n != g.Lines() || !g.Label().Below(hearsay.LabelIdentity) {
			t.Fatal("lines are not covered")
		}
	})
}

// FuzzApply changes any text into any other, by the web, and back by the user.
func FuzzApply(f *testing.F) {
	f.Add("# a\nrule one two\n", "rule one two\n# a\r\nnew\n")
	f.Add("---\nmodified: 2026-11-30\n---\nx", bom+"---\nname: y\nmodified: 2026-11-29T00:00:00Z\n---\n")
	f.Add("a b c d e\nf g\n\n\n", "a b\nc d e f g")
	f.Add("x\nx\ny\nx\n", "y\nx\nx\nx\nx\n")
	f.Fuzz(func(t *testing.T, a, b string) {
		one := New([]byte(a), ana)
		two, changes, err := one.Apply([]byte(a), []byte(b), web)
		if err != nil || two.Fits([]byte(b)) != nil {
			t.Fatal(err)
		}
		for _, c := range changes {
			if c.Kind == None || c.Before.Len() < 0 || c.After.Len() < 0 || c.Before.From < 0 || c.After.From < 0 ||
				c.Before.To > one.Lines() || c.After.To > two.Lines() {
				t.Fatalf("%+v", c)
			}
		}
		sameAsWhole(t, one, []byte(a), []byte(b), web)
		sameAsWhole(t, two, []byte(b), []byte(a), unseen)
		before := supply(one, a, ana.Label)
		for line, n := range supply(two, b, ana.Label) {
			if n > before[line] && !isStamp(line) {
				t.Fatalf("%q: %d lines of the user, of %d", line, n, before[line])
			}
		}
		three, _, err := two.Drift([]byte(b), []byte(a), unseen)
		if err != nil || three.Fits([]byte(a)) != nil {
			t.Fatal(err)
		}
		if r, _ := Inverse([]byte(a), []byte(b), func(Change) bool { return true }); string(r) != b {
			t.Fatalf("keeping all: %q", r)
		}
		if r, _ := Inverse([]byte(a), []byte(b), func(Change) bool { return false }); string(r) != a && frontOf([]byte(a)).stamp < 0 && frontOf([]byte(b)).stamp < 0 {
			t.Fatalf("keeping none: %q", r)
		}
	})
}
