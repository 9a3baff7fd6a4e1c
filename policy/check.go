package policy

import (
	"fmt"
	"slices"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/internal/source"
)

// Check tells what works in a policy and is still doubtful, as warnings in the
// order of the lines: names that no source has, sources that are trusted more
// than they should be, and rules by which a write gains from being less trusted.
// The last are found by deciding writes for the names that the rules tell apart;
// the number of writes is bounded, so a large policy is searched in part. Rules
// that cannot be reached or cannot match are errors of [Parse].
func Check(p *Policy) []Problem {
	if p == nil || p.index == nil {
		return nil
	}
	c := &checker{policy: p}
	c.names()
	c.sources()
	c.settings()
	c.monotone()
	sortProblems(c.problems)
	return c.problems
}

type checker struct {
	policy   *Policy
	problems []Problem
}

func (c *checker) warn(line int, suggestion, format string, args ...any) {
	c.problems = append(c.problems, Problem{
		File: c.policy.name, Line: line, Severity: SeverityWarning,
		Message: fmt.Sprintf(format, args...), Suggestion: suggestion,
	})
}

// names reports names of sources and taint that nothing in the table can have.
func (c *checker) names() {
	types := append(c.policy.table.Types(), hearsay.UnknownTag)
	tags := slices.Clone(types)
	for _, o := range c.policy.own {
		if o.Class.Tag != "" {
			tags = append(tags, o.Class.Tag)
		}
	}
	for i := range c.policy.rules {
		r := &c.policy.rules[i]
		c.known(r, "source_kind", r.authored.sources, types)
		c.known(r, "taint_any", r.authored.any, tags)
		c.known(r, "taint_all", r.authored.all, tags)
		c.known(r, "taint_only", r.authored.only, tags)
	}
}

func (c *checker) known(r *rule, term string, names, have []string) {
	for _, n := range names {
		if n != anyTag && !meets(n, have) {
			c.warn(r.line, nearest(n, closeTo(n, have)), "rule %q: %s names %q, which no source has", r.id, term, n)
		}
	}
}

// closeTo returns the candidates that share a beginning with the name, so that a
// suggestion never lists a whole table.
func closeTo(name string, candidates []string) []string {
	return slices.DeleteFunc(slices.Clone(candidates), func(c string) bool {
		return distance(name, c) > 1+len(name)/3
	})
}

// sources reports entries that trust strangers.
func (c *checker) sources() {
	shipped := source.Default()
	for _, o := range c.policy.own {
		class := o.Class
		if class.Origin == hearsay.External && class.Reach != hearsay.ReachSession {
			c.warn(o.line, "write reach: session", "source %q is external and reaches only %s: what it says does not taint the session", o.Type, class.Reach)
		}
		everybody := len(o.Actors) == 0 || slices.Contains(o.Actors, "NONE")
		if everybody && class.Origin >= hearsay.Agent && foreign(shipped, o.Type) {
			c.warn(o.line, "use origin: tool, or name who may speak with actor", "source %q carries the words of strangers and speaks as %s", o.Type, class.Origin)
		}
	}
}

// foreign reports whether the table that ships takes the type for external.
func foreign(shipped *source.Table, pattern string) bool {
	if !slices.ContainsFunc(shipped.Types(), func(t string) bool { return covers(t, pattern) || covers(pattern, t) }) {
		return false // a type of the policy's own
	}
	return shipped.Floor(pattern).Origin == hearsay.External
}

// settings reports settings that take the guard off.
func (c *checker) settings() {
	p := c.policy
	if p.actions.Tainted == hearsay.AllowAction && len(p.actions.Privileged) > 0 {
		c.warn(0, "write tainted: ask", "actions.tainted is allow: a session that read something untrusted does what it likes")
	}
	if p.mode == hearsay.Off {
		c.warn(0, "write mode: warn to see what would be held", "mode is off: nothing is held")
	}
	for i := range p.rules {
		r := &p.rules[i]
		w := &r.authored
		if r.action == hearsay.Allow && slices.Contains(w.any, anyTag) {
			c.warn(r.line, "name the taint that it may have", "rule %q allows writes of any taint", r.id)
		}
		if r.action != hearsay.Allow && len(w.only) > 0 && len(w.any)+len(w.all) == 0 {
			c.warn(r.line, "add taint_any", "rule %q restrains untainted writes too: taint_only says what a write has at most", r.id)
		}
	}
}

// monotone reports rules by which a write gains from being less trusted.
func (c *checker) monotone() {
	told := make(map[[2]string]bool)
	for g := range explore(c.policy) {
		key := [2]string{g.cleaner.Rule.ID, g.tighter.Rule.ID}
		if told[key] {
			continue
		}
		told[key] = true
		blamed, suggestion := g.tighter.Rule, "allow the cleaner write above it"
		switch {
		case g.tighter.Action != hearsay.Allow:
			if g.cleaner.Rule.Line > 0 {
				blamed = g.cleaner.Rule
			}
			suggestion = "bound what it holds by taint_any, taint_all or origin_at_most alone"
		case g.step == stepTaint:
			suggestion = "write taint_only in place of taint_any, or allow the cleaner write above it"
		}
		c.warn(blamed.Line, suggestion, "%s loosens the verdict of %s: %s becomes %s (%s)",
			g.step, called(blamed), describeVerdict(g.cleaner), describeVerdict(g.tighter), g.context)
	}
}

// called names a rule, or what stands in for one.
func called(r hearsay.RuleRef) string {
	if r.ID == "" {
		return "the default"
	}
	return fmt.Sprintf("rule %q", r.ID)
}

func describeVerdict(v hearsay.Verdict) string {
	action := v.Action.String()
	if v.Action == hearsay.Allow && v.Weight < 1 {
		action = fmt.Sprintf("allow at %v", v.Weight)
	}
	return action + " by " + called(v.Rule)
}

// fresh is a name that no rule knows.
const fresh = "(other)"

// sample returns a name that the term matches: itself, or a member of the family.
func sample(term string) string {
	if prefix, ok := source.Family(term); ok {
		return prefix + fresh
	}
	return term
}
