package policy

import "github.com/hearsay-memory/hearsay"

// Write is what a decision about one memory write looks at. The surface and the
// guard fill it; what a payload says of itself goes into the Claimed fields and
// Tags, where it can only tighten the verdict. The zero value is the root of
// nobody's memory, external and tainted by the unknown.
type Write struct {
	Label             hearsay.Label // effective: declared source ⊔ parents ⊔ session
	Source            string        // base type of the declared source; empty: "unknown"
	SessionTainted    bool
	PrincipalMismatch bool // the memory is another principal's

	Namespace hearsay.Namespace // where the write goes
	Kind      string
	Agent     string
	Tool      string
	Surface   hearsay.Surface

	ClaimedNamespace hearsay.Namespace // what the payload calls its place; nil: nothing
	ClaimedKind      string            // what the payload calls its kind; empty: nothing
	Tags             []string          // the payload's own labels

	Evidence hearsay.Evidence // what the lint found in the text
	Text     []byte           // for regular expressions alone; never kept
}
