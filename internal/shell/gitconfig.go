package shell

import "strings"

// gitConfig reads a setting. Some are commands, and some make git run what lies in
// a file. kept says that it stays.
func (w *walker) gitConfig(setting string, kept bool) {
	key, val, _ := strings.Cut(setting, "=")
	key = strings.ToLower(key)
	section, _, _ := strings.Cut(key, ".")
	switch {
	case section == "alias" && strings.HasPrefix(val, "!"):
		w.perhaps(func() stream { return w.runText(val[1:], stream{there: true}) })
	case section == "alias":
	case key == "core.hookspath":
		for _, f := range w.paths(literal(val)) {
			if w.untrusted(f) || w.temporary(f) || !w.inWorkspace(f) {
				w.does(shellUntrusted)
			}
		}
	case commandSettings[key] || commandSettings[section] && val != "":
		if val != "true" && val != "false" && val != "" {
			w.perhaps(func() stream { return w.runText(strings.TrimPrefix(val, "!"), stream{there: true}) })
		}
	default:
		return
	}
	if kept {
		w.does(fileAutorun)
	}
}

// commandSettings are settings, and sections, whose values are commands.
var commandSettings = map[string]bool{
	"core.sshcommand": true, "core.pager": true, "core.editor": true, "core.fsmonitor": true, "core.askpass": true, "core.gitproxy": true, "sequence.editor": true,
	"diff.external": true, "interactive.difffilter": true, "gpg.program": true, "credential.helper": true, "uploadpack.packobjectshook": true,
	"filter": true, "difftool": true, "mergetool": true, "pager": true, "include": true, "includeif": true, "merge": true, "trailer": true,
}

func (w *walker) gitConfigures(p parsed) {
	args := p.args
	if len(args) > 0 && (args[0].s == "set" || args[0].s == "get" || args[0].s == "unset" || args[0].s == "list") {
		if args[0].s != "set" {
			return
		}
		args = args[1:]
	}
	if len(args) < 2 || p.has("--get", "--get-all", "--unset", "--get-regexp", "-l", "--list") {
		if p.has("-e", "--edit") {
			w.does(fileAutorun)
		}
		return
	}
	if p.has("--global", "--system") {
		w.does(fileOutside)
	}
	key := strings.ToLower(args[0].s)
	if section, _, _ := strings.Cut(key, "."); key == "core.hookspath" || section == "alias" || args[0].open() {
		w.does(fileAutorun)
	}
	w.gitConfig(args[0].s+"="+args[1].s, true)
}
