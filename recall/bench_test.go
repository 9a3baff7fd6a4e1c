package recall

import (
	"fmt"
	"testing"

	"github.com/hearsay-memory/hearsay"
)

// manyMemories returns n trusted memories whose tags are spread as in a real store:
// few tags that half of them have, and many that few have.
func manyMemories(n int) []Memory {
	r := newRand()
	out := make([]Memory, n)
	for i := range out {
		m := randMemory(r, i, n, trustedLabel(r))
		m.Supersedes, m.Tags = nil, []string{"project"}
		if i%2 == 0 {
			m.Tags = append(m.Tags, "work")
		}
		for range 2 + r.IntN(3) {
			m.Tags = append(m.Tags, fmt.Sprint("t", int(float64(n/20)*r.Float64()*r.Float64())))
		}
		out[i] = m
	}
	return out
}

func benchCandidates(memories []Memory, n int) []Candidate {
	out := make([]Candidate, n)
	for i := range out {
		out[i] = Candidate{memories[i*(len(memories)/n)], 1 - float64(i)/float64(n)}
	}
	return out
}

// 1,000 candidates of the trusted and 100 of the rest, ranked and chosen.
func BenchmarkSelect(b *testing.B) {
	memories := manyMemories(1000)
	found := benchCandidates(memories, 1000)
	planted := clique(100, external, "project", "work")
	rest := benchCandidates(planted, 100)
	all := append(planted, memories...)
	q := asked(10, 2)
	q.Context = Context{Project: "shop", Tags: []string{"work", "t1"}}
	g := NewGraph(&table, "ana", all, nil, day0)
	b.ReportAllocs()
	for _, c := range []struct {
		name string
		g    *Graph
		rest []Candidate
	}{{"bare", nil, nil}, {"spreading", g, nil}, {"spreading and the rest", g, rest}} {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := Select(q, found, c.rest, c.g); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// The graph of the candidates and what is around them, made for one answer.
func BenchmarkNewGraph(b *testing.B) {
	for _, n := range []int{1000, 100_000} {
		memories := manyMemories(n)
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				NewGraph(&table, "ana", memories, nil, day0)
			}
		})
	}
	planted := clique(10_000, external, "a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l")
	b.Run("clique of 10000 with 12 tags", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			NewGraph(&table, "ana", planted, nil, day0)
		}
	})
}

// Spreading from 200 candidates over 100,000 memories, half of which share two tags.
func BenchmarkSpread(b *testing.B) {
	memories := manyMemories(100_000)
	planted := clique(10_000, external, "project", "work", "t1", "t2", "t3", "t4", "t5", "t6")
	found := benchCandidates(memories, 200)
	for _, c := range []struct {
		name string
		all  []Memory
	}{{"trusted", memories}, {"trusted, beside a clique of 10000", append(planted, memories...)}} {
		g := NewGraph(&table, "ana", c.all, nil, day0)
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				g.spread(hits(found), nil, g.trusted)
			}
		})
		b.Run(c.name+", all of it", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				g.spread(hits(found), nil, len(g.nodes))
			}
		})
		b.Run(c.name+", within a namespace", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				g.spread(hits(found), hearsay.Namespace{"facts"}, len(g.nodes))
			}
		})
	}
}

// 100,000 vectors of 384 numbers, on one processor.
func BenchmarkNearest(b *testing.B) {
	const rows, d = 100_000, 384
	r := newRand()
	matrix := make([]float32, 0, rows*d)
	for range rows {
		matrix = append(matrix, randVector(r, d)...)
	}
	query := randVector(r, d)
	dst := make([]Neighbour, 0, 200)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Nearest(dst, matrix, query, 200); err != nil {
			b.Fatal(err)
		}
	}
}
