package hosts

import (
	"strings"

	"github.com/hearsay-memory/hearsay/internal/strictjson"
)

// cursor is Cursor, editor and command line, by its documentation of late 2026 and
// readings of the command line's code by others. It has answers of its own form.
//
// preToolUse hears of every tool, but does not say of which server an MCP tool is:
// those calls are decided at beforeMCPExecution, which does, and their results read at
// afterMCPExecution. "ask" is not carried out at preToolUse, and nothing says whether a
// person is there, so no ask is taken to reach one. Results of the host's own tools can
// neither be replaced nor withheld.
//
// Our entries fail closed, and for such an entry silence is a failure: where nothing
// is said an empty object is. "allow" is never said: it would skip the host's own
// question.
//
// Cursor also runs the hooks of Claude Code's settings, which have no entries for the
// two events of MCP: see [Event].Guest. Events under that host's names are read like
// its own. What is missing here needs no answer from us, and is not installed: an event
// that some version does not know makes it reject the whole file.
var cursor = &family{
	name:    "cursor",
	session: "conversation_id",
	common:  readCursorCommon,
	form:    cursorForm,
	quiet:   "{}\n",
	events: []event{
		{"sessionStart", SessionStart, readChat, cannot, mayContext},
		{"beforeSubmitPrompt", Prompt, readCursorPrompt, byContinue, 0},
		{"preToolUse", BeforeTool, readCursorTool, byPermission, 0},
		{"beforeMCPExecution", BeforeTool, readCursorMCP, byPermission, 0},
		{"postToolUse", AfterTool, readCursorResult, cannot, mayContext},
		{"postToolUseFailure", AfterToolFailure, readCursorFailure, cannot, 0},
		{"afterMCPExecution", AfterTool, readCursorMCPResult, cannot, 0},
		{"SessionStart", SessionStart, readChat, cannot, mayContext},
		{"UserPromptSubmit", Prompt, readCursorPrompt, byContinue, 0},
		{"PreToolUse", BeforeTool, readCursorTool, byPermission, 0},
		{"PostToolUse", AfterTool, readCursorResult, cannot, mayContext},
		{"PostToolUseFailure", AfterToolFailure, readCursorFailure, cannot, 0},
	},
	tools: cursorTools,
}

// cursorMCP begins the name of an MCP server's tool; the tool's own name follows.
const cursorMCP = "MCP:"

// cursorForm says an answer: one flat object.
func cursorForm(ev event, a answered) (top object) {
	if a.verdict == Deny {
		message := line(a.reason, mostReason, heldReason)
		switch ev.deny {
		case byPermission:
			top.text("permission", "deny")
			top.text("user_message", message)
			top.text("agent_message", a.reason)
		case byContinue:
			top.set("continue", strictjson.Bool(false))
			top.text("user_message", message)
		}
	}
	if ev.may&mayContext != 0 {
		top.text("additional_context", clean(a.Context, mostContext, false))
	}
	return top
}

// readCursorCommon reads what all events have. Only some say where they happen; the
// others are of the first folder of the workspace.
func readCursorCommon(r *reader, e *Event) {
	e.Turn = r.id("generation_id", optional)
	e.Dir = r.path("cwd", optional)
	e.Transcript = r.path("transcript_path", optional)
	roots, ok := r.get("workspace_roots", optional)
	if !ok || e.Dir != "" {
		if e.Dir == "" {
			r.fail("workspace_roots", "is missing: nothing says where this happens")
		}
		return
	}
	if roots.Kind() != strictjson.KindArray || roots.Len() == 0 || roots.Len() > mostRoots {
		r.fail("workspace_roots", "is no list of folders, an empty one, or too long a one: nothing says where this happens")
		return
	}
	for _, v := range roots.Elements() {
		in := newReader(strictjson.Object(strictjson.Member{Key: "workspace_roots", Value: v}), "")
		root := in.path("workspace_roots", required)
		r.join(in)
		if e.Dir == "" {
			e.Dir = root
		}
	}
}

// mostRoots bounds the folders of a workspace.
const mostRoots = 64

// readChat reads the start of a conversation. The host tells of new ones only.
func readChat(_ *family, r *reader, e *Event) {
	e.Start = Fresh
	if source := r.label("source", optional); source != "" {
		readStart(nil, r, e) // of Claude Code's form
	}
}

// readCursorPrompt reads a prompt and the files beside it. The host does not say who
// wrote it.
func readCursorPrompt(_ *family, r *reader, e *Event) {
	readPromptText(r, e)
	if scheduled(e.Session) {
		e.PromptBy = BySchedule
	}
	list, ok := r.get("attachments", optional)
	if !ok {
		return
	}
	if list.Kind() != strictjson.KindArray {
		r.fail("attachments", "is not a list")
		return
	}
	for i, v := range list.Elements() {
		if i == mostAttached {
			e.Truncated = true
			return
		}
		in := newReader(v, "attachments.")
		path := in.path("file_path", optional)
		if path == "" {
			path = in.path("filePath", optional)
		}
		kind := in.label("type", optional)
		r.join(in)
		switch {
		case path != "":
			e.Attached = append(e.Attached, path)
		case kind != "image": // that is the person's own; what else it brings nobody can look at
			e.Truncated = true
		}
	}
}

// mostAttached bounds the files beside a prompt.
const mostAttached = 64

// readCursorTool reads a call that is about to run. One of an MCP server is told again
// with its server, and decided then.
func readCursorTool(f *family, r *reader, e *Event) {
	f.readCursorCall(r, e)
	e.toldAgain()
}

// toldAgain leaves a call of an MCP server to the event that names the server. Entries
// of another host's settings do not hear of that one.
func (e *Event) toldAgain() {
	if e.Tool.Class == MCP && !e.Guest {
		e.Kind = Other
	}
}

// readCursorCall reads a tool's name, arguments and id.
func (f *family) readCursorCall(r *reader, e *Event) {
	t := &e.Tool
	t.Name = r.label("tool_name", required)
	args, ok := r.packed("tool_input", required)
	if !ok {
		return
	}
	t.Args = canonical(args)
	if name, ok := strings.CutPrefix(t.Name, cursorMCP); ok {
		t.Class, t.ServerTool = MCP, name
	} else {
		f.readArgs(r, t, args)
	}
	e.cursorID(r)
}

// cursorID reads the id of a call. Some models give two at once, with a line break
// between them; what is no id of ours is told apart by its digest.
func (e *Event) cursorID(r *reader) {
	id := r.text("tool_use_id", optional)
	if id == "" {
		e.deriveID()
		return
	}
	in := newReader(strictjson.Object(strictjson.Member{Key: "tool_use_id", Value: strictjson.String(id)}), "")
	if e.CallID = in.id("tool_use_id", required); e.CallID == "" {
		e.CallID = digestID(id)
	}
}

// readCursorMCP reads a call of an MCP server, by the name that the host has for it.
func readCursorMCP(_ *family, r *reader, e *Event) {
	t := &e.Tool
	t.Class, t.Name = MCP, r.label("tool_name", required)
	t.ServerTool = strings.TrimPrefix(t.Name, cursorMCP)
	args, ok := r.packed("tool_input", required)
	if !ok {
		return
	}
	t.Args = canonical(args)
	e.Server.Name = r.label("mcp_server_name", optional)
	var key string
	key, e.Server.Source = e.Server.Name, ""
	if editor(r.label("cursor_version", optional)) {
		key, e.Server.Source = editorServer(e.Server.Name, e.Dir)
	}
	t.Server = strings.Map(toolNameRune, key)
	e.deriveID()
}

// editor reports whether a version is one of the editor: those of the command line
// begin with a year.
func editor(version string) bool {
	major, _, _ := strings.Cut(version, ".")
	return len(major) > 0 && len(major) < 4 && strings.Trim(major, "0123456789") == ""
}

// editorServer takes apart the name that the editor has for a server: user-KEY, or
// project-N-FOLDER-KEY. The command line has the key alone, where a repository's key
// could look like the other form.
func editorServer(name, dir string) (key, source string) {
	if key, ok := strings.CutPrefix(name, "user-"); ok && key != "" {
		return key, "user"
	}
	rest, ok := strings.CutPrefix(name, "project-")
	if !ok {
		return name, ""
	}
	number, rest, ok := strings.Cut(rest, "-")
	folder := dir[strings.LastIndexAny(dir, `/\`)+1:]
	key, ours := strings.CutPrefix(rest, folder+"-")
	if !ok || !ours || key == "" || strings.Trim(number, "0123456789") != "" {
		return name, "project"
	}
	return key, "project"
}

// readCursorResult reads a call that has run. One of an MCP server is told again, with
// its server.
func readCursorResult(f *family, r *reader, e *Event) {
	f.readCursorCall(r, e)
	e.takeResult(r, "tool_output")
	e.toldAgain()
}

func readCursorMCPResult(f *family, r *reader, e *Event) {
	readCursorMCP(f, r, e)
	e.takeResult(r, "result_json")
}

// takeResult reads a result, which mostly is JSON in a string. What is no JSON is text.
func (e *Event) takeResult(r *reader, key string) {
	v, ok := r.get(key, optional)
	if !ok {
		return
	}
	e.response = v
	if v.Kind() == strictjson.KindString {
		if in, err := limits.Parse([]byte(v.String())); err == nil {
			v = in
		}
	}
	var t texts
	t.tree(v)
	t.into(e)
}

// readCursorFailure reads a call that has failed, was refused or took too long.
func readCursorFailure(f *family, r *reader, e *Event) {
	f.readCursorCall(r, e)
	r.takes("error_message", optional, e)
	e.toldAgain()
}

// packed returns a value that the host writes as JSON in a string, or as it is. The
// string holds one whole object, read as strictly as what it stands in; an empty one
// is an empty object. Strings inside it are not looked into again.
func (r *reader) packed(key string, n need) (strictjson.Value, bool) {
	v, ok := r.get(key, n)
	if !ok || v.Kind() != strictjson.KindString {
		if ok && v.Kind() != strictjson.KindObject {
			r.fail(key, "is neither an object nor one in a string")
		}
		return v, ok && r.fault == nil
	}
	text := v.String()
	if strings.TrimSpace(text) == "" {
		return strictjson.Object(), true
	}
	in, err := limits.Parse([]byte(text))
	if err != nil {
		r.fail(key, "holds a string that is not JSON: "+err.Error())
		return in, false
	}
	if in.Kind() != strictjson.KindObject {
		r.fail(key, "holds a string that is not an object")
		return in, false
	}
	return in, true
}

// cursorGuest is Cursor as it runs the entries of another host's settings.
func cursorGuest() *family {
	guest := *cursor
	guest.guest = true
	return &guest
}
