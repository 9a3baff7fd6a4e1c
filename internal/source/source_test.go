package source

import (
	"slices"
	"strings"
	"testing"

	"github.com/hearsay-memory/hearsay"
)

// class returns a class that does not taint.
func class(o hearsay.Origin, r hearsay.Reach) hearsay.Class {
	return hearsay.Class{Origin: o, Reach: r}
}

func external(tag string) hearsay.Class { return hearsay.Class{Tag: tag} }

func TestDefault(t *testing.T) {
	user, channel := class(hearsay.User, hearsay.ReachNone), class(hearsay.Channel, hearsay.ReachNone)
	agent, tool := class(hearsay.Agent, hearsay.ReachNone), class(hearsay.Tool, hearsay.ReachNone)
	words := class(hearsay.Unverified, hearsay.ReachWords)
	for _, tt := range []struct {
		kind, actor string
		want        hearsay.Class
	}{
		{"user", "", user}, {"system", "", user}, {"manual", "", user},
		{"user_enriched", "", user},
		{"github_issue", "OWNER", channel}, {"github_issue", "MEMBER", channel}, {"github_pull_request", "COLLABORATOR", channel},
		{"github_issue", "CONTRIBUTOR", external("github_issue")}, {"github_issue", "NONE", external("github_issue")},
		{"github_issue", "", external("github_issue")}, {"github_issue", "owner", external("github_issue")},
		{"github_issue", "@MEMBER", external("github_issue")}, // an account by that name
		{"github_issue", "known", external("github_issue")},   // and one that is called as the condition is
		{"github_issue_enriched_enriched", "OWNER", channel},
		{"github_comment", "OWNER", channel}, {"github_issue_comment", "NONE", external("github_issue_comment")},
		{"github_review", "", external("github_review")}, {"github_commit", "MEMBER", channel},
		{"slack_message", "U1", external("slack_message")}, {"slack_message", "OWNER", external("slack_message")},
		{"discord_message", "", external("discord_message")}, {"channel:irc", "ana", external("channel:irc")},
		{"cron:nightly-17", "", agent}, {"agent", "", agent}, {"subagent", "", agent},
		{"workspace_file", "", tool}, {"github_file", "", tool}, {"github_symbol", "", tool},
		{"github_line_chunk", "", tool}, {"extracted_decision", "", tool}, {"tool:read", "", tool},
		{"dependency", "", words}, {"baseline", "", words}, {"hand_edit", "", words}, {"transcript", "", words}, {"import", "", words},
		{"document", "", external("document")}, {"web", "", external("web")}, {"web_enriched", "", external("web")},
		{"web_search", "", external("web_search")}, {"tool:browser", "", external("tool:browser")},
		{"tool:email_read", "", external("tool:email_read")}, {"email_message", "", external("email_message")},
		{"notion_page", "", external("notion_page")}, {"confluence_page", "", external("confluence_page")},
		{"google_doc", "", external("google_doc")}, {"meetings_message", "", external("meetings_message")},
		{"mcp:github", "", external("mcp:github")}, {"network_output", "", external("network_output")},
		{"external_marked", "", external("external_marked")},
		{"tool:browser_enriched", "", external("tool:browser")},
	} {
		if got := Default().Classify(hearsay.Source{Type: tt.kind, Actor: tt.actor}); got != tt.want {
			t.Errorf("%s by %q is %+v, want %+v", tt.kind, tt.actor, got, tt.want)
		}
	}
}

func TestUnknown(t *testing.T) {
	for _, kind := range []string{
		"", "usr", "USER", "user ", " user", "user\x00", "user\n", "us\u00e9r", "user,web", "_enriched", "unknown",
		"mcp:", "mcp", "mcp:*x y", "cron:", ":", "::", "tool", strings.Repeat("a", 10_000), "mcp:" + strings.Repeat("a", 200), "\xff",
	} {
		if got := Default().Classify(hearsay.Source{Type: kind, Actor: "OWNER"}); got != (hearsay.Class{}) {
			t.Errorf("%.20q is %+v, want the zero class", kind, got)
		}
	}
	for name, table := range map[string]*Table{"nil": nil, "zero": {}} {
		if got := table.Classify(hearsay.Source{Type: "user"}); got != (hearsay.Class{}) {
			t.Errorf("%s table: user is %+v", name, got)
		}
		if table.Floor("user") != (hearsay.Label{}) || table.Person(hearsay.Source{Type: "user", Actor: "a"}) != "" || len(table.Types()) != 0 {
			t.Errorf("%s table knows something", name)
		}
	}
}

func TestOwnEntries(t *testing.T) {
	tool := class(hearsay.Tool, hearsay.ReachNone)
	table := New([]Entry{
		{Type: "mcp:wiki", Class: tool},
		{Type: "mcp:team:*", Class: class(hearsay.Agent, hearsay.ReachNone)},
		{Type: "tool:*", Class: class(hearsay.User, hearsay.ReachNone)},
		{Type: "web", Class: hearsay.Class{Origin: hearsay.Unverified, Tag: "pages"}},
		{Type: "github_issue", Actors: []string{"@bot", "CONTRIBUTOR"}, Class: tool},
		{Type: "not valid", Class: class(hearsay.User, hearsay.ReachNone)},
		{Type: "unknown", Class: class(hearsay.User, hearsay.ReachNone)},
	}, People{
		"ana": {"github": "ana-dev", "slack": "U1", "irc": "ana"},
		"bob": {"slack": "U2", "discord": "7", "shared": "x"},
		"cy":  {"shared": "x", "slack": ""},
	})
	channel := class(hearsay.Channel, hearsay.ReachNone)
	for _, tt := range []struct {
		kind, actor string
		want        hearsay.Class
	}{
		{"mcp:wiki", "", tool},
		{"mcp:wiki2", "", external("mcp:wiki2")},
		{"mcp:team:a", "", class(hearsay.Agent, hearsay.ReachNone)},
		{"mcp:team", "", external("mcp:team")},
		{"tool:read", "", class(hearsay.User, hearsay.ReachNone)},
		{"tool:browser", "", external("tool:browser")}, // exact beats the policy's own family
		{"web", "", hearsay.Class{Origin: hearsay.Unverified, Tag: "pages"}},
		{"github_issue", "@bot", tool},
		{"github_issue", "CONTRIBUTOR", tool},
		{"github_issue", "OWNER", channel}, // falls to what ships
		{"github_issue", "@ana-dev", channel},
		{"github_issue", "@eve", external("github_issue")},
		{"slack_message", "U1", channel},
		{"slack_message", "ana-dev", external("slack_message")}, // another connector's id
		{"slack_message", "", external("slack_message")},
		{"discord_message", "7", channel},
		{"channel:irc", "ana", channel},
		{"channel:shared", "x", external("channel:shared")}, // whose is it?
		{"not valid", "", hearsay.Class{}},
		{"unknown", "", hearsay.Class{}},
	} {
		if got := table.Classify(hearsay.Source{Type: tt.kind, Actor: tt.actor}); got != tt.want {
			t.Errorf("%s by %q is %+v, want %+v", tt.kind, tt.actor, got, tt.want)
		}
	}
	if got := table.Person(hearsay.Source{Type: "slack_message", Actor: "U2"}); got != "bob" {
		t.Errorf("U2 is %q", got)
	}
}

// TestFloor shows that the floor of a type is at or below every class that a
// source of it can have.
func TestFloor(t *testing.T) {
	table := New([]Entry{
		{Type: "mcp:wiki", Class: class(hearsay.Tool, hearsay.ReachNone)},
		{Type: "bot", Actors: []string{"@a"}, Class: class(hearsay.Channel, hearsay.ReachNone)},
	}, nil)
	for kind, want := range map[string]hearsay.Label{
		"user":         hearsay.LabelIdentity,
		"agent":        {Origin: hearsay.Agent, Taint: hearsay.Untainted},
		"web":          {Taint: hearsay.NewTaint("web")},
		"github_issue": {Taint: hearsay.NewTaint("github_issue")},
		"mcp:wiki":     {Origin: hearsay.Tool, Taint: hearsay.Untainted},
		"mcp:*":        {Taint: hearsay.NewTaint("mcp:x", "unknown")},
		"bot":          {},
		"cron:*":       {Origin: hearsay.Agent, Taint: hearsay.Untainted},
		"nothing":      {},
	} {
		if got := table.Floor(kind); got != want {
			t.Errorf("floor of %s is %v, want %v", kind, got, want)
		}
	}
	tools := table.Floor("tool:*")
	for _, kind := range []string{"tool:read", "tool:browser", "tool:email_read"} {
		if l := table.Classify(hearsay.Source{Type: kind}).Label(); tools.Join(l) != tools {
			t.Errorf("%v of %s is not above %v", l, kind, tools)
		}
	}
}

// TestPayloadNeverRaises shows that no actor and no suffix raises a foreign type,
// but for the associations of insiders.
func TestPayloadNeverRaises(t *testing.T) {
	for _, e := range defaults {
		if e.Class.Origin != hearsay.External || len(e.Actors) > 0 {
			continue
		}
		kind := strings.Replace(e.Type, "*", "x", 1)
		for _, actor := range []string{"", "user", "known", "@OWNER", "owner", "admin", "ana\x00", "*"} {
			for _, suffix := range []string{"", "_enriched"} {
				if c := Default().Classify(hearsay.Source{Type: kind + suffix, Actor: actor}); c.Origin != hearsay.External || c.Reach != hearsay.ReachSession {
					t.Errorf("%s by %q is %+v", kind+suffix, actor, c)
				}
			}
		}
	}
}

func TestDefaultsAreWellFormed(t *testing.T) {
	for _, e := range defaults {
		if err := CheckType(e.Type); err != nil {
			t.Error(err)
		}
	}
	if types := Default().Types(); !slices.IsSorted(types) || !slices.Contains(types, "mcp:*") {
		t.Errorf("types are %v", types)
	}
}

func TestCheckType(t *testing.T) {
	for _, bad := range []string{"", "*", ":*", "a*", "a:*b", "*:a", "a:*:*", "a b", "web_enriched", "unknown", strings.Repeat("a", 97)} {
		if CheckType(bad) == nil {
			t.Errorf("%q passes", bad)
		}
	}
	for _, good := range []string{"web", "mcp:*", "mcp:a:*", "cron:nightly-17", "tool:a.b/c"} {
		if err := CheckType(good); err != nil {
			t.Error(err)
		}
	}
}

func BenchmarkClassify(b *testing.B) {
	exact := map[string]hearsay.Class{"web": external("web")}
	b.Run("floor=map", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if exact["web"].Tag != "web" {
				b.Fatal("wrong class")
			}
		}
	})
	for _, s := range []hearsay.Source{{Type: "web"}, {Type: "mcp:github"}, {Type: "github_issue", Actor: "MEMBER"}, {Type: "web_enriched"}} {
		b.Run("type="+s.Type, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if c := Default().Classify(s); c.Tag == "" && c.Origin == hearsay.External {
					b.Fatal("unknown")
				}
			}
		})
	}
}

func TestClassifyDoesNotAllocate(t *testing.T) {
	table := Default()
	for _, s := range []hearsay.Source{{Type: "web"}, {Type: "mcp:github"}, {Type: "github_issue", Actor: "MEMBER"}, {Type: "nothing"}} {
		if n := testing.AllocsPerRun(100, func() { table.Classify(s) }); n != 0 {
			t.Errorf("%s: %v allocations", s.Type, n)
		}
	}
}

func FuzzClassify(f *testing.F) {
	f.Add("github_issue_enriched", "OWNER")
	f.Add("mcp:a:b", "")
	f.Add("::", "@")
	f.Fuzz(func(t *testing.T, kind, actor string) {
		got := Default().Classify(hearsay.Source{Type: kind, Actor: actor})
		if l := got.Label(); got.Reach == hearsay.ReachSession && !l.Tainted() {
			t.Fatalf("%q reaches the session and does not taint: %+v", kind, got)
		}
		if again := Default().Classify(hearsay.Source{Type: kind + "_enriched", Actor: actor}); again != got {
			t.Fatalf("a rewrite of %q is %+v, not %+v", kind, again, got)
		}
		if floor := Default().Floor(hearsay.Source{Type: kind}.BaseType()); !strings.HasSuffix(kind, "*") && floor.Join(got.Label()) != floor {
			t.Fatalf("%+v of %q is below its floor %v", got, kind, floor)
		}
	})
}
