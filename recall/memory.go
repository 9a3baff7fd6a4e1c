package recall

import (
	"fmt"
	"time"
	"unicode/utf8"

	"github.com/hearsay-memory/hearsay"
)

// What a memory may have at most.
const (
	MaxTags     = 12  // tags
	MaxTagBytes = 128 // bytes of a tag
	MaxLinks    = 64  // links, and as many records that it supersedes
)

// Memory is what ranking knows of one memory; its words are not needed. The zero
// value is held, external and tainted, faded, and weighs nothing.
type Memory struct {
	ID        hearsay.RecordID
	Label     hearsay.Label
	Standing  hearsay.Standing // only what is visible is ever chosen
	Principal string           // the person whose memory it is, byte-exact
	Project   string           // empty: none
	Namespace hearsay.Namespace
	Kind      Kind
	Form      Form

	Strength   float64 // 0 … 1 as it was at the last use; see Kind.Curve for the start
	Salience   float64 // 0 … 1
	Confidence float64 // 0 … 1
	Weight     float64 // retrieval weight of the rule that let it in, 0 < w ≤ 1

	Written time.Time
	Used    time.Time // the last use; zero: none

	Pinned bool // shown in every session; counts for the user's own word only
	Stable bool // does not fade; counts for the user's own word only
	Vetted bool // a person looked at it: clears the pending flag and does nothing else

	Tags       []string
	Links      []hearsay.RecordID // memories that it names
	Supersedes []hearsay.RecordID // memories that it corrects
}

// Check returns an error that says what is wrong where a field is out of its range,
// not a number, or too long. [Select] leaves out a memory that fails it; a store
// should refuse one.
func (m Memory) Check() error { return m.check() }

func (m *Memory) check() error {
	if m.ID.IsZero() {
		return fmt.Errorf("memory has no id")
	}
	if !m.Kind.valid() {
		return fmt.Errorf("memory %v: kind %d is not one: want 0 to %d", m.ID, m.Kind, len(kindNames)-1)
	}
	if !m.Form.valid() {
		return fmt.Errorf("memory %v: form %d is not one: want 0 to %d", m.ID, m.Form, len(formNames)-1)
	}
	for _, n := range [...]struct {
		name  string
		value float64
	}{{"strength", m.Strength}, {"salience", m.Salience}, {"confidence", m.Confidence}, {"weight", m.Weight}} {
		if !inUnit(n.value) {
			return fmt.Errorf("memory %v: %s is %v: want 0 to 1", m.ID, n.name, n.value)
		}
	}
	if m.Weight == 0 {
		return fmt.Errorf("memory %v: weight is 0: want the retrieval weight of its rule, 1 where the rule has none", m.ID)
	}
	if err := m.Namespace.Check(); err != nil {
		return fmt.Errorf("memory %v: %w", m.ID, err)
	}
	if err := checkTags(m.Tags); err != nil {
		return fmt.Errorf("memory %v: %w", m.ID, err)
	}
	if err := m.checkIDs("links", m.Links); err != nil {
		return err
	}
	return m.checkIDs("superseded records", m.Supersedes)
}

func checkTags(tags []string) error {
	if len(tags) > MaxTags {
		return fmt.Errorf("%d tags: at most %d", len(tags), MaxTags)
	}
	for i, t := range tags {
		if t == "" || len(t) > MaxTagBytes || !utf8.ValidString(t) {
			return fmt.Errorf("tag %d has %d bytes: want 1 to %d of UTF-8", i, len(t), MaxTagBytes)
		}
	}
	return nil
}

func (m *Memory) checkIDs(what string, ids []hearsay.RecordID) error {
	if len(ids) > MaxLinks {
		return fmt.Errorf("memory %v: %d %s: at most %d", m.ID, len(ids), what, MaxLinks)
	}
	for _, id := range ids {
		if id.IsZero() || id == m.ID {
			return fmt.Errorf("memory %v: among its %s is an empty id or its own", m.ID, what)
		}
	}
	return nil
}

// Bounded returns m with every claim lowered to what its origin may claim, and what
// was lowered: salience and confidence, pin and stable, and below the user also the
// strength, which is at most that of a new memory of the kind. Ranking bounds a
// memory so in any case; a store calls it to report the clamps.
func (m Memory) Bounded(c *hearsay.Ceilings) (Memory, []hearsay.Clamp) {
	claims, clamps := c.Apply(voice(m.Label), hearsay.Claims{
		Salience: m.Salience, Confidence: m.Confidence, Pin: m.Pinned, Stable: m.Stable,
	})
	m.Salience, m.Confidence, m.Pinned, m.Stable = claims.Salience, claims.Confidence, claims.Pin, claims.Stable
	if got, top := m.Strength, m.top(); got > top {
		clamps = append(clamps, hearsay.Clamp{Field: "strength", From: got, To: top})
	}
	m.Strength = m.strength()
	return m, clamps
}

// Flags are what a receipt says of a memory beside its title, kind and age.
type Flags struct {
	Origin   hearsay.Origin `json:"origin"`
	LowTrust bool           `json:"low_trust,omitempty"` // of origin tool or lower, or tainted
	Pending  bool           `json:"pending,omitempty"`   // of low trust, and no person has looked at it
}

// Flags returns the flags of a receipt for m. They say nothing about the rank.
func (m Memory) Flags() Flags {
	low := m.Label.Origin.LowTrust() || m.Label.Tainted()
	return Flags{Origin: m.Label.Origin, LowTrust: low, Pending: low && !m.Vetted}
}

// voice is the origin whose ceilings bound a memory: its own, and where something
// untrusted flowed in, at most that of a tool.
func voice(l hearsay.Label) hearsay.Origin {
	switch {
	case l.Origin > hearsay.User:
		return hearsay.External
	case l.Tainted():
		return min(l.Origin, hearsay.Tool)
	}
	return l.Origin
}

// ceiling returns the row of the table that bounds m, each number in 0 … 1.
func (m *Memory) ceiling(c *hearsay.Ceilings) hearsay.Ceiling {
	top := c[voice(m.Label)]
	top.Salience, top.Confidence = unit(top.Salience), unit(top.Confidence)
	top.Decay, top.Recall = unit(top.Decay), unit(top.Recall)
	return top
}

// factor is what the score of m, and whatever it passes on, is multiplied by.
func (m *Memory) factor(c *hearsay.Ceilings) float64 {
	return m.ceiling(c).Recall * unit(m.Weight)
}

// unit returns x within 0 … 1; what is not a number is 0.
func unit(x float64) float64 {
	if !(x > 0) {
		return 0
	}
	return min(x, 1)
}

func inUnit(x float64) bool { return x >= 0 && x <= 1 }
