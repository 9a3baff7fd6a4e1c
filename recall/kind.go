package recall

import (
	"fmt"
	"slices"
)

// Kind is what sort of thing a memory says. The zero value is [Observation], which
// starts weakest and fades fastest.
type Kind uint8

// The kinds.
const (
	Observation  Kind = iota // something seen in passing
	Preference               // how somebody likes things
	Learning                 // something found out
	Relationship             // how people or things stand to each other
	Procedure                // how something is done
	Experience               // something that happened
	Goal                     // something that is wanted
	Decision                 // something that was settled
	Insight                  // something understood
)

var kindNames = []string{
	"observation", "preference", "learning", "relationship", "procedure", "experience", "goal", "decision", "insight",
}

// Curve is how a memory starts and fades.
type Curve struct {
	Strength float64 `json:"strength"` // at the start, 0 … 1
	Rate     float64 `json:"rate"`     // factor a day, 0 … MaxRate
}

// MaxRate is the greatest rate of a [Curve]: everything fades, if slowly.
const MaxRate = .9999

// curves is the table of starts and rates, by kind. A procedure has the row of a
// learning, and is always [Procedural].
var curves = [...]Curve{
	Observation:  {.40, .950},
	Preference:   {.60, .998},
	Learning:     {.70, .990},
	Relationship: {.70, .997},
	Procedure:    {.70, .990},
	Experience:   {.75, .985},
	Goal:         {.80, .993},
	Decision:     {.85, .995},
	Insight:      {.90, .997},
}

// String returns the kind's name; a value outside the range prints as "observation".
func (k Kind) String() string {
	if !k.valid() {
		k = Observation
	}
	return kindNames[k]
}

// ParseKind returns the kind of that name. Anything else is an error, never a kind
// by default; the kind beside the error is [Observation].
func ParseKind(s string) (Kind, error) {
	i, err := parseName("kind", kindNames, s)
	return Kind(i), err
}

// MarshalText implements [encoding.TextMarshaler].
func (k Kind) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// UnmarshalText implements [encoding.TextUnmarshaler].
func (k *Kind) UnmarshalText(b []byte) (err error) {
	*k, err = ParseKind(string(b))
	return err
}

func (k Kind) valid() bool { return int(k) < len(kindNames) }

// Curve returns how a memory of this kind and form starts and fades: the row of the
// kind, changed by the form. Values outside their range count as the zero value.
func (k Kind) Curve(f Form) Curve {
	if !k.valid() {
		k = Observation
	}
	if k == Procedure {
		f = Procedural
	}
	c := curves[k]
	switch f {
	case Episodic:
		c.Strength += .10
		c.Rate *= .995
	case Procedural:
		c.Strength -= .10
		c.Rate *= 1.003
	}
	return Curve{Strength: unit(c.Strength), Rate: min(c.Rate, MaxRate)}
}

// Form is how a memory holds what it says. The zero value is [Semantic].
type Form uint8

// The forms.
const (
	Semantic   Form = iota // a fact, apart from when it was learnt
	Episodic               // an event: starts stronger, fades faster
	Procedural             // a skill: starts weaker, fades slower
)

var formNames = []string{"semantic", "episodic", "procedural"}

// String returns the form's name; a value outside the range prints as "semantic".
func (f Form) String() string {
	if !f.valid() {
		f = Semantic
	}
	return formNames[f]
}

// ParseForm returns the form of that name, or [Semantic] and an error.
func ParseForm(s string) (Form, error) {
	i, err := parseName("form", formNames, s)
	return Form(i), err
}

// MarshalText implements [encoding.TextMarshaler].
func (f Form) MarshalText() ([]byte, error) { return []byte(f.String()), nil }

// UnmarshalText implements [encoding.TextUnmarshaler].
func (f *Form) UnmarshalText(b []byte) (err error) {
	*f, err = ParseForm(string(b))
	return err
}

func (f Form) valid() bool { return int(f) < len(formNames) }

// parseName finds s in names; where it is absent the index is 0.
func parseName(what string, names []string, s string) (int, error) {
	if i := slices.Index(names, s); i >= 0 {
		return i, nil
	}
	return 0, fmt.Errorf("unknown %s %.40q: want one of %v", what, s, names)
}
