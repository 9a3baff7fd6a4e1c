package hearsay

// EvidenceKind is what a lint found in a text. It is evidence for the policy,
// never the gate.
type EvidenceKind uint8

// The kinds of evidence.
const (
	EvidenceInstruction EvidenceKind = iota // always, never, from now on …
	EvidenceInjection                       // overrides earlier instructions, changes roles, pipes a download to a shell
	EvidenceHidden                          // characters that a reader does not see
	EvidenceSecret                          // shaped like a key
)

var evidenceNames = [...]string{"instruction", "injection", "hidden", "secret"}

// String returns the kind's name.
func (k EvidenceKind) String() string { return nameOf(evidenceNames[:], uint8(k)) }

// EvidenceSet is a set of kinds. The zero value is empty.
type EvidenceSet uint8

// Has reports whether k is in the set.
func (s EvidenceSet) Has(k EvidenceKind) bool { return s&(1<<k) != 0 }

// With returns the set with k added.
func (s EvidenceSet) With(k EvidenceKind) EvidenceSet { return s | 1<<k }

// Without returns the set with k taken out.
func (s EvidenceSet) Without(k EvidenceKind) EvidenceSet { return s &^ (1 << k) }

// Names returns the names of the kinds in the set, in the order of the constants.
func (s EvidenceSet) Names() []string {
	var names []string
	for k := EvidenceInstruction; k <= EvidenceSecret; k++ {
		if s.Has(k) {
			names = append(names, k.String())
		}
	}
	return names
}

// Evidence is what a lint found. The zero value found nothing.
type Evidence struct {
	Kinds   EvidenceSet
	Matches []EvidenceMatch
}

// EvidenceMatch is one thing found.
type EvidenceMatch struct {
	Kind    EvidenceKind
	Rule    string // a stable short id such as "instruction.en.always"; never the text
	Offset  int    // in bytes, in the text that was matched (folded where folding changed it)
	Decoded string // what tag characters spell, for a person's eyes only
}

// TagEncoded reports whether some text was spelt in invisible tag characters,
// which is held whoever speaks.
func (e Evidence) TagEncoded() bool {
	for _, m := range e.Matches {
		if m.Decoded != "" {
			return true
		}
	}
	return false
}
