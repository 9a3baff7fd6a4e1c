package hearsay

import "fmt"

// Origin is the trust class that a source speaks with, ordered from least to
// most trusted. The zero value is [External].
type Origin uint8

// The origins, in ascending order of trust.
const (
	External   Origin = iota // a stranger: the web, mail, a tool that returns other people's words
	Unverified               // nobody was seen writing it
	Tool                     // a tool that reports facts of the workspace
	Agent                    // the agent's own inference
	Channel                  // a known person on a channel
	User                     // the person the agent works for
)

var originNames = [...]string{"external", "unverified", "tool", "agent", "channel", "user"}

// String returns the origin's name; a value outside the range prints as "external".
func (o Origin) String() string { return nameOf(originNames[:], uint8(o)) }

// LowTrust reports whether what this origin says is shown with a low-trust flag.
func (o Origin) LowTrust() bool { return o <= Tool || o > User }

// ParseOrigin returns the origin of that name. Anything else is an error and
// [External], so that a caller who ignores the error is on the safe side.
func ParseOrigin(s string) (Origin, error) {
	i, err := parseName("origin", originNames[:], s)
	return Origin(i), err
}

// MarshalText implements [encoding.TextMarshaler].
func (o Origin) MarshalText() ([]byte, error) { return []byte(o.String()), nil }

// UnmarshalText implements [encoding.TextUnmarshaler].
func (o *Origin) UnmarshalText(b []byte) (err error) {
	*o, err = ParseOrigin(string(b))
	return err
}

// Reach is how far a source carries. The zero value is [ReachSession].
type Reach uint8

// The reaches, widest first.
const (
	ReachSession Reach = iota // sinks the whole session
	ReachWords                // only writes that name it as parent or share its words
	ReachNone                 // carries nowhere
)

var reachNames = [...]string{"session", "words", "none"}

// String returns the reach's name.
func (r Reach) String() string { return nameOf(reachNames[:], uint8(r)) }

// ParseReach returns the reach of that name, or [ReachSession] and an error.
func ParseReach(s string) (Reach, error) {
	i, err := parseName("reach", reachNames[:], s)
	return Reach(i), err
}

// MarshalText implements [encoding.TextMarshaler].
func (r Reach) MarshalText() ([]byte, error) { return []byte(r.String()), nil }

// UnmarshalText implements [encoding.TextUnmarshaler].
func (r *Reach) UnmarshalText(b []byte) (err error) {
	*r, err = ParseReach(string(b))
	return err
}

// nameOf returns names[i], or the name of the zero value where i is out of range.
func nameOf(names []string, i uint8) string {
	if int(i) >= len(names) {
		return names[0]
	}
	return names[i]
}

// parseName finds s in names; where it is absent the index is that of the zero value.
func parseName(what string, names []string, s string) (uint8, error) {
	for i, n := range names {
		if n == s {
			return uint8(i), nil
		}
	}
	return 0, fmt.Errorf("unknown %s %q: want one of %v", what, s, names)
}
