package recall

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/hearsay-memory/hearsay"
)

// trustedOf returns the trusted results as bytes.
func trustedOf(a Answer) string {
	var s strings.Builder
	for _, r := range a.Results {
		if r.Trusted {
			fmt.Fprintf(&s, "%#v\n", r)
		}
	}
	return s.String()
}

// hostile returns memories and candidates as a stranger might plant them: with
// anything in any field that is theirs to fill.
func hostile(r *rand.Rand, n, trusted int) ([]Memory, []Candidate) {
	memories := make([]Memory, n)
	rest := make([]Candidate, n)
	for i := range memories {
		m := randMemory(r, trusted+i, trusted+n, untrustedLabel(r))
		switch r.IntN(12) {
		case 0:
			m.ID = id(r.IntN(trusted + 1)) // of a trusted memory
		case 1:
			m.Supersedes = randIDs(r, 8, trusted+1, m.ID)
			m.Written = day(1e4)
		case 2:
			m.Links = randIDs(r, MaxLinks, trusted+1, m.ID)
		case 3:
			m.Strength, m.Salience = math.NaN(), math.Inf(1)
		case 4:
			m.Kind, m.Form = 99, 99
		case 5:
			m.Tags = []string{"a", "b", "c", "d", "e", "f"}
		case 6:
			m.Standing = hearsay.Standing(r.IntN(7))
		case 7:
			m.Principal = "ben"
		}
		memories[i] = m
		rest[i] = Candidate{m, r.Float64()}
		if r.IntN(8) == 0 {
			rest[i].Relevance = []float64{math.NaN(), math.Inf(1), -1, 1, 2}[r.IntN(5)]
		}
	}
	return memories, rest
}

// randQuery asks for anything.
func randQuery(r *rand.Rand) Query {
	q := asked(r.IntN(12), r.IntN(6))
	q.At = day(r.Float64() * 30)
	if r.IntN(3) == 0 {
		q.Within = hearsay.Namespace{"facts"}
	}
	if r.IntN(2) == 0 {
		q.Context = Context{Project: "shop", Namespace: hearsay.Namespace{"facts", "a"}, Tags: []string{"a", "b", "a"}}
	}
	return q
}

// The trusted results, their order and every number of them are the same, byte for
// byte, with and without any untrusted memories, also within a budget.
func TestSelectionIntegrity(t *testing.T) {
	r := newRand()
	for range rounds / 2 {
		n := r.IntN(25)
		memories := make([]Memory, n)
		for i := range memories {
			memories[i] = randMemory(r, i, n, trustedLabel(r))
		}
		found, ties, q := candidates(r, memories), randTies(r, n+1), randQuery(r)
		clean, err := Select(q, found, nil, NewGraph(&table, "ana", memories, ties, q.At))
		if err != nil {
			t.Fatal(err)
		}
		planted, rest := hostile(r, r.IntN(40), n)
		for range r.IntN(20) { // no tie of theirs counts, wherever it goes
			ties = append(ties, Tie{id(r.IntN(n + 1)), id(n + r.IntN(len(planted)+1)), 1, q.At})
		}
		all := append(planted, memories...)
		got, err := Select(q, found, rest, NewGraph(&table, "ana", all, ties, q.At))
		if err != nil {
			t.Fatal(err)
		}
		if want, have := trustedOf(clean), trustedOf(got); want != have {
			t.Fatalf("without:\n%s\nwith:\n%s", want, have)
		}
		budget, size := r.IntN(900), func(x *Result) int { return int(x.Memory.ID[15]) * 7 }
		if want, have := trustedOf(clean.Cut(budget, size)), trustedOf(got.Cut(budget, size)); want != have {
			t.Fatalf("within %d, without:\n%s\nwith:\n%s", budget, want, have)
		}
		checkAnswer(t, q, got)
	}
}

// checkAnswer tests what holds of every answer.
func checkAnswer(t *testing.T, q Query, a Answer) {
	t.Helper()
	trusted, others, strangers := 0, 0, 0
	seen := make(map[hearsay.RecordID]bool)
	for i, x := range a.Results {
		m := &x.Memory
		if seen[m.ID] || m.Principal != q.Principal || !m.Standing.Visible() || m.Check() != nil || !m.Namespace.HasPrefix(q.Within) {
			t.Fatalf("a result that must not be: %+v", x)
		}
		seen[m.ID] = true
		if !inUnit(x.Score) || x.Score != Score(x.Terms)*x.OriginFactor*x.RuleWeight {
			t.Fatalf("score %v of %+v", x.Score, x)
		}
		if x.Trusted != m.Label.Trusted() {
			t.Fatalf("%v is trusted: %v", m.Label, x.Trusted)
		}
		if x.Trusted {
			trusted++
			continue
		}
		if voice(m.Label) == hearsay.External {
			strangers++
		} else {
			others++
		}
		for _, below := range a.Results[i+1:] {
			if below.Trusted && !x.outranks(&below) {
				t.Fatalf("%+v stands above %+v", x, below)
			}
		}
	}
	if trusted > q.K || others > q.K || strangers > q.MaxUntrusted {
		t.Fatalf("%d trusted, %d other and %d external results, at most %d, %d and %d", trusted, others, strangers, q.K, q.K, q.MaxUntrusted)
	}
}

// Ten thousand strangers that share every tag with what is asked, link to it and to
// each other, change nothing.
func TestCliqueOfTenThousand(t *testing.T) {
	r := newRand()
	tags := []string{"a", "b", "c", "d", "e", "f"}
	var memories []Memory
	for i := range 50 {
		m := randMemory(r, i, 50, trustedLabel(r))
		m.Tags, m.Supersedes = tags[:2+r.IntN(5)], nil
		memories = append(memories, m)
	}
	found := candidates(r, memories)
	q := asked(10, 2)
	q.Context = Context{Tags: tags}
	clean, err := Select(q, found, nil, NewGraph(&table, "ana", memories, nil, q.At))
	if err != nil {
		t.Fatal(err)
	}
	planted := clique(10_000, external, tags...)
	rest := make([]Candidate, len(planted))
	for i := range planted {
		m := &planted[i]
		for j := range MaxLinks {
			m.Links = append(m.Links, [...]hearsay.RecordID{id(j), id(1_000_000 + (i+j+1)%len(planted))}[j%2])
		}
		m.Supersedes = m.Links
		m.Salience, m.Pinned, m.Stable = 1, true, true
		rest[i] = Candidate{*m, 1}
	}
	got, err := Select(q, found, rest, NewGraph(&table, "ana", append(planted, memories...), nil, q.At))
	if err != nil {
		t.Fatal(err)
	}
	if want, have := trustedOf(clean), trustedOf(got); want != have {
		t.Errorf("without:\n%s\nwith:\n%s", want, have)
	}
	if n := got.Count(OverCap) + got.Count(Superseded); n != len(rest)-2 {
		t.Errorf("%d are announced as left out, want %d", n, len(rest)-2)
	}
	checkAnswer(t, q, got)
}

// Thirty days of an agent, with and without poison that is planted, dripped and
// recalled: the trusted results of every day are the same, though what was recalled
// is used and tied, and no poison ever stands above the user's memory of the same
// relevance.
func TestThirtyDays(t *testing.T) {
	r := newRand()
	for range 20 {
		clean, bent := newLife(r), newLife(nil)
		bent.memories = slices.Clone(clean.memories)
		var planted []Memory
		for d := range 30 {
			at := day(float64(d))
			for range r.IntN(4) {
				m := randMemory(r, 1000+len(planted), 1000, untrustedLabel(r))
				m.Written, m.Salience, m.Strength, m.Supersedes = at, 1, 1, nil
				m.Tags = []string{"a", "b", "c", "d"}
				m.Standing, m.Namespace = hearsay.Allowed, nil
				planted = append(planted, m)
			}
			for range 3 {
				q := asked(5, 3)
				q.At, q.Context = at, Context{Tags: []string{"a", "b"}}
				relevance := make([]float64, len(clean.memories))
				for i := range relevance {
					relevance[i] = r.Float64()
				}
				relevance[r.IntN(len(relevance))] = 1 // the best of an index has 1
				var rest []Candidate
				for _, m := range planted {
					rest = append(rest, Candidate{m, 1})
				}
				want := clean.ask(t, q, relevance, nil, nil)
				got := bent.ask(t, q, relevance, rest, planted)
				if trustedOf(want) != trustedOf(got) {
					t.Fatalf("day %d, without:\n%s\nwith:\n%s", d, trustedOf(want), trustedOf(got))
				}
				for i, x := range got.Results {
					for _, below := range got.Results[i+1:] {
						if !x.Trusted && below.Trusted && below.Memory.Label == user && below.RuleWeight == 1 && below.Terms.Relevance >= x.Terms.Relevance {
							t.Fatalf("day %d: %+v stands above %+v", d, x, below)
						}
					}
				}
				for i := range planted { // the poison is recalled, and repeats itself
					planted[i] = planted[i].Recalled(at).Confirmed(planted[i].Label, at)
				}
			}
		}
	}
}

// life is a store with its ties.
type life struct {
	memories []Memory
	ties     []Tie
}

func newLife(r *rand.Rand) *life {
	l := &life{}
	if r == nil {
		return l
	}
	for i := range 20 {
		m := randMemory(r, i, 20, trustedLabel(r))
		m.Supersedes = nil
		if m.Label == user {
			m.Weight = 1
		}
		l.memories = append(l.memories, m)
	}
	return l
}

// ask selects, and lets what was recalled be used and tied.
func (l *life) ask(t *testing.T, q Query, relevance []float64, rest []Candidate, planted []Memory) Answer {
	t.Helper()
	found := make([]Candidate, len(l.memories))
	for i, m := range l.memories {
		found[i] = Candidate{m, relevance[i]}
	}
	a, err := Select(q, found, rest, NewGraph(&q.Ceilings, q.Principal, slices.Concat(planted, l.memories), l.ties, q.At))
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range a.Results {
		for i := range l.memories {
			if l.memories[i].ID == x.Memory.ID {
				l.memories[i] = l.memories[i].Recalled(q.At)
			}
		}
	}
	l.ties = Together(l.ties, a, q.At)
	return a
}
