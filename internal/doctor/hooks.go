package doctor

import (
	"maps"
	"slices"
	"strings"

	"github.com/hearsay-memory/hearsay/internal/hosts/install"
	"github.com/hearsay-memory/hearsay/internal/hosts/setup"
	"github.com/hearsay-memory/hearsay/internal/shell"
)

// hooks looks at what is installed.
func (e *hostExam) hooks() {
	if variable, dir := setup.Moved(e.host, e.at.Home); variable != "" {
		e.add("settings", Warn, "unset it, or install with --project", "$%s makes %s read its settings from %s: what is installed below %s is not read", variable, e.product, dir, e.at.Home)
	}
	if !e.installed() {
		e.add("hooks", Warn, e.initLine(install.User, ""), "%s has no hooks: what it does by its own tools is not seen", e.product)
		return
	}
	for s, st := range e.states {
		if len(st.Hooks) > 0 {
			e.hooksOf(install.Scope(s), st.State)
		}
	}
	if len(e.states[install.User].Hooks) > 0 && len(e.states[install.Project].Hooks) > 0 {
		e.add("hooks", Warn, "take one out: `hearsay init --host "+e.host.Name+" --remove`, with --project or without", "they are installed for you and in %s: each event is told twice", e.at.Project)
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
	bad := func(state State, do, format string, args ...any) {
		fine = false
		e.add("hooks", state, do, "%s: "+format, append([]any{file}, args...)...)
	}
	if absent := install.Absent(st.Hooks); len(absent) > 0 {
		bad(Fail, again, "%s cannot be run, so %s goes on without its hooks, or not at all", absent[0].Program, e.product)
	}
	if len(st.Missing) > 0 {
		bad(Fail, again, "nobody hears of %s", strings.Join(st.Missing, ", "))
	}
	if len(st.Doubled) > 0 {
		bad(Warn, again, "%s are told more than once", strings.Join(st.Doubled, ", "))
	}
	if narrow {
		bad(Fail, again, "a matcher lets some of what happens past the hook")
	}
	for _, home := range slices.Sorted(maps.Keys(homes)) {
		if home != e.own && !setup.SameFile(home, e.own) {
			bad(Warn, "run `hearsay doctor --home "+shell.Word(home)+"`, or "+again, "the hooks tell another home")
			stale = false // that is why
		}
	}
	if stale {
		bad(Warn, again, "the hooks are not those of this program: another path, or an older form")
	}
	if fine {
		e.add("hooks", OK, "", "%s: %d events", file, len(st.Hooks))
	}
}

// seen compares what is installed with what was at work.
func (e *hostExam) seen() {
	switch {
	case e.in == nil:
	case e.beats && e.installed():
		e.add("seen", OK, "", "a hook was at work within the last week, so %s runs it", e.product)
	case e.beats:
		e.add("seen", Warn, "if you did not take the hooks out, ask who did; `hearsay init --host "+e.host.Name+"` puts them back",
			"a hook was at work within the last week, and none is installed any more, for you or here")
	case e.installed() && e.host.Name == "codex":
		e.add("seen", Warn, "open /hooks in Codex, trust them, and start a session", "no hook was at work within the last week: Codex does not run hooks before a person has trusted them, again after each change")
	case e.installed() && e.host.Name == "gemini":
		e.add("seen", Warn, "trust the folder by /permissions, start a session in it and look again", "no hook was at work within the last week: Gemini CLI runs none in a folder that you do not trust")
	case e.installed():
		e.add("seen", Warn, "start a session and look again; a project's hooks wait until you trust the folder", "no hook was at work within the last week")
	}
}

// switches looks for settings that keep hooks from running.
func (e *hostExam) switches() {
	st := e.states[install.User]
	for _, s := range st.Switches {
		e.add("switches", Fail, "take it out, or have the hooks put into managed settings by who set it", "%s in %s keeps these hooks from running", s.Key, s.File)
	}
	if len(st.Switches) == 0 {
		e.add("switches", OK, "", "no setting that was found keeps hooks from running")
	}
}
