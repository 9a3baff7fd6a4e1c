package hosts

import "strings"

// Class is what a tool does, whatever its host calls it. The zero value is
// UnknownTool: hosts publish no complete list, so what is not known is to be taken
// for something that acts, and its result for other people's words.
type Class uint8

// The classes of tools.
const (
	UnknownTool Class = iota
	Read              // a file
	Search            // names or lines of files
	Write             // a whole file
	EditFile          // part of a file
	Patch             // several files
	Notebook          // a cell of a notebook
	Shell             // a command
	ShellIO           // to or from a command or task that runs already
	Web               // a page
	WebSearch         // a search engine
	MCP               // a tool of an MCP server
	MCPResource       // a resource of an MCP server, or a list of them
	SubAgent          // starts a sub-agent, or takes what one says
	Schedule          // makes a turn happen later
	Message           // says something to other agents or people
	Plan              // the host's own book-keeping: to-do lists, modes; touches nothing
	Skill             // loads a skill
	Question          // asks the person
)

var classNames = [...]string{"unknown", "read", "search", "write", "edit", "patch", "notebook", "shell", "shell_io", "web",
	"web_search", "mcp", "mcp_resource", "sub_agent", "schedule", "message", "plan", "skill", "question"}

// String returns the class's name.
func (c Class) String() string { return nameOf(classNames[:], c) }

// ShellKind is the language of a command. The zero value is Bash.
type ShellKind uint8

// The languages of commands.
const (
	Bash ShellKind = iota
	PowerShell
)

var shellNames = [...]string{"bash", "powershell"}

// String returns the language's name.
func (s ShellKind) String() string { return nameOf(shellNames[:], s) }

// Tool is a tool call. Its fields beside Name, Class and Args are those that the
// class has; the zero value is an unknown tool.
type Tool struct {
	Name  string // the host's own name of it
	Class Class

	Paths   []string // as spelt: relative to Event.Dir or absolute, not cleaned; without control characters
	Edits   []Edit   // of Write, EditFile, Patch and Notebook
	Command string   // of Shell; of ShellIO what is typed
	Shell   ShellKind
	URL     string // of Web; of MCPResource the resource
	Query   string // of Search, WebSearch and Skill
	Message string // of SubAgent, Schedule and Message: what is said, now or later

	Server     string // of MCP and MCPResource: the server as the tool's name spells it
	ServerTool string // of MCP: the tool in that server

	// Args are the arguments in their canonical encoding, for a digest. See
	// [strictjson.AppendCanonical].
	Args []byte
}

// Edit is one change of one file.
type Edit struct {
	Path   string
	Old    string // the text that is replaced, lines around it included; "" where the host does not say
	New    string
	All    bool   // at every place where Old stands
	Whole  bool   // New is the whole file
	Delete bool   // the file goes; of a notebook, the cell
	MoveTo string // the file is moved there; the same in all edits of the file
	Cell   string // of a notebook: the cell; "" for its beginning
}

// mcpPrefix begins the name of every tool of an MCP server.
const mcpPrefix = "mcp__"

// splitMCP takes the name of an MCP server's tool apart. Both halves may hold the
// separator. Where the host says which server it is, the name is split behind that
// server's name as the host would spell it in a tool's name, else at the first
// separator. Either is text that the server's author chose: nothing may be trusted
// because of it.
func splitMCP(name, server string) (string, string, bool) {
	rest, ok := strings.CutPrefix(name, mcpPrefix)
	if !ok {
		return "", "", false
	}
	if spelt := strings.Map(toolNameRune, server); spelt != "" {
		if tool, ok := strings.CutPrefix(rest, spelt+"__"); ok {
			return spelt, tool, true
		}
	}
	of, tool, _ := strings.Cut(rest, "__")
	return of, tool, true
}

// toolNameRune is how hosts spell a server's name inside a tool's name.
func toolNameRune(r rune) rune {
	if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_' || r == '-' {
		return r
	}
	return '_'
}
