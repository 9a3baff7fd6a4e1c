package hosts

import (
	"slices"

	"github.com/hearsay-memory/hearsay/internal/strictjson"
)

// family is a host whose hooks speak the form that Claude Code introduced: one JSON
// object with hook_event_name, and answers inside hookSpecificOutput. Hosts of the
// family differ in their events and tools, and in what they accept as an answer.
type family struct {
	name   string
	turn   string   // the field that names the turn; "" where the host names none
	askIn  []string // permission modes in which a person answers an ask
	events []event
	tools  []tool

	// What follows differs on some hosts; its zero value is Claude Code's way.
	title   string                             // the field that names the event
	shape   func(has func(string) bool) string // names an event whose payload does not; "" where it cannot
	session string                             // the field that names the session
	parent  string                             // the field that names the session that a sub-agent's event is of
	common  func(*reader, *Event)              // reads what all events have
	form    func(event, answered) (top object) // says an answer
	denies  string                             // the word of a denial by byBlock and byWithholding
	quiet   string                             // what is written where nothing is said
	guest   bool                               // it is heard through another host's settings
}

// event is one event of a host: how it is read, and what may be said to it.
type event struct {
	name string
	kind Kind
	read func(*family, *reader, *Event)
	deny way
	may  parts
}

// way is how an event is denied.
type way uint8

const (
	cannot        way = iota
	byDecision        // hookSpecificOutput.permissionDecision
	byBehavior        // hookSpecificOutput.decision.behavior
	byBlock           // decision "block" with a reason
	byDecline         // hookSpecificOutput.action "decline"
	byExitCode        // exit code 2
	byWithholding     // as byBlock; the reason stands where the result would
	byPermission      // Cursor's permission "deny"
	byContinue        // Cursor's continue false
)

// parts are what an answer to an event may hold beside a denial.
type parts uint8

const (
	mayContext parts = 1 << iota
	mayWatch
	mayEdit  // the tool's result
	mayAllow // skip the host's own question
	mayAsk
	mute // nothing is said: which answers the host reads is not known
)

// tool is one tool of a host.
type tool struct {
	name  string
	class Class
	read  func(*reader, *Tool) // nil: nothing but the canonical arguments is read
}

func (f *family) dialect() Dialect {
	return Dialect{name: f.name, quiet: f.quiet, decode: f.decode, encode: f.encode, fail: f.fail, asks: f.asks, edits: f.edits}
}

// titleField is the field that names the event.
func (f *family) titleField() string {
	if f.title == "" {
		return "hook_event_name"
	}
	return f.title
}

// sessionField is the field that names the session.
func (f *family) sessionField() string {
	if f.session == "" {
		return "session_id"
	}
	return f.session
}

// find returns the event of that name.
func (f *family) find(name string) (event, bool) {
	for _, ev := range f.events {
		if ev.name == name {
			return ev, true
		}
	}
	return event{}, false
}

func (f *family) asks(e Event) bool {
	ev, _ := f.find(e.Name)
	return ev.may&mayAsk != 0 && slices.Contains(f.askIn, e.Mode)
}

func (f *family) edits(e Event) bool {
	ev, _ := f.find(e.Name)
	return ev.may&mayEdit != 0 && e.HasResponse()
}

func (f *family) decode(payload []byte) (Event, error) {
	v, err := limits.Parse(payload)
	if err != nil {
		e, fault := f.unreadable(payload, err)
		if fault.Gating() || !hasLoneSurrogate(err) {
			return e, fault
		}
		// Hosts cut long results in the middle of a character. Of what has
		// happened already that is no reason to know nothing.
		if v, err = limits.Parse(mend(payload)); err != nil {
			return e, fault
		}
	}
	return f.event(v)
}

// event reads a payload that is one JSON value.
func (f *family) event(v strictjson.Value) (Event, error) {
	r := newReader(v, "")
	name := f.called(r)
	if fault := r.done(); fault != nil {
		return Event{Host: f.name}, &DecodeError{Field: fault.field, Reason: fault.reason}
	}
	ev, known := f.find(name)
	e := Event{Host: f.name, Name: name, Kind: ev.kind, Guest: f.guest}
	if !known {
		return e, nil
	}
	e.Session = r.id(f.sessionField(), required)
	e.Agent = r.id("agent_id", optional)
	if f.parent != "" {
		if of := r.id(f.parent, optional); of != "" {
			e.Session = of
		}
	}
	sure := e
	if r.fault != nil {
		sure.Session, sure.Agent = "", ""
	}
	if f.common != nil {
		f.common(r, &e)
	} else {
		f.readCommon(r, &e)
	}
	if ev.read != nil {
		ev.read(f, r, &e)
	}
	if fault := r.done(); fault != nil {
		return sure, &DecodeError{Name: name, Kind: ev.kind, Known: true, Field: fault.field, Reason: fault.reason}
	}
	return e, nil
}

// called reads the name of an event. One of a host with two forms of payload that has
// no field for it is of the form whose fields are spelt in camel case.
func (f *family) called(r *reader) string {
	if f.shape == nil || r.has(f.titleField()) {
		return r.label(f.titleField(), required)
	}
	name := f.shape(r.has)
	if name == "" {
		r.fail("", "is of no event that we know")
	}
	r.spell = camelCase
	return name
}

// unreadable tells what it is that cannot be read.
func (f *family) unreadable(payload []byte, err error) (Event, *DecodeError) {
	name, session := salvage(payload, f.titleField(), f.sessionField())
	if f.shape != nil && name == "" {
		if keys, once := topKeys(payload); once && !keys[f.titleField()] {
			name = f.shape(func(key string) bool { return keys[key] })
			session, _ = salvage(payload, camelCase(f.sessionField()), "")
		}
	}
	if f.parent != "" {
		for _, key := range []string{f.parent, camelCase(f.parent)} {
			if of, _ := salvage(payload, key, ""); of != "" {
				session = of
			}
		}
	}
	ev, known := f.find(name)
	e := Event{Host: f.name, Kind: ev.kind}
	if !known {
		return e, &DecodeError{Reason: err.Error()}
	}
	e.Name = name
	r := newReader(strictjson.Object(strictjson.Member{Key: "session_id", Value: strictjson.String(session)}), "")
	e.Session = r.id("session_id", optional)
	return e, &DecodeError{Name: name, Kind: ev.kind, Known: true, Reason: err.Error()}
}

// readCommon reads what all events have.
func (f *family) readCommon(r *reader, e *Event) {
	if f.turn != "" {
		e.Turn = r.id(f.turn, optional)
	}
	e.AgentType = r.label("agent_type", optional)
	e.Dir = r.path("cwd", required)
	e.Mode = r.label("permission_mode", optional)
	e.Transcript = r.path("transcript_path", optional)
}

func readStart(_ *family, r *reader, e *Event) {
	switch r.label("source", optional) {
	case "startup":
		e.Start = Fresh
	case "resume":
		e.Start = Resumed
	case "clear":
		e.Start = Cleared
	case "compact":
		e.Start = Compacted
	case "fork":
		e.Start = Forked
	}
}

// readPromptText reads a prompt within its bound.
func readPromptText(r *reader, e *Event) {
	var left int
	e.Prompt, left = cutText(r.text("prompt", required), mostTotal)
	e.Omitted += left
	e.Truncated = e.Truncated || left > 0
}

// readTool reads a call that is about to run.
func readTool(f *family, r *reader, e *Event) {
	e.CallID = r.id("tool_use_id", required)
	f.readCall(r, e)
}

// readPermission reads a call that the host is about to ask about.
func readPermission(f *family, r *reader, e *Event) {
	e.CallID = r.id("tool_use_id", optional)
	f.readCall(r, e)
}

// readResult reads a call that has run, and what came of it.
func readResult(f *family, r *reader, e *Event) {
	readTool(f, r, e)
	v, ok := r.get("tool_response", optional)
	if !ok {
		return // some tools have no result
	}
	e.response = v
	var t texts
	t.tree(v)
	t.into(e)
	if v.Kind() == strictjson.KindObject && (e.Tool.Class == Write || e.Tool.Class == EditFile) {
		// Only true says anything; a value of another kind is a result that we do
		// not know, not a fault of the event.
		staged, _ := v.Get("staged")
		modified, _ := v.Get("userModified")
		e.Staged, e.UserModified = staged.Bool(), modified.Bool()
	}
}

// readFailure reads a call that has failed, and what the tool said.
func readFailure(f *family, r *reader, e *Event) {
	readTool(f, r, e)
	r.takes("error", required, e)
}

// takes reads a string that enters the session.
func (r *reader) takes(key string, n need, e *Event) {
	var t texts
	t.out = e.Text
	t.add(r.text(key, n))
	t.into(e)
}

func readCompact(_ *family, r *reader, e *Event) {
	e.Trigger = r.label("trigger", optional)
	r.takes("custom_instructions", optional, e)
}

func readSummary(_ *family, r *reader, e *Event) {
	e.Trigger = r.label("trigger", optional)
	r.takes("compact_summary", optional, e)
}

// readSubagent reads the start of a sub-agent.
func readSubagent(_ *family, r *reader, e *Event) {
	if e.Agent == "" {
		r.fail("agent_id", "is missing")
	}
}

// readHandback reads the end of a sub-agent and the words that go to its parent.
func readHandback(f *family, r *reader, e *Event) {
	readSubagent(f, r, e)
	r.takes("last_assistant_message", optional, e)
}

func readEnd(_ *family, r *reader, e *Event) { e.Trigger = r.label("reason", optional) }

// readCall reads a tool's name and arguments.
func (f *family) readCall(r *reader, e *Event) {
	t := &e.Tool
	t.Name = r.label("tool_name", required)
	if in := r.object("mcp_server", optional); in != nil {
		e.Server.Name = in.label("name", required)
		e.Server.Source = in.label("source", required)
		r.join(in)
	}
	args, ok := r.v.Get("tool_input")
	if r.fault != nil || !ok {
		r.fail("tool_input", "is missing")
		return
	}
	t.Args = canonical(args)
	if server, name, ok := splitMCP(t.Name, e.Server.Name); ok {
		t.Class, t.Server, t.ServerTool = MCP, server, name
		return
	}
	f.readArgs(r, t, args)
}

// canonical is a value in its canonical encoding.
func canonical(v strictjson.Value) []byte {
	return strictjson.AppendCanonical(make([]byte, 0, len(v.Raw())), v)
}

// readArgs reads the arguments of a tool of the host's own, if it is one that we know.
func (f *family) readArgs(r *reader, t *Tool, args strictjson.Value) {
	for _, row := range f.tools {
		if row.name != t.Name {
			continue
		}
		t.Class = row.class
		if row.read != nil {
			in := newReader(args, r.spelt("tool_input")+".")
			row.read(in, t)
			r.join(in)
		}
		return
	}
}
