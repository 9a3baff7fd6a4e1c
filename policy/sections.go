package policy

import "github.com/hearsay-memory/hearsay"

// Reads bounds what comes back from memory. What is held or blocked is hidden
// always; a policy can say so and cannot say otherwise.
type Reads struct {
	MaxUntrusted int // external items that one query may return, 0 … 100; the default is 2
}

// Actions says what an agent may do, by the dotted name of the action. The zero
// value asks for everything.
type Actions struct {
	Privileged []string              // patterns of consequential actions: "deploy.*", "*.delete", "data.export"
	Tainted    hearsay.ActionVerdict // for a privileged action of a tainted session
	Default    hearsay.ActionVerdict // for everything else
	Forbidden  []string              // denied to tainted sessions for good, beside what always is
}

// Files says which files are memory and how they are guarded. Patterns are slash
// separated; "**" stands for any folders.
type Files struct {
	Memory    []string         // hold memory: writes to them are decided by the rules
	Protected []string         // instructions: no agent writes them
	Extra     []string         // folders outside the workspace that hold memory
	Untrusted []string         // in the workspace, and written by others
	Hold      []hearsay.Origin // the origins whose writes are held; empty: external
}

// Attribution says whether the words of a write are looked for in what its
// session took in. The zero value is [AttributionOff].
type Attribution uint8

// The attributions.
const (
	AttributionOff       Attribution = iota // a write has its session's label
	AttributionUserWords                    // words that only the user said are the user's
)

var attributionNames = []string{"off", "user_words"}

// String returns the attribution's name.
func (a Attribution) String() string {
	if a == AttributionUserWords {
		return attributionNames[AttributionUserWords]
	}
	return attributionNames[AttributionOff]
}

// Recall says what comes back of memories that a person has not looked at, and what an
// agent is told of those that it cannot see.
type Recall struct {
	Quarantine RecallQuarantine
	Held       RecallHeld
}

// RecallQuarantine is what becomes, whenever it is recalled, of a memory of low trust that
// was let in and that no person has approved. The zero value is [QuarantineEnforce].
type RecallQuarantine uint8

// The quarantine modes.
const (
	QuarantineEnforce RecallQuarantine = iota // it is withheld, and counted
	QuarantineFlag                            // it comes back, marked as pending
	QuarantineOff                             // it comes back, marked by its origin alone
)

var quarantineNames = []string{"enforce", "flag", "off"}

// String returns the mode's name.
func (q RecallQuarantine) String() string { return nameOf(quarantineNames, q) }

// RecallHeld is what an agent is told of held records: their words never come back. The
// zero value is [HeldSilent].
type RecallHeld uint8

// What may be said of held records.
const (
	HeldSilent RecallHeld = iota // nothing
	HeldCount                    // how many wait
	HeldIDs                      // how many, and their ids
)

var heldNames = []string{"silent", "count", "ids"}

// String returns the setting's name.
func (h RecallHeld) String() string { return nameOf(heldNames, h) }

// nameOf returns the name of a constant, and of the zero value for one out of range.
func nameOf[T ~uint8](names []string, v T) string {
	if int(v) >= len(names) {
		return names[0]
	}
	return names[v]
}
