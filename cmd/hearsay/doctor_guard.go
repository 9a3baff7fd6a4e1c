package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/internal/hook"
	"github.com/hearsay-memory/hearsay/internal/hosts/install"
	"github.com/hearsay-memory/hearsay/internal/memfile"
	"github.com/hearsay-memory/hearsay/internal/tell"
	"github.com/hearsay-memory/hearsay/policy"
)

// The first versions of Claude Code that obey what is installed; older ones ignore it.
var (
	claudeOnFailure = versionNumber{2, 1, 295} // onFailure: a failing hook blocks
	claudeMentions  = versionNumber{2, 1, 299} // the variable that has @file mentions read by tools
)

// failing says what happens where the hook fails.
func (e *hostExam) failing(ctx context.Context) {
	var v versionNumber
	if e.program != "" {
		var err error
		if v, err = askVersion(ctx, e.program, e.at.Home); err != nil {
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
	case e.host.Name == "gemini":
		e.failingGemini(v)
	case e.host.Name == "cursor":
		e.failingCursor(v)
	case e.host.Name == "copilot":
		e.failingCopilot(v)
	case e.host.Name == "windsurf":
		e.failingWindsurf(v)
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
	files := hook.NewFiles(rules, e.at.Home, e.at.Project, e.own)
	names := []string{e.own}
	for s, st := range e.states {
		if len(st.Hooks) > 0 {
			names = append(names, e.host.Files(install.Scope(s), e.at.Home, e.at.Project)...)
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
		if st.Memories && e.host.Name == "gemini" {
			e.add("memories", stateWarn, "look at each before you take it in, or take experimental.autoMemory out of its settings", "%s proposes memories in the background, past the hook, also of sessions that read from outside: they wait in /memory inbox", e.product)
		} else if st.Memories {
			e.add("memories", stateWarn, "set disable_on_external_context = true under [memories] in its config.toml", "%s writes memories in the background, past the hook, also of sessions that read from outside", e.product)
		}
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
		said += ", nor " + tell.Few(f.Protected)
	}
	if len(f.Memory) > 0 {
		said += "; writes to " + tell.Few(f.Memory) + " are decided as memory"
	}
	return said
}
