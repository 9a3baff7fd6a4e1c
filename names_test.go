package hearsay_test

import (
	"encoding"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hearsay-memory/hearsay"
)

// named is a value that is stored under its name.
type named interface {
	~uint8
	encoding.TextMarshaler
	String() string
}

// readable is a pointer through which a T is read.
type readable[T any] interface {
	*T
	encoding.TextUnmarshaler
}

// checkNames tests a type whose values are, from zero on, the given names. The
// names are stored in logs and policies: they never change. Whatever is not one
// of them is an error and the zero value, which is the safe one.
func checkNames[T named, P readable[T]](t *testing.T, what string, parse func(string) (T, error), names ...string) {
	t.Helper()
	t.Run(what, func(t *testing.T) {
		rubbish := []string{"", " ", "0", "1", "null", "true", "none ", "\x00", "\xff", strings.Join(names, ",")}
		for i, name := range names {
			v := T(i)
			if got := v.String(); got != name {
				t.Errorf("%d prints as %q, want %q", i, got, name)
			}
			if b, err := v.MarshalText(); err != nil || string(b) != name {
				t.Errorf("%s: marshals as %q, %v", name, b, err)
			}
			if got, err := parse(name); err != nil || got != v {
				t.Errorf("%s: parsed as %v, %v", name, got, err)
			}
			var got T
			if err := P(&got).UnmarshalText([]byte(name)); err != nil || got != v {
				t.Errorf("%s: unmarshals as %v, %v", name, got, err)
			}
			rubbish = append(rubbish, strings.ToUpper(name), name+" ", " "+name, name+"\x00", name[:len(name)-1])
		}
		for _, s := range rubbish {
			if got, err := parse(s); err == nil || got != 0 {
				t.Errorf("%q: parsed as %v, %v", s, got, err)
			}
			got := T(len(names) - 1)
			if err := P(&got).UnmarshalText([]byte(s)); err == nil || got != 0 {
				t.Errorf("%q over %s: unmarshals as %v, %v", s, names[len(names)-1], got, err)
			}
		}
		for i := len(names); i <= 255; i++ {
			if got := T(i).String(); got != names[0] {
				t.Errorf("%d prints as %q, want the safe %q", i, got, names[0])
			}
			if b, err := T(i).MarshalText(); err != nil || string(b) != names[0] {
				t.Errorf("%d marshals as %q, %v", i, b, err)
			}
		}
	})
}

func TestNames(t *testing.T) {
	checkNames(t, "origin", hearsay.ParseOrigin, "external", "unverified", "tool", "agent", "channel", "user")
	checkNames(t, "reach", hearsay.ParseReach, "session", "words", "none")
	checkNames(t, "standing", hearsay.ParseStanding, "held", "allowed", "blocked", "released", "rejected", "revoked", "erased")
	checkNames(t, "delivery", hearsay.ParseDelivery, "undelivered", "intent", "applied", "unknown", "failed", "withdrawn")
	checkNames(t, "mode", hearsay.ParseMode, "enforce", "warn", "off")
	checkNames(t, "write verdict", hearsay.ParseWriteVerdict, "quarantine", "allow", "block")
	checkNames(t, "action verdict", hearsay.ParseActionVerdict, "ask", "allow", "deny")
}

func TestZeroValues(t *testing.T) {
	var (
		standing hearsay.Standing
		delivery hearsay.Delivery
		mode     hearsay.Mode
		reach    hearsay.Reach
		write    hearsay.WriteVerdict
		action   hearsay.ActionVerdict
		verdict  hearsay.Verdict
		rule     hearsay.RuleRef
	)
	if standing != hearsay.Held || standing.Visible() || delivery != hearsay.Undelivered {
		t.Errorf("a record is %v and %v", standing, delivery)
	}
	if mode != hearsay.Enforce || reach != hearsay.ReachSession {
		t.Errorf("mode %v, reach %v", mode, reach)
	}
	if write != hearsay.Quarantine || action != hearsay.Ask {
		t.Errorf("verdicts %v and %v", write, action)
	}
	if verdict.Action != hearsay.Quarantine || !verdict.Label.Tainted() || verdict.Label.Origin != hearsay.External || verdict.Flagged {
		t.Errorf("a verdict is %+v", verdict)
	}
	if got := rule.String(); got != "no rule" {
		t.Errorf("a rule is %q", got)
	}
}

func TestOriginLowTrust(t *testing.T) {
	for o := range 256 {
		want := o <= int(hearsay.Tool) || o > int(hearsay.User)
		if got := hearsay.Origin(o).LowTrust(); got != want {
			t.Errorf("%d: %v, want %v", o, got, want)
		}
	}
}

// Only what the policy let in or a person released comes back to an agent.
func TestStandingVisible(t *testing.T) {
	for s := range 256 {
		want := s == int(hearsay.Allowed) || s == int(hearsay.Released)
		if got := hearsay.Standing(s).Visible(); got != want {
			t.Errorf("%d: %v, want %v", s, got, want)
		}
	}
}

func TestWriteVerdictWeaker(t *testing.T) {
	order := []hearsay.WriteVerdict{hearsay.Allow, hearsay.Quarantine, hearsay.Block}
	for i, v := range order {
		for j, w := range order {
			if got := v.Weaker(w); got != (i < j) {
				t.Errorf("%v weaker than %v: %v", v, w, got)
			}
		}
	}
	if bogus := hearsay.WriteVerdict(9); bogus.Weaker(hearsay.Quarantine) || !hearsay.Allow.Weaker(bogus) {
		t.Error("a verdict outside the range restrains less than a quarantine")
	}
}

func TestRuleRefString(t *testing.T) {
	for want, r := range map[string]hearsay.RuleRef{
		"no rule":                    {File: "policy.yaml", Line: 3},
		"cross-principal":            {ID: "cross-principal"},
		"hold-web (policy.yaml:3)":   {ID: "hold-web", File: "policy.yaml", Line: 3},
		"hold-web (a dir/p.yaml:12)": {ID: "hold-web", File: "a dir/p.yaml", Line: 12},
	} {
		if got := r.String(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func TestEvidence(t *testing.T) {
	names := []string{"instruction", "injection", "hidden", "secret"}
	var all, none hearsay.EvidenceSet
	for i, name := range names {
		k := hearsay.EvidenceKind(i)
		if k.String() != name || none.Has(k) || !none.With(k).Has(k) {
			t.Errorf("%d: %q, in the empty set %v", i, k, none.Has(k))
		}
		all = all.With(k)
	}
	if diff := cmp.Diff(names, all.Names()); diff != "" {
		t.Errorf("names (-want +got):\n%s", diff)
	}
	if got := none.Names(); got != nil {
		t.Errorf("names of the empty set: %q", got)
	}
	if got := none.With(hearsay.EvidenceSecret).With(hearsay.EvidenceInstruction).Names(); !slices.Equal(got, []string{"instruction", "secret"}) {
		t.Errorf("names out of order: %q", got)
	}
	if got := hearsay.EvidenceKind(200).String(); got != "instruction" {
		t.Errorf("a kind outside the range prints as %q", got)
	}
	plain := hearsay.Evidence{Matches: []hearsay.EvidenceMatch{{Kind: hearsay.EvidenceHidden, Rule: "hidden.bidi"}}}
	spelt := hearsay.Evidence{Matches: append(slices.Clone(plain.Matches), hearsay.EvidenceMatch{Kind: hearsay.EvidenceHidden, Decoded: "x"})}
	if (hearsay.Evidence{}).TagEncoded() || plain.TagEncoded() || !spelt.TagEncoded() {
		t.Error("tag-encoded text is not told from other text")
	}
}

func TestSourceBaseType(t *testing.T) {
	for in, want := range map[string]string{
		"":                            "",
		"web":                         "web",
		"web_enriched":                "web",
		"web_enriched_enriched":       "web",
		"mcp:github_enriched":         "mcp:github",
		"_enriched":                   "",
		"_enriched_enriched_enriched": "",
		"web_enriched_":               "web_enriched_",
		"web_Enriched":                "web_Enriched",
		"web_enriched ":               "web_enriched ",
		"enriched":                    "enriched",
		"web_enriched_search":         "web_enriched_search",
	} {
		if got := (hearsay.Source{Type: in}).BaseType(); got != want {
			t.Errorf("%q: got %q, want %q", in, got, want)
		}
	}
}

func TestClassLabel(t *testing.T) {
	for name, c := range map[string]struct {
		class         hearsay.Class
		text, session hearsay.Label
	}{
		"zero taints unknown": {
			hearsay.Class{},
			hearsay.Label{}, hearsay.Label{},
		},
		"session with a tag": {
			hearsay.Class{Origin: hearsay.External, Tag: "web"},
			hearsay.Label{Taint: hearsay.NewTaint("web")}, hearsay.Label{Taint: hearsay.NewTaint("web")},
		},
		"session without a tag": {
			hearsay.Class{Origin: hearsay.User},
			hearsay.Label{Origin: hearsay.User}, hearsay.Label{Origin: hearsay.User},
		},
		"session with a malformed tag": {
			hearsay.Class{Origin: hearsay.Agent, Tag: "a b"},
			hearsay.Label{Origin: hearsay.Agent}, hearsay.Label{Origin: hearsay.Agent},
		},
		"words lower the origin alone": {
			hearsay.Class{Origin: hearsay.Unverified, Reach: hearsay.ReachWords, Tag: "dependency"},
			hearsay.Label{Origin: hearsay.Unverified, Taint: hearsay.Untainted}, hearsay.LabelIdentity,
		},
		"no reach": {
			hearsay.Class{Origin: hearsay.Tool, Reach: hearsay.ReachNone},
			hearsay.Label{Origin: hearsay.Tool, Taint: hearsay.Untainted}, hearsay.LabelIdentity,
		},
	} {
		t.Run(name, func(t *testing.T) {
			if got := c.class.Label(); got != c.text {
				t.Errorf("text: got %v, want %v", got, c.text)
			}
			if got := c.class.SessionLabel(); got != c.session {
				t.Errorf("session: got %v, want %v", got, c.session)
			}
		})
	}
}

// A prefix is whole segments (MC-028): acme does not see acme-corp.
func TestNamespaceHasPrefix(t *testing.T) {
	type ns = hearsay.Namespace
	for _, c := range []struct {
		n, prefix ns
		want      bool
	}{
		{ns{"tenant", "acme"}, ns{"tenant", "acme"}, true},
		{ns{"tenant", "acme", "notes"}, ns{"tenant", "acme"}, true},
		{ns{"tenant", "acme-corp"}, ns{"tenant", "acme"}, false},
		{ns{"tenant", "acme"}, ns{"tenant", "acme-corp"}, false},
		{ns{"tenant"}, ns{"tenant", "acme"}, false},
		{ns{"tenantacme"}, ns{"tenant"}, false},
		{ns{"ab", "c"}, ns{"a", "bc"}, false},
		{ns{"tenant/acme"}, ns{"tenant"}, false},
		{ns{"tenant", "acme"}, ns{"tenant/acme"}, false},
		{ns{"Tenant"}, ns{"tenant"}, false},
		{ns{"tenant"}, ns{""}, false},
		{ns{"tenant"}, nil, true},
		{nil, ns{}, true},
		{nil, ns{"tenant"}, false},
	} {
		if got := c.n.HasPrefix(c.prefix); got != c.want {
			t.Errorf("%q has the prefix %q: %v, want %v", []string(c.n), []string(c.prefix), got, c.want)
		}
	}
}

func TestNamespaceCheck(t *testing.T) {
	deep := func(n int) hearsay.Namespace { return slices.Repeat(hearsay.Namespace{"a"}, n) }
	for name, c := range map[string]struct {
		n  hearsay.Namespace
		ok bool
	}{
		"root":          {nil, true},
		"empty root":    {hearsay.Namespace{}, true},
		"plain":         {hearsay.Namespace{"lessons", "go"}, true},
		"as deep as it": {deep(64), true},
		"too deep":      {deep(65), false},
		"as long":       {hearsay.Namespace{strings.Repeat("a", 256)}, true},
		"too long":      {hearsay.Namespace{"a", strings.Repeat("a", 257)}, false},
		"empty segment": {hearsay.Namespace{"a", "", "b"}, false},
		"only empty":    {hearsay.Namespace{""}, false},
	} {
		if err := c.n.Check(); (err == nil) != c.ok {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestNamespaceJSON(t *testing.T) {
	for want, n := range map[string]hearsay.Namespace{
		`[]`:          nil,
		`["a / b"]`:   {"a / b"},
		`["a","b"]`:   {"a", "b"},
		`["a,b","]"]`: {"a,b", "]"},
	} {
		b, err := json.Marshal(n)
		if err != nil || string(b) != want {
			t.Errorf("%q: got %s, %v; want %s", []string(n), b, err, want)
		}
		var got hearsay.Namespace
		if err := json.Unmarshal(b, &got); err != nil || !slices.Equal(got, n) {
			t.Errorf("%s: got %q, %v", b, []string(got), err)
		}
	}
	if b, err := json.Marshal(hearsay.Namespace{}); err != nil || string(b) != `[]` {
		t.Errorf("the empty tuple: got %s, %v", b, err)
	}
	if got := (hearsay.Namespace{"lessons", "go"}).String(); got != "lessons / go" {
		t.Errorf("prints as %q", got)
	}
}
