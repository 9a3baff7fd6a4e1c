package policy

import (
	"fmt"
	"strings"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/internal/source"
)

// anyTag is the term of taint_any that any taint satisfies.
const anyTag = "*"

// tri is a term that may be absent. The zero value is absent.
type tri uint8

const (
	absent tri = iota
	yes
	no
)

func ternary(b bool) tri {
	if b {
		return yes
	}
	return no
}

// admits reports whether the term holds for v.
func (t tri) admits(v bool) bool { return t == absent || (t == yes) == v }

// rule is one rule of a policy.
type rule struct {
	id           string
	line, column int
	action       hearsay.WriteVerdict
	weight       float64 // recall weight where it allows, 0 < w ≤ 1
	when         when    // as it is decided by: see vouch
	authored     when    // as the file has it
	ref          hearsay.RuleRef
	reasons      []string
}

// when is the terms of a rule: all must hold, and an absent one holds.
type when struct {
	mismatch, session tri
	low, high         hearsay.Origin
	hasLow, hasHigh   bool

	any, all, only []string // names of taint: exact, families, and "*" in any
	hasOnly        bool

	sources, kinds, agents, tools, surfaces, tags []string
	prefixes                                      []hearsay.Namespace
	content                                       content
}

// vouch narrows an allowing rule to what it vouches for, so that more taint can
// never make it fire: it admits only taint that it names. One that names none
// admits no taint but what its own source kinds bring, and no origin below
// theirs: "source_kind: user" allows what is the user's word, and not what a
// tainted session says in the user's name.
func (r *rule) vouch(table *source.Table) {
	w := &r.when
	if r.action != hearsay.Allow {
		return
	}
	if len(w.any)+len(w.all) > 0 || w.hasOnly && len(w.only) > 0 {
		if !w.hasOnly {
			for _, t := range append(w.any[:len(w.any):len(w.any)], w.all...) {
				if t == anyTag {
					return
				}
				w.only = append(w.only, t)
			}
			w.hasOnly = true
		}
		return
	}
	named := w.hasOnly // taint_only: [], no taint at all
	w.hasOnly = true
	if len(w.sources) == 0 {
		return
	}
	floor := hearsay.LabelIdentity
	for _, s := range w.sources {
		floor = floor.Join(table.Floor(s))
		if _, family := source.Family(s); family && !named {
			w.only = append(w.only, s)
		}
	}
	w.low, w.hasLow = max(w.low, floor.Origin), true
	for tag := range floor.Taint.All() {
		// A source that may be unknown does not vouch for every unknown.
		if !named && tag != hearsay.UnknownTag {
			w.only = append(w.only, tag)
		}
	}
}

// contradiction says why the rule can never match, or nothing.
func (w *when) contradiction() string {
	if w.hasLow && w.hasHigh && w.low > w.high {
		return fmt.Sprintf("no origin is at least %s and at most %s", w.low, w.high)
	}
	if !w.hasOnly {
		return ""
	}
	for _, t := range w.all {
		if !meets(t, w.only) {
			return fmt.Sprintf("taint_all asks for %s, which taint_only leaves out", t)
		}
	}
	if len(w.any) == 0 {
		return ""
	}
	for _, t := range w.any {
		if t == anyTag && len(w.only) > 0 || meets(t, w.only) {
			return ""
		}
	}
	return "taint_only leaves out everything in taint_any"
}

// covers reports whether the pattern matches every name that the other matches.
func covers(pattern, name string) bool {
	if pattern == anyTag || pattern == name {
		return true
	}
	prefix, ok := source.Family(pattern)
	return ok && strings.HasPrefix(strings.TrimSuffix(name, "*"), prefix) && len(name) > len(prefix)
}

// meets reports whether some name matches both t and one of the patterns.
func meets(t string, patterns []string) bool {
	for _, p := range patterns {
		if covers(p, t) || covers(t, p) {
			return true
		}
	}
	return false
}

// explain fills in what verdicts of the rule say. The reasons name the rule and
// the terms that it has; no word of a write is in them.
func (r *rule) explain(file string) {
	r.ref = hearsay.RuleRef{ID: r.id, File: file, Line: r.line}
	verb := map[hearsay.WriteVerdict]string{hearsay.Quarantine: "holds", hearsay.Allow: "allows", hearsay.Block: "blocks"}[r.action]
	terms := r.authored.describe()
	if terms == "" {
		terms = "every write"
	}
	r.reasons = []string{fmt.Sprintf("rule %s %s: %s", r.id, verb, terms)}
}

// describe returns the terms as the file has them, expressions left out.
func (w *when) describe() string {
	var terms []string
	add := func(key string, values []string) {
		if len(values) > 0 {
			terms = append(terms, key+" "+strings.Join(values, "|"))
		}
	}
	flag := func(key string, t tri) {
		if t != absent {
			terms = append(terms, fmt.Sprintf("%s %v", key, t == yes))
		}
	}
	flag("principal_mismatch", w.mismatch)
	flag("session_tainted", w.session)
	add("source_kind", w.sources)
	if w.hasHigh {
		add("origin_at_most", []string{w.high.String()})
	}
	if w.hasLow {
		add("origin_at_least", []string{w.low.String()})
	}
	add("taint_any", w.any)
	add("taint_all", w.all)
	if w.hasOnly && len(w.only) == 0 {
		terms = append(terms, "no taint")
	}
	add("taint_only", w.only)
	prefixes := make([]string, len(w.prefixes))
	for i, p := range w.prefixes {
		prefixes[i] = p.String()
	}
	add("namespace_prefix", prefixes)
	add("kind", w.kinds)
	add("agent", w.agents)
	add("surface", w.surfaces)
	add("tool", w.tools)
	add("tags_any", w.tags)
	add("content_matches", w.content.classes.Names())
	if len(w.content.regexps) > 0 {
		terms = append(terms, "content_matches an expression")
	}
	return strings.Join(terms, ", ")
}
