package policy

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"github.com/goccy/go-yaml/ast"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/internal/source"
)

// The bounds of what a file may hold.
const (
	maxName  = 96   // bytes of a name
	maxGlob  = 512  // bytes of a file pattern
	maxRules = 1000 // rules of a policy
)

// Version is the version of the file format that this package reads.
const Version = 1

// Parse reads a policy. The name is the file's, for messages and for the rules
// that verdicts name; nothing is read from it.
//
// Reading is strict: an unknown or repeated key, a value of the wrong type, a rule
// that nothing can reach or that can match nothing is an error. All of them are
// collected: the error is [Errors], and no policy is returned with it. What works
// and is still doubtful is told by [Check].
func Parse(name string, data []byte) (*Policy, error) {
	root, problem := readYAML(name, data)
	if problem != nil {
		return nil, Errors{*problem}
	}
	f := newFile(name)
	f.read(root)
	if err := f.err(); err != nil {
		return nil, err
	}
	sum := sha256.Sum256(data)
	f.policy.hash = hex.EncodeToString(sum[:])
	p, err := f.compile()
	if err != nil {
		return nil, err
	}
	return p, nil
}

// file is a policy while it is read.
type file struct {
	reader
	policy   *Policy
	rules    []rule
	own      []ownSource
	people   source.People
	ids      map[string]int       // the line of each rule id
	types    map[string][2]string // how and where a source type was set without an actor
	programs int                  // instructions of the regular expressions so far
	version  bool
}

func newFile(name string) *file {
	return &file{
		reader: reader{file: name},
		policy: &Policy{
			name:        name,
			agents:      make(map[string]hearsay.Mode),
			reads:       Reads{MaxUntrusted: 2},
			actions:     Actions{Tainted: hearsay.Ask, Default: hearsay.AllowAction},
			attribution: AttributionUserWords,
			recall:      Recall{Quarantine: QuarantineFlag, Held: HeldCount},
			files:       Files{Hold: []hearsay.Origin{hearsay.External}},
			ceilings:    hearsay.DefaultCeilings(),
		},
		people: make(source.People),
		ids:    make(map[string]int),
		types:  make(map[string][2]string),
	}
}

// read reads the top level.
func (f *file) read(root ast.Node) {
	f.object(root, "the policy",
		field{"version", f.readVersion},
		field{"mode", func(n ast.Node) { f.policy.mode, f.policy.hasMode = f.mode(n, "mode"), true }},
		field{"agents", f.readAgents},
		field{"default", f.readDefault},
		field{"people", f.readPeople},
		field{"sources", f.readSources},
		field{"trust", f.readTrust},
		field{"rules", f.readRules},
		field{"reads", f.readReads},
		field{"actions", f.readActions},
		field{"ceilings", f.readCeilings},
		field{"files", f.readFiles},
		field{"attribution", f.readAttribution},
		field{"recall", f.readRecall},
	)
	if !f.version {
		f.problemAt(0, 0, "begin it with version: 1", "the policy has no version")
	}
}

func (f *file) readVersion(n ast.Node) {
	f.version = true
	i, ok := n.(*ast.IntegerNode)
	if !ok {
		f.errorf(n, "write version: 1", "version is %s: want a number", kindOf(n))
		return
	}
	if v, _ := integer(i); v != Version {
		f.errorf(n, "write version: 1, or use the program that wrote the file", "version is %v: this program reads version %d", v, Version)
	}
}

func (f *file) mode(n ast.Node, what string) hearsay.Mode {
	return named(&f.reader, n, what, modeNames, hearsay.ParseMode)
}

func (f *file) readAgents(n ast.Node) {
	for _, p := range f.pairs(n, "agents") {
		f.name(p.at, "agent", p.key)
		f.object(p.value, fmt.Sprintf("agent %q", p.key), field{"mode", func(n ast.Node) {
			f.policy.agents[p.key] = f.mode(n, "mode")
		}})
	}
}

// readDefault reads the verdict where no rule matches, which never allows: what
// nobody thought of must not get in.
func (f *file) readDefault(n ast.Node) {
	v := named(&f.reader, n, "default", verdictNames, hearsay.ParseWriteVerdict)
	if v == hearsay.Allow {
		f.errorf(n, "write quarantine or block, and a rule for what is allowed", "default is allow: what no rule names is never let in")
		return
	}
	f.policy.fallback = v
}

// name reports a name with characters that would not show in a message.
func (f *file) name(at ast.Node, what, s string) {
	if !hearsay.ValidTag(s) {
		f.errorf(at, "use 1 to 96 printable ASCII characters without spaces, commas, quotes or backslashes", "%s %q is not a name", what, s)
	}
}

func (f *file) readReads(n ast.Node) {
	f.object(n, "reads",
		field{"hide", func(n ast.Node) {
			hidden := make(map[hearsay.WriteVerdict]bool)
			for _, e := range f.list(n, "reads.hide") {
				v := named(&f.reader, e, "reads.hide", []string{"quarantine", "block"}, hearsay.ParseWriteVerdict)
				if v == hearsay.Allow {
					f.errorf(e, "remove it", "reads.hide is allow: what is allowed comes back")
				}
				hidden[v] = true
			}
			if !hidden[hearsay.Quarantine] || !hidden[hearsay.Block] {
				f.errorf(n, "write [quarantine, block], or remove the key", "reads.hide leaves something out: what is held or blocked is never shown to an agent")
			}
		}},
		field{"max_untrusted_per_query", func(n ast.Node) {
			f.policy.reads.MaxUntrusted = f.whole(n, "reads.max_untrusted_per_query", 0, 100)
		}},
	)
}

func (f *file) readAttribution(n ast.Node) {
	f.policy.attribution = named(&f.reader, n, "attribution", attributionNames, nameParser[Attribution](attributionNames))
}

func (f *file) readRecall(n ast.Node) {
	f.object(n, "recall",
		field{"quarantine", func(n ast.Node) {
			f.policy.recall.Quarantine = named(&f.reader, n, "recall.quarantine", quarantineNames, nameParser[RecallQuarantine](quarantineNames))
		}},
		field{"held", func(n ast.Node) {
			f.policy.recall.Held = named(&f.reader, n, "recall.held", heldNames, nameParser[RecallHeld](heldNames))
		}},
	)
}

// nameParser returns what finds the constant of a name by its place in names.
func nameParser[T ~uint8](names []string) func(string) (T, error) {
	return func(s string) (T, error) {
		for i, n := range names {
			if n == s {
				return T(i), nil
			}
		}
		return 0, fmt.Errorf("unknown name %q", s)
	}
}
