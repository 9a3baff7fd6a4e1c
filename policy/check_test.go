package policy

import (
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestCheck(t *testing.T) {
	sample, err := os.ReadFile("testdata/memlineage.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ name, policy, want string }{
		{"sample", string(sample), `
p.yaml:25: warning: more taint loosens the verdict of rule "allow-untrusted-facts-low-weight": quarantine by the default becomes allow at 0.3 by rule "allow-untrusted-facts-low-weight" (origin external, taint -, namespace facts); write taint_only in place of taint_any, or allow the cleaner write above it
`},
		{"empty", "version: 1\n", ``},
		{"names", `
version: 1
rules:
  - { id: a, when: { source_kind: usr }, action: allow }
  - { id: b, when: { taint_any: [wbe, "mcp:*", "mcp:wiki"] }, action: quarantine }
  - { id: c, when: { taint_only: ["nothing-like-it:*"] }, action: allow }
`, `
p.yaml:4: warning: rule "a": source_kind names "usr", which no source has; did you mean "user"?
p.yaml:5: warning: rule "b": taint_any names "wbe", which no source has; did you mean "web"?
p.yaml:6: warning: rule "c": taint_only names "nothing-like-it:*", which no source has
`},
		{"sources", `
version: 1
sources:
  - { type: web, origin: user }
  - { type: github_issue, actor: OWNER, origin: channel }
  - { type: github_issue, actor: NONE, origin: agent }
  - { type: "mcp:wiki", origin: tool }
  - { type: "mcp:*", origin: agent }
  - { type: mine, origin: external, reach: none }
trust: { "tool:browser": trusted }
`, `
p.yaml:4: warning: source "web" carries the words of strangers and speaks as user; use origin: tool, or name who may speak with actor
p.yaml:6: warning: source "github_issue" carries the words of strangers and speaks as agent; use origin: tool, or name who may speak with actor
p.yaml:8: warning: source "mcp:*" carries the words of strangers and speaks as agent; use origin: tool, or name who may speak with actor
p.yaml:9: warning: source "mine" is external and reaches only none: what it says does not taint the session; write reach: session
p.yaml:10: warning: source "tool:browser" carries the words of strangers and speaks as user; use origin: tool, or name who may speak with actor
`},
		{"settings", "version: 1\nmode: off\nactions: { privileged: [file.write], tainted: allow }\n", `
p.yaml: warning: actions.tainted is allow: a session that read something untrusted does what it likes; write tainted: ask
p.yaml: warning: mode is off: nothing is held; write mode: warn to see what would be held
`},
		{"gains", `
version: 1
rules:
  - { id: block-pure-web, when: { taint_only: [web], origin_at_most: external }, action: block }
  - { id: allow-web, when: { taint_any: [web] }, action: allow, annotate: { retrieval_weight: 0.5 } }
`, `
p.yaml:4: warning: rule "block-pure-web" restrains untainted writes too: taint_only says what a write has at most; add taint_any
p.yaml:4: warning: more taint loosens the verdict of rule "block-pure-web": block by rule "block-pure-web" becomes quarantine by the default (origin external, taint -); bound what it holds by taint_any, taint_all or origin_at_most alone
p.yaml:5: warning: more taint loosens the verdict of rule "allow-web": quarantine by the default becomes allow at 0.5 by rule "allow-web" (origin unverified, taint -); write taint_only in place of taint_any, or allow the cleaner write above it
`},
		{"evidence allows", `
version: 1
rules: [ { id: odd, when: { content_matches: secret }, action: allow } ]
`, `
p.yaml:3: warning: a finding of the lint loosens the verdict of rule "odd": quarantine by the default becomes allow by rule "odd" (origin external, taint -); allow the cleaner write above it
`},
		{"any taint", `
version: 1
rules: [ { id: all, when: { taint_any: ["*"] }, action: allow } ]
`, `
p.yaml:3: warning: rule "all" allows writes of any taint; name the taint that it may have
p.yaml:3: warning: more taint loosens the verdict of rule "all": quarantine by the default becomes allow by rule "all" (origin external, taint -); write taint_only in place of taint_any, or allow the cleaner write above it
`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var got strings.Builder
			for _, p := range Check(mustParse(t, "p.yaml", tt.policy)) {
				got.WriteString("\n" + p.String())
			}
			want := strings.TrimSuffix(tt.want, "\n")
			if diff := cmp.Diff(want, got.String()); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
