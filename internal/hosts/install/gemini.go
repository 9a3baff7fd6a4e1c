package install

import (
	"path/filepath"

	"github.com/tailscale/hujson"
)

// gemini is Gemini CLI. Hooks and servers stand in one file. It has no switch to fail
// closed, so the command line of a gating event does that itself; a hook that it ends
// for its time lets the tool run. It runs no hook, of whose settings ever, in a folder
// that the person does not trust.
var gemini = Host{
	Name:     "gemini",
	settings: func(Scope) string { return ".gemini/settings.json" },
	servers:  func(Scope) string { return ".gemini/settings.json" },
	note:     "Gemini CLI runs hooks only in folders that you trust: open /permissions in Gemini CLI",
	events: []event{
		{name: "SessionStart"},
		{name: "BeforeAgent", gate: true},
		{name: "BeforeTool", matcher: "*", gate: true},
		{name: "AfterTool", matcher: "*"},
		{name: "PreCompress"},
		{name: "AfterAgent"},
		{name: "SessionEnd"},
	},
	handler: func(o Options, e event) []field {
		return []field{
			{"type", "command"},
			{"command", o.line(e.gate)},
			{"timeout", hookSeconds * 1000}, // this host counts milliseconds
		}
	},
	switches: func(home, project string) []string {
		return []string{filepath.Join(home, ".gemini/settings.json"), filepath.Join(project, ".gemini/settings.json"),
			"/etc/gemini-cli/settings.json", "/Library/Application Support/GeminiCli/settings.json", `C:\ProgramData\gemini-cli\settings.json`}
	},
	off: geminiOff,
	memories: func(d *document) bool {
		experimental := member(&d.root, "experimental")
		if experimental == nil {
			return false
		}
		v := member(experimental, "autoMemory")
		return v != nil && literal(v) == "true"
	},
}

// geminiOff lists the settings by which Gemini CLI runs none of its hooks, or not ours,
// under the names that they have and had.
func geminiOff(_ Host, d *document) (keys []string) {
	for _, at := range []struct{ table, enabled string }{{"hooksConfig", "enabled"}, {"hooks", "enabled"}, {"tools", "enableHooks"}} {
		table := member(&d.root, at.table)
		if table == nil {
			continue
		}
		if v := member(table, at.enabled); v != nil && literal(v) != "true" {
			keys = append(keys, at.table+"."+at.enabled)
		}
		list, _ := texts(member(table, "disabled"))
		for _, name := range list {
			if isProgram(firstWord(name), hookProgram) {
				keys = append(keys, at.table+".disabled")
				break
			}
		}
	}
	return keys
}

// literal returns a JSON literal as it is written; "" for lists and objects.
func literal(v *hujson.Value) string {
	lit, _ := v.Value.(hujson.Literal)
	return string(lit)
}
