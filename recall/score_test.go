package recall

import (
	"math"
	"math/rand/v2"
	"testing"
)

// fields returns the terms one by one.
func (t *Terms) fields() [6]*float64 {
	return [6]*float64{&t.Relevance, &t.Strength, &t.Recency, &t.Spreading, &t.Context, &t.Salience}
}

func randTerms(r *rand.Rand) Terms {
	var t Terms
	for _, f := range t.fields() {
		switch r.IntN(4) {
		case 0: // absent
		case 1:
			*f = 1
		default:
			*f = r.Float64()
		}
	}
	return t
}

func TestWeights(t *testing.T) {
	if got, want := Weights(), (Terms{.38, .18, .08, .14, .14, .08}); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
	sum := 0.0
	w := Weights()
	for _, f := range w.fields() {
		sum += *f
	}
	if math.Abs(sum-1) > 1e-12 {
		t.Errorf("the weights sum up to %v", sum)
	}
}

func TestScore(t *testing.T) {
	nan := math.NaN()
	for _, c := range []struct {
		t    Terms
		want float64
	}{
		{Terms{}, 0},
		{Terms{1, 1, 1, 1, 1, 1}, 1},
		{Terms{1, 1, 0, 0, 0, 0}, 1},
		{Terms{1, 0, 0, 0, 0, 0}, .38 / .56},
		{Terms{.5, .5, 0, 0, 0, 0}, .5},
		{Terms{.5, .5, 1, 1, 1, 1}, .56*.5 + .44}, // the plain weighted sum
		{Terms{.5, .5, 0, .2, 0, 0}, .5 + .5*.14*.2},
		{Terms{0, 0, 1, 1, 1, 1}, .44},
		{Terms{nan, nan, nan, nan, nan, nan}, 0},
		{Terms{9, 9, 9, 9, 9, 9}, 1},
		{Terms{-1, -1, -1, math.Inf(-1), -1, -1}, 0},
	} {
		if got := Score(c.t); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("%+v: got %v, want %v", c.t, got, c.want)
		}
	}
}

// A term, at any value, never makes a score lower than leaving it out; a score grows
// with every term, stays within 0 … 1, and does not jump.
func TestScoreIsMonotone(t *testing.T) {
	r := newRand()
	for range 20 * rounds {
		x := randTerms(r)
		s := Score(x)
		if !inUnit(s) {
			t.Fatalf("%+v: %v", x, s)
		}
		i := r.IntN(6)
		less := x
		*less.fields()[i] = 0
		if Score(less) > s {
			t.Fatalf("term %d lowers the score of %+v: %v without it, %v with it", i, x, Score(less), s)
		}
		more := x
		f := more.fields()[i]
		step := r.Float64() * (1 - *f)
		*f += step
		up := Score(more)
		if up < s-1e-15 {
			t.Fatalf("%+v: %v, with more of term %d %v", x, s, i, up)
		}
		if up-s > step {
			t.Fatalf("%+v: %v, and %v for %v more of term %d: it jumps", x, s, up, step, i)
		}
	}
}

// The parts explain the score: they sum up to it.
func TestParts(t *testing.T) {
	r := newRand()
	for range rounds {
		x := randTerms(r)
		sum := 0.0
		for i, p := range x.Parts() {
			if p.Value != *x.fields()[i] || p.Adds < 0 {
				t.Fatalf("%+v: part %+v", x, p)
			}
			sum += p.Adds
		}
		if math.Abs(sum-Score(x)) > 1e-12 {
			t.Fatalf("%+v: the parts sum up to %v, the score is %v", x, sum, Score(x))
		}
	}
}

func FuzzScore(f *testing.F) {
	f.Add(.5, .5, .5, .5, .5, .5, .1)
	f.Add(0., 1., math.NaN(), math.Inf(1), -1., 1e-320, 1.)
	f.Fuzz(func(t *testing.T, a, b, c, d, e, g, more float64) {
		x := Terms{a, b, c, d, e, g}
		s := Score(x)
		if !inUnit(s) {
			t.Fatalf("%+v: %v", x, s)
		}
		for i := range x.fields() {
			without := x
			*without.fields()[i] = 0
			if Score(without) > s {
				t.Fatalf("term %d lowers the score of %+v", i, x)
			}
			grown := x
			*grown.fields()[i] = unit(unit(*grown.fields()[i]) + unit(more))
			if Score(grown) < s-1e-15 {
				t.Fatalf("more of term %d lowers the score of %+v", i, x)
			}
		}
	})
}
