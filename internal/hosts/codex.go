package hosts

// codex is the Codex CLI, by its source of 2026.
//
// It refuses an answer with a field or value that it does not know for the event,
// counts the hook as failed and goes on: so nothing is said but what all its
// versions accept. Before a tool that is a denial with a reason and a message to
// the person; "allow", "ask" and a context are refused there by some or all of them.
// Its questions about permission may be answered by a model, so no ask is taken to
// reach a person. A result cannot be replaced, only withheld.
var codex = &family{
	name: "codex",
	turn: "turn_id",
	events: []event{
		{"SessionStart", SessionStart, readStart, cannot, mayContext},
		{"UserPromptSubmit", Prompt, readCodexPrompt, byBlock, mayContext},
		{"PreToolUse", BeforeTool, readTool, byDecision, 0},
		{"PermissionRequest", Permission, readPermission, byBehavior, mayAllow},
		{"PostToolUse", AfterTool, readResult, byWithholding, mayContext},
		{"PreCompact", BeforeCompact, readCompact, cannot, 0},
		{"PostCompact", AfterCompact, readSummary, cannot, 0},
		{"SubagentStart", SubagentStart, readSubagent, cannot, mayContext},
		{"SubagentStop", SubagentStop, readHandback, cannot, 0},
		{"Stop", Stop, nil, cannot, 0},
		{"SessionEnd", SessionEnd, readEnd, cannot, mute},
	},
	tools: codexTools,
}

// codexTools are the tools of Codex by the names that its hooks show. Shell tools
// have the one name Bash there; their own names are kept for versions that show
// them. write_stdin raises no event before it runs, on the versions we know.
var codexTools = []tool{
	{"Bash", Shell, readCodexShell},
	{"shell", Shell, readCodexShell},
	{"shell_command", Shell, readCodexShell},
	{"local_shell", Shell, readCodexShell},
	{"exec_command", Shell, readExec},
	{"write_stdin", ShellIO, readStdin},
	{"apply_patch", Patch, readPatch},
	{"NetworkAccess", Web, nil},
	{"read_file", Read, readFile},
	{"view_image", Read, readImage},
	{"list_dir", Search, readDir},
	{"grep_files", Search, readSearch},
	{"web_search", WebSearch, readSearchQuery},
	{"read_mcp_resource", MCPResource, readResource},
	{"list_mcp_resources", MCPResource, readResourceList},
	{"list_mcp_resource_templates", MCPResource, readResourceList},
	{"spawn_agent", SubAgent, readSpawn},
	{"wait_agent", SubAgent, nil},
	{"close_agent", SubAgent, nil},
	{"resume_agent", SubAgent, nil},
	{"send_input", Message, readMessage},
	{"send_message", Message, readMessage},
	{"request_user_input", Question, nil},
	{"update_plan", Plan, nil},
	{"tool_search", Plan, nil},
}

// readCodexPrompt reads a prompt. Codex does not say who wrote it.
func readCodexPrompt(_ *family, r *reader, e *Event) {
	readPromptText(r, e)
	switch {
	case scheduled(e.Session):
		e.PromptBy = BySchedule
	case e.Agent != "":
		e.PromptBy = BySystem
	}
}

func readCodexShell(r *reader, t *Tool)  { t.Command = r.command("command", required) }
func readImage(r *reader, t *Tool)       { t.Paths = r.paths("path", required) }
func readDir(r *reader, t *Tool)         { t.Paths = r.paths("dir_path", optional) }
func readStdin(r *reader, t *Tool)       { t.Command = r.text("chars", optional) }
func readSearchQuery(r *reader, t *Tool) { t.Query = r.text("query", optional) }
func readSpawn(r *reader, t *Tool)       { t.Message = r.text("message", optional) }

// readExec reads a command under either name that versions give it.
func readExec(r *reader, t *Tool) {
	if t.Command = r.command("cmd", optional); t.Command == "" {
		readCodexShell(r, t)
	}
}

func readPatch(r *reader, t *Tool) {
	edits, paths, err := parsePatch(r.text("command", required))
	if err != "" {
		r.fail("command", err)
		return
	}
	t.Edits, t.Paths = edits, paths
}
