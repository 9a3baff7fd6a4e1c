package review

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/event"
	"github.com/hearsay-memory/hearsay/guard"
	"github.com/hearsay-memory/hearsay/internal/instance"
	"github.com/hearsay-memory/hearsay/internal/reviewer"
	"github.com/hearsay-memory/hearsay/internal/tell"
	"github.com/hearsay-memory/hearsay/internal/term"
)

// Question is one action that an agent asks about, with all that a person decides by.
type Question struct {
	*guard.ShownAction
}

// loadQuestion reads a question for a person. One that was changed in the store is an error.
func loadQuestion(ctx context.Context, in *instance.Instance, id hearsay.RecordID) (*Question, error) {
	shown, err := in.Guard.ShowAction(ctx, id)
	if err != nil {
		return nil, err
	}
	return &Question{shown}, nil
}

func (q *Question) ID() hearsay.RecordID { return q.Action.ID }

func (q *Question) What() string { return Action }

func (q *Question) Facts(p *term.Printer) {
	a := q.Action
	rows := [][]any{
		{"question", a.ID},
		{"action", p.Bold(strings.Join(a.Names, ", "))},
		{"state", stateOf(a, time.Now())},
		{"label", tell.Label(p, a.Label)},
		{"rule", fmt.Sprintf("%s: %s", cmp.Or(a.Rule, "the policy's default"), a.Verdict)},
		{"agent", cmp.Or(a.Agent, "(default)")},
		{"session", fmt.Sprintf("%s, by way of %s", a.Session, a.Surface)},
	}
	if a.Flagged {
		rows = append(rows, []any{"flagged", p.Yellow("it goes on only because the mode is warn")})
	}
	p.Table(nil, rows)
}

// Words prints what the action is done to. It can be a stranger's words, so every line
// of it stands behind a bar and nothing in it hides.
func (q *Question) Words(p *term.Printer) {
	p.Table(nil, [][]any{{"tool", cmp.Or(q.Tool, "-")}, {"directory", cmp.Or(q.Dir, "-")}})
	p.Text(tell.Bar, q.Target)
}

// Decidable implements [Item].
func (q *Question) Decidable(d reviewer.Decision, now int64) error {
	state := guard.StateAt(q.Action, now)
	switch {
	case d == reviewer.Override || state == event.ActionWaiting:
		return nil
	case state == event.ActionUnanswered && d == reviewer.Approve:
		return fmt.Errorf("question %s is unanswered: its time is up, and nothing approves it; let the agent ask again", q.Action.ID)
	}
	return fmt.Errorf("question %s is %s and does not wait: there is nothing to %s", q.Action.ID, state, d)
}

// Decide implements [Item].
func (q *Question) Decide(ctx context.Context, in *instance.Instance, signer *reviewer.Signer, ch Choice) (string, error) {
	d := ch.Decision
	if d == reviewer.Approve {
		d = reviewer.ApproveAction
	}
	a, err := in.DecideAction(ctx, signer, q.Action, d, ch.Scope, ch.Note)
	if err != nil {
		return "", err
	}
	return stateOf(a, time.Now()), nil
}

// stateOf says for people what became of a question.
func stateOf(a *event.Action, now time.Time) string {
	asked := "asked " + tell.Ago(a.Asked, now)
	switch guard.StateAt(a, now.UnixMilli()) {
	case event.ActionWaiting:
		return fmt.Sprintf("waiting; %s, unanswered in %s", asked, tell.Left(a.Expires, now))
	case event.ActionApproved:
		how := "this call, once"
		if a.Scope == event.ScopeDirectory {
			how = "such actions in its directory"
		}
		if a.Expires <= now.UnixMilli() {
			return fmt.Sprintf("approved: %s; the approval ended at %s", how, tell.Instant(a.Expires))
		}
		return fmt.Sprintf("approved: %s, for %s more; the agent asks again and goes on", how, tell.Left(a.Expires, now))
	case event.ActionSpent:
		return "went on, by a person's word, which is spent; " + asked
	case event.ActionUnanswered:
		if a.Expires == 0 {
			return "unanswered, which is a denial: nobody could be asked; " + asked
		}
		return fmt.Sprintf("unanswered, which is a denial: nobody did until %s", tell.Instant(a.Expires))
	}
	return fmt.Sprintf("%s; %s", a.State, asked)
}

// Offer implements [Item]: a question has nothing to offer.
func (*Question) Offer(*term.Printer) {}
