package doctor

import "fmt"

// State is how one thing that doctor looks at is.
type State string

// The states.
const (
	OK   State = "ok"
	Warn State = "warn"
	Fail State = "fail"
)

// Diagnosis is one line of doctor.
type Diagnosis struct {
	Host  string `json:"host,omitempty"` // the agent host that it is about
	Check string `json:"check"`
	State State  `json:"state"`
	Found string `json:"found"`
	Do    string `json:"do,omitempty"` // what to do about it; empty: nothing
}

// examination collects what doctor finds.
type examination struct {
	all []Diagnosis
}

func (x *examination) add(check string, s State, do, format string, args ...any) {
	x.all = append(x.all, Diagnosis{Check: check, State: s, Found: fmt.Sprintf(format, args...), Do: do})
}

// cannot adds what could not be looked at, which is never fine.
func (x *examination) cannot(check string, err error) {
	x.add(check, Fail, "run `hearsay verify`", "cannot be looked at: %v", err)
}
