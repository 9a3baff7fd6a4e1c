package install

import "path/filepath"

// codex is OpenAI's Codex CLI. It trusts a hook by the hash of its entry, so what is
// written here must not change between versions of ours: a changed line is silently
// not run until a person trusts it again.
//
// It has no switch to fail closed, so the command line of a gating event does that
// itself. The others stay open: on Stop an exit code of 2 would keep the agent running.
var codex = Host{
	Name:     "codex",
	settings: func(Scope) string { return ".codex/hooks.json" },
	servers:  func(Scope) string { return ".codex/config.toml" },
	toml:     true,
	note:     "Codex runs new and changed hooks only after a person has trusted them: open /hooks in Codex",
	untold:   true,
	events: []event{
		{name: "SessionStart"},
		{name: "UserPromptSubmit", gate: true},
		{name: "PreToolUse", matcher: "*", gate: true},
		{name: "PostToolUse", matcher: "*"},
		{name: "SubagentStart"},
		{name: "SubagentStop"},
		{name: "PreCompact"},
		{name: "PostCompact"},
		{name: "Stop"},
		{name: "SessionEnd"},
	},
	handler: func(o Options, e event) []field {
		argv := append([]string{o.Binary}, o.Args...)
		line, windows := shellLine(argv), cmdLine(argv)
		if e.gate {
			line += shellBlock
			windows += cmdBlock
		}
		return []field{
			{"type", "command"},
			{"command", line},
			{"commandWindows", windows},
			{"timeout", hookSeconds},
		}
	},
	switches: func(home, project string) []string {
		return []string{filepath.Join(home, ".codex/config.toml"), filepath.Join(project, ".codex/config.toml"), "/etc/codex/requirements.toml"}
	},
}

// Codex runs a command line with the person's own shell ($SHELL -lc), which may not
// be a POSIX one: fish before 4.1 takes { } for a list of words and would run nothing.
// So sh is asked to fail. Codex takes a 2 with an empty stderr for a failure of the
// hook, and lets the tool run: the words matter.
const (
	shellBlock = ` || /bin/sh -c 'echo "hearsay: the hook failed" >&2; exit 2'`
	cmdBlock   = ` || (echo hearsay: the hook failed 1>&2 & exit 2)`
)
