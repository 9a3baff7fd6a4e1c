package policy

import (
	"testing"

	"github.com/hearsay-memory/hearsay"
)

func shipped(t *testing.T, name string) *Policy {
	t.Helper()
	data, err := Profile(name)
	if err != nil {
		t.Fatal(err)
	}
	p, err := Parse(name+".yaml", data)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestDecideAction(t *testing.T) {
	const ask, allow, deny = hearsay.Ask, hearsay.AllowAction, hearsay.Deny
	for _, tt := range []struct {
		profile        string
		names          []string
		clean, tainted hearsay.ActionVerdict
	}{
		{"default", []string{"shell.execute"}, allow, allow},
		{"default", []string{"file.write"}, allow, allow},
		{"default", []string{"shell.execute", "shell.network"}, allow, ask},
		{"default", []string{"deploy.prod"}, allow, ask},
		{"default", []string{"memory.delete"}, allow, ask},
		{"default", []string{"delete"}, allow, allow},
		{"default", []string{"deployment"}, allow, allow},
		{"default", []string{"shell.execute", "database.drop"}, ask, deny},
		{"default", []string{"project.delete"}, ask, deny},
		{"default", nil, ask, ask},
		{"strict", []string{"shell.execute"}, allow, ask},
		{"strict", []string{"file.write"}, allow, ask},
		{"strict", []string{"mcp.write"}, allow, ask},
		{"strict", []string{"file.read"}, allow, allow},
	} {
		p := shipped(t, tt.profile)
		if d := p.DecideAction(tt.names, false); d.Verdict != tt.clean {
			t.Errorf("%s %v of a clean session: %s, want %s", tt.profile, tt.names, d.Verdict, tt.clean)
		}
		d := p.DecideAction(tt.names, true)
		if d.Verdict != tt.tainted {
			t.Errorf("%s %v of a tainted session: %s, want %s", tt.profile, tt.names, d.Verdict, tt.tainted)
		}
		if d.Absolute != (tt.tainted == deny) {
			t.Errorf("%s %v: absolute %v", tt.profile, tt.names, d.Absolute)
		}
	}
	var none *Policy
	if d := none.DecideAction([]string{"file.read"}, false); d.Verdict != ask {
		t.Errorf("no policy answers %s", d.Verdict)
	}
}

// More taint and more names never loosen an answer, whatever the policy says.
func TestActionsAreMonotone(t *testing.T) {
	verdicts := []string{"allow", "ask", "deny"}
	names := []string{"file.read", "deploy.run", "a.delete", "project.delete", "x.y.z", "own"}
	rank := map[hearsay.ActionVerdict]int{hearsay.AllowAction: 0, hearsay.Ask: 1, hearsay.Deny: 2}
	for _, tainted := range verdicts {
		for _, standard := range verdicts {
			p, err := Parse("p.yaml", []byte("version: 1\nactions: { privileged: [\"deploy.*\", \"*.delete\", \"*.y.*\"], forbidden: [own], tainted: "+tainted+", default: "+standard+" }\n"))
			if err != nil {
				continue // a policy that refuses the combination is as good
			}
			for _, a := range names {
				one := p.DecideAction([]string{a}, false)
				if bad := p.DecideAction([]string{a}, true); rank[bad.Verdict] < rank[one.Verdict] {
					t.Errorf("tainted %s default %s: %s goes from %s to %s with taint", tainted, standard, a, one.Verdict, bad.Verdict)
				}
				for _, b := range names {
					for _, dirty := range []bool{false, true} {
						if both, alone := p.DecideAction([]string{b, a}, dirty), p.DecideAction([]string{a}, dirty); rank[both.Verdict] < rank[alone.Verdict] {
							t.Errorf("%s with %s is weaker than alone", a, b)
						}
					}
				}
			}
		}
	}
}
