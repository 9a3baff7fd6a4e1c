package recall

import (
	"fmt"
	"math"
	"time"

	"github.com/hearsay-memory/hearsay"
)

const (
	// KeepSalience is the salience from which on a memory is never pruned. No origin
	// below the user reaches it.
	KeepSalience = .7

	// confirmGain is the part of what is missing that the user's word adds.
	confirmGain = .25

	// recencyHalf is after how many days recency has halved.
	recencyHalf = 30
)

// StrengthAt returns how strong m is at a time, 0 … 1: its strength × rate ^ days
// since its last use. The rate is that of its kind and form, at most [MaxRate],
// times the decay of its origin. A clock that went backwards counts as no days.
//
// What the user said and pinned or called stable does not fade. What is not trusted
// fades from the day it was written, whatever is stored as its last use.
func (m Memory) StrengthAt(c *hearsay.Ceilings, at time.Time) float64 {
	return m.strengthAt(m.ceiling(c), at)
}

func (m *Memory) strengthAt(top hearsay.Ceiling, at time.Time) float64 {
	if m.kept(top) {
		return m.strength()
	}
	return m.strength() * math.Pow(m.Kind.Curve(m.Form).Rate*top.Decay, m.days(at))
}

// RecencyAt returns how recent the last use is, 1 now and half of it every 30 days.
// For what is not trusted it is how recently it was written.
func (m Memory) RecencyAt(at time.Time) float64 {
	return m.recencyAt(at)
}

func (m *Memory) recencyAt(at time.Time) float64 { return math.Exp2(-m.days(at) / recencyHalf) }

// salience returns the salience that counts: at most what the origin may claim.
func (m *Memory) salience(top hearsay.Ceiling) float64 { return min(unit(m.Salience), top.Salience) }

// Recalled returns m as it is after it came up in an answer: its days start anew,
// its strength is what it was. What is not trusted stays as it is: recalling it
// never makes it fade slower.
//
// Who asked makes no difference. If it did, a stranger's text that sinks a session
// would take part in how the trusted memories rank afterwards.
func (m Memory) Recalled(at time.Time) Memory {
	if m.Label.Trusted() && at.After(m.Used) {
		m.Used = at
	}
	return m
}

// Confirmed returns m as it is after somebody who speaks with the label by said the
// same again. The user's own word starts the days anew and adds a quarter of what
// is missing: to 1 for what the user said, to the start of its kind for what an
// agent or a known person said. An agent or a known person start the days anew and
// add nothing. The same text from anybody else is no corroboration, and nothing
// confirms a memory that is not trusted: approving is not promoting, see attestation.
func (m Memory) Confirmed(by hearsay.Label, at time.Time) Memory {
	if !by.Trusted() || !m.Label.Trusted() {
		return m
	}
	if by.Origin == hearsay.User {
		m.Strength = m.strength()
		m.Strength += (m.top() - m.Strength) * confirmGain
	}
	return m.Recalled(at)
}

// Prunable reports whether m may be forgotten as too weak: its strength is below
// floor, and it is neither the user's pinned or stable word nor as salient as
// [KeepSalience]. A floor that is not a number prunes nothing.
func (m Memory) Prunable(c *hearsay.Ceilings, at time.Time, floor float64) bool {
	top := m.ceiling(c)
	return !m.kept(top) && m.salience(top) < KeepSalience && m.strengthAt(top, at) < floor
}

// Heir returns what a memory made of others starts with, as when near-duplicates
// are merged or many are summed up: the join of the labels, the kind, strength and
// dates of the strongest at that time, the greatest salience and confidence within
// the ceilings of the join, the least weight, and the namespace that all lie in. It
// is held, has no id, tags or links, and is never pinned, stable or vetted: those
// are for its store and for people.
//
// So it is never stronger, at any later time, than the strongest of its parents
// would be. It is an error if there is no parent, if one fails [Memory.Check], or if
// they are of more than one principal.
func Heir(c *hearsay.Ceilings, parents []Memory, at time.Time) (Memory, error) {
	if len(parents) == 0 {
		return Memory{}, fmt.Errorf("heir of no memories: want at least one")
	}
	var best *Memory
	label, space, project := hearsay.LabelIdentity, parents[0].Namespace, parents[0].Project
	salience, confidence, weight := 0.0, 0.0, 1.0
	for i := range parents {
		p := &parents[i]
		if err := p.check(); err != nil {
			return Memory{}, fmt.Errorf("heir: %w", err)
		}
		if p.Principal != parents[0].Principal {
			return Memory{}, fmt.Errorf("heir: %v and %v are of two principals: merge each principal's apart", parents[0].ID, p.ID)
		}
		if best == nil || stronger(c, p, best, at) {
			best = p
		}
		label = label.Join(p.Label)
		space = space[:sharedSegments(space, p.Namespace)]
		if p.Project != project {
			project = ""
		}
		salience, confidence = max(salience, p.Salience), max(confidence, p.Confidence)
		weight = min(weight, p.Weight)
	}
	heir := Memory{
		Label: label, Principal: best.Principal, Project: project, Namespace: space,
		Kind: best.Kind, Form: best.Form,
		Strength: best.strength(), Salience: salience, Confidence: confidence, Weight: weight,
		Written: best.Written, Used: best.Used,
	}
	heir, _ = heir.Bounded(c)
	return heir, nil
}

// stronger orders parents: by strength, then by id.
func stronger(c *hearsay.Ceilings, a, b *Memory, at time.Time) bool {
	x, y := a.StrengthAt(c, at), b.StrengthAt(c, at)
	if x != y {
		return x > y
	}
	return compareIDs(a.ID, b.ID) < 0
}

// strength is the stored strength within its bounds.
func (m *Memory) strength() float64 { return min(unit(m.Strength), m.top()) }

// top is the greatest strength m can have: only the user's own word can be stronger
// than a new memory of its kind.
func (m *Memory) top() float64 {
	if voice(m.Label) == hearsay.User {
		return 1
	}
	return m.Kind.Curve(m.Form).Strength
}

// kept reports whether m does not fade.
func (m *Memory) kept(top hearsay.Ceiling) bool {
	return (m.Pinned || m.Stable) && top.Entrench && voice(m.Label) == hearsay.User
}

// days returns how many days m has been fading for.
func (m *Memory) days(at time.Time) float64 {
	from := m.Written
	if m.Label.Trusted() && m.Used.After(from) {
		from = m.Used
	}
	return daysBetween(from, at)
}

// daysBetween returns the days from one time to another, 0 if that is earlier. It
// saturates after 292 years.
func daysBetween(from, to time.Time) float64 {
	return max(0, to.Sub(from).Hours()/24)
}
