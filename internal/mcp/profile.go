package mcp

import (
	"bytes"
	"embed"
	"fmt"
	"strings"

	"github.com/goccy/go-yaml"

	"github.com/hearsay-memory/hearsay/event"
)

//go:embed profiles/*.yaml
var profiles embed.FS

// Profile is what the proxy knows of a memory server, as data.
type Profile struct {
	Name     string          `yaml:"name"`
	Tools    map[string]Tool `yaml:"tools"`    // a tool that is not here is a write of every text
	Results  []Expr          `yaml:"results"`  // where items stand in what is read
	Readback *Call           `yaml:"readback"` // how to see what the server has
	Undo     map[string]Call `yaml:"undo"`     // how to take an item of that kind out
	Errors   []string        `yaml:"errors"`   // texts of errors that say nothing but, at *, a text of the request

	keys map[string]bool // names of members in results: no text of anybody
}

// Tool is what one tool does.
type Tool struct {
	Op      Op             `yaml:"op"`
	Items   []Expr         `yaml:"items"`   // in the arguments
	Landed  []Expr         `yaml:"landed"`  // in the structured result: what was really stored
	Refused map[string]any `yaml:"refused"` // structured result of a write that was not let through

	Arguments []string `yaml:"arguments"` // of a tool that reads: called with others it counts as a write
	Schema    string   `yaml:"schema"`    // digest of its schemas, see schemaDigest; empty: not compared
}

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
}

// LoadProfile returns a shipped profile.
func LoadProfile(name string) (*Profile, error) {
	data, err := profiles.ReadFile("profiles/" + name + ".yaml")
	if err != nil {
		return nil, fmt.Errorf("no profile %q: there are %s", name, strings.Join(ProfileNames(), ", "))
	}
	return ParseProfile(data)
}

// ProfileNames lists the shipped profiles.
func ProfileNames() []string {
	entries, err := profiles.ReadDir("profiles")
	if err != nil {
		return nil
	}
	var names []string
	for _, e := range entries {
		names = append(names, strings.TrimSuffix(e.Name(), ".yaml"))
	}
	return names
}

// ParseProfile reads a profile strictly: unknown keys are errors.
func ParseProfile(data []byte) (*Profile, error) {
	p := new(Profile)
	dec := yaml.NewDecoder(bytes.NewReader(data), yaml.Strict())
	if err := dec.Decode(p); err != nil {
		return nil, fmt.Errorf("profile: %w", err)
	}
	if p.Name == "" {
		return nil, fmt.Errorf("profile: it has no name")
	}
	for name, t := range p.Tools {
		switch t.Op {
		case opRead, opCreate, opUpdate, opDelete:
		default:
			return nil, fmt.Errorf("profile %s: tool %s has the operation %q: want read, create, update or delete", p.Name, name, t.Op)
		}
		for _, e := range append(t.Items, t.Landed...) {
			if err := e.check(); err != nil {
				return nil, fmt.Errorf("profile %s: tool %s: %w", p.Name, name, err)
			}
		}
	}
	for _, e := range p.Results {
		if err := e.check(); err != nil {
			return nil, fmt.Errorf("profile %s: results: %w", p.Name, err)
		}
	}
	p.keys = make(map[string]bool)
	for _, e := range p.Results {
		for step := range strings.SplitSeq(e.At, ".") {
			p.keys[strings.TrimSuffix(step, "[]")] = true
		}
		for _, part := range e.Parts {
			p.keys[strings.TrimPrefix(part, "^")] = true
		}
	}
	return p, nil
}

func (e Expr) check() error {
	if e.Kind == "" || e.At == "" || len(e.Parts) == 0 {
		return fmt.Errorf("an item needs kind, at and parts")
	}
	return nil
}
