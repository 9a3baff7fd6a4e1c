package main

import (
	"slices"

	"github.com/hearsay-memory/hearsay/internal/hosts/install"
	"github.com/hearsay-memory/hearsay/internal/hosts/setup"
)

// cursorTold is the first command line of Cursor that is known to tell hooks of every
// tool and of MCP servers by name. Its versions are dates; the editor's are not.
var cursorTold = versionNumber{2026, 9, 18}

// failingGemini says what happens where Gemini CLI's hook fails.
func (e *hostExam) failingGemini(v versionNumber) {
	of := e.product
	if v.known() {
		of += " " + v.String()
	}
	e.add("failing", stateOK, "", "%s lets tools run where a hook fails, so the command line itself blocks; a hook that it ends for its time lets them run, and so does a folder that you do not trust", of)
}

// failingCursor says what happens where Cursor's hook fails.
func (e *hostExam) failingCursor(v versionNumber) {
	switch {
	case !v.known():
		e.add("failing", stateWarn, "look at its version: cursor-agent from "+cursorTold.String()+" on, or an editor of 2026", "which version of %s runs cannot be told; older ones ignore failClosed and let the tool run where a hook fails, or do not tell hooks of every tool", e.product)
	case v[0] >= 2000 && v.before(cursorTold):
		e.add("failing", stateWarn, "update it to "+cursorTold.String()+" or later", "the command line of %s %s is not known to tell hooks of every tool", e.product, v)
	default:
		e.add("failing", stateOK, "", "%s %s blocks where the hook fails or takes too long, by failClosed; agents in its cloud run no hooks of yours", e.product, v)
	}
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
		e.add("guests", stateOK, "", "Cursor runs Claude Code's entries as well as its own: what is told twice counts once")
	case e.host.Name == "claude" && claude && !cursor && setup.Found("cursor", e.at.Home):
		e.add("guests", stateWarn, "run `hearsay init --host cursor`", "Cursor runs these entries too, lets tools run where they fail, and does not tell them the server of an MCP call")
	}
}
