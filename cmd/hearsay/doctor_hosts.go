package main

import (
	"context"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/internal/hook"
	"github.com/hearsay-memory/hearsay/internal/hosts/install"
	"github.com/hearsay-memory/hearsay/internal/instance"
	"github.com/hearsay-memory/hearsay/internal/memfile"
	"github.com/hearsay-memory/hearsay/policy"
)

// The first versions of Claude Code that obey what is installed; older ones ignore it.
var (
	claudeOnFailure = versionNumber{2, 1, 295} // onFailure: a failing hook blocks
	claudeMentions  = versionNumber{2, 1, 299} // the variable that has @file mentions read by tools
)

// hostExam looks at one host.
type hostExam struct {
	*examination
	host     install.Host
	product  string
	own      string             // Hearsay's home
	homeFlag string             // by which it was named; empty: it is found without
	in       *instance.Instance // nil: it cannot be opened
	at       place
	ours     programs // zero: the hook program is missing

	program string                          // of the host; empty: not on the path
	beats   bool                            // a hook of the host was at work within the last week
	states  [install.Project + 1]scopeState // by scope
}

// scopeState is what one scope's settings hold.
type scopeState struct {
	install.State
	agent string // that the hooks are told of
}

// hosts looks at each agent host, as installed for the person and in the project.
func (x *examination) hosts(ctx context.Context, in *instance.Instance, own, homeFlag, project string) {
	at := place{home: userHome(), project: project}
	if at.home == "" {
		x.add("hosts", stateFail, "set $HOME", "this user has no home directory, so no host's settings can be found")
		return
	}
	if at.project == at.home || sameFile(at.project, at.home) {
		at.project = ""
	}
	ours, err := findPrograms()
	if err != nil {
		x.add("hook program", stateWarn, "", "%v", err)
	}
	for _, name := range install.Names() {
		h, _ := install.Find(name)
		e := &hostExam{examination: &examination{}, host: h, product: hostProducts[name], own: own, homeFlag: homeFlag, in: in, at: at, ours: ours}
		e.examine(ctx)
		for _, d := range e.all {
			d.Host = name
			x.all = append(x.all, d)
		}
	}
}

func (e *hostExam) examine(ctx context.Context) {
	e.read()
	if path, err := exec.LookPath(e.host.Name); err == nil {
		e.program = path
	}
	if e.in != nil {
		var err error
		if e.beats, err = e.in.Guard.Beats(ctx, e.host.Name); err != nil {
			e.cannot("seen", err)
		}
	}
	if !e.installed() && !e.beats && e.program == "" && !e.hasSettings() {
		if len(e.all) == 0 {
			e.add("hooks", stateOK, "", "%s is not found here", e.product)
		}
		return
	}
	e.hooks()
	e.seen()
	if e.installed() {
		e.switches()
		e.failing(ctx)
		e.guarded()
	}
	e.servers()
}

// read reads the settings of each scope. What should stand there depends on the agent
// that the hooks there are told of.
func (e *hostExam) read() {
	said := make(map[string]bool)
	for s := range e.states {
		if install.Scope(s) == install.Project && e.at.project == "" {
			continue
		}
		state := func(o install.Options) (install.State, error) {
			return e.host.State(install.Read, install.Scope(s), e.at.home, e.at.project, o)
		}
		st, err := state(install.Options{})
		agent := ""
		if len(st.Hooks) > 0 {
			agent = st.Hooks[0].Flag("agent")
		}
		if e.ours != (programs{}) && err == nil {
			if full, wantErr := state(e.ours.wanted(e.host, e.own, agent, true)); wantErr == nil {
				st = full
			}
		}
		e.states[s] = scopeState{st, agent}
		for _, err := range parts(err) {
			if !said[err.Error()] {
				said[err.Error()] = true
				e.add("settings", stateFail, "correct the file: "+e.product+" may be without its hooks until then", "%v", err)
			}
		}
	}
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

func (e *hostExam) installed() bool {
	return slices.ContainsFunc(e.states[:], func(s scopeState) bool { return len(s.Hooks) > 0 })
}

// hasSettings reports whether the host left anything in the person's home.
func (e *hostExam) hasSettings() bool {
	_, err := os.Lstat(filepath.Join(e.at.home, settingsMove[e.host.Name].dir))
	return err == nil
}

// initLine is the command that installs for a scope.
func (e *hostExam) initLine(s install.Scope, more string) string {
	line := "run `hearsay init --host " + e.host.Name + more
	if e.homeFlag != "" {
		line += " --home " + shellWord(e.homeFlag)
	}
	if s == install.Project {
		line += " --project " + shellWord(e.at.project)
	}
	if agent := e.states[s].agent; agent != "" {
		line += " --agent " + shellWord(agent)
	}
	return line + "`"
}

// hooks looks at what is installed.
func (e *hostExam) hooks() {
	if variable, dir := moved(e.host, e.at.home); variable != "" {
		e.add("settings", stateWarn, "unset it, or install with --project", "$%s makes %s read its settings from %s: what is installed below %s is not read", variable, e.product, dir, e.at.home)
	}
	if !e.installed() {
		e.add("hooks", stateWarn, e.initLine(install.User, ""), "%s has no hooks: what it does by its own tools is not seen", e.product)
		return
	}
	for s, st := range e.states {
		if len(st.Hooks) > 0 {
			e.hooksOf(install.Scope(s), st.State)
		}
	}
	if len(e.states[install.User].Hooks) > 0 && len(e.states[install.Project].Hooks) > 0 {
		e.add("hooks", stateWarn, "take one out: `hearsay init --host "+e.host.Name+" --remove`, with --project or without", "they are installed for you and in %s: each event is told twice", e.at.project)
	}
}

func (e *hostExam) hooksOf(s install.Scope, st install.State) {
	file := st.Hooks[0].File
	stale, narrow := false, false
	homes := make(map[string]bool)
	for _, h := range st.Hooks {
		stale, narrow = stale || h.Stale, narrow || h.Narrow
		homes[h.Flag("home")] = true
	}
	again := e.initLine(s, "")
	fine := true
	bad := func(state state, do, format string, args ...any) {
		fine = false
		e.add("hooks", state, do, "%s: "+format, append([]any{file}, args...)...)
	}
	if absent := install.Absent(st.Hooks); len(absent) > 0 {
		bad(stateFail, again, "%s cannot be run, so %s goes on without its hooks, or not at all", absent[0].Program, e.product)
	}
	if len(st.Missing) > 0 {
		bad(stateFail, again, "nobody hears of %s", strings.Join(st.Missing, ", "))
	}
	if len(st.Doubled) > 0 {
		bad(stateWarn, again, "%s are told more than once", strings.Join(st.Doubled, ", "))
	}
	if narrow {
		bad(stateFail, again, "a matcher lets some of what happens past the hook")
	}
	for _, home := range slices.Sorted(maps.Keys(homes)) {
		if home != e.own && !sameFile(home, e.own) {
			bad(stateWarn, "run `hearsay doctor --home "+shellWord(home)+"`, or "+again, "the hooks tell another home")
			stale = false // that is why
		}
	}
	if stale {
		bad(stateWarn, again, "the hooks are not those of this program: another path, or an older form")
	}
	if fine {
		e.add("hooks", stateOK, "", "%s: %d events", file, len(st.Hooks))
	}
}

// seen compares what is installed with what was at work.
func (e *hostExam) seen() {
	switch {
	case e.in == nil:
	case e.beats && e.installed():
		e.add("seen", stateOK, "", "a hook was at work within the last week, so %s runs it", e.product)
	case e.beats:
		e.add("seen", stateWarn, "if you did not take the hooks out, ask who did; `hearsay init --host "+e.host.Name+"` puts them back",
			"a hook was at work within the last week, and none is installed any more, for you or here")
	case e.installed() && e.host.Name == "codex":
		e.add("seen", stateWarn, "open /hooks in Codex, trust them, and start a session", "no hook was at work within the last week: Codex does not run hooks before a person has trusted them, again after each change")
	case e.installed():
		e.add("seen", stateWarn, "start a session and look again; a project's hooks wait until you trust the folder", "no hook was at work within the last week")
	}
}

// switches looks for settings that keep hooks from running.
func (e *hostExam) switches() {
	st := e.states[install.User]
	for _, s := range st.Switches {
		e.add("switches", stateFail, "take it out, or have the hooks put into managed settings by who set it", "%s in %s keeps these hooks from running", s.Key, s.File)
	}
	if len(st.Switches) == 0 {
		e.add("switches", stateOK, "", "no setting that was found keeps hooks from running")
	}
}

// failing says what happens where the hook fails.
func (e *hostExam) failing(ctx context.Context) {
	var v versionNumber
	if e.program != "" {
		var err error
		if v, err = askVersion(ctx, e.program, e.at.home); err != nil {
			e.add("version", stateWarn, "", "%v", err)
		}
	}
	open := false
	for _, st := range e.states {
		open = open || slices.ContainsFunc(st.Hooks, func(h install.Hook) bool { return h.Gate && !h.Blocks })
	}
	switch {
	case open:
		e.add("failing", stateWarn, e.initLine(install.User, ""), "a hook that fails lets the tool run: its entry does not say otherwise")
	case e.host.Name == "codex":
		of := "Codex"
		if v.known() {
			of += " " + v.String()
		}
		e.add("failing", stateOK, "", "%s lets tools run where a hook fails, so the command line itself blocks; a hook that Codex ends for its time lets them run, and so does what is written into a shell that is open already", of)
	case !v.known():
		e.add("failing", stateWarn, "run `claude --version`: from "+claudeOnFailure.String()+" on a hook that fails blocks", "which version of %s runs cannot be told; older ones let the tool run where a hook fails", e.product)
	case v.before(claudeOnFailure):
		e.add("failing", stateWarn, "update "+e.product+" to "+claudeOnFailure.String()+" or later", "%s %s lets the tool run where the hook fails: it ignores onFailure", e.product, v)
	default:
		e.add("failing", stateOK, "", "%s %s blocks where the hook fails", e.product, v)
	}
	if e.host.Name != "claude" {
		return
	}
	set := e.states[install.User].Variable == "1" || e.states[install.Project].Variable == "1"
	switch {
	case !set:
		e.add("mentions", stateWarn, "set CLAUDE_CODE_DISABLE_FILE_MENTIONS to \"1\" in \"env\" of its settings", "files that you name with @ are read past the hook: what is in them does not taint")
	case v.known() && v.before(claudeMentions):
		e.add("mentions", stateWarn, "update "+e.product+" to "+claudeMentions.String()+" or later", "%s %s reads files that you name with @ past the hook: what is in them does not taint", e.product, v)
	default:
		e.add("mentions", stateOK, "", "files that you name with @ are read by tools that the hook sees, from %s on", claudeMentions)
	}
}

// guarded looks whether the files that keep the hooks in place are closed to agents, and
// how strict the policy is with this agent.
func (e *hostExam) guarded() {
	if e.in == nil {
		return
	}
	rules := e.in.Guard.Policy()
	files := hook.NewFiles(rules, e.at.home, e.at.project, e.own)
	names := []string{e.own}
	for s, st := range e.states {
		if len(st.Hooks) > 0 {
			names = append(names, e.host.Files(install.Scope(s), e.at.home, e.at.project)...)
		}
	}
	var open []string
	for _, name := range names {
		if files.Class(files.Real(name)) != memfile.Protected {
			open = append(open, name)
		}
	}
	if len(open) > 0 {
		e.add("files", stateFail, "report it; until then make them read-only", "an agent's tools may change %s", strings.Join(open, ", "))
	} else {
		e.add("files", stateOK, "", "%s", filesGuarded(rules, e.product))
	}
	for _, st := range e.states {
		if st.agent == "" {
			continue
		}
		if mode := rules.ModeFor(st.agent); mode != hearsay.Enforce {
			e.add("mode", stateWarn, "set `mode: enforce` for it and run `hearsay policy sign`", "%s for the agent %s: what should be held is let through", mode, st.agent)
		} else {
			e.add("mode", stateOK, "", "enforce for the agent %s", st.agent)
		}
	}
}

func filesGuarded(rules *policy.Policy, product string) string {
	f := rules.Files()
	said := fmt.Sprintf("agents do not change the settings and instructions of %s, nor this home", product)
	if len(f.Protected) > 0 {
		said += ", nor " + few(f.Protected)
	}
	if len(f.Memory) > 0 {
		said += "; writes to " + few(f.Memory) + " are decided as memory"
	}
	return said
}

const maxNamed = 8 // names in one line

// few lists names, and how many more there are.
func few(names []string) string {
	if more := len(names) - maxNamed; more > 0 {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:maxNamed], ", "), more)
	}
	return strings.Join(names, ", ")
}
