package hearsay

import "fmt"

// WriteVerdict is the answer to a memory write. The zero value is [Quarantine].
type WriteVerdict uint8

// The answers to a write.
const (
	Quarantine WriteVerdict = iota // hold it for a person
	Allow                          // store it
	Block                          // refuse it for good
)

var writeNames = [...]string{"quarantine", "allow", "block"}

// String returns the verdict's name.
func (v WriteVerdict) String() string { return nameOf(writeNames[:], uint8(v)) }

// Weaker reports whether v restrains less than w: allow < quarantine < block.
func (v WriteVerdict) Weaker(w WriteVerdict) bool { return v.rank() < w.rank() }

// rank orders the verdicts by how much they restrain.
func (v WriteVerdict) rank() int {
	switch v {
	case Allow:
		return 0
	case Block:
		return 2
	}
	return 1
}

// ParseWriteVerdict returns the verdict of that name, or [Quarantine] and an error.
func ParseWriteVerdict(s string) (WriteVerdict, error) {
	i, err := parseName("action", writeNames[:], s)
	return WriteVerdict(i), err
}

// MarshalText implements [encoding.TextMarshaler].
func (v WriteVerdict) MarshalText() ([]byte, error) { return []byte(v.String()), nil }

// UnmarshalText implements [encoding.TextUnmarshaler].
func (v *WriteVerdict) UnmarshalText(b []byte) (err error) {
	*v, err = ParseWriteVerdict(string(b))
	return err
}

// ActionVerdict is the answer to an action. The zero value is [Ask].
type ActionVerdict uint8

// The answers to an action.
const (
	Ask         ActionVerdict = iota // a person decides
	AllowAction                      // go on
	Deny                             // refused; no approval lifts it
)

var actionNames = [...]string{"ask", "allow", "deny"}

// String returns the verdict's name.
func (v ActionVerdict) String() string { return nameOf(actionNames[:], uint8(v)) }

// Weaker reports whether v restrains less than w: allow < ask < deny.
func (v ActionVerdict) Weaker(w ActionVerdict) bool { return v.rank() < w.rank() }

// rank orders the verdicts by how much they restrain.
func (v ActionVerdict) rank() int {
	switch v {
	case AllowAction:
		return 0
	case Deny:
		return 2
	}
	return 1
}

// ParseActionVerdict returns the verdict of that name, or [Ask] and an error.
func ParseActionVerdict(s string) (ActionVerdict, error) {
	i, err := parseName("action verdict", actionNames[:], s)
	return ActionVerdict(i), err
}

// MarshalText implements [encoding.TextMarshaler].
func (v ActionVerdict) MarshalText() ([]byte, error) { return []byte(v.String()), nil }

// UnmarshalText implements [encoding.TextUnmarshaler].
func (v *ActionVerdict) UnmarshalText(b []byte) (err error) {
	*v, err = ParseActionVerdict(string(b))
	return err
}

// RuleRef names the rule that decided and where it stands. The zero value means
// that no rule matched. File and Line are for people and are not sealed.
type RuleRef struct {
	ID   string `json:"id"`
	File string `json:"file,omitempty"`
	Line int    `json:"line,omitempty"` // 1-based; 0 where the rule is built in
}

// String returns "id (file:line)".
func (r RuleRef) String() string {
	switch {
	case r.ID == "":
		return "no rule"
	case r.File == "":
		return r.ID
	}
	return fmt.Sprintf("%s (%s:%d)", r.ID, r.File, r.Line)
}

// Verdict is the whole answer to a write.
type Verdict struct {
	Action  WriteVerdict `json:"action"`
	Rule    RuleRef      `json:"rule"`
	Reasons []string     `json:"reasons,omitempty"` // fixed phrases; never held or foreign text
	Label   Label        `json:"label"`             // the effective label of the write
	Clamps  []Clamp      `json:"clamps,omitempty"`  // every claim that was lowered
	Weight  float64      `json:"weight"`            // recall weight of the rule, 0 < w ≤ 1
	Flagged bool         `json:"flagged,omitempty"` // let through only because the mode is warn
}
