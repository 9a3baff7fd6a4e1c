package recall

import (
	"fmt"
	"time"

	"github.com/hearsay-memory/hearsay"
)

// Query is what [Select] has to know beside the candidates. Principal, Within and
// Context come from the surface, never from a payload.
type Query struct {
	At        time.Time
	Principal string            // whose memories, byte-exact
	Within    hearsay.Namespace // whole first segments; the root: everywhere
	Context   Context
	Ceilings  hearsay.Ceilings // of the policy, or hearsay.DefaultCeilings

	K            int // trusted results at most, and as many beside them that are neither trusted nor external
	MaxUntrusted int // external results beside them at most; the policy's max_untrusted_per_query
}

func (q *Query) check() error {
	if q.K < 0 || q.MaxUntrusted < 0 {
		return fmt.Errorf("select: k is %d and the cap of external results %d: neither can be below 0", q.K, q.MaxUntrusted)
	}
	if q.Ceilings == (hearsay.Ceilings{}) {
		return fmt.Errorf("select: the table of ceilings is empty: use the policy's, or hearsay.DefaultCeilings")
	}
	if err := q.Within.Check(); err != nil {
		return fmt.Errorf("select: %w", err)
	}
	return nil
}

// Candidate is a memory that a search found.
//
// Its relevance, 0 … 1, has to be comparable within its set: see [TextRelevance],
// [VectorRelevance] and [Either]. 0 is for what no search found, such as what is
// linked to it or corrects it.
type Candidate struct {
	Memory    Memory
	Relevance float64
}

// Reason is why a candidate is not among the results though it might have been.
type Reason uint8

// The reasons. The zero value says least.
const (
	Foreign    Reason = iota // another principal's, or outside the namespace; not named
	Withheld                 // held, refused or withdrawn
	Malformed                // fails Memory.Check, or its relevance is not 0 to 1
	Misplaced                // trusted among the rest, or the reverse: its index is stale
	Superseded               // a later memory, at least as trusted, corrects it
	OverCap                  // beyond the caps of untrusted results
	OverBudget               // did not fit, see Answer.Cut
)

var reasonNames = []string{"foreign", "withheld", "malformed", "misplaced", "superseded", "over_cap", "over_budget"}

// String returns the reason's name.
func (r Reason) String() string {
	if int(r) >= len(reasonNames) {
		r = Foreign
	}
	return reasonNames[r]
}

// MarshalText implements [encoding.TextMarshaler].
func (r Reason) MarshalText() ([]byte, error) { return []byte(r.String()), nil }

// Omission is a candidate that was left out. Being lower than the first k is no
// omission.
type Omission struct {
	ID     hearsay.RecordID `json:"id"` // zero for Foreign
	Reason Reason           `json:"reason"`
}
