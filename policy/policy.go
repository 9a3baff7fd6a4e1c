package policy

import (
	"slices"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/internal/source"
)

// Policy is a compiled policy file. It cannot be changed and is safe for
// concurrent use. Nil and the zero value are the safe policy: every write is
// held, every action asks, every agent's mode is enforce.
type Policy struct {
	name    string
	hash    string
	mode    hearsay.Mode
	hasMode bool
	agents  map[string]hearsay.Mode

	own      []ownSource
	table    *source.Table
	rules    []rule
	outcomes []outcome // by rule
	none     outcome   // where no rule matches
	fallback hearsay.WriteVerdict
	index    *index

	reads       Reads
	actions     Actions
	files       Files
	ceilings    hearsay.Ceilings
	attribution Attribution
	recall      Recall
}

// Name returns the name that the policy was parsed under.
func (p *Policy) Name() string {
	if p == nil {
		return ""
	}
	return p.name
}

// Hash returns the SHA-256 of the exact bytes of the file in lower-case
// hexadecimal; it is empty where there was no file.
func (p *Policy) Hash() string {
	if p == nil {
		return ""
	}
	return p.hash
}

// Mode returns the mode for agents that have none of their own, and whether the
// file sets it. A file that does not enforces.
func (p *Policy) Mode() (m hearsay.Mode, set bool) {
	if p == nil {
		return hearsay.Enforce, false
	}
	return p.mode, p.hasMode
}

// ModeFor returns the mode of an agent.
func (p *Policy) ModeFor(agent string) hearsay.Mode {
	if p == nil {
		return hearsay.Enforce
	}
	if m, ok := p.agents[agent]; ok {
		return m
	}
	return p.mode
}

// SourceTable returns the source table: what ships, with the policy's entries
// before it. The zero policy has the table that ships.
func (p *Policy) SourceTable() *source.Table {
	if p == nil || p.table == nil {
		return source.Default()
	}
	return p.table
}

// CeilingTable returns the bounds on claims; the zero policy has the built-in
// ones. No origin has more than the next higher one.
func (p *Policy) CeilingTable() hearsay.Ceilings {
	if p == nil || p.index == nil {
		return hearsay.DefaultCeilings()
	}
	return p.ceilings
}

// Reads returns the bounds on what comes back. The zero policy returns nothing
// untrusted.
func (p *Policy) Reads() Reads {
	if p == nil {
		return Reads{}
	}
	return p.reads
}

// MaxUntrusted returns how many external items one query may return.
func (p *Policy) MaxUntrusted() int { return p.Reads().MaxUntrusted }

// Hides reports whether a record that stands so is kept from agents. Nothing in a
// file changes that.
func (p *Policy) Hides(s hearsay.Standing) bool { return !s.Visible() }

// Actions returns what agents may do. The lists are the caller's own.
func (p *Policy) Actions() Actions {
	if p == nil {
		return Actions{}
	}
	a := p.actions
	a.Privileged, a.Forbidden = slices.Clone(a.Privileged), slices.Clone(a.Forbidden)
	return a
}

// Files returns which files are memory. The lists are the caller's own.
func (p *Policy) Files() Files {
	if p == nil {
		return Files{}
	}
	f := p.files
	for _, list := range []*[]string{&f.Memory, &f.Protected, &f.Extra, &f.Untrusted} {
		*list = slices.Clone(*list)
	}
	f.Hold = slices.Clone(f.Hold)
	return f
}

// Attribution returns whether the words of a write are looked for in what its
// session took in.
func (p *Policy) Attribution() Attribution {
	if p == nil {
		return AttributionOff
	}
	return p.attribution
}

// Recall returns what an agent is told about what it cannot see.
func (p *Policy) Recall() Recall {
	if p == nil {
		return Recall{}
	}
	return p.recall
}

// Rule describes one rule for people.
type Rule struct {
	ID     string               `json:"id"`
	Line   int                  `json:"line"` // 1-based
	Action hearsay.WriteVerdict `json:"action"`
	Weight float64              `json:"weight"` // recall weight where it allows
	Reason string               `json:"reason"` // what a verdict of the rule says
}

// Rules returns the rules in the order in which they are read.
func (p *Policy) Rules() []Rule {
	if p == nil {
		return nil
	}
	list := make([]Rule, len(p.rules))
	for i := range p.rules {
		r := &p.rules[i]
		list[i] = Rule{ID: r.id, Line: r.line, Action: r.action, Weight: r.weight, Reason: r.reasons[0]}
	}
	return list
}

// Default returns the verdict where no rule matches: quarantine or block.
func (p *Policy) Default() hearsay.WriteVerdict {
	if p == nil {
		return hearsay.Quarantine
	}
	return p.fallback
}
