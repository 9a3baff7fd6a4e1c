package hosts

import "strings"

// claude is Claude Code, by the types of @anthropic-ai/claude-agent-sdk 0.3.332. An
// event of its 34 that is not here needs no answer from us.
//
// A denial is JSON with exit code 0: the form that always delivers its reason.
// Before a compaction only the exit code denies. A person is asked in the modes that
// askIn names: in the others, and in one that we do not know, a rule, a classifier or
// nobody may answer. No answer ever rewrites a tool's input, answers a server in the person's
// place, or speaks to the permission classifier.
var claude = &family{
	name:  "claude",
	turn:  "prompt_id",
	askIn: []string{"", "default", "plan", "acceptEdits"},
	events: []event{
		{"SessionStart", SessionStart, readStart, cannot, mayContext | mayWatch},
		{"UserPromptSubmit", Prompt, readClaudePrompt, byBlock, mayContext},
		{"UserPromptExpansion", Expansion, readExpansion, byBlock, mayContext},
		{"PreToolUse", BeforeTool, readTool, byDecision, mayContext | mayAllow | mayAsk},
		// Its allow adds nothing, and its ask keeps the command from running.
		{"PreSkillShellCommand", BeforeTool, readTool, byDecision, 0},
		{"PermissionRequest", Permission, readPermission, byBehavior, mayAllow | mayAsk},
		{"PostToolUse", AfterTool, readResult, byBlock, mayContext | mayEdit},
		{"PostToolUseFailure", AfterToolFailure, readFailure, cannot, mayContext},
		{"InstructionsLoaded", Instructions, readInstructions, cannot, 0},
		{"FileChanged", FileChanged, readFileChange, cannot, mayWatch},
		{"PreCompact", BeforeCompact, readCompact, byExitCode, 0},
		{"PostCompact", AfterCompact, readSummary, cannot, 0},
		{"SubagentStart", SubagentStart, readSubagent, cannot, mayContext},
		// A context at the end of a turn would keep the agent going.
		{"SubagentStop", SubagentStop, readHandback, cannot, 0},
		{"Stop", Stop, nil, cannot, 0},
		{"SessionEnd", SessionEnd, readEnd, cannot, 0},
		{"ConfigChange", ConfigChange, readConfig, byBlock, 0},
		{"Elicitation", Elicitation, readElicitation, byDecline, mayAsk},
		{"ElicitationResult", ElicitationResult, readElicited, byDecline, 0},
	},
	tools: claudeTools,
}

// readClaudePrompt reads a prompt and who the host says wrote it.
func readClaudePrompt(_ *family, r *reader, e *Event) {
	readPromptText(r, e)
	e.PromptBy = promptBy(r.label("source", optional), e)
}

// promptBy is who wrote a prompt. The host's own word counts downwards only: a typed
// prompt inside a sub-agent or in the session of a scheduled job is none, whatever
// it says, and a word that we do not know is not a person.
func promptBy(source string, e *Event) PromptBy {
	if scheduled(e.Session) {
		return BySchedule
	}
	by := Unrecognised
	switch source {
	case "":
		by = Unattested
	case "user":
		by = Typed
	case "sdk":
		by = BySDK
	case "schedule_wakeup":
		by = BySchedule
	case "loop_wakeup":
		by = ByLoop
	case "system":
		by = BySystem
	case "poll_event":
		by = ByEvent
	case "prefill", "url_param", "deep_link":
		by = Prefilled
	}
	if e.Agent != "" && (by == Typed || by == Unattested) {
		return BySystem
	}
	return by
}

// scheduled reports whether an id is one that schedulers give to the sessions of
// their jobs.
func scheduled(session string) bool {
	return strings.HasPrefix(session, "cron:") || strings.HasPrefix(session, "schedule:")
}

// readExpansion reads the text that a command or a server's prompt became. It is not
// what the person typed.
func readExpansion(_ *family, r *reader, e *Event) {
	readPromptText(r, e)
	e.Trigger = r.label("expansion_type", optional)
	e.PromptBy = BySystem
	var t texts
	t.add(e.Prompt)
	t.into(e)
}

func readInstructions(_ *family, r *reader, e *Event) {
	e.File = r.path("file_path", required)
	e.MemoryType = r.label("memory_type", optional)
	e.LoadReason = r.label("load_reason", optional)
	var t texts
	t.add(e.File)
	t.add(r.path("parent_file_path", optional))
	t.add(r.path("trigger_file_path", optional))
	t.into(e)
}

func readFileChange(_ *family, r *reader, e *Event) {
	e.File = r.path("file_path", required)
	e.FileEvent = r.label("event", optional)
}

func readConfig(_ *family, r *reader, e *Event) {
	e.Trigger = r.label("source", optional)
	e.File = r.path("file_path", optional)
}

func readElicitation(_ *family, r *reader, e *Event) {
	e.Server.Name = r.label("mcp_server_name", required)
	var t texts
	t.add(r.text("message", optional))
	t.add(r.text("url", optional))
	if schema, ok := r.get("requested_schema", optional); ok {
		t.tree(schema)
	}
	t.into(e)
}

func readElicited(_ *family, r *reader, e *Event) {
	e.Server.Name = r.label("mcp_server_name", required)
	e.Trigger = r.label("action", optional)
	if content, ok := r.get("content", optional); ok {
		var t texts
		t.tree(content)
		t.into(e)
	}
}
