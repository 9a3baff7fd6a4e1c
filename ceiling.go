package hearsay

// Claims are what a write may claim for itself, each in 0 … 1 where it is a
// number. The zero value claims nothing.
type Claims struct {
	Salience   float64 `json:"salience,omitempty"`
	Confidence float64 `json:"confidence,omitempty"`
	Pin        bool    `json:"pin,omitempty"`
	Stable     bool    `json:"stable,omitempty"`
}

// Ceiling bounds what an origin may claim and how its memories fade.
type Ceiling struct {
	Salience   float64 // upper bound, 0 … 1
	Confidence float64 // upper bound, 0 … 1
	Decay      float64 // multiplier of the daily decay rate, 0 < d ≤ 1
	Recall     float64 // factor on a recall score, 0 < r ≤ 1
	Entrench   bool    // may be pinned and stable
}

// Ceilings is the table of [Ceiling] by [Origin]. Use [DefaultCeilings]; the zero
// value lets nothing be claimed.
type Ceilings [User + 1]Ceiling

// DefaultCeilings returns the built-in table. A policy can lower its numbers, not
// raise them.
func DefaultCeilings() Ceilings {
	low := Ceiling{Salience: .4, Confidence: .4, Decay: .99, Recall: .75}
	kept := Ceiling{Salience: .6, Confidence: .8, Decay: 1, Recall: .95}
	return Ceilings{
		External:   low,
		Unverified: low,
		Tool:       {Salience: .5, Confidence: .6, Decay: .997, Recall: .85},
		Agent:      kept,
		Channel:    kept,
		User:       {Salience: 1, Confidence: 1, Decay: 1, Recall: 1, Entrench: true},
	}
}

// Clamp reports one claim that was lowered or refused.
type Clamp struct {
	Field string  `json:"field"` // "salience", "confidence", "pin", "stable"
	From  float64 `json:"from"`
	To    float64 `json:"to"` // 0 where the claim was refused
}

// Apply returns what of c the origin may claim and every claim that was lowered.
// Pin and stable are refused, not capped, where the origin may not entrench. A
// claim that is not a number counts as 0.
func (t *Ceilings) Apply(o Origin, c Claims) (Claims, []Clamp) {
	top := t[o.norm()]
	var clamps []Clamp
	bound := func(field string, v *float64, most float64) {
		got := *v
		if !(got >= 0) { // also not a number
			*v = 0
		} else if got > most {
			*v = most
			clamps = append(clamps, Clamp{Field: field, From: got, To: most})
		}
	}
	bound("salience", &c.Salience, top.Salience)
	bound("confidence", &c.Confidence, top.Confidence)
	refuse := func(field string, v *bool) {
		if *v && !top.Entrench {
			*v = false
			clamps = append(clamps, Clamp{Field: field, From: 1})
		}
	}
	refuse("pin", &c.Pin)
	refuse("stable", &c.Stable)
	return c, clamps
}
