package story

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/policy"
)

// meaning says in words what the label means for what comes, under the policy in force.
func (x *Explained) meaning(p *policy.Policy) {
	tainted := x.Label.Tainted()
	if tainted {
		x.Writes = append(x.Writes, fmt.Sprintf("What its agent writes bears the label %s.", x.Label.Join(hearsay.Label{Origin: hearsay.Agent, Taint: hearsay.Untainted})))
	} else {
		x.Writes = append(x.Writes, "It took in nothing that taints: what its agent writes is the agent's own word.")
	}
	for _, ns := range x.places() {
		v := p.Decide(&policy.Write{
			Label: x.Label.Join(hearsay.Label{Origin: hearsay.Agent, Taint: hearsay.Untainted}), Source: "agent", SessionTainted: tainted, Namespace: ns, Agent: x.Agent,
		})
		does := map[hearsay.WriteVerdict]string{hearsay.Allow: "is let in", hearsay.Block: "is refused"}[v.Action]
		x.Writes = append(x.Writes, fmt.Sprintf("A write to %s %s, by %s.", cmp.Or(ns.String(), "the root"), cmp.Or(does, "is held for a person"), rule(v.Rule.ID)))
	}
	if tainted && p.Attribution() == policy.AttributionUserWords {
		x.Writes = append(x.Writes, "One whose words are all the user's own, typed in this session, is decided as the user's.")
	}
	if tainted {
		x.Writes = append(x.Writes, "A review releases a write and does not clean it; nothing cleans the session: begin a new one.")
	}
	x.Actions = actionsMean(p, tainted)
	switch p.ModeFor(x.Agent) {
	case hearsay.Warn:
		x.Writes = append(x.Writes, "The mode is warn: what would be held is let in, flagged.")
		x.Actions = append(x.Actions, "The mode is warn: what would ask goes on, flagged.")
	case hearsay.Off:
		x.Writes = append(x.Writes, "The mode is off: nothing of that is done.")
		x.Actions = append(x.Actions, "The mode is off: only the denials that nothing lifts are left.")
	}
}

// actionsMean says what becomes of actions.
func actionsMean(p *policy.Policy, tainted bool) []string {
	does := map[hearsay.ActionVerdict]string{hearsay.AllowAction: "go on", hearsay.Deny: "are denied"}
	acts := p.Actions()
	absolute := strings.Join(append([]string{"project.delete", "database.drop"}, acts.Forbidden...), ", ")
	rest := cmp.Or(does[acts.Default], "ask a person")
	if !tainted {
		return []string{fmt.Sprintf("Actions %s; %s ask a person or are denied.", rest, absolute)}
	}
	strict := acts.Default
	if strict.Weaker(acts.Tainted) {
		strict = acts.Tainted
	}
	var out []string
	if len(acts.Privileged) > 0 {
		out = append(out, fmt.Sprintf("Privileged actions %s: %s.", cmp.Or(does[strict], "ask a person first"), strings.Join(acts.Privileged, ", ")))
	}
	return append(out, fmt.Sprintf("%s are denied, and nothing lifts that.", absolute), fmt.Sprintf("All other actions %s.", rest))
}

// rule names a rule of the policy.
func rule(id string) string {
	if id == "" {
		return "the policy's default"
	}
	return "rule " + id
}
