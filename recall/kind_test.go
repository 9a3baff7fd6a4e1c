package recall

import (
	"math"
	"strings"
	"testing"
)

// The whole table, number by number, each kind in each form.
func TestCurves(t *testing.T) {
	for _, c := range []struct {
		kind           Kind
		strength, rate float64
	}{
		{Decision, .85, .995}, {Insight, .90, .997}, {Goal, .80, .993}, {Experience, .75, .985}, {Learning, .70, .990},
		{Relationship, .70, .997}, {Preference, .60, .998}, {Observation, .40, .950},
	} {
		for form, want := range map[Form]Curve{
			Semantic:   {c.strength, c.rate},
			Episodic:   {c.strength + .10, c.rate * .995},
			Procedural: {c.strength - .10, min(c.rate*1.003, .9999)},
		} {
			got := c.kind.Curve(form)
			if math.Abs(got.Strength-want.Strength) > 1e-12 || math.Abs(got.Rate-want.Rate) > 1e-12 {
				t.Errorf("%v, %v: got %+v, want %+v", c.kind, form, got, want)
			}
		}
	}
	for form := range Form(3) {
		if got, want := Procedure.Curve(form), Learning.Curve(Procedural); got != want {
			t.Errorf("a procedure, %v: got %+v, want %+v", form, got, want)
		}
	}
	for k := range 256 {
		for f := range 256 {
			c := Kind(k).Curve(Form(f))
			if !inUnit(c.Strength) || !(c.Rate > 0 && c.Rate <= MaxRate) {
				t.Fatalf("%d, %d: %+v", k, f, c)
			}
			if k >= len(kindNames) && c != Observation.Curve(Form(f)) {
				t.Fatalf("%d is no kind and not the weakest: %+v", k, c)
			}
		}
	}
	if got := Preference.Curve(Procedural).Rate; got != .9999 {
		t.Errorf("a rate of more than %v: %v", MaxRate, got)
	}
}

// Names are stored: they never change. Whatever is none is an error, never a default.
func TestNames(t *testing.T) {
	kinds := []string{"observation", "preference", "learning", "relationship", "procedure", "experience", "goal", "decision", "insight"}
	for i, name := range kinds {
		var k Kind
		if err := k.UnmarshalText([]byte(name)); err != nil || k != Kind(i) || k.String() != name {
			t.Errorf("%s: %v, %v", name, k, err)
		}
		if b, err := k.MarshalText(); err != nil || string(b) != name {
			t.Errorf("%s marshals as %q, %v", name, b, err)
		}
	}
	for i, name := range []string{"semantic", "episodic", "procedural"} {
		var f Form
		if err := f.UnmarshalText([]byte(name)); err != nil || f != Form(i) || f.String() != name {
			t.Errorf("%s: %v, %v", name, f, err)
		}
		if b, err := f.MarshalText(); err != nil || string(b) != name {
			t.Errorf("%s marshals as %q, %v", name, b, err)
		}
	}
	for _, s := range []string{"", " ", "0", "Insight", "insight ", "insights", "fact", "null", "\xff", strings.Repeat("x", 1<<20)} {
		k, err := ParseKind(s)
		if err == nil || k != Observation {
			t.Errorf("kind %.20q: %v, %v", s, k, err)
		}
		if len(err.Error()) > 400 {
			t.Errorf("an error of %d bytes", len(err.Error()))
		}
		if f, err := ParseForm(s); err == nil || f != Semantic {
			t.Errorf("form %.20q: %v, %v", s, f, err)
		}
	}
	if Kind(200).String() != "observation" || Form(200).String() != "semantic" || Reason(200).String() != "foreign" {
		t.Error("a value outside the range does not print as the zero value")
	}
	reasons := []Reason{Foreign, Withheld, Malformed, Misplaced, Superseded, OverCap, OverBudget}
	for i, name := range []string{"foreign", "withheld", "malformed", "misplaced", "superseded", "over_cap", "over_budget"} {
		if b, err := reasons[i].MarshalText(); err != nil || string(b) != name {
			t.Errorf("%s marshals as %q, %v", name, b, err)
		}
	}
}
