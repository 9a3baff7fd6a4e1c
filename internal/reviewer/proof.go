package reviewer

import "fmt"

// ProofLevel says how well it is proved that a person, not an agent, made a decision. Levels are ordered; the zero
// value proves nothing.
type ProofLevel uint8

const (
	ProofNone   ProofLevel = iota // nothing shown
	ProofClient                   // an MCP client says that it asked its user; never enough to release tainted text
	ProofSigned                   // a statement signed with an enrolled key
)

// String returns "none", "client" or "signed".
func (p ProofLevel) String() string {
	switch p {
	case ProofClient:
		return "client"
	case ProofSigned:
		return "signed"
	}
	return "none"
}

// ParseProofLevel reads what String wrote. Anything else is an error and ProofNone.
func ParseProofLevel(s string) (ProofLevel, error) {
	for p := ProofNone; p <= ProofSigned; p++ {
		if p.String() == s {
			return p, nil
		}
	}
	return ProofNone, fmt.Errorf("reviewer: %.40q is not a proof level; wanted none, client or signed", s)
}

// MarshalText writes the level as String does.
func (p ProofLevel) MarshalText() ([]byte, error) { return []byte(p.String()), nil }

// UnmarshalText reads a level; on an error it is left at ProofNone.
func (p *ProofLevel) UnmarshalText(text []byte) (err error) {
	*p, err = ParseProofLevel(string(text))
	return err
}
