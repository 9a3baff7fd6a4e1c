package install

import "path/filepath"

// copilot is GitHub's Copilot: the command line, and, by the settings of a project, the
// cloud agent. Our entries lie in a file of their own among the host's hook files.
//
// A hook that fails denies a tool from 1.0.72 on; before, only an answer does. So the
// command line of a gating event gives the answer itself where the hook gave none, and
// ends well. A hook that the host ends for its time lets the tool run. Entries without a
// shell are dropped by some versions and by the cloud agent.
var copilot = Host{
	Name: "copilot",
	settings: func(s Scope) string {
		if s == User {
			return ".copilot/hooks/hearsay.json"
		}
		return ".github/hooks/hearsay.json"
	},
	servers: func(s Scope) string {
		if s == User {
			return ".copilot/mcp-config.json"
		}
		return ".mcp.json"
	},
	flat:    true,
	version: true,
	joined:  true,
	untold:  true,
	events: []event{
		{name: "sessionStart"},
		{name: "userPromptSubmitted", gate: true},
		{name: "preToolUse", gate: true},
		{name: "postToolUse"},
		{name: "postToolUseFailure"},
		{name: "subagentStart"},
		{name: "subagentStop"},
		{name: "preCompact"},
		{name: "agentStop"},
		{name: "sessionEnd"},
	},
	handler: func(o Options, e event) []field {
		argv := append([]string{o.Binary}, o.Args...)
		line, power := shellLine(argv), powerLine(argv, false)
		if e.gate {
			answer := copilotDeny
			if e.name == "userPromptSubmitted" {
				answer = copilotBlock
			}
			line += " || echo '" + answer + "'"
			power += "; if ($LASTEXITCODE -ne 0) { '" + answer + "'; exit 0 }"
		}
		return []field{
			{"type", "command"},
			{"bash", line},
			{"powershell", power},
			{"timeoutSec", hookSeconds},
		}
	},
	switches: func(home, project string) []string {
		return []string{filepath.Join(home, ".copilot/hooks/hearsay.json"), filepath.Join(home, ".copilot/settings.json"),
			filepath.Join(project, ".github/hooks/hearsay.json"), filepath.Join(project, ".github/copilot/settings.json"),
			filepath.Join(project, ".github/copilot/settings.local.json"), filepath.Join(project, ".claude/settings.json"),
			filepath.Join(project, ".claude/settings.local.json")}
	},
}

// What is answered where the hook gave no answer.
const (
	copilotDeny  = `{"permissionDecision":"deny","permissionDecisionReason":"hearsay: the hook failed; ask the user to run hearsay doctor"}`
	copilotBlock = `{"decision":"block","reason":"hearsay: the hook failed; run hearsay doctor"}`
)
