package recall

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/hearsay-memory/hearsay"
)

// slowSpread is what the spreading of a graph means, pair by pair: the best path of
// one or two edges from each source to each other memory.
func slowSpread(memories []Memory, ties []Tie, sources []Candidate, at time.Time) map[hearsay.RecordID]float64 {
	weight := func(a, b *Memory) float64 {
		if a.ID == b.ID {
			return 0
		}
		shared := 0
		for i, t := range a.Tags {
			if !slices.Contains(a.Tags[:i], t) && slices.Contains(b.Tags, t) {
				shared++
			}
		}
		w := 0.0
		if slices.Contains(a.Links, b.ID) || slices.Contains(b.Links, a.ID) {
			w = .20
		}
		tied := 0.0
		for _, t := range ties {
			if (t.A == a.ID && t.B == b.ID || t.A == b.ID && t.B == a.ID) && a.Label.Trusted() && b.Label.Trusted() {
				tied = max(tied, t.WeightAt(at))
			}
		}
		w = min(1, w+tied)
		if shared >= 2 {
			w = max(w, .10)
		}
		return w
	}
	out := make(map[hearsay.RecordID]float64)
	for _, s := range sources {
		for i := range memories {
			x := &memories[i]
			first := s.Relevance * s.Memory.factor(&table) * .5 * weight(&s.Memory, x)
			if x.ID != s.Memory.ID {
				out[x.ID] = max(out[x.ID], first)
			}
			for j := range memories {
				if y := &memories[j]; y.ID != s.Memory.ID {
					out[y.ID] = max(out[y.ID], first*x.factor(&table)*.5*weight(x, y))
				}
			}
		}
	}
	return out
}

func randTies(r *rand.Rand, among int) []Tie {
	ties := make([]Tie, r.IntN(6))
	for i := range ties {
		ties[i] = Tie{id(r.IntN(among)), id(r.IntN(among)), r.Float64(), day(-r.Float64() * 400)}
	}
	return ties
}

func TestSpreadAgainstPairs(t *testing.T) {
	r := newRand()
	for range rounds / 4 {
		n := 1 + r.IntN(14)
		memories := make([]Memory, n)
		for i := range memories {
			memories[i] = randMemory(r, i, n, randLabel(r))
		}
		ties := randTies(r, n)
		sources := candidates(r, memories)
		r.Shuffle(len(memories), func(i, j int) { memories[i], memories[j] = memories[j], memories[i] })
		g := NewGraph(&table, "ana", memories, ties, day0)
		got, want := g.spread(hits(sources), nil, len(g.nodes)), slowSpread(memories, ties, sources, day0)
		for k, v := range got {
			if math.Abs(v-want[g.nodes[k].id]) > 1e-12 {
				t.Fatalf("%d memories, %v: got %v, want %v", n, g.nodes[k].id, v, want[g.nodes[k].id])
			}
		}
		// Among trusted memories alone it is as if there were no others.
		only := slices.DeleteFunc(slices.Clone(memories), func(m Memory) bool { return !m.Label.Trusted() })
		theirs := slices.DeleteFunc(slices.Clone(sources), func(c Candidate) bool { return !c.Memory.Label.Trusted() })
		alone := NewGraph(&table, "ana", only, ties, day0)
		if got, want := g.spread(hits(theirs), nil, g.trusted), alone.spread(hits(theirs), nil, len(alone.nodes)); !slices.Equal(got, want) {
			t.Fatalf("trusted: got %v, want %v", got, want)
		}
		if got, want := g.Near(theirs, nil, 9), alone.Near(theirs, nil, 9); !slices.Equal(got, want) {
			t.Fatalf("near: got %v, want %v", got, want)
		}
	}
}

// A graph does not depend on the order in which it is given anything.
func TestGraphOrder(t *testing.T) {
	r := newRand()
	memories := make([]Memory, 40)
	for i := range memories {
		memories[i] = randMemory(r, i, 40, randLabel(r))
	}
	sources, ties := candidates(r, memories), randTies(r, 40)
	g := NewGraph(&table, "ana", memories, ties, day0)
	want := g.spread(hits(sources), nil, len(g.nodes))
	for range 50 {
		r.Shuffle(len(memories), func(i, j int) { memories[i], memories[j] = memories[j], memories[i] })
		r.Shuffle(len(sources), func(i, j int) { sources[i], sources[j] = sources[j], sources[i] })
		r.Shuffle(len(ties), func(i, j int) { ties[i], ties[j] = ties[j], ties[i] })
		g := NewGraph(&table, "ana", memories, ties, day0)
		if got := g.spread(hits(sources), nil, len(g.nodes)); !slices.Equal(got, want) {
			t.Fatal("the order makes a difference")
		}
	}
}

// What may not be shown, another principal's and what lies outside the namespace
// passes nothing on.
func TestSpreadStaysInside(t *testing.T) {
	a, b, c := fresh(1, user, Goal), fresh(2, user, Goal), fresh(3, user, Goal)
	a.Links, b.Links = []hearsay.RecordID{b.ID}, []hearsay.RecordID{c.ID}
	for i, m := range []*Memory{&a, &b, &c} {
		m.Namespace = hearsay.Namespace{"tenant", "acme", string(rune('a' + i))}
	}
	reach := func(within hearsay.Namespace) int {
		g := NewGraph(&table, "ana", []Memory{a, b, c}, nil, day0)
		return len(g.Near([]Candidate{{a, 1}}, within, 10))
	}
	if got := reach(hearsay.Namespace{"tenant", "acme"}); got != 2 {
		t.Fatalf("reached %d, want 2", got)
	}
	was := b
	b.Standing = hearsay.Held
	if got := reach(nil); got != 0 {
		t.Errorf("through a held memory: %d", got)
	}
	b = was
	b.Principal = "ben"
	if got := reach(nil); got != 0 {
		t.Errorf("through another principal's: %d", got)
	}
	b = was
	b.Namespace = hearsay.Namespace{"tenant", "acme-corp"}
	if got := reach(hearsay.Namespace{"tenant", "acme"}); got != 0 {
		t.Errorf("through another namespace: %d", got)
	}
	b.Weight = math.NaN()
	if got := reach(nil); got != 0 {
		t.Errorf("through a malformed memory: %d", got)
	}
	var none *Graph
	if got := none.Near([]Candidate{{a, 1}}, nil, 10); got != nil {
		t.Errorf("over no graph: %v", got)
	}
	b = was
	a.Links, b.Links, a.Tags, b.Tags = nil, nil, []string{"x", "y"}, []string{"y", "x"}
	for _, inside := range []hearsay.Namespace{nil, {"tenant", "acme"}, {"tenant", "acme", "b"}, {"tenant", "acme", "a"}} {
		want := 0
		if a.Namespace.HasPrefix(inside) && b.Namespace.HasPrefix(inside) {
			want = 1
		}
		if got := reach(inside); got != want {
			t.Errorf("by tags, within %v: %d, want %d", inside, got, want)
		}
	}
	a.Links, b.Links = []hearsay.RecordID{b.ID}, []hearsay.RecordID{c.ID}
	g := NewGraph(&table, "ana", []Memory{a, b, c}, nil, day0)
	for _, most := range []int{-1, 0, 1} {
		if got := g.Near([]Candidate{{a, 1}}, nil, most); len(got) != max(0, most) {
			t.Errorf("at most %d: %v", most, got)
		}
	}
}

// Ten thousand memories that share all of their tags make each pair of tags one
// group: nothing grows with the square of their number.
func TestHubsAreGroups(t *testing.T) {
	const n = 10_000
	g := NewGraph(&table, "ana", clique(n, external, "p", "q", "r"), nil, day0)
	if len(g.groups) != 3*n || len(g.member) != 3*n || len(g.edges) != 0 {
		t.Errorf("%d places in groups and %d edges, want %d and none", len(g.groups), len(g.edges), 3*n)
	}
}

// Of more sources than pass on, the strongest do, and of equal ones the first.
func TestStrongestPassOn(t *testing.T) {
	const n = maxActive + 100
	var memories []Memory
	var sources []Candidate
	for i := range n {
		m, beside := fresh(i, user, Goal), fresh(n+i, user, Goal)
		m.Links = []hearsay.RecordID{beside.ID}
		memories = append(memories, m, beside)
		sources = append(sources, Candidate{m, .5})
	}
	sources[n-1].Relevance = 1
	g := NewGraph(&table, "ana", memories, nil, day0)
	got := g.Near(sources, nil, n)
	if len(got) != maxActive || got[0] != id(n+n-1) || got[1] != id(n) || got[maxActive-1] != id(n+maxActive-2) {
		t.Errorf("%d are reached, first %v", len(got), got[:2])
	}
}

func clique(n int, l hearsay.Label, tags ...string) []Memory {
	out := make([]Memory, n)
	for i := range out {
		out[i] = fresh(1_000_000+i, l, Insight)
		out[i].Tags = tags
	}
	return out
}

func TestTies(t *testing.T) {
	x, y, z := id(1), id(2), id(3)
	for name, c := range map[string]struct {
		tie  Tie
		at   float64
		want float64
	}{
		"now":             {Tie{x, y, .5, day0}, 0, .5},
		"a day":           {Tie{x, y, .5, day0}, 1, .5 * .998},
		"clock backwards": {Tie{x, y, .5, day0}, -9, .5},
		"faded":           {Tie{x, y, .1, day0}, 347, 0},
		"not yet":         {Tie{x, y, .1, day0}, 346, .1 * math.Pow(.998, 346)},
		"to itself":       {Tie{x, x, .5, day0}, 0, 0},
		"to nothing":      {Tie{hearsay.RecordID{}, y, .5, day0}, 0, 0},
		"not a number":    {Tie{x, y, math.NaN(), day0}, 0, 0},
		"too much":        {Tie{x, y, 1.5, day0}, 0, 0},
	} {
		if got := c.tie.WeightAt(day(c.at)); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("%s: got %v, want %v", name, got, c.want)
		}
	}
	a := Answer{Results: []Result{
		{Memory: fresh(2, user, Goal), Trusted: true}, {Memory: fresh(3, external, Goal)}, {Memory: fresh(1, user, Goal), Trusted: true},
	}}
	ties := Together(nil, a, day0)
	if want := []Tie{{x, y, .1, day0}}; !slices.Equal(ties, want) {
		t.Fatalf("got %v, want %v", ties, want)
	}
	ties = Together([]Tie{{y, x, .5, day0}, {x, y, .4, day0}, {x, z, .04, day0}, {y, z, .9, day0}}, a, day0)
	if want := []Tie{{x, y, .55, day0}, {y, z, .9, day0}}; !slices.Equal(ties, want) {
		t.Errorf("got %v, want %v", ties, want)
	}
	for range 200 {
		ties = Together(ties, a, day0)
	}
	if ties[0].Weight > 1 || ties[0].Weight < .99 {
		t.Errorf("after 200 answers: %v", ties[0].Weight)
	}
	many := Answer{}
	for i := range 100 {
		many.Results = append(many.Results, Result{Memory: fresh(i+1, user, Goal), Trusted: true})
	}
	if got := len(Together(nil, many, day0)); got != MaxTied*(MaxTied-1)/2 {
		t.Errorf("an answer of 100 makes %d ties", got)
	}
}
