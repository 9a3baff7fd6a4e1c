package policy

import (
	"fmt"
	"slices"
	"strings"

	"github.com/goccy/go-yaml/ast"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/internal/source"
)

// readRules reads the rules in order.
func (f *file) readRules(n ast.Node) {
	nodes := f.list(n, "rules")
	if len(nodes) > maxRules {
		f.errorf(nodes[maxRules], "", "the policy has %d rules: at most %d", len(nodes), maxRules)
		nodes = nodes[:maxRules]
	}
	for _, e := range nodes {
		f.readRule(e)
	}
}

func (f *file) readRule(n ast.Node) {
	if !f.mapping(n, "a rule") {
		return
	}
	line, column := position(n)
	r := rule{line: line, column: column, weight: 1}
	var hasID, acts, weighs bool
	f.object(n, "a rule",
		field{"id", func(n ast.Node) { r.id, hasID = f.ruleID(n), true }},
		field{"when", func(n ast.Node) { f.readWhen(n, &r.when) }},
		field{"action", func(n ast.Node) {
			r.action, acts = named(&f.reader, n, "action", verdictNames, hearsay.ParseWriteVerdict), true
		}},
		field{"annotate", func(n ast.Node) {
			f.object(n, "annotate", field{"retrieval_weight", func(n ast.Node) {
				r.weight, weighs = f.number(n, "retrieval_weight", minFactor, 1), true
			}})
		}},
	)
	called := "the rule"
	if r.id != "" {
		called = fmt.Sprintf("rule %q", r.id)
	} else if !hasID {
		f.errorf(n, "name it, such as id: hold-untrusted-lessons", "a rule has no id")
	}
	if !acts {
		f.errorf(n, "write action: allow, quarantine or block", "%s has no action", called)
	}
	if weighs && acts && r.action != hearsay.Allow {
		f.errorf(n, "remove annotate", "%s has a retrieval_weight and does not allow", called)
	}
	if r.action == hearsay.Allow && len(r.when.tags) > 0 {
		f.errorf(n, "remove tags_any: it can only hold or block", "%s allows by tags, which a payload chooses for itself", called)
	}
	if acts && r.action != hearsay.Block && r.when.mismatch == yes {
		f.errorf(n, "write action: block", "%s does not block: a write to another principal's memory always is", called)
	}
	f.rules = append(f.rules, r)
}

// ruleID reads an id: it is shown to people and agents and sealed in the ledger.
func (f *file) ruleID(n ast.Node) string {
	id := f.text(n, "a rule's id", maxName)
	if id == "" {
		return ""
	}
	bad := strings.IndexFunc(id, func(c rune) bool {
		return (c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '-' && c != '_' && c != '.'
	})
	switch {
	case bad >= 0:
		f.errorf(n, "use lower-case letters, digits, hyphens, underscores and dots", "rule id %q is not an id", id)
	case strings.HasPrefix(id, builtinPrefix):
		f.errorf(n, "choose another", "rule id %q begins with %q, which names the built-in rules", id, builtinPrefix)
	}
	line, _ := position(n)
	if first, taken := f.ids[id]; taken {
		f.errorf(n, "choose another", "rule id %q is taken, first on line %d", id, first)
	} else {
		f.ids[id] = line
	}
	return id
}

// readWhen reads the terms of a rule.
func (f *file) readWhen(n ast.Node, w *when) {
	names := func(what string, into *[]string) field {
		return field{what, func(n ast.Node) {
			*into = f.texts(n, what, maxName, false, func(at ast.Node, s string) { f.pattern(at, what, s) })
		}}
	}
	tags := func(what string, into *[]string, star, empty bool) field {
		return field{what, func(n ast.Node) { *into = f.tagTerms(n, what, star, empty) }}
	}
	f.object(n, "when",
		field{"principal_mismatch", func(n ast.Node) { w.mismatch = ternary(f.boolean(n, "principal_mismatch")) }},
		field{"session_tainted", func(n ast.Node) { w.session = ternary(f.boolean(n, "session_tainted")) }},
		field{"source_kind", func(n ast.Node) { w.sources = f.sourceTerms(n) }},
		field{"origin_at_most", func(n ast.Node) {
			w.high, w.hasHigh = named(&f.reader, n, "origin_at_most", originNames, hearsay.ParseOrigin), true
		}},
		field{"origin_at_least", func(n ast.Node) {
			w.low, w.hasLow = named(&f.reader, n, "origin_at_least", originNames, hearsay.ParseOrigin), true
		}},
		tags("taint_any", &w.any, true, false),
		tags("taint_all", &w.all, false, false),
		field{"taint_only", func(n ast.Node) {
			w.only, w.hasOnly = f.tagTerms(n, "taint_only", false, true), true
		}},
		field{"namespace_prefix", func(n ast.Node) { w.prefixes = f.prefixes(n) }},
		names("kind", &w.kinds),
		names("agent", &w.agents),
		names("tool", &w.tools),
		names("tags_any", &w.tags),
		field{"surface", func(n ast.Node) {
			for _, e := range f.list(n, "surface") {
				s := f.text(e, "surface", maxName)
				if s != "" && !slices.Contains(surfaces, s) {
					f.errorf(e, nearest(s, surfaces), "surface is %q", s)
				}
				w.surfaces = append(w.surfaces, s)
			}
		}},
		field{"content_matches", func(n ast.Node) { f.readContent(n, &w.content) }},
	)
}

// surfaces are the doors that a rule can name.
var surfaces = []string{
	string(hearsay.SurfaceCLI), string(hearsay.SurfaceHook), string(hearsay.SurfaceFile), string(hearsay.SurfaceMCP),
	string(hearsay.SurfaceOwn), string(hearsay.SurfaceHTTP), string(hearsay.SurfaceLib),
}

// tagTerms reads names of taint: exact ones, families ("mcp:*") and, where star
// is set, "*" for any.
func (f *file) tagTerms(n ast.Node, what string, star, empty bool) []string {
	return f.texts(n, what, maxName, empty, func(at ast.Node, t string) {
		switch {
		case t != anyTag:
			f.pattern(at, what, t)
		case !star:
			f.errorf(at, "only taint_any may hold it", "%s holds the star that stands for any taint", what)
		}
	})
}

// sourceTerms reads names of source types, exact or families.
func (f *file) sourceTerms(n ast.Node) []string {
	return f.texts(n, "source_kind", maxName, false, func(at ast.Node, t string) {
		f.pattern(at, "source_kind", t)
		if base := (hearsay.Source{Type: t}).BaseType(); base != t {
			f.errorf(at, fmt.Sprintf("write %s: a rewrite counts as its base", base), "source_kind %q never matches", t)
		}
	})
}

// pattern reports a name that is neither exact nor a family ("mcp:*").
func (f *file) pattern(n ast.Node, what, s string) {
	if !hearsay.ValidTag(s) {
		f.errorf(n, "", "%s has the malformed name %q", what, s)
		return
	}
	if _, family := source.Family(s); !family && strings.Contains(s, "*") {
		f.errorf(n, "a star stands at the end, after a colon, as in mcp:*", "%s has the malformed name %q", what, s)
	}
}

// prefixes reads namespaces: a text is one segment, a list is the first segments
// in order. Segments are byte-exact and nothing splits them.
func (f *file) prefixes(n ast.Node) []hearsay.Namespace {
	nodes := f.list(n, "namespace_prefix")
	if len(nodes) == 0 {
		f.errorf(n, "name one, or remove the key", "namespace_prefix is an empty list")
	}
	list := make([]hearsay.Namespace, 0, len(nodes))
	for _, e := range nodes {
		var ns hearsay.Namespace
		for _, seg := range f.list(e, "a namespace") {
			ns = append(ns, f.text(seg, "a namespace segment", 256))
		}
		if len(ns) == 0 {
			f.errorf(e, "remove the key to match every namespace", "namespace_prefix holds an empty namespace")
			continue
		}
		if len(ns) == 1 && strings.ContainsAny(ns[0], "/*") {
			f.errorf(e, "write the segments of a nested one as a list, [[team, facts]]", "namespace_prefix %q is one segment: nothing splits it", ns[0])
		}
		if err := ns.Check(); err != nil {
			f.errorf(e, "", "%v", err)
		}
		list = append(list, ns)
	}
	return list
}

// readContent reads what the text must match: classes of the lint, and regular
// expressions between slashes; any of them is enough.
func (f *file) readContent(n ast.Node, c *content) {
	nodes := f.list(n, "content_matches")
	if len(nodes) == 0 {
		f.errorf(n, "name one, or remove the key", "content_matches is an empty list")
	}
	for _, e := range nodes {
		s := f.text(e, "content_matches", maxPattern+2)
		if s == "" {
			continue
		}
		if expr, ok := regexpTerm(s); ok {
			re, size, err := compileRegexp(expr)
			if err != nil {
				f.errorf(e, "use a shorter or simpler one", "content_matches: %v", err)
				continue
			}
			if f.programs += size; f.programs > maxPrograms {
				f.errorf(e, "use fewer or simpler ones", "the regular expressions up to here compile to %d instructions: at most %d in one policy", f.programs, maxPrograms)
				continue
			}
			c.regexps = append(c.regexps, re)
			continue
		}
		i := slices.Index(evidenceNames, s)
		if i < 0 {
			f.errorf(e, nearest(s, evidenceNames), "content_matches is %q: want a class or /a regular expression/", s)
			continue
		}
		c.classes = c.classes.With(hearsay.EvidenceKind(i))
	}
}

// evidenceNames are the classes that content_matches can name.
var evidenceNames = namesOf(hearsay.EvidenceInstruction, hearsay.EvidenceSecret)
