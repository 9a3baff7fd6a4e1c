package ledger

import "fmt"

// FaultKind says in what way a log is not as it was sealed. The strings are stable:
// they appear in JSON and in exit messages.
type FaultKind string

// The kinds of fault. This package finds the first four, bad signatures of
// checkpoints and wrong tiles; the others are found by those who know what entries
// mean, and are named here so that there is one list.
const (
	HashMismatch   FaultKind = "hash_mismatch"   // an entry's bytes do not hash to what was kept for it
	MissingEntry   FaultKind = "missing_entry"   // an entry is not at its place, and later ones are there
	RootMismatch   FaultKind = "root_mismatch"   // the entries do not hash to the head or to a checkpoint
	Truncated      FaultKind = "truncated"       // the log ends before its head or a checkpoint says
	StateMismatch  FaultKind = "state_mismatch"  // something derived from the entries, a tile or a table, is not what they give
	BadSignature   FaultKind = "bad_signature"   // a signature is wrong, or none is by a known key
	SessionCleaner FaultKind = "session_cleaner" // a live session has a cleaner label than its sealed events
)

// Fault is one way in which a log is not as it was sealed. It is an error; find it
// with errors.AsType[*Fault].
type Fault struct {
	Kind   FaultKind `json:"kind"`
	Seq    int64     `json:"seq"` // position of the first bad or missing entry, from 0; -1 if none can be named
	Detail string    `json:"detail"`
}

// Error gives the kind, the entry and the detail.
func (f *Fault) Error() string {
	if f.Seq < 0 {
		return fmt.Sprintf("%s: %s", f.Kind, f.Detail)
	}
	return fmt.Sprintf("%s at entry %d: %s", f.Kind, f.Seq, f.Detail)
}

func fault(kind FaultKind, seq int64, format string, args ...any) *Fault {
	return &Fault{Kind: kind, Seq: seq, Detail: fmt.Sprintf(format, args...)}
}
