package recall

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/hearsay-memory/hearsay"
)

// ask selects and returns the numbers of the results, in order.
func ask(t *testing.T, q Query, trusted, rest []Candidate) ([]int, Answer) {
	t.Helper()
	a, err := Select(q, trusted, rest, nil)
	if err != nil {
		t.Fatal(err)
	}
	checkAnswer(t, q, a)
	var got []int
	for _, r := range a.Results {
		got = append(got, int(r.Memory.ID[15]))
	}
	return got, a
}

func want(t *testing.T, got []int, numbers ...int) {
	t.Helper()
	if !slices.Equal(got, numbers) {
		t.Errorf("got %v, want %v", got, numbers)
	}
}

// With everything equal, an external memory has exactly three quarters of the score
// of a user's.
func TestRatioOfExternalToUser(t *testing.T) {
	r := newRand()
	for range rounds {
		kind, relevance, salience := Kind(r.IntN(9)), r.Float64(), r.Float64()*.4
		u, e := fresh(1, user, kind), fresh(2, external, kind)
		u.Salience, e.Salience = salience, salience
		q := asked(1, 1)
		_, a := ask(t, q, []Candidate{{u, relevance}}, []Candidate{{e, relevance}})
		if got, want := a.Results[1].Score, .75*a.Results[0].Score; got != want || a.Results[1].Trusted {
			t.Fatalf("got %v, want %v", got, want)
		}
	}
}

// Equal scores stand in ascending order of id, whatever the order of the candidates.
func TestStableTies(t *testing.T) {
	r := newRand()
	var found []Candidate
	for i := range 9 {
		found = append(found, Candidate{fresh(i+1, user, Goal), .5})
	}
	for range 50 {
		r.Shuffle(len(found), func(i, j int) { found[i], found[j] = found[j], found[i] })
		got, _ := ask(t, asked(5, 0), found, nil)
		want(t, got, 1, 2, 3, 4, 5)
	}
}

// A result of low trust passes a trusted one by relevance alone: no dates, tags,
// links, claims or company take it past.
func TestPlaced(t *testing.T) {
	old := fresh(1, user, Observation)
	old.Written = day(-300) // faded away
	shiny := func(n int) Memory {
		m := fresh(n, external, Insight)
		m.Salience, m.Tags, m.Project = 1, []string{"x", "y"}, "shop"
		return m
	}
	q := asked(5, 5)
	q.Context = Context{Project: "shop", Tags: []string{"x", "y"}}
	for _, c := range []struct {
		trusted, external float64
		want              []int
	}{
		{.5, .5, []int{1, 9}},
		{.5, .66, []int{1, 9}},
		{.5, .67, []int{9, 1}},
		{.75, 1, []int{1, 9}},
		{.74, 1, []int{9, 1}},
		{0, 0, []int{1, 9}},
	} {
		got, _ := ask(t, q, []Candidate{{old, c.trusted}}, []Candidate{{shiny(9), c.external}})
		if !slices.Equal(got, c.want) {
			t.Errorf("%v against %v: got %v, want %v", c.trusted, c.external, got, c.want)
		}
	}
	// Being more relevant is not enough where the score is lower.
	faded := fresh(9, external, Observation)
	faded.Written = day(-300)
	got, _ := ask(t, q, []Candidate{{fresh(1, user, Insight), .74}}, []Candidate{{faded, 1}})
	want(t, got, 1, 9)
	// Behind the last one that it does not outrank, in the order of its own kind.
	a, b, c := fresh(1, user, Insight), fresh(2, user, Observation), fresh(3, user, Observation)
	x, y, z := shiny(7), shiny(8), shiny(9)
	z.Weight = .1
	got, _ = ask(t, q, []Candidate{{a, .2}, {b, 1}, {c, .1}}, []Candidate{{x, .9}, {y, .95}, {z, 1}})
	want(t, got, 2, 8, 7, 1, 3, 9)
}

// Five external memories that boost each other do not pass a user's memory that
// nothing is near to, not even by score.
func TestFiveNodeClique(t *testing.T) {
	five := clique(5, external, "p", "q")
	rest := make([]Candidate, len(five))
	for i := range five {
		for j := range five {
			if i != j {
				five[i].Links = append(five[i].Links, five[j].ID)
			}
		}
	}
	u := fresh(1, user, Insight)
	for i := range 101 {
		relevance := float64(i) / 100
		for j := range five {
			rest[j] = Candidate{five[j], relevance}
		}
		g := NewGraph(&table, "ana", append([]Memory{u}, five...), nil, day0)
		a, err := Select(asked(5, 5), []Candidate{{u, relevance}}, rest, g)
		if err != nil {
			t.Fatal(err)
		}
		if first := a.Results[0]; first.Memory.ID != u.ID {
			t.Fatalf("relevance %v: %+v is first", relevance, first)
		}
		for _, x := range a.Results[1:] {
			if x.Score >= a.Results[0].Score || relevance > 0 && x.Terms.Spreading == 0 {
				t.Fatalf("relevance %v: %+v", relevance, x)
			}
		}
	}
}

// MC-003: what an agent guessed cannot be pinned, and a later memory of the user's
// stands above it.
func TestMC003AGuessIsOutranked(t *testing.T) {
	guess := fresh(1, agent, Learning)
	guess.Pinned, guess.Stable, guess.Salience, guess.Confidence = true, true, 1, 1
	bounded, clamps := guess.Bounded(&table)
	if bounded.Pinned || bounded.Stable || len(clamps) != 4 {
		t.Errorf("%+v, %+v", bounded, clamps)
	}
	said := fresh(2, user, Learning)
	said.Written = day(1)
	said.Salience = .6
	q := asked(5, 0)
	q.At = day(2)
	got, _ := ask(t, q, []Candidate{{guess, .8}, {said, .8}}, nil)
	want(t, got, 2, 1)
}

// MC-016: what an agent says that it observed stands below what the user said.
func TestMC016ObservedStandsBelowSaid(t *testing.T) {
	observed, said := fresh(1, agent, Observation), fresh(2, user, Observation)
	got, a := ask(t, asked(5, 0), []Candidate{{observed, .8}, {said, .8}}, nil)
	want(t, got, 2, 1)
	if f := a.Results[1].Memory.Flags(); f.Origin != hearsay.Agent {
		t.Errorf("%+v", f)
	}
}

// MC-028: a namespace is whole segments. acme does not see acme-corp.
func TestMC028WholeSegments(t *testing.T) {
	one, two, root := fresh(1, user, Goal), fresh(2, user, Goal), fresh(3, user, Goal)
	one.Namespace = hearsay.Namespace{"tenant", "acme", "notes"}
	two.Namespace = hearsay.Namespace{"tenant", "acme-corp"}
	q := asked(5, 5)
	q.Within = hearsay.Namespace{"tenant", "acme"}
	got, a := ask(t, q, []Candidate{{one, .1}, {two, 1}, {root, 1}}, nil)
	want(t, got, 1)
	if a.Count(Foreign) != 2 || !a.Omitted[0].ID.IsZero() {
		t.Errorf("%+v: want two that are not named", a.Omitted)
	}
}

// MC-030: principals and namespaces are compared part by part, byte for byte.
func TestMC030DistinctKeys(t *testing.T) {
	names := []string{"ana", "an", "ana ", "Ana", "ana/a", "ana:a", "", "a\u0301na", "\u00e1na"}
	for _, asking := range names {
		for i, owner := range names {
			m := fresh(i+1, user, Goal)
			m.Principal = owner
			q := asked(5, 5)
			q.Principal = asking
			if got, _ := ask(t, q, []Candidate{{m, 1}}, nil); (len(got) == 1) != (asking == owner) {
				t.Errorf("%q sees %d of %q", asking, len(got), owner)
			}
		}
	}
	m := fresh(1, user, Goal)
	m.Namespace = hearsay.Namespace{"team_a"}
	q := asked(5, 5)
	q.Within = hearsay.Namespace{"team", "a"}
	got, _ := ask(t, q, []Candidate{{m, 1}}, nil)
	want(t, got)
}

// MC-075: a budget for seven and a half of thirty results keeps seven whole ones and
// names the others; and no untrusted one, however long, displaces a trusted one.
func TestMC075WholeOrAbsent(t *testing.T) {
	var found []Candidate
	for i := range 30 {
		found = append(found, Candidate{fresh(i+1, user, Goal), 1 - float64(i)/100})
	}
	_, a := ask(t, asked(30, 0), found, nil)
	cut := a.Cut(750, func(*Result) int { return 100 })
	if len(cut.Results) != 7 || cut.Count(OverBudget) != 23 {
		t.Fatalf("%d results and %d named", len(cut.Results), cut.Count(OverBudget))
	}
	for i, o := range cut.Omitted {
		if o.ID != id(8+i) {
			t.Errorf("omitted %v, want %v", o.ID, id(8+i))
		}
	}
	if len(a.Results) != 30 || len(a.Omitted) != 0 {
		t.Error("cutting changed what it was given")
	}

	flood := fresh(99, external, Insight)
	_, a = ask(t, asked(2, 1), []Candidate{{fresh(1, user, Goal), .5}, {fresh(2, user, Goal), .4}}, []Candidate{{flood, 1}})
	if a.Results[0].Trusted {
		t.Fatal("want the flood first")
	}
	length := func(r *Result) int {
		if r.Trusted {
			return 10
		}
		return 25
	}
	for budget, want := range map[int]int{-1: 0, 0: 0, 9: 0, 10: 1, 20: 2, 44: 2, 45: 3} {
		cut := a.Cut(budget, length)
		if len(cut.Results) != want || len(cut.Results)+cut.Count(OverBudget) != 3 {
			t.Errorf("%d: %d results, %+v", budget, len(cut.Results), cut.Omitted)
		}
	}
	if cut := a.Cut(100, func(*Result) int { return math.MinInt }); len(cut.Results) != 0 {
		t.Errorf("sizes below nothing: %d results", len(cut.Results))
	}
	if cut := a.Cut(math.MaxInt, func(*Result) int { return math.MaxInt }); len(cut.Results) != 1 {
		t.Errorf("sizes without end: %d results", len(cut.Results))
	}
}

// MC-079: what a later memory corrects is not served without it: the correction
// stands in its place, though it was found less well or not at all.
func TestMC079NotWithoutTheCorrection(t *testing.T) {
	old, other, fix := fresh(1, user, Decision), fresh(2, user, Decision), fresh(3, user, Decision)
	old.Written = day(-1)
	fix.Supersedes = []hearsay.RecordID{old.ID}
	got, a := ask(t, asked(1, 0), []Candidate{{old, 1}, {other, .9}, {fix, 0}}, nil)
	want(t, got, 3)
	if r := a.Results[0]; r.Terms.Relevance != 1 || !slices.Equal(r.Replaces, []hearsay.RecordID{old.ID}) || a.Count(Superseded) != 1 {
		t.Errorf("%+v, %+v", r, a.Omitted)
	}
	// A chain ends at its end, and says for what that stands in.
	last := fresh(4, user, Decision)
	last.Written = day(.5)
	last.Supersedes = []hearsay.RecordID{fix.ID}
	got, a = ask(t, asked(1, 0), []Candidate{{last, 0}, {fix, 0}, {other, .9}, {old, 1}}, nil)
	want(t, got, 4)
	if r := a.Results[0]; !slices.Equal(r.Replaces, []hearsay.RecordID{old.ID, fix.ID}) {
		t.Errorf("%+v", r)
	}
}

// Who may correct what: something later and at least as trusted. A circle corrects
// in one direction.
func TestSupersedes(t *testing.T) {
	m, by := fresh(1, user, Goal), fresh(2, user, Goal)
	by.Supersedes = []hearsay.RecordID{m.ID}
	found := func() []Candidate { return []Candidate{{m, 1}, {by, .5}} }
	q := asked(5, 5)
	got, _ := ask(t, q, found(), nil)
	want(t, got, 2)
	by.Label = agent
	got, _ = ask(t, q, found(), nil)
	want(t, got, 1, 2)
	m.Label = agent
	got, _ = ask(t, q, found(), nil)
	want(t, got, 2)
	m.Supersedes = []hearsay.RecordID{by.ID}
	got, _ = ask(t, q, found(), nil)
	want(t, got, 2)
	m.Written = day(1)
	got, _ = ask(t, q, found(), nil)
	want(t, got, 1)
	// A stranger corrects a stranger, the user corrects a stranger, and no stranger the user.
	x, y := fresh(7, external, Goal), fresh(8, external, Goal)
	y.Supersedes = []hearsay.RecordID{x.ID, m.ID, by.ID}
	y.Written = day(9)
	m = fresh(1, user, Goal)
	got, _ = ask(t, q, []Candidate{{m, 1}}, []Candidate{{x, 1}, {y, .5}})
	want(t, got, 1, 8)
	m.Supersedes, m.Written = []hearsay.RecordID{x.ID}, day(2)
	got, a := ask(t, q, []Candidate{{m, .5}}, []Candidate{{x, 1}})
	want(t, got, 1)
	if a.Results[0].Terms.Relevance != .5 || a.Results[0].Replaces != nil {
		t.Errorf("a stranger's memory lifts the user's: %+v", a.Results[0])
	}
}

// MC-104: what can never be chosen is taken out before the ranking, and the answer
// says how many and why.
func TestMC104IneligibleTakeNoPlaces(t *testing.T) {
	var found, rest []Candidate
	for i := range 20 {
		if i < 15 {
			rest = append(rest, Candidate{fresh(i+1, external, Insight), 1})
		} else {
			found = append(found, Candidate{fresh(i+1, user, Observation), .1})
		}
	}
	found[0].Memory.Standing = hearsay.Held
	found[1].Relevance = math.NaN()
	found[2].Memory.Label = external
	got, a := ask(t, asked(10, 0), found, rest)
	want(t, got, 19, 20)
	for r, n := range map[Reason]int{OverCap: 15, Withheld: 1, Malformed: 1, Misplaced: 1, Foreign: 0} {
		if a.Count(r) != n {
			t.Errorf("%v: %d, want %d", r, a.Count(r), n)
		}
	}
}

// Vectors and words find the same memory: it counts once, with what found it better.
func TestSelectRepeated(t *testing.T) {
	m := fresh(1, user, Goal)
	e := fresh(1, external, Goal) // an id that is taken
	got, a := ask(t, asked(5, 5), []Candidate{{m, .2}, {m, .9}, {m, .3}}, []Candidate{{e, 1}})
	want(t, got, 1)
	if a.Results[0].Terms.Relevance != .9 || a.Count(Misplaced) != 1 {
		t.Errorf("%+v", a)
	}
}

func TestSelectErrors(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*Query)
		want   string
	}{
		"k":         {func(q *Query) { q.K = -1 }, "k is -1"},
		"cap":       {func(q *Query) { q.MaxUntrusted = -2 }, "-2"},
		"ceilings":  {func(q *Query) { q.Ceilings = hearsay.Ceilings{} }, "DefaultCeilings"},
		"namespace": {func(q *Query) { q.Within = hearsay.Namespace{""} }, "segment"},
		"principal": {func(q *Query) { q.Principal = "ben" }, "another principal"},
	} {
		q := asked(5, 5)
		c.change(&q)
		a, err := Select(q, []Candidate{{fresh(1, user, Goal), 1}}, nil, NewGraph(&table, "ana", nil, nil, day0))
		if err == nil || !strings.Contains(err.Error(), c.want) || len(a.Results) != 0 {
			t.Errorf("%s: %v", name, err)
		}
	}
	a, err := Select(Query{Ceilings: table, K: math.MaxInt, MaxUntrusted: math.MaxInt}, nil, nil, nil)
	if err != nil || len(a.Results)+len(a.Omitted) != 0 {
		t.Errorf("of nothing: %+v, %v", a, err)
	}
}

func TestOverlap(t *testing.T) {
	m := fresh(1, user, Goal)
	m.Project, m.Namespace, m.Tags = "shop", hearsay.Namespace{"facts", "go"}, []string{"a", "b", "b"}
	for name, c := range map[string]struct {
		x    Context
		want float64
	}{
		"nothing stated":       {Context{}, 0},
		"project":              {Context{Project: "shop"}, 1},
		"another project":      {Context{Project: "Shop"}, 0},
		"namespace":            {Context{Namespace: hearsay.Namespace{"facts"}}, 1},
		"half a namespace":     {Context{Namespace: hearsay.Namespace{"facts", "golang"}}, .5},
		"another namespace":    {Context{Namespace: hearsay.Namespace{"fact"}}, 0},
		"tags":                 {Context{Tags: []string{"b", "a"}}, 1},
		"tags, repeated":       {Context{Tags: []string{"b", "a", "a", "a"}}, 1},
		"one of three":         {Context{Tags: []string{"b", "c"}}, 1. / 3},
		"none":                 {Context{Tags: []string{"A"}}, 0},
		"all three":            {Context{"shop", hearsay.Namespace{"facts", "x"}, []string{"b", "c"}}, (1 + .5 + 1./3) / 3},
		"another, same tags":   {Context{Project: "x", Tags: []string{"a", "b"}}, .5},
		"deeper than it is":    {Context{Namespace: hearsay.Namespace{"facts", "go", "x", "y"}}, .5},
		"an empty list states": {Context{Tags: []string{}}, 0},
	} {
		if got := c.x.Overlap(m); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("%s: got %v, want %v", name, got, c.want)
		}
	}
}
