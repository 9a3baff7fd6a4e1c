package memfile_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/hearsay-memory/hearsay/internal/memfile"
)

func TestPlace(t *testing.T) {
	for _, c := range []struct {
		place     memfile.Place
		text, old string
		at, n     int
	}{
		{"", "abab", "ab", 0, 2},
		{memfile.AtLines, "a\nb\na\n", "a\n", 0, 2},
		{memfile.AtLines, "xa\nb\na\n", "a\n", 5, 1},
		{memfile.AtLines, "a\na\na\n", "a\na\n", 0, 2}, // they overlap
		{memfile.AtLines, "ab\n", "a", -1, 0},
		{memfile.AtLines, "b\na", "a", 2, 1},
		{memfile.AtHead, "a\nb\n", "a\n", 0, 1},
		{memfile.AtHead, "b\na\n", "a\n", -1, 0},
		{memfile.AtHead, "ab\n", "a", -1, 0},
		{memfile.AtTail, "a\nb\n", "b\n", 2, 1},
		{memfile.AtTail, "a\nxb\n", "b\n", -1, 0},
		{memfile.AtTail, "a\nb\nc\n", "b\n", -1, 0},
		{"elsewhere", "a\n", "a\n", -1, 0}, // of a later version: none that we know
	} {
		if at, n := c.place.Find(c.text, c.old); at != c.at || n != c.n {
			t.Errorf("%s %q in %q: %d, %d; want %d, %d", c.place, c.old, c.text, at, n, c.at, c.n)
		}
	}
}

// An insertion puts its lines behind the line that was meant, changes nothing else, and
// can be made on the file that it was made for, whatever the file's lines are.
func TestInsertion(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 20_000 {
		var lines []string
		for range r.IntN(12) {
			lines = append(lines, strings.Repeat("a", r.IntN(3))+[]string{"\n", "\r\n"}[r.IntN(2)])
		}
		if len(lines) > 0 && r.IntN(3) == 0 && lines[len(lines)-1] != "\n" {
			lines[len(lines)-1] = strings.TrimRight(lines[len(lines)-1], "\r\n")
			if lines[len(lines)-1] == "" {
				lines = lines[:len(lines)-1]
			}
		}
		data := strings.Join(lines, "")
		n := r.IntN(len(lines) + 1)
		want := slices.Clone(lines)
		if n > 0 && !strings.HasSuffix(want[n-1], "\n") {
			want[n-1] += "\n"
		}
		want = slices.Insert(want, n, "NEW\n")
		call := memfile.Call{Edits: []memfile.Edit{memfile.Insertion("m.md", []byte(data), n, "NEW\n")}, Base: map[string]string{"m.md": memfile.Sum([]byte(data))}}
		images, err := call.Replay(func(string) ([]byte, error) { return []byte(data), nil })
		if err != nil || string(images[0].After) != strings.Join(want, "") {
			t.Fatalf("%q after line %d: %+v, %v; want %q", data, n, images, err, strings.Join(want, ""))
		}
	}
}

// A file of equal lines costs no more than its length times the lines around that are
// tried.
func BenchmarkInsertionEqualLines(b *testing.B) {
	data := []byte(strings.Repeat("a\n", 1<<19))
	b.SetBytes(int64(len(data)))
	for b.Loop() {
		memfile.Insertion("m.md", data, 1<<18, "NEW\n")
	}
}
