package install

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/tailscale/hujson"
)

// cursor is Cursor, editor and command line. An event's list holds the entries
// themselves. The entries of gating events fail closed by a switch of the host's, which
// older versions ignore.
//
// The host takes a file without a version, and one with an event that it does not know,
// for no file at all: so only events are told that we need. It cuts what looks like a
// comment out of strings too.
var cursor = Host{
	Name:     "cursor",
	settings: func(Scope) string { return ".cursor/hooks.json" },
	servers:  func(Scope) string { return ".cursor/mcp.json" },
	flat:     true,
	version:  true,
	events: []event{
		{name: "sessionStart"},
		{name: "beforeSubmitPrompt", gate: true},
		{name: "preToolUse", gate: true},
		{name: "beforeMCPExecution", gate: true},
		{name: "postToolUse"},
		{name: "postToolUseFailure"},
		{name: "afterMCPExecution"},
	},
	handler: func(o Options, e event) []field {
		argv := append([]string{o.Binary}, o.Args...)
		line := cmdLine(argv)
		if !windowsProgram(o.Binary) {
			line = withoutComment(shellLine(argv))
		}
		fields := []field{
			{"command", line},
			{"timeout", hookSeconds},
		}
		if e.gate {
			fields = append(fields, field{"failClosed", true})
		}
		return fields
	},
	switches: func(home, project string) []string {
		return []string{filepath.Join(home, ".cursor/hooks.json"), filepath.Join(project, ".cursor/hooks.json")}
	},
	off: cursorOff,
}

// withoutComment breaks what the host would take for the beginning of a comment. A
// slash never stands outside quotes in a command line of ours.
func withoutComment(line string) string {
	for strings.Contains(line, "//") {
		line = strings.ReplaceAll(line, "//", "/''/")
	}
	return line
}

// cursorEvents are all events that some version of Cursor knows.
var cursorEvents = []string{
	"afterAgentResponse", "afterAgentThought", "afterFileEdit", "afterMCPExecution", "afterShellExecution", "afterTabFileEdit", "beforeMCPExecution",
	"beforeReadFile", "beforeShellExecution", "beforeSubmitPrompt", "beforeTabFileRead", "postToolUse", "postToolUseFailure", "preCompact", "preToolUse",
	"sessionEnd", "sessionStart", "stop", "subagentStart", "subagentStop", "workspaceOpen",
}

// cursorOff lists what in a file that holds our entries makes Cursor run none of it.
func cursorOff(h Host, d *document) (keys []string) {
	if !slices.ContainsFunc(h.eventLists(d), func(l eventList) bool { return len(l.ours) > 0 }) {
		return nil
	}
	hooks := member(&d.root, "hooks")
	if v := member(&d.root, "version"); v == nil || strings.Trim(literal(v), "0123456789") != "" || strings.Trim(literal(v), "0") == "" {
		keys = append(keys, "version")
	}
	if obj, ok := hooks.Value.(*hujson.Object); ok {
		for i := range obj.Members {
			if name := text(obj.Members[i].Name.Value); !slices.Contains(cursorEvents, name) {
				keys = append(keys, "hooks."+name)
			}
		}
	}
	for v := range d.root.All() {
		if lit, ok := v.Value.(hujson.Literal); ok && lit.Kind() == '"' && strings.Contains(string(lit), "//") {
			keys = append(keys, "// in "+clean(text(lit)))
		}
	}
	return keys
}
