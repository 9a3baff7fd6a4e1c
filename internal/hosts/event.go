package hosts

import "github.com/hearsay-memory/hearsay/internal/strictjson"

// Event is one call of a hook, in the words of this package. Everything in it was
// sent by the host; what is text of other people stands in Text, Prompt, Tool and
// File only, and none of it may be echoed in an [Answer].
type Event struct {
	Host string // the dialect's name
	Name string // the host's own name of the event
	Kind Kind

	// Guest: the host read the entry in another host's settings, where it has only the
	// events of that host. A call of an MCP server then comes without its server, and
	// once more with it to the entries in the host's own settings, if there are any.
	Guest bool

	Session    string // 1 to 256 printable ASCII characters without a slash; never ""
	Turn       string // names the turn, the same in all its events; "" where unknown
	CallID     string // names the tool call, the same before and after it; "" where there is none
	Derived    bool   // the host names no calls: CallID is made of the call, and equal calls share it
	Agent      string // the sub-agent in which it happens; "" for the main one
	AgentType  string
	Dir        string // the working directory
	Mode       string // the host's permission mode, as it spells it; "" where unknown
	Transcript string // path of the transcript; "" where there is none

	Start    Start    // of SessionStart
	Begins   bool     // of Prompt, on hosts that tell of no starts: where the session was never seen, it begins here
	Prompt   string   // of Prompt and Expansion; at most 1 MiB, see Truncated
	PromptBy PromptBy // of Prompt; Expansion is never Typed
	Attached []string // of Prompt: paths of files that the host puts beside it, as spelt; at most 64; else see Truncated
	Tool     Tool     // of BeforeTool, AfterTool, AfterToolFailure and Permission

	// Text is what enters the session by this event, in the order in which it
	// stands: every string of a tool's result and every key that is more than an
	// identifier, an error, a sub-agent's last words, a summary, the paths of an
	// instruction file, what a server asks. It holds at most 4,096 strings of at
	// most 256 KiB each, 1 MiB together.
	Text      []string
	Truncated bool // Text, Prompt or Attached is not all there was
	Omitted   int  // bytes that were left out, as they were encoded

	File       string    // of Instructions, FileChanged and ConfigChange
	FileEvent  string    // of FileChanged: change, add, unlink
	MemoryType string    // of Instructions: User, Project, Local, Managed
	LoadReason string    // of Instructions
	Trigger    string    // why, in the host's word: of BeforeCompact, AfterCompact, SessionEnd, ConfigChange, ElicitationResult
	Server     MCPServer // of tools of an MCP server and of Elicitation

	Staged       bool // the result says that the host holds the write: it is not on disk
	UserModified bool // the result says that the person changed the text before it was written

	response strictjson.Value // the tool's result as received
}

// MCPServer is where a tool of an MCP server comes from, as the host attests it. The
// zero value is a server of which nothing is known.
type MCPServer struct {
	Name   string // its key in a settings file: text of whoever wrote the file
	Source string // which settings: "user", "project", …; an open set; trust goes by this
}

// HasResponse reports whether the event carries a tool's result.
func (e Event) HasResponse() bool { return e.response.Kind() != strictjson.KindInvalid }
