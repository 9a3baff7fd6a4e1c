package install

import "path/filepath"

// claude is Claude Code. Handlers are of the exec form: no shell reads the path. Before
// 2.1.295 it ignores onFailure and a failing hook lets the tool run; 2.1.299 is the
// first to know the variable.
var claude = Host{
	Name: "claude",
	settings: func(Scope) string {
		return ".claude/settings.json"
	},
	servers: func(s Scope) string {
		if s == User {
			return ".claude.json"
		}
		return ".mcp.json"
	},
	nested: true,
	untold: true,
	events: []event{
		{name: "SessionStart"},
		{name: "UserPromptSubmit", gate: true},
		{name: "PreToolUse", matcher: "*", gate: true},
		{name: "PostToolUse", matcher: "*"},
		{name: "PostToolUseFailure"},
		{name: "SubagentStart"},
		{name: "SubagentStop"},
		{name: "PreCompact"},
		{name: "PostCompact"},
		{name: "InstructionsLoaded"},
		{name: "FileChanged"},
		{name: "ConfigChange"},
		{name: "Stop"},
		{name: "SessionEnd"},
	},
	handler: func(o Options, e event) []field {
		fields := []field{
			{"type", "command"},
			{"command", o.Binary},
			{"args", o.Args},
			{"timeout", hookSeconds},
		}
		if e.gate {
			fields = append(fields, field{"onFailure", "block"})
		}
		return fields
	},
	// @file mentions are read without PreToolUse unless this makes the host use its tools.
	variable: "CLAUDE_CODE_DISABLE_FILE_MENTIONS",
	switches: func(home, project string) []string {
		var out []string
		for _, dir := range []string{home, project} {
			out = append(out, filepath.Join(dir, ".claude/settings.json"), filepath.Join(dir, ".claude/settings.local.json"))
		}
		return append(out, "/etc/claude-code/managed-settings.json",
			"/Library/Application Support/ClaudeCode/managed-settings.json",
			`C:\Program Files\ClaudeCode\managed-settings.json`)
	},
}

// hookSeconds is how long a host waits for the hook, in seconds for both hosts. The
// hook's own deadline is far below it.
const hookSeconds = 10
