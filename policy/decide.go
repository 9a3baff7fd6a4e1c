package policy

import (
	"cmp"
	"math/bits"
	"slices"

	"github.com/hearsay-memory/hearsay"
)

// builtinPrefix begins the ids of the rules that every policy has.
const builtinPrefix = "builtin-"

// The rules that every policy has, and what is said where no rule speaks.
var (
	noPolicy     = builtin("no-policy", "no policy is in force: the write is held")
	noMatch      = outcome{reasons: []string{"no rule matches"}}
	tagEncoded   = builtin("tag-encoded", "the text holds words spelt in invisible tag characters")
	crossedOwner = outcome{
		action:  hearsay.Block,
		ref:     hearsay.RuleRef{ID: builtinPrefix + "cross-principal"},
		reasons: []string{"the memory is another principal's"},
	}
)

// outcome is what a rule, or the lack of one, comes to.
type outcome struct {
	action  hearsay.WriteVerdict
	weight  float64
	ref     hearsay.RuleRef
	reasons []string
}

func builtin(id, reason string) outcome {
	return outcome{ref: hearsay.RuleRef{ID: builtinPrefix + id}, reasons: []string{reason}}
}

// Decide returns the verdict on a write: the first rule that matches, and the
// policy's default where none does. It reads no clock and keeps nothing; a policy
// is safe for concurrent use. The reasons are shared between verdicts: do not
// change them.
//
// Four things hold for every policy, whatever its rules say:
//
//   - What a payload says of itself tightens and never loosens. The write is
//     decided without its claimed namespace and kind and with them, and the
//     strictest answer counts. A rule on tags only ever adds restraint: the rules
//     below it are still read.
//   - An allowing rule vouches only for the taint that it names, so a tainted
//     write is never let in by a rule that does not speak of its taint.
//   - Text spelt in tag characters is held, whoever speaks.
//   - A write to another principal's memory is blocked.
func (p *Policy) Decide(w *Write) hearsay.Verdict {
	switch {
	case w == nil:
		return noPolicy.verdict(hearsay.Label{})
	case p == nil || p.index == nil:
		return noPolicy.verdict(w.Label)
	}
	best := p.first(w, w.Namespace, w.Kind)
	if w.ClaimedNamespace != nil {
		best = stricter(best, p.first(w, w.ClaimedNamespace, w.Kind))
	}
	if w.ClaimedKind != "" {
		best = stricter(best, p.first(w, w.Namespace, w.ClaimedKind))
	}
	if w.ClaimedNamespace != nil && w.ClaimedKind != "" {
		best = stricter(best, p.first(w, w.ClaimedNamespace, w.ClaimedKind))
	}
	if best.action == hearsay.Allow && w.Evidence.TagEncoded() {
		best = &tagEncoded
	}
	if best.action != hearsay.Block && w.PrincipalMismatch {
		best = &crossedOwner
	}
	return best.verdict(w.Label)
}

// verdict returns the outcome as the answer to a write with the label.
func (o *outcome) verdict(l hearsay.Label) hearsay.Verdict {
	weight := 1.0
	if o.action == hearsay.Allow {
		weight = o.weight
	}
	return hearsay.Verdict{Action: o.action, Rule: o.ref, Reasons: o.reasons, Label: l, Weight: weight}
}

// stricter returns the outcome that restrains more; a where they are equal.
func stricter(a, b *outcome) *outcome {
	if a.action.Weaker(b.action) || a.action == b.action && a.action == hearsay.Allow && b.weight < a.weight {
		return b
	}
	return a
}

// first returns the outcome for one reading of where the write goes.
func (p *Policy) first(w *Write, ns hearsay.Namespace, kind string) *outcome {
	x := p.index
	var buffer [12]row
	rows := append(buffer[:0], x.flags[flagsOf(w)], x.origin[min(w.Label.Origin, hearsay.User)])
	if w.Label.Origin > hearsay.User {
		rows[1] = x.origin[hearsay.External]
	}
	own := 0
	if w.Label == hearsay.LabelIdentity {
		own = 1
	}
	rows = append(rows, x.found[own][w.Evidence.Kinds&(evidenceSets-1)])
	rows = x.source.narrow(rows, cmp.Or(w.Source, hearsay.UnknownTag))
	rows = x.kind.narrow(rows, kind)
	rows = x.agent.narrow(rows, w.Agent)
	rows = x.tool.narrow(rows, w.Tool)
	rows = x.surface.narrow(rows, string(w.Surface))
	segment := ""
	if len(ns) > 0 {
		segment = ns[0]
	}
	rows = x.segment.narrow(rows, segment)
	var tagBuffer [8]int
	tags := x.taint.indexes(tagBuffer[:0], w.Label.Taint)

	floor := (*outcome)(nil)
	for word := range x.words {
		left := ^uint64(0)
		for _, r := range rows {
			left &= r[word]
		}
		for left &= x.taint.word(tags, word); left != 0; left &= left - 1 {
			at := word*64 + bits.TrailingZeros64(left)
			r := &p.rules[at]
			if !r.residue(w, ns, own == 1) {
				continue
			}
			got := &p.outcomes[at]
			if len(r.when.tags) == 0 {
				return withFloor(floor, got)
			}
			floor = withFloor(floor, got)
		}
	}
	return withFloor(floor, &p.none)
}

func withFloor(floor, got *outcome) *outcome {
	if floor == nil {
		return got
	}
	return stricter(got, floor)
}

func flagsOf(w *Write) (i int) {
	if w.PrincipalMismatch {
		i |= 1
	}
	if w.SessionTainted {
		i |= 2
	}
	return i
}

// narrow adds the row of v where the column rules anything out.
func (c *column) narrow(rows []row, v string) []row {
	if c.rows == nil {
		return rows
	}
	return append(rows, c.at(v))
}

// residue looks at the terms that have no column.
func (r *rule) residue(w *Write, ns hearsay.Namespace, own bool) bool {
	t := &r.when
	if len(t.prefixes) > 0 && !underAny(ns, t.prefixes) {
		return false
	}
	if len(t.tags) > 0 && !sharesTag(w.Tags, t.tags) {
		return false
	}
	return len(t.content.regexps) == 0 || t.content.matches(r.action, heeded(r.action, own, w.Evidence.Kinds), w.Text)
}

func underAny(ns hearsay.Namespace, prefixes []hearsay.Namespace) bool {
	return slices.ContainsFunc(prefixes, ns.HasPrefix)
}

func sharesTag(have, want []string) bool {
	for _, h := range have {
		for _, t := range want {
			if covers(t, h) {
				return true
			}
		}
	}
	return false
}

// indexes appends the index of every tag of the taint. A name that no rule knows
// has index 0: it is still there, and no taint_only admits it.
func (c *taintColumn) indexes(list []int, t hearsay.Taint) []int {
	for tag := range t.All() {
		list = append(list, c.find(tag))
	}
	return list
}

// word returns one word of the rules that a taint of these tags leaves.
func (c *taintColumn) word(tags []int, word int) uint64 {
	if len(tags) == 0 {
		return c.free[word] &^ c.needs[word]
	}
	some, only := c.free[word], ^uint64(0)
	for _, t := range tags {
		some |= c.any[t][word]
		only &= c.only[t][word]
	}
	for i := range c.alls {
		a := &c.alls[i]
		satisfied := false
		for _, t := range tags {
			satisfied = satisfied || a.hit[t]
		}
		if !satisfied {
			only &^= a.rules[word]
		}
	}
	return some & only
}
