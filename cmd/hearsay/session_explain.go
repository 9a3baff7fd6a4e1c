package main

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/event"
	"github.com/hearsay-memory/hearsay/guard"
	"github.com/hearsay-memory/hearsay/internal/instance"
	"github.com/hearsay-memory/hearsay/internal/tell"
	"github.com/hearsay-memory/hearsay/internal/term"
	"github.com/hearsay-memory/hearsay/policy"
)

// explainMost bounds the records and the questions that people are shown at once.
const explainMost = 50

// explained is what session explain says of one session.
type explained struct {
	Session   string              `json:"session"`
	Principal string              `json:"principal"`
	Agent     string              `json:"agent,omitempty"`
	Live      bool                `json:"live"`
	Label     hearsay.Label       `json:"label"` // now; of a session that is not live, as it was sealed last
	Sank      []sessionEvent      `json:"sank"`  // what lowered the label, first to last
	Records   []explainedRecord   `json:"records"`
	Questions []explainedQuestion `json:"questions"`
	Writes    []string            `json:"means_for_writes"`
	Actions   []string            `json:"means_for_actions"`
}

// explainedRecord is a record that the session wrote after it sank.
type explainedRecord struct {
	ID         hearsay.RecordID  `json:"id"`
	Standing   hearsay.Standing  `json:"standing"`
	Delivery   hearsay.Delivery  `json:"delivery"`
	Label      hearsay.Label     `json:"label"`
	Namespace  hearsay.Namespace `json:"namespace"`
	Rule       string            `json:"rule"`
	Attributed bool              `json:"attributed,omitempty"`
}

// explainedQuestion is a question that the session asked after it sank.
type explainedQuestion struct {
	ID    hearsay.RecordID  `json:"id"`
	State event.ActionState `json:"state"`
	Names []string          `json:"names"`
	Rule  string            `json:"rule"`
}

// sessionExplain says what sank a session, what hangs on that and what its label means.
// One id of several principals is several sessions.
func (a *app) sessionExplain(ctx context.Context, id string) error {
	in, err := a.open(ctx, true)
	if err != nil {
		return err
	}
	defer in.Close()
	p := a.printer()
	story, err := sessionStory(ctx, in, id, p.Terminal())
	if err != nil {
		return err
	}
	var principals []string
	for _, e := range story {
		if !slices.Contains(principals, e.Principal) {
			principals = append(principals, e.Principal)
		}
	}
	for _, principal := range principals {
		x, err := explain(ctx, in, guard.SessionKey{Principal: principal, ID: id}, story, nowMS())
		if err != nil {
			return err
		}
		if a.json {
			err = term.JSON(a.out, x)
		} else {
			x.print(p)
		}
		if err != nil {
			return err
		}
	}
	return p.Err()
}

// explain reads what hangs on a session whose story is told.
func explain(ctx context.Context, in *instance.Instance, key guard.SessionKey, story []sessionEvent, now int64) (*explained, error) {
	x := &explained{Session: key.ID, Principal: key.Principal, Sank: []sessionEvent{}, Records: []explainedRecord{}, Questions: []explainedQuestion{}}
	for _, e := range story {
		if e.Principal != key.Principal {
			continue
		}
		x.Label = e.Label
		if e.Sank {
			x.Sank = append(x.Sank, e)
		}
	}
	live, err := in.Store.Sessions(ctx, &key.Principal, now)
	if err != nil {
		return nil, err
	}
	for _, s := range live {
		if s.Key == key {
			x.Live, x.Agent, x.Label = true, s.Agent, s.Label
		}
	}
	if len(x.Sank) > 0 {
		if err := x.touched(ctx, in.Guard, key, x.Sank[0].Seq, now); err != nil {
			return nil, err
		}
	}
	x.meaning(in.Guard.Policy())
	return x, nil
}

// touched collects what the session wrote and asked after an entry of the log.
func (x *explained) touched(ctx context.Context, g *guard.Guard, key guard.SessionKey, seq, now int64) error {
	mine := guard.Query{Match: func(r *event.Record) bool {
		return r.Session == key.ID && r.Principal == key.Principal && r.Exposure > seq
	}}
	for r, err := range g.List(ctx, mine) {
		if err != nil {
			return err
		}
		x.Records = append(x.Records, explainedRecord{r.ID, r.Standing, r.Delivery, r.Label, r.Namespace, r.Rule, r.Attributed})
	}
	for q, err := range g.Questions(ctx) {
		if err != nil {
			return err
		}
		if q.Session == key.ID && q.Principal == key.Principal && q.Side > seq {
			x.Questions = append(x.Questions, explainedQuestion{q.ID, guard.StateAt(q, now), q.Names, q.Rule})
		}
	}
	return nil
}

// meaning says in words what the label means for what comes, under the policy in force.
func (x *explained) meaning(p *policy.Policy) {
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

// places are the namespaces that the session wrote to since it sank; the root where none.
func (x *explained) places() []hearsay.Namespace {
	places := []hearsay.Namespace{}
	for _, r := range x.Records {
		if !slices.ContainsFunc(places, func(n hearsay.Namespace) bool { return slices.Equal(n, r.Namespace) }) && len(places) < 5 {
			places = append(places, r.Namespace)
		}
	}
	if len(places) == 0 {
		places = append(places, nil)
	}
	return places
}

// rule names a rule of the policy.
func rule(id string) string {
	if id == "" {
		return "the policy's default"
	}
	return "rule " + id
}

// print tells people.
func (x *explained) print(p *term.Printer) {
	where := "live"
	if !x.Live {
		where = "not live any more: whoever comes back with the id is tainted"
	}
	p.Printf("%s of %s, %s, %s\n\n", p.Bold("Session "+x.Session), x.Principal, tell.Label(p, x.Label), where)
	now := time.Now()
	for i, e := range x.Sank {
		first := "What sank it:"
		if i > 0 {
			first = "… and further:"
		}
		p.Printf("%s entry %d, %s (%s): %s → %s\n", first, e.Seq, tell.Instant(e.T), tell.Ago(e.T, now), e.read(), tell.Label(p, e.Label))
	}
	if len(x.Sank) == 0 {
		p.Println("Nothing sank it.")
	} else {
		x.printTouched(p)
	}
	p.Printf("\n%s\n", p.Bold("What the label means"))
	for _, line := range append(slices.Clone(x.Writes), x.Actions...) {
		p.Println("- " + line)
	}
}

// printTouched tells what was written and asked since.
func (x *explained) printTouched(p *term.Printer) {
	var written, asked [][]any
	for _, r := range x.Records[:min(len(x.Records), explainMost)] {
		words := "-"
		if r.Attributed {
			words = tell.Attributed
		}
		written = append(written, []any{r.ID, r.Standing, r.Delivery, tell.Label(p, r.Label), rule(r.Rule), words})
	}
	for _, q := range x.Questions[:min(len(x.Questions), explainMost)] {
		asked = append(asked, []any{q.ID, q.State, strings.Join(q.Names, " "), cmp.Or(q.Rule, "the policy's default")})
	}
	p.Printf("\n%s\n", p.Bold(fmt.Sprintf("Written since: %d", len(x.Records))))
	if len(written) > 0 {
		p.Table([]string{"id", "standing", "delivery", "label", "by", "words"}, written)
	}
	if n := len(x.Records) - len(written); n > 0 {
		p.Printf("and %d more: hearsay ls --session %s --limit 0\n", n, x.Session)
	}
	p.Printf("\n%s\n", p.Bold(fmt.Sprintf("Asked since: %d", len(x.Questions))))
	if len(asked) > 0 {
		p.Table([]string{"id", "state", "action", "rule"}, asked)
	}
	if n := len(x.Questions) - len(asked); n > 0 {
		p.Printf("and %d more: hearsay review list --status all\n", n)
	}
}

// read says for people what an event took in.
func (e *sessionEvent) read() string {
	if e.Kind == event.SessionStart {
		return "it began so: it was resumed and nobody knew what it had read, or a tainted session began it"
	}
	return string(e.Kind) + tell.Prefixed(" ", tell.TakenIn(e.Source, e.Ref, e.Records))
}
