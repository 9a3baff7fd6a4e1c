package recall

import (
	"math/rand/v2"
	"testing"

	"github.com/hearsay-memory/hearsay"
)

// Whatever the names, kinds and forms are parsed whole or not at all.
func FuzzParseKind(f *testing.F) {
	for _, n := range append(kindNames, formNames...) {
		f.Add(n)
	}
	f.Add("Insight\x00")
	f.Fuzz(func(t *testing.T, s string) {
		if k, err := ParseKind(s); err == nil && k.String() != s || err != nil && k != Observation {
			t.Fatalf("%q: %v, %v", s, k, err)
		}
		if k, err := ParseForm(s); err == nil && k.String() != s || err != nil && k != Semantic {
			t.Fatalf("%q: %v, %v", s, k, err)
		}
	})
}

// Whatever a stranger fills in, the trusted results are the same and nothing panics.
func FuzzSelect(f *testing.F) {
	f.Add(uint64(1), "a", "facts", .5, .5, .5, uint8(1), uint8(2), int64(0))
	f.Add(uint64(2), "\xff", "", -1., 2., 1e300, uint8(99), uint8(99), int64(-1<<62))
	f.Fuzz(func(t *testing.T, seed uint64, tag, segment string, strength, weight, relevance float64, kind, form uint8, days int64) {
		r := rand.New(rand.NewPCG(seed, 0))
		n := r.IntN(12)
		memories := make([]Memory, n)
		for i := range memories {
			memories[i] = randMemory(r, i, n, trustedLabel(r))
		}
		found, ties, q := candidates(r, memories), randTies(r, n+1), randQuery(r)
		clean, err := Select(q, found, nil, NewGraph(&table, "ana", memories, ties, q.At))
		if err != nil {
			t.Fatal(err)
		}
		planted, rest := hostile(r, 8, n)
		for i := range planted {
			m := &planted[i]
			m.Tags = append(m.Tags, tag)
			m.Namespace = append(hearsay.Namespace{"facts"}, segment)
			m.Strength, m.Weight, m.Kind, m.Form = strength, weight, Kind(kind), Form(form)
			m.Written = day0.AddDate(0, 0, int(days%1e6))
			rest[i] = Candidate{*m, relevance}
		}
		got, err := Select(q, found, rest, NewGraph(&table, "ana", append(planted, memories...), ties, q.At))
		if err != nil {
			t.Fatal(err)
		}
		if want, have := trustedOf(clean), trustedOf(got); want != have {
			t.Fatalf("without:\n%s\nwith:\n%s", want, have)
		}
		checkAnswer(t, q, got)
	})
}
