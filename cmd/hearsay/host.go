package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/hearsay-memory/hearsay/internal/hosts/install"
)

// hostProducts are what people call hosts; the rest of their names is the host's own.
var hostProducts = map[string]string{
	"claude": "Claude Code",
	"codex":  "Codex",
	"gemini": "Gemini CLI",
	"cursor": "Cursor",

	"copilot":  "Copilot",
	"windsurf": "Windsurf",
}

// hostAliases are further names of hosts on the command line.
var hostAliases = map[string]string{
	"claude-code": "claude",
	"gemini-cli":  "gemini",
	"copilot-cli": "copilot",
}

// hostPrograms are the programs of hosts that are not called like the host. The first
// that is found is asked for its version.
var hostPrograms = map[string][]string{
	"cursor": {"cursor-agent", "cursor"},
}

// hostNext is what a person has to do before a host runs our hooks.
var hostNext = map[string]string{
	"codex":  "Codex does not run a new or changed hook before you trusted it: open /hooks in Codex.",
	"gemini": "Gemini CLI runs no hook in a folder that you do not trust: open /permissions in Gemini CLI.",
	"cursor": "Cursor runs a project's hooks only where you trust the workspace.",

	"copilot":  "Copilot runs a project's hooks only in a folder that you trust; its cloud agent runs those of the default branch, on machines that have no Hearsay unless you put it there.",
	"windsurf": "Windsurf tells no hook of pages that its own tools read, nor of memories that it keeps by itself: turn both off in its settings.",
}

// hostChoice lists the hosts for people, as they name them.
func hostChoice() string {
	names := install.Names()
	for i, name := range names {
		if name == "claude" {
			names[i] = "claude-code"
		}
	}
	return strings.Join(names, ", ")
}

// hostsNamed reads the names of hosts from the command line. Each host comes once, in
// the order in which it is named first.
func hostsNamed(names []string) ([]install.Host, error) {
	var out []install.Host
	for _, name := range names {
		name = strings.TrimSpace(name)
		short := name
		if alias := hostAliases[name]; alias != "" {
			short = alias
		}
		h, ok := install.Find(short)
		if !ok {
			return nil, usageError("there is no host %q: choose of %s", name, hostChoice())
		}
		if !slices.ContainsFunc(out, func(o install.Host) bool { return o.Name == h.Name }) {
			out = append(out, h)
		}
	}
	return out, nil
}

// programs are the paths of our programs, as they go into hosts' settings.
type programs struct {
	hearsay, hook string
}

// findPrograms looks for the hook program beside the running one. The name by which
// hearsay was called comes first: a link such as /usr/local/bin/hearsay stays where it
// is when what it leads to is upgraded, and Codex wants a person's trust again for each
// changed path.
func findPrograms() (programs, error) {
	self, err := os.Executable()
	if err != nil {
		return programs{}, fmt.Errorf("the path of this program cannot be told: %w", err)
	}
	candidates := []string{self}
	if called, err := exec.LookPath(os.Args[0]); err == nil {
		if called, err = filepath.Abs(called); err == nil && sameFile(called, self) {
			candidates = []string{called, self}
		}
	}
	if real, err := filepath.EvalSymlinks(self); err == nil {
		candidates = append(candidates, real)
	}
	return programsBeside(candidates)
}

// programsBeside takes the first path of hearsay that has the hook program beside it.
func programsBeside(candidates []string) (programs, error) {
	suffix := ""
	if runtime.GOOS == "windows" {
		suffix = ".exe"
	}
	var looked []string
	for _, path := range candidates {
		if filepath.Base(path) != "hearsay"+suffix {
			continue
		}
		p := programs{hearsay: path, hook: filepath.Join(filepath.Dir(path), "hearsay-hook"+suffix)}
		if len(install.Absent([]install.Hook{{Program: p.hook}})) == 0 {
			return p, nil
		}
		if !slices.Contains(looked, p.hook) {
			looked = append(looked, p.hook)
		}
	}
	if len(looked) == 0 {
		return programs{}, fmt.Errorf("this program is called %s, and what goes into a host's settings has to be called hearsay: install it under that name, with hearsay-hook beside it", filepath.Base(candidates[0]))
	}
	return programs{}, fmt.Errorf("the hook program is missing: %s cannot be run; `make build` makes it: put it beside hearsay and run the command again", strings.Join(looked, " and "))
}

func sameFile(a, b string) bool {
	x, err := os.Stat(a)
	if err != nil {
		return false
	}
	y, err := os.Stat(b)
	return err == nil && os.SameFile(x, y)
}

// wanted is what should stand in a host's settings.
func (p programs) wanted(h install.Host, home, agent string, servers bool) install.Options {
	o := install.Options{Binary: p.hook, Args: []string{h.Name, "--home", home}}
	if servers {
		o.Gateway = []string{p.hearsay, "mcp", "--home", home, install.ServerName, install.ServerProfile}
	}
	if agent != "" {
		o.Args = append(o.Args, "--agent", agent)
		if servers {
			o.Gateway = append(o.Gateway, "--agent", agent)
		}
	}
	if servers {
		o.Gateway = append(o.Gateway, "--")
	}
	return o
}

// place is whose settings are meant.
type place struct {
	scope   install.Scope
	home    string // the person's
	project string // absolute; empty where none is meant
}

// projectDir makes a project's directory absolute, without links, and refuses what is
// none.
func projectDir(dir string) (string, error) {
	path, err := filepath.Abs(dir)
	if err == nil {
		path, err = filepath.EvalSymlinks(path)
	}
	if err != nil {
		return "", fmt.Errorf("--project: %w", err)
	}
	info, err := os.Stat(path)
	if err == nil && !info.IsDir() {
		err = errors.New("it is not a directory")
	}
	if err != nil {
		return "", fmt.Errorf("--project %s: %w", path, err)
	}
	return path, nil
}
