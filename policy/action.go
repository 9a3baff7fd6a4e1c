package policy

import (
	"slices"
	"strings"

	"github.com/hearsay-memory/hearsay"
)

// absolute is denied to every tainted session. A policy can add to it and take nothing
// away, and no approval lifts it.
var absolute = []string{"project.delete", "database.drop"}

// ActionDecision is the answer to an action, before any approval and mode.
type ActionDecision struct {
	Verdict    hearsay.ActionVerdict
	Pattern    string // what of the policy decided; empty: its default
	Privileged bool   // the action is one that the policy names
	Absolute   bool   // nothing lifts the denial: no approval, no override, no mode
}

// DecideAction returns the answer to an action that amounts to all of the names; the
// strictest of their answers counts. More taint never loosens it:
//
//   - from a clean session what is denied absolutely to a tainted one asks, and all
//     else has the policy's default;
//   - from a tainted session the privileged names have the policy's answer for them.
//
// Names that nobody gave amount to an unknown action, which asks.
func (p *Policy) DecideAction(names []string, tainted bool) ActionDecision {
	if p == nil || len(names) == 0 {
		return ActionDecision{Verdict: hearsay.Ask, Privileged: true}
	}
	var best ActionDecision
	for i, name := range names {
		if d := p.decideAction(name, tainted); i == 0 || d.rank() > best.rank() {
			best = d
		}
	}
	return best
}

// rank orders decisions by how much they restrain; of two that restrain alike, the one
// that says why is above.
func (d ActionDecision) rank() int {
	n := 0
	for _, weaker := range [...]hearsay.ActionVerdict{hearsay.AllowAction, hearsay.Ask} {
		if weaker.Weaker(d.Verdict) {
			n += 4
		}
	}
	if d.Absolute {
		n += 2
	}
	if d.Privileged {
		n++
	}
	return n
}

func (p *Policy) decideAction(name string, tainted bool) ActionDecision {
	a := &p.actions
	pattern, forbidden := match(absolute, name)
	if !forbidden {
		pattern, forbidden = match(a.Forbidden, name)
	}
	if forbidden {
		d := ActionDecision{Verdict: hearsay.Ask, Pattern: pattern, Privileged: true}
		if tainted {
			d.Verdict, d.Absolute = hearsay.Deny, true
		} else if a.Default == hearsay.Deny {
			d.Verdict = hearsay.Deny
		}
		return d
	}
	pattern, privileged := match(a.Privileged, name)
	d := ActionDecision{Verdict: a.Default, Pattern: pattern, Privileged: privileged}
	if tainted && privileged && d.Verdict.Weaker(a.Tainted) {
		d.Verdict = a.Tainted
	}
	return d
}

// match returns the first pattern that a dotted name fits. A star stands for one or
// more parts at the beginning or the end.
func match(patterns []string, name string) (string, bool) {
	i := slices.IndexFunc(patterns, func(p string) bool {
		if p == "*" || p == name {
			return true
		}
		if head, ok := strings.CutSuffix(p, ".*"); ok && !strings.HasPrefix(p, "*.") {
			return strings.HasPrefix(name, head+".")
		}
		tail, ok := strings.CutPrefix(p, "*.")
		if !ok {
			return false
		}
		if middle, both := strings.CutSuffix(tail, ".*"); both {
			return strings.Contains(name, "."+middle+".")
		}
		return strings.HasSuffix(name, "."+tail)
	})
	if i < 0 {
		return "", false
	}
	return patterns[i], true
}
