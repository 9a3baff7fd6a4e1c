package policy

import (
	"fmt"
	"slices"

	"github.com/goccy/go-yaml/ast"

	"github.com/hearsay-memory/hearsay"
)

// Case is one test of a policy: a write and the verdict that it wants.
type Case struct {
	Name string
	File string
	Line int // 1-based
	Want Want

	sources struct{ parents, session []string } // source types that flowed in
	taint   []string
	source  hearsay.Source
	write   Write // what is written down as it is
	text    string
}

// Want is the verdict that a case wants.
type Want struct {
	Action hearsay.WriteVerdict
	Rule   string  // the id of the rule; empty: any
	Weight float64 // the recall weight; 0: any
}

// ParseCases reads a file of cases: a list of {name, write, want}. Reading is
// strict, as [Parse] is, and its error is [Errors].
//
// A write has source and actor, parents (source types of what it derives from),
// session (source types that its session took in), taint (names that flowed in),
// namespace (one segment, or a list of them), kind, agent, tool, surface, tags,
// principal_mismatch, claimed_namespace, claimed_kind, text, and evidence, which
// stands for what the lint would find. All may be left out; a write without source
// is of unknown source. A want has action, and may have rule and weight.
func ParseCases(name string, data []byte) ([]Case, error) {
	root, problem := readYAML(name, data)
	if problem != nil {
		return nil, Errors{*problem}
	}
	r := &caseReader{reader{file: name}}
	var cases []Case
	if _, ok := root.(*ast.SequenceNode); !ok {
		r.errorf(root, "write each case as - name: …", "the file is %s: want a list of cases", kindOf(root))
	} else {
		seen := make(map[string]int)
		for _, n := range r.list(root, "the file") {
			c := r.readCase(n)
			if first, taken := seen[c.Name]; taken && c.Name != "" {
				r.problemAt(c.Line, 0, "choose another name", fmt.Sprintf("case %q is there twice, first on line %d", c.Name, first))
			}
			seen[c.Name] = c.Line
			cases = append(cases, c)
		}
	}
	if err := r.err(); err != nil {
		return nil, err
	}
	return cases, nil
}

// caseReader reads cases.
type caseReader struct{ reader }

func (r *caseReader) readCase(n ast.Node) Case {
	c := Case{File: r.file}
	c.Line, _ = position(n)
	wanted := false
	r.object(n, "a case",
		field{"name", func(n ast.Node) { c.Name = r.text(n, "name", 256) }},
		field{"write", func(n ast.Node) { r.readWrite(n, &c) }},
		field{"want", func(n ast.Node) { wanted = true; r.readWant(n, &c.Want) }},
	)
	if c.Name == "" {
		r.problemAt(c.Line, 0, "name what it shows", "a case has no name")
	}
	if !wanted {
		r.problemAt(c.Line, 0, "write want: { action: quarantine }", fmt.Sprintf("case %q wants nothing", c.Name))
	}
	return c
}

func (r *caseReader) readWrite(n ast.Node, c *Case) {
	w := &c.write
	one := func(name string, into *string) field {
		return field{name, func(n ast.Node) { *into = r.text(n, name, maxName) }}
	}
	many := func(name string, into *[]string) field {
		return field{name, func(n ast.Node) { *into = r.texts(n, name, maxName, true, anyText) }}
	}
	place := func(name string, into *hearsay.Namespace) field {
		return field{name, func(n ast.Node) {
			for _, seg := range r.list(n, name) {
				*into = append(*into, r.text(seg, name, 256))
			}
		}}
	}
	r.object(n, "write",
		one("source", &c.source.Type),
		one("actor", &c.source.Actor),
		many("parents", &c.sources.parents),
		many("session", &c.sources.session),
		many("taint", &c.taint),
		place("namespace", &w.Namespace),
		place("claimed_namespace", &w.ClaimedNamespace),
		one("kind", &w.Kind),
		one("claimed_kind", &w.ClaimedKind),
		one("agent", &w.Agent),
		one("tool", &w.Tool),
		one("surface", (*string)(&w.Surface)),
		many("tags", &w.Tags),
		field{"principal_mismatch", func(n ast.Node) { w.PrincipalMismatch = r.boolean(n, "principal_mismatch") }},
		field{"text", func(n ast.Node) { c.text = r.text(n, "text", maxFile) }},
		field{"evidence", func(n ast.Node) {
			r.texts(n, "evidence", maxName, true, func(at ast.Node, s string) {
				i := slices.Index(evidenceNames, s)
				if i < 0 {
					r.errorf(at, nearest(s, evidenceNames), "evidence is %q", s)
					return
				}
				w.Evidence.Kinds = w.Evidence.Kinds.With(hearsay.EvidenceKind(i))
			})
		}},
	)
	if w.Surface != "" && !slices.Contains(surfaces, string(w.Surface)) {
		r.errorf(n, nearest(string(w.Surface), surfaces), "surface is %q", w.Surface)
	}
}

func (r *caseReader) readWant(n ast.Node, want *Want) {
	acts := false
	r.object(n, "want",
		field{"action", func(n ast.Node) {
			want.Action, acts = named(&r.reader, n, "action", verdictNames, hearsay.ParseWriteVerdict), true
		}},
		field{"rule", func(n ast.Node) { want.Rule = r.text(n, "rule", maxName) }},
		field{"weight", func(n ast.Node) { want.Weight = r.number(n, "weight", 0, 1) }},
	)
	if !acts {
		r.errorf(n, "write action: allow, quarantine or block", "want has no action")
	}
}

// CaseResult is what became of one case.
type CaseResult struct {
	Case     Case
	Got      hearsay.Verdict
	Failures []string // what differs from the want; empty: it passed
}

// Passed reports whether the verdict is the one that the case wants.
func (r CaseResult) Passed() bool { return len(r.Failures) == 0 }

// RunCases decides every case by the policy. The sources go through the policy's
// own table. Lint grades the text of a case, and its findings are added to the
// evidence that the case writes down; nil finds nothing. The verdict is before
// any mode.
func RunCases(p *Policy, cases []Case, lint func(text string) hearsay.Evidence) []CaseResult {
	results := make([]CaseResult, len(cases))
	for i, c := range cases {
		w := c.build(p, lint)
		r := CaseResult{Case: c, Got: p.Decide(&w)}
		if r.Got.Action != c.Want.Action {
			r.Failures = append(r.Failures, fmt.Sprintf("action is %s, want %s", r.Got.Action, c.Want.Action))
		}
		if c.Want.Rule != "" && r.Got.Rule.ID != c.Want.Rule {
			r.Failures = append(r.Failures, fmt.Sprintf("rule is %s, want %s", r.Got.Rule, c.Want.Rule))
		}
		if c.Want.Weight != 0 && r.Got.Weight != c.Want.Weight {
			r.Failures = append(r.Failures, fmt.Sprintf("weight is %v, want %v", r.Got.Weight, c.Want.Weight))
		}
		results[i] = r
	}
	return results
}

// build makes the write of a case, as the guard would.
func (c *Case) build(p *Policy, lint func(string) hearsay.Evidence) Write {
	table := p.SourceTable()
	w := c.write
	w.Source = c.source.BaseType()
	w.Label = table.Classify(c.source).Label()
	for _, s := range c.sources.parents {
		w.Label = w.Label.Join(table.Classify(hearsay.Source{Type: s}).Label())
	}
	session := hearsay.LabelIdentity
	for _, s := range c.sources.session {
		session = session.Join(table.Classify(hearsay.Source{Type: s}).SessionLabel())
	}
	w.SessionTainted = session.Tainted()
	w.Label = w.Label.Join(session)
	if len(c.taint) > 0 {
		w.Label = w.Label.Join(hearsay.Label{Origin: hearsay.External, Taint: hearsay.NewTaint(c.taint...)})
	}
	if c.text != "" {
		w.Text = []byte(c.text)
		if lint != nil {
			found := lint(c.text)
			w.Evidence.Kinds |= found.Kinds
			w.Evidence.Matches = found.Matches
		}
	}
	return w
}
