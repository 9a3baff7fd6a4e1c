package hosts

import "errors"

// ErrUnsupported is returned by [Detect] for a payload of a product whose dialect is
// not spoken here, or of none that can be told. Nothing can be answered in a form
// which that product is known to read: say so and exit with 2.
var ErrUnsupported = errors.New("no dialect for this agent host")

// Dialect is how one host speaks. The zero value speaks with none: its Decode fails,
// and its Encode and Fail refuse.
type Dialect struct {
	name   string
	quiet  string // written where nothing is said: some hosts take silence for a failure
	decode func(payload []byte) (Event, error)
	encode func(Event, Answer) Reply
	fail   func(e Event, message string) Reply
	asks   func(Event) bool
	edits  func(Event) bool
}

// dialects is all that are spoken.
func dialects() []Dialect {
	return []Dialect{
		claude.dialect(),
		codex.dialect(),
		gemini.dialect(),
		cursor.dialect(),
		copilot.dialect(),
		windsurf.dialect(),
	}
}

// Find returns the dialect of that name, exactly spelt.
func Find(name string) (Dialect, bool) {
	for _, d := range dialects() {
		if d.name == name {
			return d, true
		}
	}
	return Dialect{}, false
}

// Names returns the names of all dialects, in a fixed order.
func Names() []string {
	var names []string
	for _, d := range dialects() {
		names = append(names, d.name)
	}
	return names
}

// Name returns the dialect's name, "" for the zero value.
func (d Dialect) Name() string { return d.name }

// Decode reads a payload. The error is a [*DecodeError]; the event then holds what
// was read for sure, at most Host, Name, Kind, Session and Agent. An event of an
// unknown name has the kind Other and nothing else is read of it.
//
// The event refers to payload, which must not be changed while it is in use.
func (d Dialect) Decode(payload []byte) (Event, error) {
	if d.decode == nil {
		return Event{}, &DecodeError{Reason: ErrUnsupported.Error()}
	}
	return d.decode(payload)
}

// Encode says an answer to an event that Decode returned.
func (d Dialect) Encode(e Event, a Answer) Reply {
	if d.encode == nil {
		return refuse(ErrUnsupported.Error())
	}
	return d.encode(e, a)
}

// Fail says that the hook itself failed. Where the event is gating it stops what is
// about to happen: by empty output, the message on the standard error and exit code
// 2, or in the host's own form where that code would not stop it. Else it says
// nothing, in the host's own form of that. Kind.Gating and DecodeError.Gating are the usual values of gating; the
// message is the caller's own words, as in [Answer].
func (d Dialect) Fail(e Event, gating bool, message string) Reply {
	switch {
	case !gating:
		return Reply{Stdout: []byte(d.quiet)}
	case d.fail == nil:
		return refuse(message)
	}
	return d.fail(e, message)
}

// Asks reports whether Ask makes a person decide on this event, and not Deny.
func (d Dialect) Asks(e Event) bool { return d.asks != nil && d.asks(e) }

// Edits reports whether Answer.Output can replace the event's result.
func (d Dialect) Edits(e Event) bool { return d.edits != nil && d.edits(e) }

// refuse is the one form of a refusal that most hosts carry out. The message is
// never empty: on Codex an empty one lets the tool run.
func refuse(message string) Reply {
	return Reply{Stderr: []byte("hearsay: " + line(message, mostReason, "the hook failed") + "\n"), Exit: 2}
}

// DecodeError says why a payload was not read. Its text names fields and never
// repeats any of the payload, so it is safe to answer with.
type DecodeError struct {
	Name   string // the host's name of the event, where it is one that we know
	Kind   Kind
	Known  bool   // Name or Other was read for sure
	Field  string // where the fault is; "" for the payload as a whole
	Reason string
}

// Error returns the event, the field and what is wrong with it.
func (e *DecodeError) Error() string {
	text := "hook payload"
	if e.Name != "" {
		text += " of " + e.Name
	}
	if e.Field != "" {
		text += ", " + e.Field
	}
	return text + ": " + e.Reason
}

// Gating reports whether the failure must stop something: what cannot be told apart
// from a tool that is about to run is taken for one.
func (e *DecodeError) Gating() bool { return !e.Known || e.Kind.Gating() }
