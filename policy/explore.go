package policy

import (
	"fmt"
	"iter"
	"math/bits"
	"slices"
	"strings"

	"github.com/hearsay-memory/hearsay"
)

// The bounds of an exploration.
const (
	maxDecisions = 400_000 // decisions of one exploration
	allSubsets   = 6       // up to so many tags, every set of them is tried; beyond, pairs
)

// stepTaint is the step to a write with one more tag.
const stepTaint = "more taint"

// gain is a write that a policy restrains less when it is less trusted.
type gain struct {
	cleaner, tighter hearsay.Verdict
	step             string // what makes it less trusted
	context          string // where the write goes
}

// explore yields every gain among the writes that the rules can tell apart. It
// compares each write with those one step less trusted: by a tag, an origin, the
// session's taint, the principal, or a finding of the lint.
func explore(p *Policy) iter.Seq[gain] {
	return func(yield func(gain) bool) {
		l := newLattice(p)
		for w := range contexts(p, maxDecisions/l.size()) {
			if !l.compare(p, w, yield) {
				return
			}
		}
	}
}

// lattice is the points of trust that are compared.
type lattice struct {
	taints   []hearsay.Taint
	evidence []hearsay.EvidenceSet

	moreTaint    [][]int // by index of a taint: those with one tag more
	moreEvidence [][]int // by index of a set: those with one finding more
}

func newLattice(p *Policy) *lattice {
	tags := []string{fresh, hearsay.UnknownTag}
	kinds := hearsay.EvidenceSet(0)
	for i := range p.rules {
		w := &p.rules[i].when
		for _, t := range slices.Concat(w.any, w.all, w.only) {
			if t != anyTag {
				tags = append(tags, sample(t))
			}
		}
		kinds |= w.content.classes
	}
	slices.Sort(tags)
	tags = slices.Compact(tags)
	l := &lattice{}
	for _, set := range subsets(tags) {
		l.taints = append(l.taints, taintOfNames(set))
	}
	for e := range hearsay.EvidenceSet(evidenceSets) {
		if e&^kinds == 0 {
			l.evidence = append(l.evidence, e)
		}
	}
	l.moreTaint = oneMore(l.taints, func(a, b hearsay.Taint) bool {
		return len(b.Tags()) == len(a.Tags())+1 && b.Covers(a)
	})
	l.moreEvidence = oneMore(l.evidence, func(a, b hearsay.EvidenceSet) bool {
		return bits.OnesCount8(uint8(b)) == bits.OnesCount8(uint8(a))+1 && a&b == a
	})
	return l
}

// oneMore returns, for each element, the indexes of those one step above it.
func oneMore[T any](list []T, above func(a, b T) bool) [][]int {
	steps := make([][]int, len(list))
	for i, a := range list {
		for j, b := range list {
			if above(a, b) {
				steps[i] = append(steps[i], j)
			}
		}
	}
	return steps
}

func taintOfNames(set []string) hearsay.Taint {
	if len(set) == 0 {
		return hearsay.Untainted
	}
	return hearsay.NewTaint(set...)
}

// subsets returns every subset of a few tags; of many, those of at most two.
func subsets(tags []string) [][]string {
	var sets [][]string
	if len(tags) <= allSubsets {
		for chosen := range 1 << len(tags) {
			var set []string
			for i, t := range tags {
				if chosen&(1<<i) != 0 {
					set = append(set, t)
				}
			}
			sets = append(sets, set)
		}
		return sets
	}
	sets = append(sets, nil)
	for i, t := range tags {
		sets = append(sets, []string{t})
		for _, u := range tags[i+1:] {
			sets = append(sets, []string{t, u})
		}
	}
	return sets
}

// point is one place in the lattice.
type point struct {
	taint, evidence   int
	origin            hearsay.Origin
	session, mismatch bool
}

// size is the number of points.
func (l *lattice) size() int { return len(l.taints) * len(l.evidence) * int(hearsay.User+1) * 4 }

// compare decides the write at every point and yields the gains; it reports
// whether to go on.
func (l *lattice) compare(p *Policy, w Write, yield func(gain) bool) bool {
	verdicts := make([]hearsay.Verdict, l.size())
	for i := range verdicts {
		at := l.point(i)
		w.Label = hearsay.Label{Origin: at.origin, Taint: l.taints[at.taint]}
		w.SessionTainted, w.PrincipalMismatch = at.session, at.mismatch
		w.Evidence.Kinds = l.evidence[at.evidence]
		verdicts[i] = p.Decide(&w)
	}
	for i := range verdicts {
		at := l.point(i)
		for next, step := range l.below(at) {
			cleaner, tighter := verdicts[i], verdicts[l.indexOf(next)]
			if gains(cleaner, tighter) && !yield(gain{cleaner, tighter, step, l.describe(w, at)}) {
				return false
			}
		}
	}
	return true
}

// gains reports whether the tighter write is restrained less than the cleaner.
func gains(cleaner, tighter hearsay.Verdict) bool {
	return tighter.Action.Weaker(cleaner.Action) ||
		tighter.Action == hearsay.Allow && cleaner.Action == hearsay.Allow && tighter.Weight > cleaner.Weight
}

// point returns the i-th point.
func (l *lattice) point(i int) point {
	at := point{session: i&1 != 0, mismatch: i&2 != 0}
	i /= 4
	at.origin = hearsay.Origin(i % int(hearsay.User+1))
	i /= int(hearsay.User + 1)
	at.taint, at.evidence = i%len(l.taints), i/len(l.taints)
	return at
}

// indexOf is the inverse of point.
func (l *lattice) indexOf(at point) int {
	i := (at.evidence*len(l.taints)+at.taint)*int(hearsay.User+1) + int(at.origin)
	i *= 4
	if at.session {
		i |= 1
	}
	if at.mismatch {
		i |= 2
	}
	return i
}

// below yields the points one step less trusted, and what the step is.
func (l *lattice) below(at point) iter.Seq2[point, string] {
	return func(yield func(point, string) bool) {
		next := at
		if next.origin--; at.origin > hearsay.External && !yield(next, "a lower origin") {
			return
		}
		next = at
		if next.session = true; !at.session && !yield(next, "a tainted session") {
			return
		}
		next = at
		if next.mismatch = true; !at.mismatch && !yield(next, "another principal") {
			return
		}
		for _, i := range l.moreTaint[at.taint] {
			next = at
			if next.taint = i; !yield(next, stepTaint) {
				return
			}
		}
		for _, i := range l.moreEvidence[at.evidence] {
			next = at
			if next.evidence = i; !yield(next, "a finding of the lint") {
				return
			}
		}
	}
}

// describe says where a write goes and how far it is trusted.
func (l *lattice) describe(w Write, at point) string {
	parts := []string{"origin " + at.origin.String(), "taint " + l.taints[at.taint].String()}
	add := func(key, value string) {
		if value != "" && value != fresh {
			parts = append(parts, key+" "+value)
		}
	}
	add("source", w.Source)
	add("namespace", w.Namespace.String())
	add("kind", w.Kind)
	add("agent", w.Agent)
	add("tool", w.Tool)
	add("surface", string(w.Surface))
	if found := l.evidence[at.evidence].Names(); len(found) > 0 {
		parts = append(parts, fmt.Sprintf("found %s", strings.Join(found, " ")))
	}
	return strings.Join(parts, ", ")
}
