package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/hearsay-memory/hearsay/internal/hosts/install"
	"github.com/hearsay-memory/hearsay/internal/hosts/setup"
	"github.com/hearsay-memory/hearsay/internal/people"
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
	s.StringSliceVar(&f.names, "host", nil, "put the hooks into these `HOSTS`: "+setup.Choice())
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
	hosts, err := setup.Named(f.names)
	if err != nil {
		return nil, usageError("%v", err)
	}
	return hosts, nil
}

// place says whose settings are changed.
func (f *hostFlags) place() (setup.Place, error) {
	at := setup.Place{Home: userHome()}
	if f.project == "" {
		return at, nil
	}
	var err error
	at.Scope = install.Project
	at.Project, err = setup.ProjectDir(f.project)
	return at, err
}

// agreed shows a job and asks. With nobody to ask, what would change is still shown.
func (a *app) agreed(ctx context.Context, p *people.Person, j *setup.Job, at setup.Place, dir string, yes, batch bool) error {
	if yes || !j.Changed() {
		showChanges(a.printer(), j)
		if !j.Changed() {
			return nil
		}
		return refuseAgents(ctx, j.Hosts, at, dir)
	}
	if batch {
		showChanges(a.printer(), j)
		return errors.New("nothing was changed: --batch asks nothing; say --yes too")
	}
	if _, err := p.Terminal(); err != nil {
		showChanges(a.printer(), j)
		return fmt.Errorf("nothing was changed: %w, or say --yes", err)
	}
	screen, err := p.Printer()
	if err != nil {
		return err
	}
	showChanges(screen, j)
	return p.Confirm(false, "Change these settings?")
}

// refuseAgents keeps an agent's tools from taking their own guard off, or exchanging it,
// on the word of a page: with --yes nobody is asked, so a session that a hook of ours
// watches above this process is enough to say no.
func refuseAgents(ctx context.Context, hosts []install.Host, at setup.Place, dir string) error {
	is, err := setup.Watched(ctx, hosts, at, dir)
	if err != nil {
		return fmt.Errorf("whether an agent asks for this cannot be told: %w; run it without --yes", err)
	}
	if is {
		return &exitError{exitHeld, "nothing was changed: an agent that Hearsay watches started this command; run it in a terminal of your own, without --yes"}
	}
	return nil
}

func showChanges(p *term.Printer, j *setup.Job) {
	for _, c := range j.Changes {
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
func (a *app) apply(j *setup.Job) error {
	p := a.printer()
	var names []string
	for _, h := range j.Hosts {
		names = append(names, setup.Product(h.Name))
	}
	of := strings.Join(names, " and ")
	if !j.Changed() {
		if j.Remove {
			p.Printf("Nothing of Hearsay is in the settings of %s.\n", of)
		} else {
			p.Printf("The settings of %s are as they should be; nothing was changed.\n", of)
		}
		return p.Err()
	}
	copies, err := install.Apply(j.Changes, time.Now())
	if err != nil {
		return err
	}
	var rows [][]any
	for _, c := range j.Changes {
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
	if j.Remove {
		p.Printf("\n%s is no longer guarded. The home stays, with all that is held in it.\n", of)
		return p.Err()
	}
	for _, h := range j.Hosts {
		if next := setup.Next(h.Name); next != "" {
			p.Printf("\n%s\n", next)
		}
	}
	p.Printf("\nNext: start a new session of %s; then `hearsay doctor` says whether its hook was seen.\n", of)
	return p.Err()
}
