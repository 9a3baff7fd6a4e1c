package install

// windsurf is Cascade, the agent of Windsurf. It reads exit codes and nothing else, and
// lets things happen where a hook fails with another code than 2: the command line of a
// gating event ends in one. Reasons are shown to the person only where the entry asks
// for it. How long the host waits for a hook cannot be said.
//
// Servers are those of the person alone; a project has none.
var windsurf = Host{
	Name: "windsurf",
	settings: func(s Scope) string {
		if s == User {
			return ".codeium/windsurf/hooks.json"
		}
		return ".windsurf/hooks.json"
	},
	servers: func(s Scope) string {
		if s == User {
			return ".codeium/windsurf/mcp_config.json"
		}
		return ".windsurf/hooks.json"
	},
	flat: true,
	events: []event{
		{name: "pre_user_prompt", gate: true},
		{name: "pre_read_code", gate: true},
		{name: "pre_write_code", gate: true},
		{name: "pre_run_command", gate: true},
		{name: "pre_mcp_tool_use", gate: true},
		{name: "post_read_code"},
		{name: "post_write_code"},
		{name: "post_run_command"},
		{name: "post_mcp_tool_use"},
		{name: "post_cascade_response"},
	},
	handler: func(o Options, e event) []field {
		return []field{{"command", o.line(e.gate)}, {"show_output", e.gate}}
	},
	switches: func(string, string) []string { return nil },
}
