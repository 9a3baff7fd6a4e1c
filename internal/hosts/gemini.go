package hosts

import (
	"strings"

	"github.com/hearsay-memory/hearsay/internal/strictjson"
)

// gemini is Gemini CLI, by the types and the code of @google/gemini-cli-core 0.61.0.
// What is missing here is not told to us: BeforeModel, AfterModel, BeforeToolSelection
// and Notification.
//
// A denial is JSON with exit code 0. The host also takes "ask", but shows no dialog
// where the server is a trusted one or the person has allowed the tool for the
// session, and no payload says whether a person is there at all: so no ask is taken to
// reach one. A result cannot be replaced, only withheld. An exit code of 2 or more
// with words denies, 1 does not.
//
// The host names neither turns nor calls. Several hooks run at the same time, each on
// the call as the model made it; another one may change the arguments after ours
// decided.
var gemini = &family{
	name: "gemini",
	events: []event{
		{"SessionStart", SessionStart, readStart, cannot, mayContext},
		{"BeforeAgent", Prompt, readGeminiPrompt, byBlock, mayContext},
		{"BeforeTool", BeforeTool, readGeminiTool, byBlock, 0},
		{"AfterTool", AfterTool, readGeminiResult, byWithholding, mayContext},
		{"PreCompress", BeforeCompact, readCompact, cannot, 0},
		// A denial would send the agent back to work.
		{"AfterAgent", Stop, nil, cannot, 0},
		{"SessionEnd", SessionEnd, readEnd, cannot, 0},
	},
	tools:  geminiTools,
	denies: "deny",
}

// geminiTools are the built-in tools of Gemini CLI, and names and tools of its earlier
// versions. A tool that a command of the user's discovered has no class.
var geminiTools = []tool{
	{"read_file", Read, readFile},
	{"read_many_files", Search, readGlobs},
	{"list_directory", Search, readDir},
	{"glob", Search, readDirSearch},
	{"grep_search", Search, readDirSearch},
	{"search_file_content", Search, readDirSearch},
	{"write_file", Write, readWrite},
	{"replace", EditFile, readReplace},
	{"run_shell_command", Shell, readShellIn},
	{"read_background_output", ShellIO, nil},
	{"list_background_processes", Plan, nil},
	{"web_fetch", Web, readFetch},
	{"google_web_search", WebSearch, readQuery},
	{"read_mcp_resource", MCPResource, readURI},
	{"list_mcp_resources", MCPResource, nil},
	{"invoke_agent", SubAgent, readInvoke},
	{"codebase_investigator", SubAgent, nil},
	{"cli_help", SubAgent, nil},
	{"complete_task", SubAgent, nil},
	{"activate_skill", Skill, readSkillName},
	{"ask_user", Question, nil},
	{"save_memory", Write, readFact},
	{"write_todos", Plan, nil},
	{"tracker_create_task", Plan, nil},
	{"tracker_update_task", Plan, nil},
	{"tracker_get_task", Plan, nil},
	{"tracker_list_tasks", Plan, nil},
	{"tracker_add_dependency", Plan, nil},
	{"tracker_visualize", Plan, nil},
	{"get_internal_docs", Plan, nil},
	{"enter_plan_mode", Plan, nil},
	{"exit_plan_mode", Plan, nil},
	{"update_topic", Plan, nil},
}

// geminiFiles begins what the host puts behind a prompt for each file that it mentions.
const geminiFiles = "--- Content from referenced files ---"

// readGeminiPrompt reads a prompt. The host does not say who wrote it, and hands over
// what it read for mentions of files in the same string: what stands there is nobody's
// words to us.
func readGeminiPrompt(_ *family, r *reader, e *Event) {
	readPromptText(r, e)
	if typed, _, found := strings.Cut(e.Prompt, geminiFiles); found {
		e.Prompt = strings.TrimRight(typed, "\n")
	}
	if scheduled(e.Session) {
		e.PromptBy = BySchedule
	}
}

// readGeminiTool reads a call that is about to run. Only the host's own word tells a
// server's tool apart: its name, mcp_SERVER_TOOL, does not say where the server ends,
// and a server of that name may be anybody's.
func readGeminiTool(f *family, r *reader, e *Event) {
	t := &e.Tool
	t.Name = r.label("tool_name", required)
	from := r.object("mcp_context", optional)
	args, ok := r.get("tool_input", required)
	if ok && args.Kind() != strictjson.KindObject {
		r.fail("tool_input", "is not an object")
	}
	if r.fault != nil {
		return
	}
	t.Args = canonical(args)
	name, prefixed := strings.CutPrefix(t.Name, "mcp_")
	switch {
	case from != nil:
		e.Server.Name = from.label("server_name", required)
		t.Class, t.Server, t.ServerTool = MCP, strings.Map(toolNameRune, e.Server.Name), from.label("tool_name", required)
		r.join(from)
	case prefixed:
		t.Class, t.ServerTool = MCP, name
	default:
		f.readArgs(r, t, args)
		if t.Class == Shell && windowsPath(e.Dir) {
			t.Shell = PowerShell // the only shell that it starts there
		}
	}
	e.deriveID()
}

// windowsPath reports whether a path is one of Windows.
func windowsPath(path string) bool {
	return len(path) > 2 && path[1] == ':' || strings.HasPrefix(path, `\\`)
}

// readGeminiResult reads a call that has run, and what came of it for the model. A
// result with an error is of a call that failed.
func readGeminiResult(f *family, r *reader, e *Event) {
	readGeminiTool(f, r, e)
	v, ok := r.get("tool_response", optional)
	if !ok {
		return
	}
	e.response = v
	var t texts
	if content, ok := v.Get("llmContent"); ok {
		t.tree(content)
	} else {
		t.tree(v)
	}
	if fault, ok := v.Get("error"); ok && fault.Kind() != strictjson.KindNull {
		e.Kind = AfterToolFailure
		t.tree(fault)
	}
	t.into(e)
}

func readDirSearch(r *reader, t *Tool) {
	readDir(r, t)
	t.Query = r.text("pattern", optional)
}

// readGlobs reads patterns of files: what they find lies below what comes before their
// first sign.
func readGlobs(r *reader, t *Tool) {
	list, ok := r.get("include", required)
	if !ok {
		return
	}
	if list.Kind() != strictjson.KindArray || list.Len() > mostEdits {
		r.fail("include", "is not a list of patterns, or too long a one")
		return
	}
	for _, v := range list.Elements() {
		in := newReader(strictjson.Object(strictjson.Member{Key: "include", Value: v}), r.prefix)
		glob := in.path("include", required)
		r.join(in)
		if i := strings.IndexAny(glob, "*?[{!("); i >= 0 {
			glob = glob[:strings.LastIndexAny(glob[:i], `/\`)+1]
		}
		if glob == "" {
			glob = "."
		}
		t.Paths = append(t.Paths, glob)
	}
}

func readReplace(r *reader, t *Tool) {
	readEdit(r, t)
	if t.Edits != nil && r.flag("allow_multiple") {
		t.Edits[0].All = true
	}
}

// readShellIn reads a command that runs in a directory of its own.
func readShellIn(r *reader, t *Tool) {
	t.Command = inDir(r.path(r.one("dir_path", "directory"), optional), r.text("command", required))
}

// inDir is a command as it would read with its directory changed by itself.
func inDir(dir, command string) string {
	if dir == "" || command == "" {
		return command
	}
	return "cd " + string(appendQuoted(nil, dir)) + "\n" + command
}

// readFetch reads the addresses of pages: the first, of a prompt that may hold twenty.
func readFetch(r *reader, t *Tool) {
	if t.URL = r.url("url", optional); t.URL != "" {
		return
	}
	prompt := r.text("prompt", required)
	for word := range strings.FieldsSeq(prompt) {
		if i := strings.Index(word, "http"); i >= 0 && strings.Contains(word, "://") && len(word[i:]) <= mostURL {
			t.URL = clean(word[i:], mostURL, true)
			return
		}
	}
}

func readURI(r *reader, t *Tool)       { t.URL = r.url("uri", required) }
func readInvoke(r *reader, t *Tool)    { t.Message = r.text("prompt", optional) }
func readSkillName(r *reader, t *Tool) { t.Query = r.text("name", optional) }

// readFact reads what earlier versions append to the instructions of all projects.
func readFact(r *reader, t *Tool) {
	t.Paths = []string{"~/.gemini/GEMINI.md"}
	t.Edits = []Edit{{Path: t.Paths[0], New: r.text("fact", required)}}
}
