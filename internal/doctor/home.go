package doctor

import (
	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/internal/instance"
	"github.com/hearsay-memory/hearsay/policy"
)

// home looks at modes, owners and links.
func (x *examination) home(in *instance.Instance) {
	found, err := in.Home.Check()
	if err != nil {
		x.cannot("home", err)
	}
	for _, f := range found {
		x.add("home", Fail, f.Fix, "%s is %s, wanted %s", f.Path, f.Found, f.Wanted)
	}
	if err == nil && len(found) == 0 {
		x.add("home", OK, "", "%s is private", in.Home.Dir())
	}
}

// policy judges what is in force, and how strictly; note says where that is not the file.
func (x *examination) policy(p *policy.Policy, note string) {
	if p == nil {
		x.add("policy", Fail, "", "%s", note)
		return
	}
	if note != "" {
		x.add("policy", Warn, "look at the file; if the change is yours, run `hearsay policy sign`", "%s", note)
	} else {
		x.add("policy", OK, "", "signed, %d rules, %.12s", len(p.Rules()), p.Hash())
	}
	switch mode, set := p.Mode(); {
	case mode != hearsay.Enforce:
		x.add("mode", Warn, "set `mode: enforce` and run `hearsay policy sign`", "%s: what should be held is let through", mode)
	case !set:
		x.add("mode", OK, "", "enforce, as the policy names none")
	default:
		x.add("mode", OK, "", "enforce")
	}
}

// limits says what no check here can change.
func (x *examination) limits(in *instance.Instance) {
	x.add("limits", Warn, "run agents as another user, or in a sandbox that cannot write "+in.Home.Dir(),
		"an agent that runs with your own rights can change these files and act as you: then hearsay finds it out, and does not prevent it")
}
