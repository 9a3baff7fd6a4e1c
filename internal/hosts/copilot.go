package hosts

import (
	"slices"
	"strings"

	"github.com/hearsay-memory/hearsay/internal/strictjson"
)

// copilot is GitHub's Copilot, command line and cloud agent, by its documentation, the
// types of @github/copilot-sdk 1.0.14 and what the command line 1.0.102 sent and took.
//
// It has two forms of payload, chosen by how the event is spelt in the settings that
// name the hook: "preToolUse" has fields in camel case and no field for the event's
// name, which its fields tell; "PreToolUse" is like Claude Code's, and comes from that
// host's settings, which it reads too. Answers are flat in both. Arguments are an
// object, or, from some versions and for some tools, a string that holds one.
//
// "ask" is denied by the cloud agent and without a terminal, may be answered by a
// program that runs the host, and no payload says which it is: so no ask is taken to
// reach a person. "allow" is never said, it would skip the host's own question. A hook
// that is ended for its time lets the tool run; any other failure denies, from 1.0.72
// on. An answer is one object: two of them would be none.
//
// The host names neither turns nor calls. A sub-agent has a session of its own and names
// its parent's; it counts as the parent's here. Below one sub-agent that leads no
// further, so what another one within it hands back is taken for a stranger's words.
//
// What needs no answer is missing: userPromptTransformed, errorOccurred, notification,
// and permissionRequest, which does not hear of every tool.
var copilot = &family{
	name:   "copilot",
	shape:  copilotShape,
	parent: "parent_agent_id",
	common: readCopilotCommon,
	form:   copilotForm,
	events: []event{
		{"sessionStart", SessionStart, readCopilotStart, cannot, mayContext},
		{"userPromptSubmitted", Prompt, readCopilotPrompt, byBlock, mayContext},
		{"preToolUse", BeforeTool, readCopilotTool, byDecision, mayContext},
		{"postToolUse", AfterTool, readCopilotResult, cannot, mayContext | mayEdit},
		{"postToolUseFailure", AfterToolFailure, readCopilotFailure, cannot, mayContext},
		{"subagentStart", SubagentStart, nil, cannot, mayContext},
		{"subagentStop", SubagentStop, readCopilotHandback, cannot, 0},
		{"preCompact", BeforeCompact, readCompact, cannot, 0},
		// A denial would send the agent back to work.
		{"agentStop", Stop, nil, cannot, 0},
		{"sessionEnd", SessionEnd, readEnd, cannot, 0},
		{"SessionStart", SessionStart, readCopilotStart, cannot, mayContext},
		{"UserPromptSubmit", Prompt, readCopilotPrompt, byBlock, mayContext},
		{"PreToolUse", BeforeTool, readCopilotTool, byDecision, mayContext},
		{"PostToolUse", AfterTool, readCopilotResult, cannot, mayContext | mayEdit},
		{"PostToolUseFailure", AfterToolFailure, readCopilotFailure, cannot, mayContext},
		{"SubagentStop", SubagentStop, readCopilotHandback, cannot, 0},
		{"PreCompact", BeforeCompact, readCompact, cannot, 0},
		{"Stop", Stop, nil, cannot, 0},
		{"SessionEnd", SessionEnd, readEnd, cannot, 0},
	},
	tools: copilotTools,
}

// copilotTools are the built-in tools that we know, under the host's own names and
// those that the form of Claude Code has for them. Unknown on purpose are tools that
// write what later sessions load or read what others left: store_memory, vote_memory,
// session_store_sql, context_board.
var copilotTools = []tool{
	{"bash", Shell, readBash},
	{"powershell", Shell, readPowerShell},
	{"Bash", Shell, readBash},
	{"read_bash", ShellIO, nil},
	{"read_powershell", ShellIO, nil},
	{"write_bash", ShellIO, readTyped},
	{"write_powershell", ShellIO, readTyped},
	{"view", Read, readPath},
	{"Read", Read, readPath},
	{"grep", Search, readPathsSearch},
	{"rg", Search, readPathsSearch},
	{"Grep", Search, readPathsSearch},
	{"glob", Search, readPathsSearch},
	{"Glob", Search, readPathsSearch},
	{"create", Write, readCreate},
	{"Write", Write, readCreate},
	{"edit", EditFile, readCopilotEdit},
	{"Edit", EditFile, readCopilotEdit},
	{"str_replace_editor", EditFile, readCopilotEdit},
	{"apply_patch", Patch, readCopilotEdit},
	{"web_fetch", Web, readURL},
	{"WebFetch", Web, readURL},
	{"web_search", WebSearch, readSearchQuery},
	{"WebSearch", WebSearch, readSearchQuery},
	{"task", SubAgent, readAgent},
	{"Agent", SubAgent, readAgent},
	{"read_agent", SubAgent, nil},
	{"write_agent", Message, readMessage},
	{"skill", Skill, readSkill},
	{"ask_user", Question, nil},
	{"AskUserQuestion", Question, nil},
	{"update_todo", Plan, nil},
	{"TodoWrite", Plan, nil},
	{"sql", Plan, readSQL},
	{"stop_bash", Plan, nil},
	{"stop_powershell", Plan, nil},
	{"list_bash", Plan, nil},
	{"list_powershell", Plan, nil},
	{"list_agents", Plan, nil},
	{"report_intent", Plan, nil},
	{"exit_plan_mode", Plan, nil},
	{"task_complete", Plan, nil},
	{"fetch_copilot_cli_documentation", Plan, nil},
}

// copilotShared are the names that both forms have for a tool: a call that is told in
// both is one call.
var copilotShared = map[string]string{
	"bash": "Bash", "powershell": "Bash", "view": "Read", "create": "Write", "edit": "Edit", "str_replace_editor": "Edit", "apply_patch": "Edit",
	"grep": "Grep", "rg": "Grep", "glob": "Glob", "web_fetch": "WebFetch", "web_search": "WebSearch", "ask_user": "AskUserQuestion",
	"update_todo": "TodoWrite", "task": "Agent",
}

// camelCase spells a field as the host's own form does.
func camelCase(key string) string {
	if key == "tool_input" {
		return "toolArgs"
	}
	var b strings.Builder
	up := false
	for i := range len(key) {
		switch c := key[i]; {
		case c == '_':
			up = true
		case up && c >= 'a' && c <= 'z':
			b.WriteByte(c - 'a' + 'A')
			up = false
		default:
			b.WriteByte(c)
			up = false
		}
	}
	return b.String()
}

// copilotShape names an event by its fields. A tool that neither returned nor failed is
// about to run.
func copilotShape(has func(string) bool) string {
	switch {
	case has("hookName"):
		return "permissionRequest"
	case has("toolName") || has("toolArgs"):
		switch {
		case has("toolResult"):
			return "postToolUse"
		case has("error"):
			return "postToolUseFailure"
		}
		return "preToolUse"
	case has("transformedPrompt"):
		return "userPromptTransformed"
	case has("prompt"):
		return "userPromptSubmitted"
	case has("agentName") && has("stopReason"):
		return "subagentStop"
	case has("agentName"):
		return "subagentStart"
	case has("stopReason"):
		return "agentStop"
	case has("trigger"):
		return "preCompact"
	case has("source"):
		return "sessionStart"
	case has("reason"):
		return "sessionEnd"
	case has("errorContext"):
		return "errorOccurred"
	}
	return ""
}

// copilotForm says an answer: one flat object, in the host's own spelling.
func copilotForm(ev event, a answered) (top object) {
	if a.verdict == Deny {
		switch ev.deny {
		case byDecision:
			top.text("permissionDecision", "deny")
			top.text("permissionDecisionReason", a.reason)
		case byBlock:
			top.text("decision", "block")
			top.text("reason", a.reason)
		}
	}
	if a.changed {
		text, ok := a.edited.Get("textResultForLlm")
		if !ok {
			text, ok = a.edited.Get("text_result_for_llm")
		}
		if !ok || text.Kind() != strictjson.KindString {
			text = strictjson.String(withheldReason)
		}
		var result object
		result.text("resultType", "success")
		result.set("textResultForLlm", text)
		top.set("modifiedResult", strictjson.Object(result...))
	}
	if ev.may&mayContext != 0 {
		top.text("additionalContext", clean(a.Context, mostContext, false))
	}
	return top
}

func readCopilotCommon(r *reader, e *Event) {
	e.AgentType = r.label("agent_type", optional)
	e.Dir = r.path("cwd", required)
	e.Transcript = r.path("transcript_path", optional)
}

func readCopilotStart(_ *family, r *reader, e *Event) {
	switch r.label("source", optional) {
	case "new", "startup":
		e.Start = Fresh
	case "resume":
		e.Start = Resumed
	}
}

// readCopilotPrompt reads a prompt. The host does not say who wrote it.
func readCopilotPrompt(_ *family, r *reader, e *Event) {
	readPromptText(r, e)
	switch {
	case scheduled(e.Session):
		e.PromptBy = BySchedule
	case e.Agent != "":
		e.PromptBy = BySystem
	}
}

// readCopilotTool reads a call that is about to run.
func readCopilotTool(f *family, r *reader, e *Event) {
	t := &e.Tool
	t.Name = r.label("tool_name", required)
	args, ok := r.get("tool_input", required)
	if !ok {
		return
	}
	if args.Kind() == strictjson.KindString {
		// What is no object in a string is left as it is: a tool may take text.
		if in, err := limits.Parse([]byte(args.String())); err == nil && in.Kind() == strictjson.KindObject {
			args = in
		}
	}
	t.Args = canonical(args)
	if server, name, ok := strings.Cut(t.Name, "-"); ok {
		// SERVER-TOOL. Both may hold the sign; then nothing says where the server ends,
		// and the name of one could pass for a part of another's.
		t.Class, t.ServerTool = MCP, t.Name
		if !strings.Contains(name, "-") {
			t.Server, t.ServerTool = server, name
		}
		if args.Kind() != strictjson.KindObject {
			r.fail("tool_input", "is neither an object nor one in a string")
		}
	} else {
		f.readArgs(r, t, args)
		if t.Name == "Bash" && windowsPath(e.Dir) {
			t.Shell = PowerShell // both shells have that name
		}
	}
	if t.Class == SubAgent && e.Agent != "" {
		t.Class = UnknownTool
	}
	if shared := copilotShared[t.Name]; shared != "" {
		t.Name = shared
	}
	e.deriveID()
}

// readCopilotResult reads a call that has run, and what the model is to see of it.
func readCopilotResult(f *family, r *reader, e *Event) {
	readCopilotTool(f, r, e)
	v, ok := r.get("tool_result", optional)
	if !ok {
		return
	}
	e.response = v
	var t texts
	if v.Kind() != strictjson.KindObject {
		t.tree(v)
	}
	for key, in := range v.Members() {
		if key != "resultType" && key != "result_type" { // a word of the host's
			t.tree(in)
		}
	}
	t.into(e)
}

func readCopilotFailure(f *family, r *reader, e *Event) {
	readCopilotTool(f, r, e)
	r.takes("error", required, e)
}

func readCopilotHandback(_ *family, r *reader, e *Event) {
	r.takes("response", optional, e)
	r.takes("last_assistant_message", optional, e)
}

// readPathsSearch reads a search in one path, in several, or in the working directory.
func readPathsSearch(r *reader, t *Tool) {
	readSearch(r, t)
	list, ok := r.get("paths", optional)
	switch {
	case !ok:
	case list.Kind() != strictjson.KindArray:
		t.Paths = append(t.Paths, r.paths("paths", optional)...)
	case list.Len() > mostEdits:
		r.fail("paths", "is too long a list of paths")
	default:
		for _, v := range list.Elements() {
			in := newReader(strictjson.Object(strictjson.Member{Key: "paths", Value: v}), r.prefix)
			t.Paths = append(t.Paths, in.path("paths", required))
			r.join(in)
		}
	}
}

// leaves are words of SQLite by which a statement leaves its database for other files.
var leaves = []string{"attach", "vacuum", "pragma", "load_extension", "readfile", "writefile", "fsdir", "edit("}

// readSQL reads a query of the session's own notes. Another database holds what other
// sessions took in, and a statement that leaves its database may do anything.
func readSQL(r *reader, t *Tool) {
	query := strings.ToLower(r.text("query", required))
	if base := r.text("database", optional); base != "" && base != "session" ||
		slices.ContainsFunc(leaves, func(word string) bool { return strings.Contains(query, word) }) {
		t.Class = UnknownTool
	}
}

func readPath(r *reader, t *Tool)  { t.Paths = r.paths("path", required) }
func readTyped(r *reader, t *Tool) { t.Command = r.text("input", optional) }

func readCreate(r *reader, t *Tool) {
	readPath(r, t)
	t.Edits = []Edit{{Path: r.path("path", required), New: r.text("file_text", required), Whole: true}}
}

// readCopilotEdit reads what changes files: the text of a patch, a replacement, or a
// command of an editor. The form of Claude Code has one name for the three.
func readCopilotEdit(r *reader, t *Tool) {
	if r.v.Kind() == strictjson.KindString {
		r.fault = nil // the tool takes text
		t.takePatch(r, r.v.String())
		return
	}
	if t.Class == Patch {
		t.takePatch(r, r.text("input", required))
		return
	}
	switch r.label("command", optional) {
	case "", "str_replace":
		readPath(r, t)
		e := Edit{Path: r.path("path", required), Old: r.text("old_str", required), New: r.text("new_str", optional)}
		e.Whole = e.Old == ""
		t.Edits = []Edit{e}
	case "create":
		t.Class = Write
		readCreate(r, t)
	case "insert":
		readPath(r, t)
		text := r.text("new_str", optional)
		if text == "" {
			text = r.text("insert_text", required)
		}
		t.Edits = []Edit{{Path: r.path("path", required), New: text}}
	case "view":
		t.Class = Read
		readPath(r, t)
	default:
		t.Class = UnknownTool
	}
}

// takePatch reads the text of a patch.
func (t *Tool) takePatch(r *reader, text string) {
	edits, paths, err := parsePatch(text)
	if err != "" {
		r.fail("", err)
		return
	}
	t.Class, t.Edits, t.Paths = Patch, edits, paths
}
