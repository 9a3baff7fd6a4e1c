package memory

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/hearsay-memory/hearsay/recall"
)

func randomVector(t testing.TB, r *rand.Rand, dim int) []float32 {
	v := make([]float32, dim)
	for i := range v {
		v[i] = float32(r.NormFloat64())
	}
	if err := recall.Normalize(v); err != nil {
		t.Fatal(err)
	}
	return v
}

// What is found in blocks, by several processors and among some docs alone, is what one pass
// over one flat matrix of the same rows finds.
func TestNearestInBlocks(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	const dim = 3
	for _, n := range []int{0, 1, blockRows - 1, blockRows, 2*blockRows + 7} {
		m := &matrix{dim: dim, at: make(map[int64]int)}
		now := make(map[int64][]float32)
		for i := range n {
			doc := int64(i)
			if r.IntN(10) == 0 {
				doc = r.Int64N(int64(i + 1)) // another vector in the place of one
			}
			v := randomVector(t, r, dim)
			if r.IntN(10) == 0 {
				v = nil // gone
				delete(now, doc)
			} else {
				now[doc] = v
			}
			m.set(doc, v)
		}
		some := make(map[int64]bool)
		for doc := range now {
			if r.IntN(3) == 0 {
				some[doc] = true
			}
		}
		for _, only := range []map[int64]bool{nil, some, {}} {
			query := randomVector(t, r, dim)
			var flat []float32
			var docs []int64
			for row, doc := range m.docs {
				if m.at[doc] == row && now[doc] != nil && (only == nil || only[doc]) {
					flat, docs = append(flat, now[doc]...), append(docs, doc)
				}
			}
			want, err := recall.Nearest(nil, flat, query, 20)
			if err != nil {
				t.Fatal(err)
			}
			got, err := m.nearest(query, 20, only)
			if err != nil {
				t.Fatal(err)
			}
			if !slices.EqualFunc(got, want, func(a, b recall.Neighbour) bool { return m.docs[a.Row] == docs[b.Row] && a.Cosine == b.Cosine }) {
				t.Errorf("%d rows, among %d: %v, want %v", n, len(only), got, want)
			}
		}
	}
}

// 100,000 vectors of 384 numbers.
func BenchmarkVectors(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 2))
	const rows, dim = 100_000, 384
	m := &matrix{dim: dim, at: make(map[int64]int)}
	for doc := range int64(rows) {
		m.set(doc, randomVector(b, r, dim))
	}
	third := make(map[int64]bool)
	for doc := int64(0); doc < rows; doc += 3 {
		third[doc] = true
	}
	query := randomVector(b, r, dim)
	for _, only := range []map[int64]bool{nil, third} {
		b.Run(fmt.Sprintf("among %d", len(only)), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if got, err := m.nearest(query, 64, only); err != nil || len(got) != 64 {
					b.Fatal(len(got), err)
				}
			}
		})
	}
}

// The first recall by vectors of a process puts all of them side by side.
func BenchmarkMatrixOf(b *testing.B) {
	const rows, dim = 100_000, 384
	v := randomVector(b, rand.New(rand.NewPCG(1, 2)), dim)
	b.ReportAllocs()
	for b.Loop() {
		m := &matrix{dim: dim, at: make(map[int64]int)}
		for doc := range int64(rows) {
			m.set(doc, v)
		}
	}
}
