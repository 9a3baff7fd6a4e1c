package main

import "github.com/hearsay-memory/hearsay/internal/hook"

// copilotAgents is the first version of Copilot that was seen to tell hooks whose
// sub-agent an event is of.
var copilotAgents = versionNumber{1, 0, 102}

// failingCopilot says what happens where Copilot's hook fails, and what it is not told.
func (e *hostExam) failingCopilot(v versionNumber) {
	of := e.product
	if v.known() {
		of += " " + v.String()
	}
	e.add("failing", stateOK, "", "where a hook of %s fails the command line itself answers that the tool is denied; a hook that it ends for its time lets the tool run", of)
	switch {
	case !v.known():
		e.add("agents", stateWarn, "look at its version: "+copilotAgents.String()+" does", "which version of %s runs cannot be told; older ones may not say whose sub-agent reads a page, so that it does not taint", e.product)
	case v.before(copilotAgents):
		e.add("agents", stateWarn, "update it to "+copilotAgents.String()+" or later", "%s %s is not known to say whose sub-agent reads a page: what that reads may not taint", e.product, v)
	default:
		e.add("agents", stateOK, "", "what sub-agents read taints the session that started them")
	}
	if e.in == nil || e.at.Project == "" {
		return
	}
	if hook.NewFiles(e.in.Guard.Policy(), e.at.Home, e.at.Project, e.own).Forges(e.host.Name) {
		e.add("prompts", stateWarn, "take \"type\": \"prompt\" out of the hooks in .github/hooks and .github/copilot", "hooks of %s send prompts as if you had typed them, or cannot be read: no prompt there is taken for your word", e.at.Project)
	}
}

// failingWindsurf says what happens where Windsurf's hook fails, and what it is not told.
func (e *hostExam) failingWindsurf(v versionNumber) {
	of := e.product
	if v.known() {
		of += " " + v.String()
	}
	e.add("failing", stateOK, "", "%s goes on where a hook fails, so the command line itself blocks; how long it waits for a hook is not known", of)
	e.add("unseen", stateWarn, "turn web search, reading of pages and automatic memories off in its settings", "%s tells no hook of pages that its own tools read, so they do not taint, nor of memories that it keeps by itself", e.product)
}
