package main

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/event"
	"github.com/hearsay-memory/hearsay/guard"
	"github.com/hearsay-memory/hearsay/internal/instance"
	"github.com/hearsay-memory/hearsay/internal/tell"
	"github.com/hearsay-memory/hearsay/internal/term"
)

// statuses are the words of --status, with what they mean for records and for questions.
var statuses = map[string]struct {
	records   []hearsay.Standing
	questions []event.ActionState
}{
	"held":       {[]hearsay.Standing{hearsay.Held}, []event.ActionState{event.ActionWaiting}},
	"released":   {[]hearsay.Standing{hearsay.Released}, []event.ActionState{event.ActionApproved, event.ActionSpent}},
	"rejected":   {[]hearsay.Standing{hearsay.Rejected}, []event.ActionState{event.ActionRefused}},
	"unanswered": {nil, []event.ActionState{event.ActionUnanswered}},
	"all": {[]hearsay.Standing{hearsay.Held, hearsay.Released, hearsay.Rejected},
		[]event.ActionState{event.ActionWaiting, event.ActionApproved, event.ActionSpent, event.ActionRefused, event.ActionUnanswered}},
}

// selection is what review list is asked for.
type selection struct {
	status  string // held, released, rejected, unanswered or all
	byAgent bool   // only what agent wrote or asks
	agent   string
}

// known reports whether there is such a status.
func (s *selection) known() bool { _, ok := statuses[s.status]; return ok }

// reviewListCommand lists memories and actions by where they stand, without a word of theirs.
func (a *app) reviewListCommand() *cobra.Command {
	var s selection
	c := &cobra.Command{
		Use:   "list",
		Short: "List what is held and what is asked, oldest first",
		Long: `List the memories that are held and the actions that agents ask about, oldest first,
none of their words. --status says which: held (and questions that wait), released (and
approved, or spent), rejected (and denied), unanswered (questions only) or all.`,
		Args: exactArgs(0),
		RunE: func(c *cobra.Command, _ []string) error {
			s.byAgent = c.Flags().Changed("agent")
			if !s.known() {
				return usageError("--status %q: say held, released, rejected, unanswered or all", s.status)
			}
			return a.reviewList(c.Context(), s)
		},
	}
	c.Flags().StringVar(&s.agent, "agent", "", "only what this agent wrote or asks")
	c.Flags().StringVar(&s.status, "status", "held", "held, released, rejected, unanswered or all")
	return a.jsonFlag(c)
}

// listed is one line of review list: a record or a question.
type listed struct {
	id       hearsay.RecordID
	record   *event.Record
	question *event.Action
}

// list lists what is selected, oldest first. now is a time in UTC ms.
func (s *selection) list(ctx context.Context, in *instance.Instance, now int64) ([]listed, error) {
	var out []listed
	want := statuses[s.status]
	q := guard.Query{Match: func(r *event.Record) bool {
		return slices.Contains(want.records, r.Standing) && (!s.byAgent || r.Agent == s.agent)
	}}
	if s.status == "held" {
		q.Queue = event.QueueReview
	}
	for r, err := range in.Guard.List(ctx, q) {
		if err != nil {
			return nil, err
		}
		out = append(out, listed{id: r.ID, record: r})
	}
	for q, err := range in.Guard.Questions(ctx) {
		if err != nil {
			return nil, err
		}
		if slices.Contains(want.questions, guard.StateAt(q, now)) && (!s.byAgent || q.Agent == s.agent) {
			out = append(out, listed{id: q.ID, question: q})
		}
	}
	slices.SortFunc(out, func(a, b listed) int { return byTime(a.id, b.id) })
	return out, nil
}

// recordJSON and questionJSON are what review says of an item with --json. The state of
// a question is the one that it has now.
type (
	recordJSON struct {
		What string `json:"what"`
		*event.Record
	}
	questionJSON struct {
		What  string            `json:"what"`
		State event.ActionState `json:"state"`
		*event.Action
		Tool     string `json:"tool,omitempty"`
		Target   string `json:"target,omitempty"`
		Dir      string `json:"dir,omitempty"`
		Withheld bool   `json:"words_withheld,omitempty"` // the output is no terminal
	}
)

func (a *app) reviewList(ctx context.Context, s selection) error {
	in, err := a.open(ctx, true)
	if err != nil {
		return err
	}
	defer in.Close()
	now := time.Now()
	list, err := s.list(ctx, in, now.UnixMilli())
	if err != nil {
		return err
	}
	p := a.printer()
	var rows [][]any
	for _, l := range list {
		if r := l.record; r != nil {
			if a.json {
				err = term.JSON(a.out, recordJSON{memoryItem, r})
			}
			rows = append(rows, []any{r.ID, memoryItem, r.Standing, tell.Ago(r.Created, now), r.Source, tell.Label(p, r.Label), r.Rule, r.Agent, r.Bytes})
		}
		if q := l.question; q != nil {
			state := guard.StateAt(q, now.UnixMilli())
			if a.json {
				err = term.JSON(a.out, questionJSON{What: actionItem, State: state, Action: q})
			}
			rows = append(rows, []any{q.ID, actionItem, state, tell.Ago(q.Asked, now), strings.Join(q.Names, " "), tell.Label(p, q.Label), cmp.Or(q.Rule, "(default)"), q.Agent})
		}
		if err != nil {
			return err
		}
	}
	if a.json {
		return nil
	}
	if len(rows) == 0 {
		p.Println("Nothing.")
		return p.Err()
	}
	p.Table([]string{"ID", "KIND", "STANDING", "SINCE", "SOURCE OR ACTION", "LABEL", "RULE", "AGENT", "BYTES"}, rows)
	return p.Err()
}
