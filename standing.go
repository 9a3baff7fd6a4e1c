package hearsay

// Standing is where a record stands. The zero value is [Held].
type Standing uint8

// The standings of a record.
const (
	Held     Standing = iota // waits for a person; never shown to an agent
	Allowed                  // the policy let it in
	Blocked                  // refused, and no review releases it
	Released                 // held once, then approved by a person
	Rejected                 // held once, then refused by a person
	Revoked                  // let in once, then withdrawn
	Erased                   // its words are gone
)

var standingNames = [...]string{"held", "allowed", "blocked", "released", "rejected", "revoked", "erased"}

// String returns the standing's name.
func (s Standing) String() string { return nameOf(standingNames[:], uint8(s)) }

// Visible reports whether a record that stands so may come back to an agent.
func (s Standing) Visible() bool { return s == Allowed || s == Released }

// ParseStanding returns the standing of that name, or [Held] and an error.
func ParseStanding(s string) (Standing, error) {
	i, err := parseName("standing", standingNames[:], s)
	return Standing(i), err
}

// MarshalText implements [encoding.TextMarshaler].
func (s Standing) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText implements [encoding.TextUnmarshaler].
func (s *Standing) UnmarshalText(b []byte) (err error) {
	*s, err = ParseStanding(string(b))
	return err
}

// Delivery is what became of a write that was let through to a store.
// The zero value is [Undelivered].
type Delivery uint8

// The states of a delivery: intent, then applied or unknown.
const (
	Undelivered     Delivery = iota // not let through, or not yet
	Intent                          // sealed, about to be let through or under way
	Applied                         // seen to land
	UnknownDelivery                 // nobody saw whether it landed
	Failed                          // the store refused it
	Withdrawn                       // it landed once, and was taken out again
)

var deliveryNames = [...]string{"undelivered", "intent", "applied", "unknown", "failed", "withdrawn"}

// String returns the delivery's name.
func (d Delivery) String() string { return nameOf(deliveryNames[:], uint8(d)) }

// ParseDelivery returns the delivery of that name, or [Undelivered] and an error.
func ParseDelivery(s string) (Delivery, error) {
	i, err := parseName("delivery", deliveryNames[:], s)
	return Delivery(i), err
}

// MarshalText implements [encoding.TextMarshaler].
func (d Delivery) MarshalText() ([]byte, error) { return []byte(d.String()), nil }

// UnmarshalText implements [encoding.TextUnmarshaler].
func (d *Delivery) UnmarshalText(b []byte) (err error) {
	*d, err = ParseDelivery(string(b))
	return err
}

// Mode is how strictly verdicts are carried out. The zero value is [Enforce].
type Mode uint8

// The modes.
const (
	Enforce Mode = iota // verdicts are carried out
	Warn                // a quarantine or an ask lets through, flagged
	Off                 // nothing is decided
)

var modeNames = [...]string{"enforce", "warn", "off"}

// String returns the mode's name.
func (m Mode) String() string { return nameOf(modeNames[:], uint8(m)) }

// ParseMode returns the mode of that name, or [Enforce] and an error.
func ParseMode(s string) (Mode, error) {
	i, err := parseName("mode", modeNames[:], s)
	return Mode(i), err
}

// MarshalText implements [encoding.TextMarshaler].
func (m Mode) MarshalText() ([]byte, error) { return []byte(m.String()), nil }

// UnmarshalText implements [encoding.TextUnmarshaler].
func (m *Mode) UnmarshalText(b []byte) (err error) {
	*m, err = ParseMode(string(b))
	return err
}
