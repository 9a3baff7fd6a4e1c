package setup

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hearsay-memory/hearsay/internal/hosts/install"
)

// products are what people call hosts; the rest of their names is the host's own.
var products = map[string]string{
	"claude": "Claude Code",
	"codex":  "Codex",
	"gemini": "Gemini CLI",
	"cursor": "Cursor",

	"copilot":  "Copilot",
	"windsurf": "Windsurf",
}

// aliases are further names of hosts on the command line.
var aliases = map[string]string{
	"claude-code": "claude",
	"gemini-cli":  "gemini",
	"copilot-cli": "copilot",
}

// programNames are the programs of hosts that are not called like the host. The first
// that is found is asked for its version.
var programNames = map[string][]string{
	"cursor": {"cursor-agent", "cursor"},
}

// nextSteps is what a person has to do before a host runs our hooks.
var nextSteps = map[string]string{
	"codex":  "Codex does not run a new or changed hook before you trusted it: open /hooks in Codex.",
	"gemini": "Gemini CLI runs no hook in a folder that you do not trust: open /permissions in Gemini CLI.",
	"cursor": "Cursor runs a project's hooks only where you trust the workspace.",

	"copilot":  "Copilot runs a project's hooks only in a folder that you trust; its cloud agent runs those of the default branch, on machines that have no Hearsay unless you put it there.",
	"windsurf": "Windsurf tells no hook of pages that its own tools read, nor of memories that it keeps by itself: turn both off in its settings.",
}

// Product is what people call a host.
func Product(name string) string { return products[name] }

// Next is what a person has to do before a host runs our hooks; empty: nothing.
func Next(name string) string { return nextSteps[name] }

// Choice lists the hosts for people, as they name them.
func Choice() string {
	names := install.Names()
	for i, name := range names {
		if name == "claude" {
			names[i] = "claude-code"
		}
	}
	return strings.Join(names, ", ")
}

// Named reads the names of hosts from the command line. Each host comes once, in
// the order in which it is named first.
func Named(names []string) ([]install.Host, error) {
	var out []install.Host
	for _, name := range names {
		name = strings.TrimSpace(name)
		short := name
		if alias := aliases[name]; alias != "" {
			short = alias
		}
		h, ok := install.Find(short)
		if !ok {
			return nil, fmt.Errorf("there is no host %q: choose of %s", name, Choice())
		}
		if !slices.ContainsFunc(out, func(o install.Host) bool { return o.Name == h.Name }) {
			out = append(out, h)
		}
	}
	return out, nil
}
