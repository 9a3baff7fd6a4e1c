package hosts

// Kind is what an event means, whatever its host calls it. The zero value is Other:
// an event that needs no answer.
type Kind uint8

// The kinds of events.
const (
	Other             Kind = iota
	SessionStart           // a session begins, comes back or is cut down
	Prompt                 // a turn begins
	Expansion              // a command or a server's prompt is turned into a turn's text
	BeforeTool             // a tool is about to run
	AfterTool              // a tool has run
	AfterToolFailure       // a tool has failed
	Permission             // the host is about to ask whether a tool may run
	Instructions           // an instruction file has been loaded
	FileChanged            // a watched file has changed
	BeforeCompact          // the conversation is about to be summarised
	AfterCompact           // it has been
	SubagentStart          // a sub-agent begins
	SubagentStop           // a sub-agent hands back what it has
	Stop                   // a turn ends
	SessionEnd             // a session ends
	ConfigChange           // a settings file of the host has changed
	Elicitation            // an MCP server asks the person something
	ElicitationResult      // the answer is about to go to the server
)

var kindNames = [...]string{"other", "session_start", "prompt", "expansion", "before_tool", "after_tool",
	"after_tool_failure", "permission", "instructions", "file_changed", "before_compact", "after_compact",
	"subagent_start", "subagent_stop", "stop", "session_end", "config_change", "elicitation", "elicitation_result"}

// String returns the kind's name.
func (k Kind) String() string { return nameOf(kindNames[:], k) }

// Gating reports whether something waits for the answer that must not happen
// without one.
func (k Kind) Gating() bool { return k == BeforeTool || k == Permission }

// Start is how a session came about. The zero value is Unknown, which is to be taken
// for a session that something has flowed into.
type Start uint8

// The ways a session starts.
const (
	Unknown   Start = iota
	Fresh           // nothing has been read
	Resumed         // an earlier session goes on
	Cleared         // the person cleared the conversation
	Compacted       // the conversation was replaced by its summary
	Forked          // a copy of an earlier session
)

var startNames = [...]string{"unknown", "fresh", "resumed", "cleared", "compacted", "forked"}

// String returns the start's name.
func (s Start) String() string { return nameOf(startNames[:], s) }

// PromptBy is who wrote a prompt, as far as the host attests it. The zero value is
// Unattested: the host does not say.
type PromptBy uint8

// Who writes prompts.
const (
	Unattested   PromptBy = iota
	Typed                 // a person typed it and sent it
	BySDK                 // a program started the host with it
	BySchedule            // a job that was set earlier fired
	ByLoop                // the agent woke itself up
	BySystem              // the host: a message of a peer or channel, a notification, a continuation
	ByEvent               // an outside event that the host polls
	Prefilled             // a link or page filled it in before the person sent it
	Unrecognised          // the host says something that we do not know, or contradicts itself
)

var promptByNames = [...]string{"unattested", "typed", "sdk", "schedule", "loop", "system", "event", "prefilled", "unrecognised"}

// String returns the writer's name.
func (p PromptBy) String() string { return nameOf(promptByNames[:], p) }

// nameOf returns the name of a value, and that of zero for a value out of range.
func nameOf[T ~uint8](names []string, v T) string {
	if int(v) < len(names) {
		return names[v]
	}
	return names[0]
}
