package install

import (
	"fmt"
	"path/filepath"
	"strings"
)

// Host is one agent host. Its methods may be called at the same time.
type Host struct {
	Name string // as on our command line: claude, codex, gemini, cursor, copilot, windsurf

	settings func(Scope) string // the file with the hooks, from the home or the project
	servers  func(Scope) string // the file with the MCP servers, likewise
	toml     bool               // servers are TOML, else JSON
	nested   bool               // servers also lie in projects.<path> of the file
	flat     bool               // an event's list holds handlers, else groups of them
	version  bool               // the file says "version": 1
	untold   bool               // some calls come without the server's key: what the tool's name spells is all there is
	joined   bool               // tools are told as SERVER-TOOL, so a server's name with a hyphen has no end

	events  []event
	handler func(Options, event) []field
	// variable is set to "1" in env, where it is not set yet; empty is none.
	variable string

	note     string                              // for people, where the hooks change
	switches func(home, project string) []string // files with settings that keep hooks from running
	off      func(Host, *document) []string      // those of one file; nil: Claude Code's
	memories func(*document) bool                // whether the host writes memories by itself; nil: not by its JSON
}

// event is one event that the guard needs to hear of.
type event struct {
	name    string
	matcher string // of our group; "" has none. Both match everything
	gate    bool   // where the hook fails, what it was asked about must not happen
}

// hosts are all hosts, in the order in which people see them.
var hosts = []Host{
	claude,
	codex,
	gemini,
	cursor,
	copilot,
	windsurf,
}

// Find returns the host of a name; names are byte-exact.
func Find(name string) (Host, bool) {
	for _, h := range hosts {
		if h.Name == name {
			return h, true
		}
	}
	return Host{}, false
}

// Names returns the names of all hosts. The caller owns the slice.
func Names() []string {
	var out []string
	for _, h := range hosts {
		out = append(out, h.Name)
	}
	return out
}

// Files returns the files that an installation edits: the one with the hooks, then
// the one with the servers.
func (h Host) Files(s Scope, home, project string) []string {
	if h.settings == nil {
		return nil
	}
	dir := base(s, home, project)
	return []string{filepath.Join(dir, h.settings(s)), filepath.Join(dir, h.servers(s))}
}

func base(s Scope, home, project string) string {
	if s == User {
		return home
	}
	return project
}

// files is Files with its arguments checked.
func (h Host) files(s Scope, home, project string) (settings, servers string, err error) {
	files := h.Files(s, home, project)
	if files == nil {
		return "", "", fmt.Errorf("install: no host; there are %s", strings.Join(Names(), ", "))
	}
	if s > Project {
		return "", "", fmt.Errorf("install: no scope %d", s)
	}
	if dir := base(s, home, project); !filepath.IsAbs(dir) {
		return "", "", fmt.Errorf("install: %q is not an absolute path", dir)
	}
	return files[0], files[1], nil
}
