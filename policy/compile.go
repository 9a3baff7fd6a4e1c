package policy

import (
	"fmt"
	"slices"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/internal/source"
)

// compile turns a file without problems into a policy.
func (f *file) compile() (*Policy, error) {
	p := f.policy
	own := make([]source.Entry, len(f.own))
	for i, o := range f.own {
		own[i] = o.Entry
	}
	p.own = f.own
	p.table = source.New(own, f.people)
	p.ceilings = levelCeilings(p.ceilings)
	p.rules = f.rules
	for i := range p.rules {
		r := &p.rules[i]
		r.authored = r.when
		r.explain(p.name)
		r.vouch(p.table)
		if why := r.when.contradiction(); why != "" {
			f.problemAt(r.line, r.column, "correct or remove it", fmt.Sprintf("rule %q can never match: %s", r.id, why))
		}
	}
	for i := range p.rules {
		if j := firstCovering(p.rules, i); j >= 0 {
			f.problemAt(p.rules[i].line, p.rules[i].column, "move it up, narrow that rule, or remove it",
				fmt.Sprintf("rule %q can never be reached: rule %q on line %d matches first whenever it would", p.rules[i].id, p.rules[j].id, p.rules[j].line))
		}
	}
	if err := f.err(); err != nil {
		return nil, err
	}
	p.index = newIndex(p.rules)
	p.none = noMatch
	p.none.action = p.fallback
	for i := range p.rules {
		r := &p.rules[i]
		p.outcomes = append(p.outcomes, outcome{r.action, r.weight, r.ref, r.reasons})
	}
	return p, nil
}

// row is a set of rules, one bit a rule.
type row []uint64

func (r row) add(i int) { r[i/64] |= 1 << (i % 64) }

// column holds, for each value that a term can tell apart, the rules that the
// value does not rule out. The zero value rules out nothing.
type column struct {
	vocab
	rows []row // by index of the vocabulary
}

// at returns the rules that v leaves.
func (c *column) at(v string) row { return c.rows[c.find(v)] }

// vocab gives an index to each name that the rules can tell apart: 0 for every
// name that they cannot.
type vocab struct {
	names  []string // by index, "" at 0
	exact  map[string]int
	family map[string]int // by prefix, colon included
}

// newVocab interns the names and families of all the lists.
func newVocab(lists ...[]string) vocab {
	v := vocab{names: []string{""}, exact: make(map[string]int), family: make(map[string]int)}
	for _, list := range lists {
		for _, name := range list {
			into, key := v.exact, name
			if prefix, ok := source.Family(name); ok {
				into, key = v.family, prefix
			}
			if _, have := into[key]; !have && name != anyTag {
				into[key] = len(v.names)
				v.names = append(v.names, name)
			}
		}
	}
	return v
}

// find returns the index of a name: its own, that of the longest family that it
// is of, or 0.
func (v *vocab) find(name string) int {
	if i, ok := v.exact[name]; ok {
		return i
	}
	if len(v.family) == 0 {
		return 0
	}
	for end := len(name) - 2; end > 0; end-- {
		if name[end] == ':' {
			if i, ok := v.family[name[:end+1]]; ok {
				return i
			}
		}
	}
	return 0
}

// hit reports whether one of the terms matches the name of the index.
func (v *vocab) hit(terms []string, i int) bool {
	return slices.ContainsFunc(terms, func(t string) bool {
		return t == anyTag || i > 0 && covers(t, v.names[i])
	})
}

// newColumn returns the column of a term that every rule may have as a list of
// names. It is the zero column where no rule has it.
func newColumn(rules []rule, terms func(*when) []string) column {
	lists := make([][]string, len(rules))
	for i := range rules {
		lists[i] = terms(&rules[i].when)
	}
	v := newVocab(lists...)
	if len(v.names) == 1 {
		return column{}
	}
	return column{v, v.table(lists, func(terms []string) bool { return len(terms) == 0 })}
}

// table returns a row for each index: the rules whose terms hit it, and those
// that are free of the term.
func (v *vocab) table(lists [][]string, free func([]string) bool) []row {
	rows := make([]row, len(v.names))
	for i := range rows {
		rows[i] = make(row, (len(lists)+63)/64)
		for r, terms := range lists {
			if free(terms) || v.hit(terms, i) {
				rows[i].add(r)
			}
		}
	}
	return rows
}

// index is the rules by what rules them out. For a write, the rows of its values
// are intersected; the lowest bit left is the first rule that matches, but for
// nested namespaces and expressions, which are looked at last.
type index struct {
	words int // of a row

	flags                                       [4]row                // by principal mismatch (1) and session taint (2)
	origin                                      [hearsay.User + 1]row // by origin
	found                                       [2][evidenceSets]row  // by whether it is the user's own untainted word, and by evidence
	taint                                       taintColumn
	source, kind, agent, tool, surface, segment column
}

// evidenceSets is the number of sets of evidence.
const evidenceSets = 1 << (hearsay.EvidenceSecret + 1)

// taintColumn is the column of the three terms on taint.
type taintColumn struct {
	vocab
	free  row   // rules without taint_any
	any   []row // by index: rules whose taint_any the name satisfies
	only  []row // by index: rules whose taint_only admits the name
	alls  []allTerm
	needs row // rules with taint_all, which no clean write satisfies
}

// allTerm is one name that some rules require.
type allTerm struct {
	hit   []bool // by index: the name satisfies the term
	rules row
}

// newIndex compiles rules.
func newIndex(rules []rule) *index {
	x := &index{words: (len(rules) + 63) / 64}
	set := func(keep func(*rule) bool) row {
		r := make(row, x.words)
		for i := range rules {
			if keep(&rules[i]) {
				r.add(i)
			}
		}
		return r
	}
	for i := range x.flags {
		x.flags[i] = set(func(r *rule) bool { return r.when.mismatch.admits(i&1 != 0) && r.when.session.admits(i&2 != 0) })
	}
	for o := range x.origin {
		x.origin[o] = set(func(r *rule) bool {
			return !(r.when.hasLow && hearsay.Origin(o) < r.when.low) && !(r.when.hasHigh && hearsay.Origin(o) > r.when.high)
		})
	}
	for e := range hearsay.EvidenceSet(evidenceSets) {
		for own := range x.found {
			x.found[own][e] = set(func(r *rule) bool {
				c := &r.when.content
				return c.empty() || len(c.regexps) > 0 || c.classes&heeded(r.action, own == 1, e) != 0
			})
		}
	}
	x.taint = newTaintColumn(rules, set)
	x.source = newColumn(rules, func(w *when) []string { return w.sources })
	x.kind = newColumn(rules, func(w *when) []string { return w.kinds })
	x.agent = newColumn(rules, func(w *when) []string { return w.agents })
	x.tool = newColumn(rules, func(w *when) []string { return w.tools })
	x.surface = newColumn(rules, func(w *when) []string { return w.surfaces })
	x.segment = newColumn(rules, func(w *when) []string {
		var firsts []string
		for _, p := range w.prefixes {
			firsts = append(firsts, p[0])
		}
		return firsts
	})
	return x
}

// heeded returns the evidence that a rule heeds: a rule that restrains heeds none
// in the user's own untainted word. A third of honest memory files hold such
// phrases, and the user may say them.
func heeded(action hearsay.WriteVerdict, own bool, found hearsay.EvidenceSet) hearsay.EvidenceSet {
	if own && action != hearsay.Allow {
		return 0
	}
	return found
}

func newTaintColumn(rules []rule, set func(func(*rule) bool) row) taintColumn {
	anys, alls, onlys := make([][]string, len(rules)), make([][]string, len(rules)), make([][]string, len(rules))
	for i := range rules {
		w := &rules[i].when
		anys[i], alls[i], onlys[i] = w.any, w.all, w.only
	}
	c := taintColumn{vocab: newVocab(slices.Concat(anys, alls, onlys)...)}
	c.free = set(func(r *rule) bool { return len(r.when.any) == 0 })
	c.needs = set(func(r *rule) bool { return len(r.when.all) > 0 })
	c.any = c.table(anys, func([]string) bool { return false })
	for i := range c.names {
		c.only = append(c.only, set(func(r *rule) bool { return !r.when.hasOnly || c.hit(r.when.only, i) }))
	}
	for _, name := range slices.Compact(slices.Sorted(slices.Values(slices.Concat(alls...)))) {
		term := allTerm{rules: set(func(r *rule) bool { return slices.Contains(r.when.all, name) })}
		for i := range c.names {
			term.hit = append(term.hit, c.hit([]string{name}, i))
		}
		c.alls = append(c.alls, term)
	}
	return c
}
