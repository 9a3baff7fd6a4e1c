package hearsay_test

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hearsay-memory/hearsay"
)

// The whole table, number by number: nothing below the user may be pinned or stable.
func TestDefaultCeilings(t *testing.T) {
	want := hearsay.Ceilings{
		hearsay.External:   {Salience: .4, Confidence: .4, Decay: .99, Recall: .75},
		hearsay.Unverified: {Salience: .4, Confidence: .4, Decay: .99, Recall: .75},
		hearsay.Tool:       {Salience: .5, Confidence: .6, Decay: .997, Recall: .85},
		hearsay.Agent:      {Salience: .6, Confidence: .8, Decay: 1, Recall: .95},
		hearsay.Channel:    {Salience: .6, Confidence: .8, Decay: 1, Recall: .95},
		hearsay.User:       {Salience: 1, Confidence: 1, Decay: 1, Recall: 1, Entrench: true},
	}
	got := hearsay.DefaultCeilings()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	got[hearsay.External].Salience = 1
	if hearsay.DefaultCeilings() != want {
		t.Error("a caller can change the built-in table")
	}
}

func TestApply(t *testing.T) {
	full := hearsay.Claims{Salience: 1, Confidence: 1, Pin: true, Stable: true}
	lowered := func(salience, confidence float64) []hearsay.Clamp {
		return []hearsay.Clamp{
			{Field: "salience", From: 1, To: salience}, {Field: "confidence", From: 1, To: confidence},
			{Field: "pin", From: 1}, {Field: "stable", From: 1},
		}
	}
	nan, inf := math.NaN(), math.Inf(1)
	for name, c := range map[string]struct {
		origin hearsay.Origin
		claims hearsay.Claims
		want   hearsay.Claims
		clamps []hearsay.Clamp
	}{
		"user, all":          {hearsay.User, full, full, nil},
		"channel, all":       {hearsay.Channel, full, hearsay.Claims{Salience: .6, Confidence: .8}, lowered(.6, .8)},
		"agent, all":         {hearsay.Agent, full, hearsay.Claims{Salience: .6, Confidence: .8}, lowered(.6, .8)},
		"tool, all":          {hearsay.Tool, full, hearsay.Claims{Salience: .5, Confidence: .6}, lowered(.5, .6)},
		"unverified, all":    {hearsay.Unverified, full, hearsay.Claims{Salience: .4, Confidence: .4}, lowered(.4, .4)},
		"external, all":      {hearsay.External, full, hearsay.Claims{Salience: .4, Confidence: .4}, lowered(.4, .4)},
		"no origin of ours":  {hearsay.User + 1, full, hearsay.Claims{Salience: .4, Confidence: .4}, lowered(.4, .4)},
		"the last origin":    {255, full, hearsay.Claims{Salience: .4, Confidence: .4}, lowered(.4, .4)},
		"nothing claimed":    {hearsay.External, hearsay.Claims{}, hearsay.Claims{}, nil},
		"below the bounds":   {hearsay.Tool, hearsay.Claims{Salience: .1, Confidence: .2}, hearsay.Claims{Salience: .1, Confidence: .2}, nil},
		"at the bounds":      {hearsay.Tool, hearsay.Claims{Salience: .5, Confidence: .6}, hearsay.Claims{Salience: .5, Confidence: .6}, nil},
		"negative":           {hearsay.User, hearsay.Claims{Salience: -1, Confidence: -inf}, hearsay.Claims{}, nil},
		"not a number":       {hearsay.User, hearsay.Claims{Salience: nan, Confidence: nan}, hearsay.Claims{}, nil},
		"only pin":           {hearsay.Channel, hearsay.Claims{Pin: true}, hearsay.Claims{}, []hearsay.Clamp{{Field: "pin", From: 1}}},
		"only stable":        {hearsay.Agent, hearsay.Claims{Stable: true}, hearsay.Claims{}, []hearsay.Clamp{{Field: "stable", From: 1}}},
		"too much of a user": {hearsay.User, hearsay.Claims{Salience: 3}, hearsay.Claims{Salience: 1}, []hearsay.Clamp{{Field: "salience", From: 3, To: 1}}},
		"without end":        {hearsay.Tool, hearsay.Claims{Confidence: inf}, hearsay.Claims{Confidence: .6}, []hearsay.Clamp{{Field: "confidence", From: inf, To: .6}}},
	} {
		t.Run(name, func(t *testing.T) {
			table := hearsay.DefaultCeilings()
			got, clamps := table.Apply(c.origin, c.claims)
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("claims (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(c.clamps, clamps); diff != "" {
				t.Errorf("clamps (-want +got):\n%s", diff)
			}
		})
	}
}

// A table that nobody filled in lets nothing be claimed, not even by the user.
func TestApplyZeroTable(t *testing.T) {
	var table hearsay.Ceilings
	for o := hearsay.External; o <= hearsay.User; o++ {
		got, clamps := table.Apply(o, hearsay.Claims{Salience: 1, Confidence: 1, Pin: true, Stable: true})
		if got != (hearsay.Claims{}) || len(clamps) != 4 {
			t.Errorf("%v: %+v, %+v", o, got, clamps)
		}
	}
}

// Whatever is claimed, what is granted is within the origin's bounds, a lower
// origin is granted no more than a higher one, and what was lowered is reported.
func TestApplyBounds(t *testing.T) {
	r := newRand()
	table := hearsay.DefaultCeilings()
	for range rounds {
		claims := hearsay.Claims{
			Salience: r.NormFloat64(), Confidence: r.NormFloat64(),
			Pin: r.IntN(2) == 0, Stable: r.IntN(2) == 0,
		}
		var below hearsay.Claims
		for o := hearsay.External; o <= hearsay.User; o++ {
			got, clamps := table.Apply(o, claims)
			top := table[o]
			if !(0 <= got.Salience && got.Salience <= top.Salience) || !(0 <= got.Confidence && got.Confidence <= top.Confidence) ||
				(got.Pin || got.Stable) && !top.Entrench {
				t.Fatalf("%v is granted %+v", o, got)
			}
			if got.Salience < below.Salience || got.Confidence < below.Confidence || below.Pin && !got.Pin || below.Stable && !got.Stable {
				t.Fatalf("%v is granted %+v, less than the origin below it, %+v", o, got, below)
			}
			below = got
			lowered := 0
			for _, is := range [...]bool{
				got.Salience < claims.Salience, got.Confidence < claims.Confidence,
				got.Pin != claims.Pin, got.Stable != claims.Stable,
			} {
				if is {
					lowered++
				}
			}
			if len(clamps) != lowered {
				t.Fatalf("%v: %+v became %+v and %+v was reported", o, claims, got, clamps)
			}
			if again, more := table.Apply(o, got); again != got || more != nil {
				t.Fatalf("%v: %+v is lowered once more to %+v", o, got, again)
			}
		}
	}
}
