package doctor

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
	e.add("failing", OK, "", "where a hook of %s fails the command line itself answers that the tool is denied; a hook that it ends for its time lets the tool run", of)
	switch {
	case !v.known():
		e.add("agents", Warn, "look at its version: "+copilotAgents.String()+" does", "which version of %s runs cannot be told; older ones may not say whose sub-agent reads a page, so that it does not taint", e.product)
	case v.before(copilotAgents):
		e.add("agents", Warn, "update it to "+copilotAgents.String()+" or later", "%s %s is not known to say whose sub-agent reads a page: what that reads may not taint", e.product, v)
	default:
		e.add("agents", OK, "", "what sub-agents read taints the session that started them")
	}
	if e.in == nil || e.at.Project == "" {
		return
	}
	if hook.NewFiles(e.in.Guard.Policy(), e.at.Home, e.at.Project, e.own).Forges(e.host.Name) {
		e.add("prompts", Warn, "take \"type\": \"prompt\" out of the hooks in .github/hooks and .github/copilot", "hooks of %s send prompts as if you had typed them, or cannot be read: no prompt there is taken for your word", e.at.Project)
	}
}
