package doctor

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/internal/hook"
	"github.com/hearsay-memory/hearsay/internal/hosts/install"
	"github.com/hearsay-memory/hearsay/internal/hosts/setup"
	"github.com/hearsay-memory/hearsay/internal/memfile"
	"github.com/hearsay-memory/hearsay/internal/tell"
	"github.com/hearsay-memory/hearsay/policy"
)

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
		e.add("files", Fail, "report it; until then make them read-only", "an agent's tools may change %s", strings.Join(open, ", "))
	} else {
		e.add("files", OK, "", "%s", filesGuarded(rules, e.product))
	}
	for _, st := range e.states {
		if st.Memories && e.host.Name == "gemini" {
			e.add("memories", Warn, "look at each before you take it in, or take experimental.autoMemory out of its settings", "%s proposes memories in the background, past the hook, also of sessions that read from outside: they wait in /memory inbox", e.product)
		} else if st.Memories {
			e.add("memories", Warn, "set disable_on_external_context = true under [memories] in its config.toml", "%s writes memories in the background, past the hook, also of sessions that read from outside", e.product)
		}
		if st.agent == "" {
			continue
		}
		if mode := rules.ModeFor(st.agent); mode != hearsay.Enforce {
			e.add("mode", Warn, "set `mode: enforce` for it and run `hearsay policy sign`", "%s for the agent %s: what should be held is let through", mode, st.agent)
		} else {
			e.add("mode", OK, "", "enforce for the agent %s", st.agent)
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

// guests looks for hooks of ours that a host reads in another host's settings.
func (e *hostExam) guests() {
	if e.host.Name != "cursor" && e.host.Name != "claude" {
		return
	}
	has := func(name string) bool {
		h, _ := install.Find(name)
		return slices.ContainsFunc([]install.Scope{install.User, install.Project}, func(s install.Scope) bool {
			if s == install.Project && e.at.Project == "" {
				return false
			}
			st, _ := h.State(install.Read, s, e.at.Home, e.at.Project, install.Options{})
			return len(st.Hooks) > 0
		})
	}
	claude, cursor := has("claude"), has("cursor")
	switch {
	case e.host.Name == "cursor" && claude && cursor:
		e.add("guests", OK, "", "Cursor runs Claude Code's entries as well as its own: what is told twice counts once")
	case e.host.Name == "claude" && claude && !cursor && setup.Found("cursor", e.at.Home):
		e.add("guests", Warn, "run `hearsay init --host cursor`", "Cursor runs these entries too, lets tools run where they fail, and does not tell them the server of an MCP call")
	}
}
