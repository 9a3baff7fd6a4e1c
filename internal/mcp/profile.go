package mcp

import (
	"embed"

	"github.com/hearsay-memory/hearsay/event"
)

//go:embed profiles/*.yaml
var profiles embed.FS

// Profile is what the proxy knows of a memory server, as data. docs/profiles.md says how
// to write one.
type Profile struct {
	Name     string          `yaml:"name"`
	Starts   Starts          `yaml:"starts"`   // by which it is found in a host's settings
	Store    []string        `yaml:"store"`    // environment variables that name its store: those that are set tell stores apart
	Lines    bool            `yaml:"lines"`    // it gives texts back in other pieces than it got them: each line counts
	Says     []string        `yaml:"says"`     // lines of its own that say nothing but what stands at * (a text) and ? (a word)
	Keys     []string        `yaml:"keys"`     // names of members that its answers have by themselves
	Tools    map[string]Tool `yaml:"tools"`    // a tool that is not here is a write of every text
	Results  []Expr          `yaml:"results"`  // where items stand in what is read
	Readback *Call           `yaml:"readback"` // how to see what the server has
	Undo     map[string]Call `yaml:"undo"`     // how to take an item of that kind out
	Errors   []string        `yaml:"errors"`   // texts of errors that say nothing but, at *, a text of the request

	keys  map[string]bool // names of members in results: no text of anybody
	says  []phrase        // of Says
	exact bool            // every write of it is answered with what it stored, see Tool.answered
}

// Tool is what one tool does.
type Tool struct {
	Op      Op             `yaml:"op"`
	Items   []Expr         `yaml:"items"`   // in the arguments; none: every text of them
	Landed  []Expr         `yaml:"landed"`  // in the structured result: what was really stored
	Refused map[string]any `yaml:"refused"` // structured result of a write that was not let through

	Ingests map[string]string `yaml:"ingests"` // arguments that say what the server reads by itself, and the source type of that
	Undo    *Undo             `yaml:"undo"`    // how what the call put there is taken out again
	Before  *Call             `yaml:"before"`  // a call of a tool that reads, which shows what a change changes; $NAME is an argument
	Names   []string          `yaml:"names"`   // arguments that name a thing or an option and are no text to keep

	// Of a tool that reads: its arguments. Called with others it counts as a write. One
	// that ends in {} may be an object.
	Arguments []string            `yaml:"arguments"`
	Values    map[string][]string `yaml:"values"` // those of an argument with which it reads; with others, or without it, it writes
	Schema    string              `yaml:"schema"` // digest of its schemas, see schemaDigest; empty: not compared
}

// answered reports whether the tool's structured answer is known: it tells what this very
// call stored, and nothing else.
func (t Tool) answered() bool { return t.Refused != nil }

// Op is what a tool does to the memory.
type Op string

// The operations of tools: those of events, and reading.
const (
	opRead   Op = "read"
	opCreate Op = Op(event.Create)
	opUpdate Op = Op(event.Update)
	opDelete Op = Op(event.Delete)
)

// Expr says where items of one kind stand in a JSON value.
type Expr struct {
	Kind   string   `yaml:"kind"`
	At     string   `yaml:"at"`
	Parts  []string `yaml:"parts"`
	Inline []string `yaml:"inline"` // members that are shown with a short mark
	Short  bool     `yaml:"short"`  // a text that is shown with a short mark
	Holds  bool     `yaml:"holds"`  // where it is withheld, so is the object around it
	Names  string   `yaml:"names"`  // the kind of the thing that its first part is the name of
}

// Call is a call of a tool that the proxy makes itself.
type Call struct {
	Tool      string         `yaml:"tool"`
	Arguments map[string]any `yaml:"arguments"`
	Unless    []string       `yaml:"unless"` // not while something stands there whose first part is the same
	Where     map[string]any `yaml:"where"`  // only objects of the answer that have all these members
}
