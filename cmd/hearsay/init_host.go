package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/hearsay-memory/hearsay/internal/home"
	"github.com/hearsay-memory/hearsay/internal/hosts/install"
	"github.com/hearsay-memory/hearsay/internal/term"
)

// hostFlags are what init is told about agent hosts.
type hostFlags struct {
	names                      []string
	project, agent             string
	user, servers, remove, yes bool
}

func (f *hostFlags) flags(c *cobra.Command) {
	s := c.Flags()
	s.StringSliceVar(&f.names, "host", nil, "put the hooks into these `HOSTS`: "+hostChoice())
	s.StringVar(&f.project, "project", "", "into the settings of the project in `DIR`")
	s.BoolVar(&f.user, "user", false, "into your own settings, for all projects (default)")
	s.BoolVar(&f.servers, "servers", false, "also put `hearsay mcp` before the host's stdio MCP servers")
	s.StringVar(&f.agent, "agent", "", "`NAME` of the agent, as the policy knows it")
	s.BoolVar(&f.remove, "remove", false, "take out of these hosts what was put in, and nothing else")
	s.BoolVar(&f.yes, "yes", false, "ask nothing before settings are changed")
}

// hosts reads the names, and refuses flags that mean nothing together.
func (f *hostFlags) hosts(c *cobra.Command) ([]install.Host, error) {
	if len(f.names) == 0 {
		for _, name := range []string{"host", "project", "user", "servers", "agent", "remove", "yes"} {
			if c.Flags().Changed(name) {
				return nil, usageError("--%s goes with --host; see `%s --help`", name, c.CommandPath())
			}
		}
		return nil, nil
	}
	switch {
	case c.Flags().Changed("project") && f.user:
		return nil, usageError("--user and --project are two places: give one of them")
	case c.Flags().Changed("project") && f.project == "":
		return nil, usageError("an empty --project names no directory")
	case f.remove && (f.servers || f.agent != ""):
		return nil, usageError("--remove takes out hooks and gateways alike: it goes without --servers and --agent")
	}
	return hostsNamed(f.names)
}

// place says whose settings are changed.
func (f *hostFlags) place() (place, error) {
	at := place{home: userHome()}
	if f.project == "" {
		return at, nil
	}
	var err error
	at.scope = install.Project
	at.project, err = projectDir(f.project)
	return at, err
}

// settingsMove are the variables by which a host reads its settings from elsewhere.
var settingsMove = map[string]struct{ variable, dir string }{
	"claude":  {"CLAUDE_CONFIG_DIR", ".claude"},
	"codex":   {"CODEX_HOME", ".codex"},
	"gemini":  {"GEMINI_CLI_HOME", ""}, // it stands for the home directory
	"copilot": {"COPILOT_HOME", ".copilot"},
	// Cursor reads its hooks below the home directory whatever a variable says.
}

// moved returns where a host reads a person's settings, if that is not below the home
// directory.
func moved(h install.Host, userHome string) (variable, dir string) {
	m := settingsMove[h.Name]
	if m.variable != "" {
		dir = os.Getenv(m.variable)
	}
	if dir == "" || filepath.Clean(dir) == filepath.Join(userHome, m.dir) || sameFile(dir, filepath.Join(userHome, m.dir)) {
		return "", ""
	}
	return m.variable, dir
}

// settingsJob is what becomes of hosts' settings.
type settingsJob struct {
	hosts   []install.Host
	remove  bool
	changes []install.Change
}

func (j *settingsJob) changed() bool { return slices.ContainsFunc(j.changes, install.Change.Changed) }

// planInstall says how the settings come to have our entries. It reads only.
func planInstall(hosts []install.Host, f *hostFlags, dir string) (*settingsJob, error) {
	at, err := f.place()
	if err != nil {
		return nil, err
	}
	if at.project != "" && inside(dir, at.project) {
		return nil, fmt.Errorf("the home %s lies in the project %s, where its agents may write: give another --home", dir, at.project)
	}
	p, err := findPrograms()
	if err != nil {
		return nil, err
	}
	j := &settingsJob{hosts: hosts}
	for _, h := range hosts {
		if variable, to := moved(h, at.home); variable != "" && at.scope == install.User {
			return nil, fmt.Errorf("$%s makes %s read its settings from %s, where nothing is installed: unset it, or install with --project", variable, hostProducts[h.Name], to)
		}
		changes, err := h.Install(install.Read, at.scope, at.home, at.project, p.wanted(h, dir, f.agent, f.servers))
		if err != nil {
			return nil, err
		}
		j.changes = append(j.changes, changes...)
	}
	return j, nil
}

// planRemove says how the settings lose our entries. It reads only.
func planRemove(hosts []install.Host, f *hostFlags) (*settingsJob, error) {
	at, err := f.place()
	if err != nil {
		return nil, err
	}
	j := &settingsJob{hosts: hosts, remove: true}
	for _, h := range hosts {
		changes, err := h.Remove(install.Read, at.scope, at.home, at.project)
		if err != nil {
			return nil, err
		}
		j.changes = append(j.changes, changes...)
	}
	return j, nil
}

// inside reports whether path is dir or lies in it, after links.
func inside(path, dir string) bool {
	if h, err := home.Open(path); err == nil {
		return h.Inside(dir)
	}
	rel, err := filepath.Rel(dir, path)
	return err == nil && (rel == "." || filepath.IsLocal(rel))
}

// agreed shows a job and asks. With nobody to ask, what would change is still shown.
func (a *app) agreed(ctx context.Context, p *person, j *settingsJob, f *hostFlags, dir string, batch bool) error {
	if f.yes || !j.changed() {
		showChanges(a.printer(), j)
		if !j.changed() {
			return nil
		}
		return refuseAgents(ctx, f, j.hosts, dir)
	}
	if batch {
		showChanges(a.printer(), j)
		return errors.New("nothing was changed: --batch asks nothing; say --yes too")
	}
	if _, err := p.terminal(); err != nil {
		showChanges(a.printer(), j)
		return fmt.Errorf("nothing was changed: %w, or say --yes", err)
	}
	screen, err := p.printer()
	if err != nil {
		return err
	}
	showChanges(screen, j)
	return p.confirm(false, "Change these settings?")
}

func showChanges(p *term.Printer, j *settingsJob) {
	for _, c := range j.changes {
		for line := range strings.Lines(install.Diff(c)) {
			line = strings.TrimSuffix(line, "\n")
			switch {
			case strings.HasPrefix(line, "+"):
				p.Printf("%s\n", p.Green(line))
			case strings.HasPrefix(line, "-"):
				p.Printf("%s\n", p.Red(line))
			default:
				p.Println(line)
			}
		}
	}
}

// silence forgets that the hosts' hooks were at work, so that doctor does not miss them.
func (a *app) silence(ctx context.Context, hosts []install.Host, dir string) error {
	if !isHome(dir) {
		return nil
	}
	in, err := a.open(ctx, false)
	if err != nil {
		return err
	}
	defer in.Close()
	for _, h := range hosts {
		if err := in.Guard.Silence(ctx, h.Name); err != nil {
			return err
		}
	}
	return nil
}

// apply writes what was agreed to and says what is next.
func (a *app) apply(j *settingsJob) error {
	p := a.printer()
	var names []string
	for _, h := range j.hosts {
		names = append(names, hostProducts[h.Name])
	}
	of := strings.Join(names, " and ")
	if !j.changed() {
		if j.remove {
			p.Printf("Nothing of Hearsay is in the settings of %s.\n", of)
		} else {
			p.Printf("The settings of %s are as they should be; nothing was changed.\n", of)
		}
		return p.Err()
	}
	copies, err := install.Apply(j.changes, time.Now())
	if err != nil {
		return err
	}
	var rows [][]any
	for _, c := range j.changes {
		switch {
		case !c.Changed():
		case c.After == nil:
			rows = append(rows, []any{"removed", c.File})
		case c.Exists:
			rows = append(rows, []any{"changed", c.File})
		default:
			rows = append(rows, []any{"made", c.File})
		}
	}
	for _, c := range copies {
		rows = append(rows, []any{"kept", c})
	}
	p.Printf("\n")
	p.Table(nil, rows)
	if j.remove {
		p.Printf("\n%s is no longer guarded. The home stays, with all that is held in it.\n", of)
		return p.Err()
	}
	for _, h := range j.hosts {
		if next := hostNext[h.Name]; next != "" {
			p.Printf("\n%s\n", next)
		}
	}
	p.Printf("\nNext: start a new session of %s; then `hearsay doctor` says whether its hook was seen.\n", of)
	return p.Err()
}
