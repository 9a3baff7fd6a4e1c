package doctor

import (
	"context"
	"slices"

	"github.com/hearsay-memory/hearsay/internal/hosts/install"
)

// The first versions of Claude Code that obey what is installed; older ones ignore it.
var (
	claudeOnFailure = versionNumber{2, 1, 295} // onFailure: a failing hook blocks
	claudeMentions  = versionNumber{2, 1, 299} // the variable that has @file mentions read by tools
)

// cursorTold is the first command line of Cursor that is known to tell hooks of every
// tool and of MCP servers by name. Its versions are dates; the editor's are not.
var cursorTold = versionNumber{2026, 9, 18}

// failing asks the host for its version, and says what happens where its hook fails.
func (e *hostExam) failing(ctx context.Context) {
	var v versionNumber
	if e.program != "" {
		var err error
		if v, err = doctors.askVersion(ctx, e.program, e.at.Home); err != nil {
			e.add("version", Warn, "", "%v", err)
		}
	}
	e.failingAt(v)
}

// failingAt says what happens where the hook of a version of the host fails.
func (e *hostExam) failingAt(v versionNumber) {
	open := false
	for _, st := range e.states {
		open = open || slices.ContainsFunc(st.Hooks, func(h install.Hook) bool { return h.Gate && !h.Blocks })
	}
	switch {
	case open:
		e.add("failing", Warn, e.initLine(install.User, ""), "a hook that fails lets the tool run: its entry does not say otherwise")
	case e.host.Name == "codex":
		of := "Codex"
		if v.known() {
			of += " " + v.String()
		}
		e.add("failing", OK, "", "%s lets tools run where a hook fails, so the command line itself blocks; a hook that Codex ends for its time lets them run, and so does what is written into a shell that is open already", of)
	case e.host.Name == "gemini":
		e.failingGemini(v)
	case e.host.Name == "cursor":
		e.failingCursor(v)
	case e.host.Name == "copilot":
		e.failingCopilot(v)
	case e.host.Name == "windsurf":
		e.failingWindsurf(v)
	case !v.known():
		e.add("failing", Warn, "run `claude --version`: from "+claudeOnFailure.String()+" on a hook that fails blocks", "which version of %s runs cannot be told; older ones let the tool run where a hook fails", e.product)
	case v.before(claudeOnFailure):
		e.add("failing", Warn, "update "+e.product+" to "+claudeOnFailure.String()+" or later", "%s %s lets the tool run where the hook fails: it ignores onFailure", e.product, v)
	default:
		e.add("failing", OK, "", "%s %s blocks where the hook fails", e.product, v)
	}
	if e.host.Name != "claude" {
		return
	}
	set := e.states[install.User].Variable == "1" || e.states[install.Project].Variable == "1"
	switch {
	case !set:
		e.add("mentions", Warn, "set CLAUDE_CODE_DISABLE_FILE_MENTIONS to \"1\" in \"env\" of its settings", "files that you name with @ are read past the hook: what is in them does not taint")
	case v.known() && v.before(claudeMentions):
		e.add("mentions", Warn, "update "+e.product+" to "+claudeMentions.String()+" or later", "%s %s reads files that you name with @ past the hook: what is in them does not taint", e.product, v)
	default:
		e.add("mentions", OK, "", "files that you name with @ are read by tools that the hook sees, from %s on", claudeMentions)
	}
}

// failingGemini says what happens where Gemini CLI's hook fails.
func (e *hostExam) failingGemini(v versionNumber) {
	of := e.product
	if v.known() {
		of += " " + v.String()
	}
	e.add("failing", OK, "", "%s lets tools run where a hook fails, so the command line itself blocks; a hook that it ends for its time lets them run, and so does a folder that you do not trust", of)
}

// failingCursor says what happens where Cursor's hook fails.
func (e *hostExam) failingCursor(v versionNumber) {
	switch {
	case !v.known():
		e.add("failing", Warn, "look at its version: cursor-agent from "+cursorTold.String()+" on, or an editor of 2026", "which version of %s runs cannot be told; older ones ignore failClosed and let the tool run where a hook fails, or do not tell hooks of every tool", e.product)
	case v[0] >= 2000 && v.before(cursorTold):
		e.add("failing", Warn, "update it to "+cursorTold.String()+" or later", "the command line of %s %s is not known to tell hooks of every tool", e.product, v)
	default:
		e.add("failing", OK, "", "%s %s blocks where the hook fails or takes too long, by failClosed; agents in its cloud run no hooks of yours", e.product, v)
	}
}

// failingWindsurf says what happens where Windsurf's hook fails, and what it is not told.
func (e *hostExam) failingWindsurf(v versionNumber) {
	of := e.product
	if v.known() {
		of += " " + v.String()
	}
	e.add("failing", OK, "", "%s goes on where a hook fails, so the command line itself blocks; how long it waits for a hook is not known", of)
	e.add("unseen", Warn, "turn web search, reading of pages and automatic memories off in its settings", "%s tells no hook of pages that its own tools read, so they do not taint, nor of memories that it keeps by itself", e.product)
}
