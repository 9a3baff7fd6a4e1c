package recall

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/hearsay-memory/hearsay"
)

// Whatever happens to a memory that is not trusted, it is never stronger than a new
// one of its kind that faded since the day it was written, at the rate of its origin.
func TestUntrustedNeverClimbs(t *testing.T) {
	r := newRand()
	for range rounds {
		m := randMemory(r, 1, 5, untrustedLabel(r))
		curve, top := m.Kind.Curve(m.Form), table[voice(m.Label)]
		start := m.Written
		for range 20 {
			at := day(r.Float64() * 60)
			m = happen(r, m, at)
			// Whatever a store makes of it, too.
			m.Used, m.Strength, m.Pinned, m.Stable = at, r.Float64(), r.IntN(2) == 0, r.IntN(2) == 0
			most := curve.Strength * math.Pow(min(curve.Rate, MaxRate)*top.Decay, daysBetween(start, at))
			if got := m.StrengthAt(&table, at); got > most+1e-12 {
				t.Fatalf("%v, %v after %v: %v, at most %v", m.Label, m.Kind, at, got, most)
			}
			if got := m.salience(m.ceiling(&table)); got > top.Salience {
				t.Fatalf("%v: salience %v, at most %v", m.Label, got, top.Salience)
			}
		}
	}
}

// happen lets something happen that could make a memory stronger.
func happen(r *rand.Rand, m Memory, at time.Time) Memory {
	switch r.IntN(4) {
	case 0:
		return m.Recalled(at)
	case 1:
		return m.Confirmed(randLabel(r), at)
	case 2:
		b, _ := m.Bounded(&table)
		return b
	default:
		other := m
		other.ID = id(2)
		h, err := Heir(&table, []Memory{m, other}, at)
		if err != nil {
			return m
		}
		h.ID, h.Standing = m.ID, hearsay.Allowed
		return h
	}
}

// Nobody below the user makes a trusted memory stronger than it once was, and what
// an agent or a known person said is never stronger than a new one of its kind.
func TestOnlyTheUserStrengthens(t *testing.T) {
	r := newRand()
	for range rounds {
		m := randMemory(r, 1, 5, trustedLabel(r))
		m, _ = m.Bounded(&table)
		was := m.Strength
		for range 10 {
			at := day(r.Float64() * 60)
			by := randLabel(r)
			if by == user {
				by = agent
			}
			m = m.Recalled(at).Confirmed(by, at)
			if m.Strength != was || m.StrengthAt(&table, at) > was {
				t.Fatalf("%v made %v stronger: %v, was %v", by, m.Label, m.Strength, was)
			}
		}
		for range 50 {
			m = m.Confirmed(user, day(60))
		}
		if top := m.Kind.Curve(m.Form).Strength; m.Label != user && m.Strength > top {
			t.Fatalf("%v is %v strong, at most %v", m.Label, m.Strength, top)
		} else if m.Label == user && m.Strength < .99 {
			t.Fatalf("the user's word, said fifty times, is %v strong", m.Strength)
		}
	}
}

// MC-005: a recalled memory that is extracted and stored again is its own child, and
// neither corroborates nor reinforces what it came from.
func TestMC005NoCorroborationByItself(t *testing.T) {
	m := fresh(1, external, Learning)
	again := m.Label.Join(agent) // an agent wrote it, from m
	at := day(3)
	if !again.Taint.Covers(m.Label.Taint) {
		t.Fatal("the copy is cleaner than its parent")
	}
	for name, got := range map[string]Memory{
		"recalled":           m.Recalled(at),
		"said by its copy":   m.Confirmed(again, at),
		"said by a stranger": m.Confirmed(external, at),
		"approved":           m.Confirmed(user, at),
	} {
		if got.StrengthAt(&table, at) != m.StrengthAt(&table, at) || got.RecencyAt(at) != m.RecencyAt(at) {
			t.Errorf("%s: it is stronger or more recent for it", name)
		}
		if got.Used != m.Used || got.Strength != m.Strength {
			t.Errorf("%s: it is stored as used or stronger", name)
		}
	}
	honest := fresh(2, user, Learning)
	if got := honest.Confirmed(again, at); got.StrengthAt(&table, at) != honest.StrengthAt(&table, at) {
		t.Error("an untrusted copy corroborates the user's memory")
	}
}

func TestRecency(t *testing.T) {
	m := fresh(1, user, Learning)
	for days, want := range map[float64]float64{-5: 1, 0: 1, 30: .5, 60: .25} {
		if got := m.RecencyAt(day(days)); math.Abs(got-want) > 1e-12 {
			t.Errorf("after %v days: %v, want %v", days, got, want)
		}
	}
	m.Used = day(30)
	if got := m.RecencyAt(day(30)); got != 1 {
		t.Errorf("just used: %v", got)
	}
	m.Label = external
	if got := m.RecencyAt(day(30)); got != .5 {
		t.Errorf("external, just used: %v", got)
	}
}

func TestPrunable(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*Memory)
		want   bool
	}{
		"faded":                      {func(m *Memory) {}, true},
		"still strong":               {func(m *Memory) { m.Used = day(364) }, false},
		"salient":                    {func(m *Memory) { m.Salience = .7 }, false},
		"nearly salient":             {func(m *Memory) { m.Salience = .69 }, true},
		"pinned":                     {func(m *Memory) { m.Pinned = true }, false},
		"stable":                     {func(m *Memory) { m.Stable = true }, false},
		"an agent's, as salient":     {func(m *Memory) { m.Label, m.Salience, m.Pinned = agent, 1, true }, true},
		"a stranger's, as salient":   {func(m *Memory) { m.Label, m.Salience, m.Stable = external, 1, true }, true},
		"a stranger's, used all day": {func(m *Memory) { m.Label, m.Used = external, day(365) }, true},
	} {
		m := fresh(1, user, Learning)
		c.change(&m)
		if got := m.Prunable(&table, day(365), .05); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
		if m.Prunable(&table, day(365), math.NaN()) {
			t.Errorf("%s: pruned below no number", name)
		}
	}
}

// What is made of memories is labelled with all of them and never outlives the
// strongest of them.
func TestHeir(t *testing.T) {
	r := newRand()
	for range rounds {
		parents := make([]Memory, 1+r.IntN(5))
		want := hearsay.LabelIdentity
		for i := range parents {
			parents[i] = randMemory(r, i+1, 1, randLabel(r))
			want = want.Join(parents[i].Label)
		}
		at := day(r.Float64() * 50)
		h, err := Heir(&table, parents, at)
		if err != nil {
			t.Fatal(err)
		}
		if h.Label != want || h.Pinned || h.Stable || h.Vetted || h.Standing != hearsay.Held || !h.ID.IsZero() {
			t.Fatalf("%+v", h)
		}
		if top := table[voice(h.Label)]; h.Salience > top.Salience || h.Confidence > top.Confidence {
			t.Fatalf("%v claims %v and %v", h.Label, h.Salience, h.Confidence)
		}
		for range 4 {
			late := at.AddDate(0, 0, r.IntN(300))
			most := 0.0
			for _, p := range parents {
				most = max(most, p.StrengthAt(&table, late))
				if !p.Namespace.HasPrefix(h.Namespace) || h.Weight > p.Weight {
					t.Fatalf("%+v of %+v", h, p)
				}
			}
			if got := h.StrengthAt(&table, late); got > most+1e-12 {
				t.Fatalf("the heir is %v strong, the strongest parent %v", got, most)
			}
		}
	}
	bad := fresh(2, user, Goal)
	bad.Salience = math.NaN()
	theirs := fresh(3, user, Goal)
	theirs.Principal = "ben"
	for name, parents := range map[string][]Memory{
		"none": nil, "broken": {fresh(1, user, Goal), bad}, "two principals": {fresh(1, user, Goal), theirs},
	} {
		if h, err := Heir(&table, parents, day0); err == nil || h.Standing != hearsay.Held {
			t.Errorf("%s: %+v, %v", name, h, err)
		}
	}
}
