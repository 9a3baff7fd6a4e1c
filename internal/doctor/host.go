package doctor

import (
	"context"
	"slices"

	"github.com/hearsay-memory/hearsay/internal/hosts/install"
	"github.com/hearsay-memory/hearsay/internal/hosts/setup"
	"github.com/hearsay-memory/hearsay/internal/instance"
	"github.com/hearsay-memory/hearsay/internal/shell"
)

// hosts looks at each agent host, as installed for the person and in the project.
func (x *examination) hosts(ctx context.Context, in *instance.Instance, s Subject) {
	at := setup.Place{Home: s.UserHome, Project: s.Project}
	if at.Home == "" {
		x.add("hosts", Fail, "set $HOME", "this user has no home directory, so no host's settings can be found")
		return
	}
	if at.Project == at.Home || setup.SameFile(at.Project, at.Home) {
		at.Project = ""
	}
	ours, err := setup.FindPrograms()
	if err != nil {
		x.add("hook program", Warn, "", "%v", err)
	}
	for _, name := range install.Names() {
		h, _ := install.Find(name)
		e := &hostExam{examination: &examination{}, host: h, product: setup.Product(name), own: s.Dir, homeFlag: s.HomeFlag, in: in, profile: s.Profile, at: at, ours: ours}
		e.examine(ctx)
		for _, d := range e.all {
			d.Host = name
			x.all = append(x.all, d)
		}
	}
}

// hostExam looks at one host.
type hostExam struct {
	*examination
	host     install.Host
	product  string
	own      string             // Hearsay's home
	homeFlag string             // by which it was named; empty: it is found without
	in       *instance.Instance // nil: it cannot be opened
	profile  func(command []string) string
	at       setup.Place
	ours     setup.Programs // zero: the hook program is missing

	program string                          // of the host; empty: not on the path
	beats   bool                            // a hook of the host was at work within the last week
	states  [install.Project + 1]scopeState // by scope
}

// scopeState is what one scope's settings hold.
type scopeState struct {
	install.State
	agent string // that the hooks are told of
}

func (e *hostExam) examine(ctx context.Context) {
	e.read()
	e.program = setup.Program(e.host.Name)
	if e.in != nil {
		var err error
		if e.beats, err = e.in.Guard.Beats(ctx, e.host.Name); err != nil {
			e.cannot("seen", err)
		}
	}
	if !e.installed() && !e.beats && e.program == "" && !setup.Found(e.host.Name, e.at.Home) {
		if len(e.all) == 0 {
			e.add("hooks", OK, "", "%s is not found here", e.product)
		}
		return
	}
	e.hooks()
	e.seen()
	if e.installed() {
		e.switches()
		e.failing(ctx)
		e.guarded()
		e.guests()
	}
	e.servers()
}

// read reads the settings of each scope. What should stand there depends on the agent
// that the hooks there are told of.
func (e *hostExam) read() {
	said := make(map[string]bool)
	for s := range e.states {
		if install.Scope(s) == install.Project && e.at.Project == "" {
			continue
		}
		state := func(o install.Options) (install.State, error) {
			o.Profile = e.profile
			return e.host.State(install.Read, install.Scope(s), e.at.Home, e.at.Project, o)
		}
		st, err := state(install.Options{})
		agent := ""
		if len(st.Hooks) > 0 {
			agent = st.Hooks[0].Flag("agent")
		}
		if e.ours != (setup.Programs{}) {
			// Refused options give an empty state: then nothing is said to be stale.
			if full, _ := state(e.ours.Wanted(e.host, e.own, agent, true)); len(full.Hooks) == len(st.Hooks) {
				st = full
			}
		}
		e.states[s] = scopeState{st, agent}
		for _, err := range parts(err) {
			if !said[err.Error()] {
				said[err.Error()] = true
				e.add("settings", Fail, "correct the file: "+e.product+" may be without its hooks until then", "%v", err)
			}
		}
	}
}

func (e *hostExam) installed() bool {
	return slices.ContainsFunc(e.states[:], func(s scopeState) bool { return len(s.Hooks) > 0 })
}

// initLine is the command that installs for a scope.
func (e *hostExam) initLine(s install.Scope, more string) string {
	line := "run `hearsay init --host " + e.host.Name + more
	if e.homeFlag != "" {
		line += " --home " + shell.Word(e.homeFlag)
	}
	if s == install.Project {
		line += " --project " + shell.Word(e.at.Project)
	}
	if agent := e.states[s].agent; agent != "" {
		line += " --agent " + shell.Word(agent)
	}
	return line + "`"
}

// parts are the errors that were joined into one.
func parts(err error) []error {
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		return joined.Unwrap()
	}
	if err == nil {
		return nil
	}
	return []error{err}
}
