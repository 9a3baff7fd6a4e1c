package policy

import (
	"math/rand/v2"
	"os"
	"testing"

	"github.com/hearsay-memory/hearsay"
)

// TestProfilesAreMonotone decides every write that the rules of each profile can
// tell apart and compares it with those one step less trusted.
func TestProfilesAreMonotone(t *testing.T) {
	for _, name := range Profiles() {
		p := loadProfile(t, name)
		l := newLattice(p)
		if all := axesOf(p.rules); all.size()*l.size() > maxDecisions {
			t.Errorf("%s: %d writes are too many to try them all", name, all.size()*l.size())
		}
		for g := range explore(p) {
			t.Errorf("%s: %s: %s becomes %s (%s)", name, g.step, describeVerdict(g.cleaner), describeVerdict(g.tighter), g.context)
		}
	}
}

// TestExploreFinds proves that the search sees what it looks for.
func TestExploreFinds(t *testing.T) {
	data, err := os.ReadFile("testdata/memlineage.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for range explore(mustParse(t, "p.yaml", string(data))) {
		return
	}
	t.Error("the sample allows a fact from the web and holds one without: it was not found")
}

// randomWrite returns a write of names that profiles know and names that they do not.
func randomWrite(r *rand.Rand) Write {
	pick := func(list ...string) string { return list[r.IntN(len(list))] }
	tags := []string{}
	for range r.IntN(4) {
		tags = append(tags, pick("web", "document", "tool:email_read", "mcp:x", "unknown", "other"))
	}
	w := Write{
		Label:             label(hearsay.Origin(r.IntN(6)), tags...),
		Source:            pick("user", "web", "agent", "mcp:x", ""),
		SessionTainted:    r.IntN(2) == 0,
		PrincipalMismatch: r.IntN(8) == 0,
		Namespace:         hearsay.Namespace{pick("facts", "lessons", "goals", "other"), "x"},
		Kind:              pick("fact", "lesson", ""),
		Evidence:          hearsay.Evidence{Kinds: hearsay.EvidenceSet(r.IntN(evidenceSets))},
	}
	if r.IntN(8) == 0 {
		w.Evidence.Kinds = w.Evidence.Kinds.With(hearsay.EvidenceHidden)
		w.Evidence.Matches = []hearsay.EvidenceMatch{{Kind: hearsay.EvidenceHidden, Decoded: "x"}}
	}
	return w
}

// TestOnlyTightens joins random labels and adds random claims to random writes:
// in no profile is the verdict ever weaker for it.
func TestOnlyTightens(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, name := range Profiles() {
		p := loadProfile(t, name)
		for range 50_000 {
			w, with := randomWrite(r), randomWrite(r)
			before := p.Decide(&w)
			tighter := w
			tighter.Label = w.Label.Join(with.Label)
			tighter.SessionTainted = w.SessionTainted || with.SessionTainted
			tighter.PrincipalMismatch = w.PrincipalMismatch || with.PrincipalMismatch
			tighter.Evidence.Kinds |= with.Evidence.Kinds
			tighter.Evidence.Matches = append(with.Evidence.Matches, w.Evidence.Matches...)
			if after := p.Decide(&tighter); gains(before, after) {
				t.Fatalf("%s: joining %v: %s becomes %s\n%+v", name, with.Label, describeVerdict(before), describeVerdict(after), w)
			}
		}
	}
}

// TestClaimsOnlyTighten holds for every policy by construction, so it is tried
// with rules that invite a payload to lie.
func TestClaimsOnlyTighten(t *testing.T) {
	p := mustParse(t, "p.yaml", `
version: 1
rules:
  - { id: facts, when: { namespace_prefix: [facts], taint_any: ["*"] }, action: allow }
  - { id: drafts, when: { tags_any: [draft], kind: fact }, action: quarantine }
  - { id: lesson, when: { kind: lesson }, action: block }
  - { id: spam, when: { tags_any: [spam] }, action: block }
  - { id: fact, when: { kind: fact, taint_only: [web, document] }, action: allow, annotate: { retrieval_weight: 0.5 } }
  - { id: goals, when: { namespace_prefix: [goals] }, action: allow }
`)
	r := rand.New(rand.NewPCG(3, 4))
	for range 100_000 {
		w, claim := randomWrite(r), randomWrite(r)
		if r.IntN(2) == 0 {
			w.ClaimedKind = claim.Kind
		}
		if r.IntN(2) == 0 {
			w.Tags = []string{"draft"}
		}
		before := p.Decide(&w)
		more := w
		switch r.IntN(3) {
		case 0:
			more.ClaimedNamespace = claim.Namespace
		case 1:
			if w.ClaimedKind == "" {
				more.ClaimedKind = claim.Kind
			}
		case 2:
			more.Tags = append([]string{"spam", "other"}, w.Tags...)
		}
		if after := p.Decide(&more); gains(before, after) {
			t.Fatalf("%s becomes %s\n%+v\n%+v", describeVerdict(before), describeVerdict(after), w, more)
		}
	}
}

// TestIndexAgreesWithReading compares the index with a reading of the rules one
// term at a time, over random policies and writes.
func TestIndexAgreesWithReading(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for range 300 {
		var rules []rule
		for i := range 1 + r.IntN(90) {
			rules = append(rules, randomRule(r, i))
		}
		p := &Policy{rules: rules, index: newIndex(rules), none: noMatch}
		for i := range rules {
			p.outcomes = append(p.outcomes, outcome{action: rules[i].action, weight: 1, ref: hearsay.RuleRef{ID: rules[i].id}})
		}
		for range 100 {
			w := randomWrite(r)
			want := "no rule"
			for i := range rules {
				if reads(&rules[i].when, &w, rules[i].action) {
					want = rules[i].id
					break
				}
			}
			if got := p.first(&w, w.Namespace, w.Kind); cmpOr(got.ref.ID, "no rule") != want {
				t.Fatalf("index says %q, reading says %q for %+v", got.ref.ID, want, w)
			}
		}
	}
}

func cmpOr(s, other string) string {
	if s == "" {
		return other
	}
	return s
}

func randomRule(r *rand.Rand, i int) rule {
	some := func(list ...string) (out []string) {
		if r.IntN(3) > 0 {
			return nil
		}
		for _, s := range list {
			if r.IntN(2) == 0 {
				out = append(out, s)
			}
		}
		return out
	}
	names := []string{"web", "document", "mcp:*", "mcp:x", "unknown", "tool:*"}
	w := when{
		mismatch: tri(r.IntN(9)) % 3, session: tri(r.IntN(9)) % 3,
		low: hearsay.Origin(r.IntN(6)), high: hearsay.Origin(r.IntN(6)), hasLow: r.IntN(4) == 0, hasHigh: r.IntN(4) == 0,
		any: some(append(names, "*")...), all: some(names...), only: some(names...),
		sources: some("user", "web", "mcp:*", "unknown"), kinds: some("fact", "lesson"),
	}
	w.hasOnly = w.only != nil || r.IntN(8) == 0
	if r.IntN(3) == 0 {
		w.prefixes = []hearsay.Namespace{{"facts"}, {"lessons", "x"}, {"goals", "y"}}
	}
	if r.IntN(3) == 0 {
		w.content.classes = hearsay.EvidenceSet(1 + r.IntN(evidenceSets-1))
	}
	return rule{id: itoa(i), action: hearsay.WriteVerdict(r.IntN(3)), when: w}
}

// reads is the meaning of the terms, in the order of the documentation.
func reads(w *when, x *Write, action hearsay.WriteVerdict) bool {
	hit := func(terms []string, s string) bool {
		for _, t := range terms {
			if covers(t, s) {
				return true
			}
		}
		return false
	}
	tags := x.Label.Taint.Tags()
	source := cmpOr(x.Source, "unknown")
	own := x.Label == hearsay.LabelIdentity
	any, only := len(w.any) == 0, true
	for _, t := range tags {
		any = any || hit(w.any, t)
		only = only && hit(w.only, t)
	}
	for _, t := range w.all {
		have := false
		for _, tag := range tags {
			have = have || covers(t, tag)
		}
		if !have {
			return false
		}
	}
	return w.mismatch.admits(x.PrincipalMismatch) && w.session.admits(x.SessionTainted) &&
		(!w.hasLow || x.Label.Origin >= w.low) && (!w.hasHigh || x.Label.Origin <= w.high) &&
		any && (!w.hasOnly || only) &&
		(len(w.sources) == 0 || hit(w.sources, source)) && (len(w.kinds) == 0 || hit(w.kinds, x.Kind)) &&
		(len(w.prefixes) == 0 || underAny(x.Namespace, w.prefixes)) &&
		(w.content.classes == 0 || w.content.classes&heeded(action, own, x.Evidence.Kinds) != 0)
}

// TestCoveredRuleIsNeverFirst tries the subsumption behind "can never be reached"
// against random writes: a rule that is wider matches whatever the other matches.
func TestCoveredRuleIsNeverFirst(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	pairs := 0
	for range 20_000 {
		a, b := randomRule(r, 0), randomRule(r, 1)
		if !wider(&a, &b) {
			continue
		}
		pairs++
		for range 200 {
			w := randomWrite(r)
			if reads(&b.when, &w, b.action) && !reads(&a.when, &w, a.action) {
				t.Fatalf("%+v is not wider than %+v: %+v", a.when, b.when, w)
			}
		}
	}
	if pairs < 50 {
		t.Errorf("only %d pairs were tried", pairs)
	}
}
