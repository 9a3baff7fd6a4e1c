package hosts

import (
	"strings"

	"github.com/hearsay-memory/hearsay/internal/strictjson"
)

// windsurf is Cascade, the agent of Windsurf, by its documentation of late 2026.
//
// An answer is an exit code: 2 and words on the standard error keep what a "pre_" event
// tells of from happening, and nothing else is read. There is no ask, no context and no
// result that could be replaced; a denial of what has happened says nothing.
//
// The host does not say where it works: Event.Dir is "", and the hook's own directory is
// the workspace. It tells of no starts: the first prompt of a
// conversation that nobody has seen begins one, see [Event].Begins. It names no calls.
//
// It raises no event for pages that its own tools read, nor for the memories that it
// keeps by itself.
var windsurf = &family{
	name:    "windsurf",
	title:   "agent_action_name",
	session: "trajectory_id",
	turn:    "execution_id",
	common:  readWindsurfCommon,
	form:    func(event, answered) object { return nil },
	events: []event{
		{"pre_user_prompt", Prompt, readWindsurfPrompt, byExitCode, 0},
		{"pre_read_code", BeforeTool, readWindsurfTool, byExitCode, 0},
		{"pre_write_code", BeforeTool, readWindsurfTool, byExitCode, 0},
		{"pre_run_command", BeforeTool, readWindsurfTool, byExitCode, 0},
		{"pre_mcp_tool_use", BeforeTool, readWindsurfTool, byExitCode, 0},
		{"post_read_code", AfterTool, readWindsurfTool, cannot, 0},
		{"post_write_code", AfterTool, readWindsurfTool, cannot, 0},
		{"post_run_command", AfterTool, readWindsurfTool, cannot, 0},
		{"post_mcp_tool_use", AfterTool, readWindsurfResult, cannot, 0},
		{"post_cascade_response", Stop, nil, cannot, 0},
	},
	tools: []tool{
		{"read_code", Read, readFile},
		{"write_code", EditFile, readWindsurfEdits},
		{"run_command", Shell, readCommandLine},
	},
}

func readWindsurfCommon(r *reader, e *Event) { e.Turn = r.id("execution_id", optional) }

// readWindsurfPrompt reads a prompt. The host does not say who wrote it.
func readWindsurfPrompt(_ *family, r *reader, e *Event) {
	e.Begins = true
	in := r.object("tool_info", required)
	if in == nil {
		return
	}
	var left int
	e.Prompt, left = cutText(in.text("user_prompt", required), mostTotal)
	e.Omitted, e.Truncated = left, left > 0
	r.join(in)
	if scheduled(e.Session) {
		e.PromptBy = BySchedule
	}
}

// readWindsurfTool reads a call before and after it. What it returned is not told.
func readWindsurfTool(f *family, r *reader, e *Event) {
	_, e.Tool.Name, _ = strings.Cut(e.Name, "_")
	in := r.object("tool_info", required)
	if in == nil {
		return
	}
	if e.Tool.Name == "mcp_tool_use" {
		e.readWindsurfMCP(in)
	} else {
		e.Tool.Args = canonical(callOf(in.v))
		f.readArgs(r, &e.Tool, in.v)
	}
	r.join(in)
	e.deriveID()
}

// callOf is what a call consists of, without what is told of it afterwards.
func callOf(info strictjson.Value) strictjson.Value {
	var call object
	for _, key := range []string{"file_path", "edits", "command_line", "cwd"} {
		if v, ok := info.Get(key); ok {
			call.set(key, v)
		}
	}
	return strictjson.Object(call...)
}

// readWindsurfMCP reads a call of a server, by the key that the settings have for it.
func (e *Event) readWindsurfMCP(in *reader) {
	t := &e.Tool
	e.Server.Name = in.label("mcp_server_name", required)
	t.Class, t.Name = MCP, in.label("mcp_tool_name", required)
	t.Server, t.ServerTool = strings.Map(toolNameRune, e.Server.Name), t.Name
	if args, ok := in.packed("mcp_tool_arguments", optional); ok {
		t.Args = canonical(args)
	} else {
		t.Args = canonical(strictjson.Object())
	}
}

func readWindsurfResult(f *family, r *reader, e *Event) {
	readWindsurfTool(f, r, e)
	if in := r.object("tool_info", required); in != nil {
		e.takeResult(in, "mcp_result")
		r.join(in)
	}
}

// readWindsurfEdits reads the replacements in one file. One that replaces nothing makes
// a new file.
func readWindsurfEdits(r *reader, t *Tool) {
	readMultiEdit(r, t)
	if len(t.Edits) != 1 {
		for i := range t.Edits {
			t.Edits[i].Whole = false
		}
	}
}

// readCommandLine reads a command, which runs in a directory that the agent chooses.
func readCommandLine(r *reader, t *Tool) {
	dir := r.path("cwd", optional)
	t.Command = inDir(dir, r.command("command_line", required))
	if windowsPath(dir) {
		t.Shell = PowerShell
	}
}
