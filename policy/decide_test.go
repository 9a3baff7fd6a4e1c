package policy

import (
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hearsay-memory/hearsay"
)

// label returns a label of an origin and tags.
func label(o hearsay.Origin, tags ...string) hearsay.Label {
	return hearsay.Label{Origin: o, Taint: taintOfNames(tags)}
}

// decide returns the action and the rule of a decision, as "allow by user".
func decide(p *Policy, w Write) string {
	v := p.Decide(&w)
	if v.Rule.ID == "" {
		return v.Action.String()
	}
	return v.Action.String() + " by " + v.Rule.ID
}

func TestZeroPolicyHolds(t *testing.T) {
	for name, p := range map[string]*Policy{"nil": nil, "zero": {}} {
		v := p.Decide(&Write{Label: hearsay.LabelIdentity, Source: "user"})
		if v.Action != hearsay.Quarantine || v.Label != hearsay.LabelIdentity || len(v.Reasons) == 0 || v.Weight != 1 {
			t.Errorf("%s: verdict is %+v", name, v)
		}
		if p.ModeFor("x") != hearsay.Enforce || p.MaxUntrusted() != 0 || p.Attribution() != AttributionOff {
			t.Errorf("%s: is not the safe policy", name)
		}
		if a := p.Actions(); a.Tainted != hearsay.Ask || a.Default != hearsay.Ask {
			t.Errorf("%s: actions are %+v", name, a)
		}
		if p.CeilingTable() != hearsay.DefaultCeilings() {
			t.Errorf("%s: ceilings are not the built-in ones", name)
		}
		if c := p.SourceTable().Classify(hearsay.Source{Type: "web"}); c.Tag != "web" {
			t.Errorf("%s: web is %+v", name, c)
		}
		if Check(p) != nil || len(p.Rules()) != 0 || p.Hash() != "" {
			t.Errorf("%s: says something", name)
		}
	}
	if v := loadProfile(t, "default").Decide(nil); v.Action != hearsay.Quarantine || !v.Label.Tainted() {
		t.Errorf("no write: verdict is %+v", v)
	}
}

// TestTerms decides by one blocking rule of each term, at a write that it matches
// and at ones that it does not.
func TestTerms(t *testing.T) {
	clean := hearsay.LabelIdentity
	for _, tt := range []struct {
		when    string
		match   []Write
		noMatch []Write
	}{
		{`{}`, []Write{{}, {Label: clean}}, nil},
		{`{ principal_mismatch: false }`, []Write{{}}, nil},
		{`{ session_tainted: true }`, []Write{{SessionTainted: true}}, []Write{{}}},
		{`{ session_tainted: false }`, []Write{{}}, []Write{{SessionTainted: true}}},
		{`{ source_kind: [web, "mcp:*"] }`, []Write{{Source: "web"}, {Source: "mcp:x"}, {Source: "mcp:x:y"}}, []Write{{}, {Source: "mcp:"}, {Source: "mcp"}, {Source: "webs"}}},
		{`{ source_kind: unknown }`, []Write{{}, {Source: "unknown"}}, []Write{{Source: "web"}}},
		{`{ origin_at_most: tool }`, []Write{{}, {Label: label(hearsay.Tool)}, {Label: label(99)}}, []Write{{Label: label(hearsay.Agent)}}},
		{`{ origin_at_least: channel }`, []Write{{Label: label(hearsay.Channel)}, {Label: label(hearsay.User, "web")}}, []Write{{Label: label(hearsay.Agent)}, {Label: label(99)}}},
		{`{ taint_any: [web, "mcp:*"] }`, []Write{{Label: label(0, "web", "x")}, {Label: label(0, "mcp:a")}}, []Write{{}, {Label: clean}, {Label: label(0, "mcp:")}}},
		{`{ taint_any: ["*"] }`, []Write{{}, {Label: label(0, "whatever")}}, []Write{{Label: clean}}},
		{`{ taint_all: [web, "mcp:*"] }`, []Write{{Label: label(0, "web", "mcp:a", "x")}}, []Write{{}, {Label: clean}, {Label: label(0, "web")}, {Label: label(0, "mcp:a")}}},
		{`{ taint_only: [web, "mcp:*"] }`, []Write{{Label: clean}, {Label: label(0, "web")}, {Label: label(0, "mcp:a", "mcp:b")}}, []Write{{}, {Label: label(0, "web", "x")}}},
		{`{ taint_only: [] }`, []Write{{Label: clean}}, []Write{{}, {Label: label(0, "web")}}},
		{`{ taint_only: [unknown] }`, []Write{{Label: clean}, {}}, []Write{{Label: label(0, "web")}}},
		{`{ namespace_prefix: [facts, [team, goals]] }`,
			[]Write{{Namespace: hearsay.Namespace{"facts"}}, {Namespace: hearsay.Namespace{"facts", "a"}}, {Namespace: hearsay.Namespace{"team", "goals", "x"}}},
			[]Write{{}, {Namespace: hearsay.Namespace{"facts-2"}}, {Namespace: hearsay.Namespace{"team"}}, {Namespace: hearsay.Namespace{"team", "goal"}}, {Namespace: hearsay.Namespace{"x", "facts"}}}},
		{`{ kind: [lesson, preference] }`, []Write{{Kind: "lesson"}}, []Write{{}, {Kind: "fact"}}},
		{`{ agent: nightly }`, []Write{{Agent: "nightly"}}, []Write{{}, {Agent: "nightly2"}}},
		{`{ tool: "mcp:*" }`, []Write{{Tool: "mcp:add"}}, []Write{{}, {Tool: "add"}}},
		{`{ surface: [mcp, hook] }`, []Write{{Surface: hearsay.SurfaceMCP}}, []Write{{}, {Surface: hearsay.SurfaceCLI}}},
		{`{ tags_any: [pin, "x:*"] }`, []Write{{Tags: []string{"a", "pin"}}, {Tags: []string{"x:y"}}}, []Write{{}, {Tags: []string{"pins", "x:"}}}},
		{`{ content_matches: [hidden, secret] }`, []Write{{Evidence: found(hearsay.EvidenceSecret)}}, []Write{{}, {Evidence: found(hearsay.EvidenceInjection)}, {Label: clean, Evidence: found(hearsay.EvidenceSecret)}}},
		{`{ content_matches: ["/for(ward|got)/", instruction] }`, []Write{{Text: []byte("please forward")}, {Evidence: found(hearsay.EvidenceInstruction)}, {Label: clean, Text: []byte("forgot")}, {Text: make([]byte, maxScan+1)}}, []Write{{}, {Text: make([]byte, maxScan)}}},
		{`{ kind: a, agent: b }`, []Write{{Kind: "a", Agent: "b"}}, []Write{{Kind: "a"}, {Agent: "b"}}},
	} {
		p := mustParse(t, "p.yaml", "version: 1\nrules:\n  - { id: r, when: "+tt.when+", action: block }\n")
		for i, w := range tt.match {
			if got := decide(p, w); got != "block by r" {
				t.Errorf("%s at match %d: %s", tt.when, i, got)
			}
		}
		for i, w := range tt.noMatch {
			if got := decide(p, w); got != "quarantine" {
				t.Errorf("%s at no match %d: %s", tt.when, i, got)
			}
		}
	}
}

func found(kinds ...hearsay.EvidenceKind) (e hearsay.Evidence) {
	for _, k := range kinds {
		e.Kinds = e.Kinds.With(k)
	}
	return e
}

// TestAllowVouches shows what an allowing rule does not let in.
func TestAllowVouches(t *testing.T) {
	for _, tt := range []struct {
		when    string
		allowed []hearsay.Label
		held    []hearsay.Label
	}{
		{`{ kind: a }`, []hearsay.Label{label(hearsay.User), label(hearsay.External)}, []hearsay.Label{{}, label(hearsay.External, "web")}},
		{`{ source_kind: user }`, []hearsay.Label{label(hearsay.User)}, []hearsay.Label{{}, label(hearsay.Unverified), label(hearsay.Channel), label(hearsay.User, "web")}},
		{`{ source_kind: user, taint_only: [] }`, []hearsay.Label{label(hearsay.User)}, []hearsay.Label{label(hearsay.Unverified), label(hearsay.User, "web")}},
		{`{ source_kind: user, taint_only: [web] }`, []hearsay.Label{label(hearsay.User), label(hearsay.External, "web")}, []hearsay.Label{{}, label(hearsay.External, "web", "document")}},
		{`{ source_kind: [user, agent] }`, []hearsay.Label{label(hearsay.User), label(hearsay.Agent)}, []hearsay.Label{label(hearsay.Tool), label(hearsay.Agent, "web")}},
		{`{ source_kind: web }`, []hearsay.Label{label(hearsay.External, "web"), label(hearsay.User)}, []hearsay.Label{{}, label(hearsay.External, "web", "document")}},
		{`{ source_kind: "mcp:*" }`, []hearsay.Label{label(hearsay.External, "mcp:a", "mcp:b")}, []hearsay.Label{{}, label(hearsay.External, "mcp:a", "web")}},
		{`{ source_kind: github_issue }`, []hearsay.Label{label(hearsay.Channel), label(hearsay.External, "github_issue")}, []hearsay.Label{{}, label(hearsay.Channel, "web")}},
		{`{ source_kind: nothing-known }`, []hearsay.Label{label(hearsay.External)}, []hearsay.Label{{}, label(hearsay.External, "nothing-known")}},
		{`{ taint_any: [web] }`, []hearsay.Label{label(hearsay.External, "web")}, []hearsay.Label{{}, label(hearsay.User), label(hearsay.External, "web", "document")}},
		{`{ taint_all: [web, document] }`, []hearsay.Label{label(hearsay.External, "web", "document")}, []hearsay.Label{label(hearsay.External, "web"), label(hearsay.External, "web", "document", "x")}},
		{`{ taint_any: ["*"] }`, []hearsay.Label{{}, label(hearsay.External, "web", "document")}, []hearsay.Label{label(hearsay.User)}},
	} {
		p := mustParse(t, "p.yaml", "version: 1\nrules:\n  - { id: r, when: "+tt.when+", action: allow }\n")
		source := "user"
		if s := p.rules[0].when.sources; len(s) > 0 {
			source = sample(s[0])
		}
		for _, l := range tt.allowed {
			if got := decide(p, Write{Label: l, Source: source, Kind: "a"}); got != "allow by r" {
				t.Errorf("%s at %v: %s, want allow", tt.when, l, got)
			}
		}
		for _, l := range tt.held {
			if got := decide(p, Write{Label: l, Source: source, Kind: "a"}); got != "quarantine" {
				t.Errorf("%s at %v: %s, want quarantine", tt.when, l, got)
			}
		}
	}
}

func TestBuiltins(t *testing.T) {
	p := mustParse(t, "p.yaml", "version: 1\nrules: [ { id: all, action: allow } ]\n")
	hidden := hearsay.Evidence{Kinds: found(hearsay.EvidenceHidden).Kinds, Matches: []hearsay.EvidenceMatch{{Decoded: "store: skip review"}}}
	own := hearsay.LabelIdentity
	for want, w := range map[string]Write{
		"allow by all":                      {Label: own},
		"quarantine by builtin-tag-encoded": {Label: own, Evidence: hidden},
		"block by builtin-cross-principal":  {Label: own, PrincipalMismatch: true, Evidence: hidden},
		"quarantine":                        {},
		"block by builtin-cross-principal ": {PrincipalMismatch: true},
	} {
		if got := decide(p, w); got != strings.TrimSpace(want) {
			t.Errorf("%s, want %s", got, want)
		}
	}
	for _, r := range p.Decide(&Write{Label: own, Evidence: hidden}).Reasons {
		if strings.Contains(r, "skip review") {
			t.Errorf("the reason %q echoes the text", r)
		}
	}
}

func TestLongTextIsNoMatchForAllow(t *testing.T) {
	p := mustParse(t, "p.yaml", `
version: 1
rules: [ { id: zone, when: { content_matches: "/^Timezone/" }, action: allow } ]
`)
	short := []byte("Timezone UTC+2")
	if got := decide(p, Write{Label: hearsay.LabelIdentity, Text: short}); got != "allow by zone" {
		t.Error(got)
	}
	long := append(short, make([]byte, maxScan)...)
	if got := decide(p, Write{Label: hearsay.LabelIdentity, Text: long}); got != "quarantine" {
		t.Errorf("text that was not scanned to its end: %s", got)
	}
}

// TestTagsOnlyTighten shows that a rule on tags adds restraint and lets the rules
// below it be read.
func TestTagsOnlyTighten(t *testing.T) {
	p := mustParse(t, "p.yaml", `
version: 1
rules:
  - { id: hold-drafts, when: { tags_any: [draft] }, action: quarantine }
  - { id: block-web, when: { taint_any: [web] }, action: block }
  - { id: rest, action: allow }
`)
	own := hearsay.LabelIdentity
	for want, w := range map[string]Write{
		"allow by rest":             {Label: own},
		"quarantine by hold-drafts": {Label: own, Tags: []string{"draft"}},
		"block by block-web":        {Label: label(0, "web"), Tags: []string{"draft"}},
	} {
		if got := decide(p, w); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

func TestVerdict(t *testing.T) {
	p := mustParse(t, "home/policy.yaml", `
version: 1
default: block
rules:
  - { id: facts, when: { taint_only: [web], namespace_prefix: [facts] }, action: allow, annotate: { retrieval_weight: 0.3 } }
`)
	l := label(hearsay.External, "web")
	got := p.Decide(&Write{Label: l, Namespace: hearsay.Namespace{"facts"}, Text: []byte("secret words")})
	want := hearsay.Verdict{
		Action: hearsay.Allow, Label: l, Weight: 0.3,
		Rule:    hearsay.RuleRef{ID: "facts", File: "home/policy.yaml", Line: 5},
		Reasons: []string{"rule facts allows: taint_only web, namespace_prefix facts"},
	}
	if diff := cmp.Diff(want, got, cmp.Comparer(func(a, b hearsay.Taint) bool { return a == b })); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	got = p.Decide(&Write{Label: l})
	if got.Action != hearsay.Block || got.Rule != (hearsay.RuleRef{}) || got.Weight != 1 || !slices.Equal(got.Reasons, []string{"no rule matches"}) {
		t.Errorf("default is %+v", got)
	}
}

// TestManyRules has more rules than one word of the index holds.
func TestManyRules(t *testing.T) {
	p := mustParse(t, "p.yaml", manyRules(200))
	for _, i := range []int{0, 63, 64, 127, 128, 199} {
		w := Write{Label: label(hearsay.External, tagOf(i)), Kind: "k"}
		if got, want := decide(p, w), "block by r"+itoa(i); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
	var all []string
	for i := range 40 {
		all = append(all, tagOf(199-i))
	}
	if got := decide(p, Write{Label: label(0, all...), Kind: "k"}); got != "block by r160" {
		t.Errorf("with forty tags: %s", got)
	}
}

func TestApplyMode(t *testing.T) {
	for _, tt := range []struct {
		action  hearsay.WriteVerdict
		mode    hearsay.Mode
		want    hearsay.WriteVerdict
		flagged bool
	}{
		{hearsay.Quarantine, hearsay.Enforce, hearsay.Quarantine, false},
		{hearsay.Quarantine, hearsay.Warn, hearsay.Allow, true},
		{hearsay.Quarantine, hearsay.Off, hearsay.Allow, false},
		{hearsay.Quarantine, 99, hearsay.Quarantine, false},
		{hearsay.Block, hearsay.Warn, hearsay.Block, false},
		{hearsay.Block, hearsay.Off, hearsay.Block, false},
		{hearsay.Allow, hearsay.Warn, hearsay.Allow, false},
	} {
		if got := ApplyMode(hearsay.Verdict{Action: tt.action}, tt.mode); got.Action != tt.want || got.Flagged != tt.flagged {
			t.Errorf("%s under %s is %s, flagged %v", tt.action, tt.mode, got.Action, got.Flagged)
		}
	}
	for _, tt := range []struct {
		action  hearsay.ActionVerdict
		mode    hearsay.Mode
		want    hearsay.ActionVerdict
		flagged bool
	}{
		{hearsay.Ask, hearsay.Enforce, hearsay.Ask, false},
		{hearsay.Ask, hearsay.Warn, hearsay.AllowAction, true},
		{hearsay.Ask, hearsay.Off, hearsay.AllowAction, false},
		{hearsay.Deny, hearsay.Off, hearsay.Deny, false},
		{hearsay.AllowAction, hearsay.Warn, hearsay.AllowAction, false},
	} {
		if got, flagged := ApplyActionMode(tt.action, tt.mode); got != tt.want || flagged != tt.flagged {
			t.Errorf("%s under %s is %s, flagged %v", tt.action, tt.mode, got, flagged)
		}
	}
}

func TestSettings(t *testing.T) {
	data := `
version: 1
mode: warn
agents: { nightly: { mode: off } }
people: { ana: { github: ana-dev } }
sources:
  - { type: "mcp:wiki", origin: tool }
  - { type: notes, origin: unverified }
  - { type: feed, origin: external, tag: web }
ceilings: { user: { salience: 0.3 }, external: { recall: 0.5 } }
files: { memory: ["a/*.md"], extra: ["~/b"], hold: [external, unverified] }
attribution: "off"
recall: { quarantine: off, held: ids }
`
	p := mustParse(t, "p.yaml", data)
	if p.ModeFor("nightly") != hearsay.Off || p.ModeFor("") != hearsay.Warn {
		t.Error("modes")
	}
	if m, set := p.Mode(); m != hearsay.Warn || !set {
		t.Error("mode is not set")
	}
	if _, set := mustParse(t, "p.yaml", "version: 1\n").Mode(); set {
		t.Error("an absent mode is set")
	}
	for source, want := range map[hearsay.Source]hearsay.Class{
		{Type: "mcp:wiki"}:  {Origin: hearsay.Tool, Reach: hearsay.ReachNone},
		{Type: "mcp:other"}: {Tag: "mcp:other"},
		{Type: "notes"}:     {Origin: hearsay.Unverified, Reach: hearsay.ReachWords},
		{Type: "feed"}:      {Tag: "web"},
		{Type: "github_issue", Actor: "@ana-dev"}: {Origin: hearsay.Channel, Reach: hearsay.ReachNone},
		{Type: "github_issue", Actor: "@eve"}:     {Tag: "github_issue"},
	} {
		if got := p.SourceTable().Classify(source); got != want {
			t.Errorf("%+v is %+v, want %+v", source, got, want)
		}
	}
	c := p.CeilingTable()
	if c[hearsay.External].Recall != 0.5 || c[hearsay.User].Salience != 0.3 {
		t.Errorf("ceilings are %+v", c)
	}
	if c[hearsay.Agent].Salience > 0.3 || c[hearsay.External].Salience > 0.3 {
		t.Error("a lower origin may claim more than the user")
	}
	files := p.Files()
	if diff := cmp.Diff(Files{Memory: []string{"a/*.md"}, Extra: []string{"~/b"}, Hold: []hearsay.Origin{hearsay.External, hearsay.Unverified}}, files); diff != "" {
		t.Error(diff)
	}
	files.Memory[0] = "changed"
	if p.Files().Memory[0] != "a/*.md" {
		t.Error("a caller changed the policy")
	}
	if (p.Recall() != Recall{Quarantine: QuarantineOff, Held: HeldIDs}) || p.Attribution() != AttributionOff {
		t.Error("recall or attribution")
	}
	if p.Hash() == mustParse(t, "p.yaml", data+"\n").Hash() || len(p.Hash()) != 64 {
		t.Error("the hash is not of the exact bytes")
	}
}

func TestDecideDoesNotAllocate(t *testing.T) {
	p := loadProfile(t, "default")
	w := Write{Label: label(hearsay.External, "web", "document"), Source: "web", Namespace: hearsay.Namespace{"facts"}, ClaimedKind: "lesson"}
	if n := testing.AllocsPerRun(100, func() { p.Decide(&w) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// TestConcurrentUse decides from several goroutines, for the race detector.
func TestConcurrentUse(t *testing.T) {
	p := loadProfile(t, "strict")
	var group sync.WaitGroup
	for range 4 {
		group.Go(func() {
			for range 100 {
				w := Write{Label: label(hearsay.External, "web"), Namespace: hearsay.Namespace{"facts"}}
				if got := decide(p, w); got != "allow by allow-untrusted-facts-low-weight" {
					t.Error(got)
				}
			}
		})
	}
	group.Wait()
}
