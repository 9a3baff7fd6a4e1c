package detect

import (
	"slices"

	"github.com/hearsay-memory/hearsay"
)

// MaxApplied is how many memories one run quarantines at most: a scan never empties a
// memory.
const MaxApplied = 20

// Reason says why a memory that a finding is about was left as it is.
type Reason string

// The reasons, in the order in which they are asked.
const (
	LeftAdvisory Reason = "its findings are advisory: ordinary use can look the same"
	LeftHeld     Reason = "it is held already"
	LeftUser     Reason = "it is pinned, or the user's own word"
	LeftVetted   Reason = "a person looked at it and let it go"
	LeftTrusted  Reason = "its speaker is trusted"
	LeftStore    Reason = "it lies in another store: `hearsay revoke` takes it out"
	LeftMost     Reason = "a run quarantines only so many: review those, and run it again"
)

// Reasons returns all reasons, in their order.
func Reasons() []Reason {
	return []Reason{LeftAdvisory, LeftHeld, LeftUser, LeftVetted, LeftTrusted, LeftStore, LeftMost}
}

// Quarantine is a memory that is to be held again, and the rule of the first finding about it.
type Quarantine struct {
	Record hearsay.RecordID
	Rule   Rule
}

// Plan chooses what a run quarantines: of the findings in their order, the memories that
// may be, at most [MaxApplied]. What cannot be is left out before they are counted; left
// says how many memories were left and why, each once.
func Plan(found []Finding, ms []Memory) (take []Quarantine, left map[Reason]int) {
	at := make(map[hearsay.RecordID]*Memory, len(ms))
	for i := range ms {
		at[ms[i].ID] = &ms[i]
	}
	left = make(map[Reason]int)
	seen := make(map[hearsay.RecordID]bool)
	pass := func(advisory bool) {
		for _, f := range found {
			if f.Advisory != advisory {
				continue
			}
			for _, id := range f.Records {
				m := at[id]
				if m == nil || seen[id] {
					continue
				}
				seen[id] = true
				if why := m.left(advisory, len(take)); why != "" {
					left[why]++
				} else {
					take = append(take, Quarantine{id, f.Rule})
				}
			}
		}
	}
	pass(false)
	pass(true)
	return slices.Clip(take), left
}

func (m *Memory) left(advisory bool, taken int) Reason {
	switch {
	case m.Held:
		return LeftHeld
	case m.Pinned || voice(m.Label) == hearsay.User:
		return LeftUser
	case m.Vetted:
		return LeftVetted
	case advisory:
		return LeftAdvisory
	case !m.low():
		return LeftTrusted
	case !m.Own:
		return LeftStore
	case taken >= MaxApplied:
		return LeftMost
	}
	return ""
}
