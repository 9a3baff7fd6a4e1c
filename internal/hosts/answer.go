package hosts

// Verdict is what is said to an event. The zero value is None: nothing is said, and
// the host goes on as if there were no hook.
type Verdict uint8

// The verdicts.
const (
	None  Verdict = iota
	Allow         // go on without asking a person; a rule of the host that asks or denies still holds
	Ask           // a person decides; where none can be asked it is Deny
	Deny
)

var verdictNames = [...]string{"none", "allow", "ask", "deny"}

// String returns the verdict's name.
func (v Verdict) String() string { return nameOf(verdictNames[:], v) }

// Answer is what is said to an event. The zero value says nothing. A part that the
// host cannot carry out for that event is dropped, never said in a form that the
// host does not know: on some hosts that makes the tool run. A Deny is never
// dropped for an event that can be denied.
//
// Reason, Context and Notice reach a model or a terminal. They are the caller's own
// words: no text of an event may stand in them. Control characters are taken out
// and what is over the bound is cut.
type Answer struct {
	Verdict Verdict
	Reason  string   // why, for the model, of Ask and Deny; at most 2,000 UTF-16 units
	Approve string   // the command line by which a person approves, added where Ask becomes Deny; at most 500
	Context string   // shown to the model beside what it sees anyway; at most 10,000
	Notice  string   // one line for the person; at most 500
	Watch   []string // absolute paths of files whose changes the host is to report; at most 256

	// Output edits a tool's result. It is called for each string of it in order,
	// with the key under which it stands ("" for none), and returns what is to
	// stand there. The host gets a result of the same shape, and nothing where
	// nothing changed. On a host that cannot replace a result, one that would
	// change is withheld as by Deny.
	Output func(key, text string) string
}

// Reply is what the hook program does: what it writes, and its exit code.
type Reply struct {
	Stdout, Stderr []byte
	Exit           int
}
