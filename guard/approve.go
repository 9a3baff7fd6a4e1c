package guard

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"slices"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/event"
	"github.com/hearsay-memory/hearsay/internal/reviewer"
)

// ShownAction is a question with its words, for a person. They must never reach a
// model: a target can hold foreign text.
type ShownAction struct {
	Action *event.Action
	Tool   string
	Target string
	Dir    string
}

// ShowAction returns a question for a person, checked against its commitment.
func (g *Guard) ShowAction(ctx context.Context, id hearsay.RecordID) (*ShownAction, error) {
	a, err := loadAction(ctx, g.store, id)
	if err != nil {
		return nil, err
	}
	q, err := g.questionOf(ctx, g.store, a)
	if err != nil {
		return nil, err
	}
	return &ShownAction{Action: a, Tool: q.Tool, Target: q.Target, Dir: q.Dir}, nil
}

// Questions yields every question that was ever asked and did not just go on, in the
// order of their ids, which is that of time. What became of one is told by [StateAt].
func (g *Guard) Questions(ctx context.Context) iter.Seq2[*event.Action, error] {
	return func(yield func(*event.Action, error) bool) {
		for put, err := range g.store.Rows(ctx, event.Actions) {
			if err != nil {
				yield(nil, fmt.Errorf("read questions: %w", err))
				return
			}
			a, err := event.DecodeAction(put.Value)
			if err != nil {
				yield(nil, err)
				return
			}
			// Each stands in a row of its own; a waiting one also in one of its place.
			if bytes.Equal(put.Key, event.ActionKey(a.ID)) && !yield(a, nil) {
				return
			}
		}
	}
}

// Waiting yields the questions of the principal that wait for a person at the moment,
// in the order of their ids.
func (g *Guard) Waiting(ctx context.Context, principal string) iter.Seq2[*event.Action, error] {
	return func(yield func(*event.Action, error) bool) {
		for a, err := range g.Questions(ctx) {
			if err != nil {
				yield(nil, err)
				return
			}
			if a.Principal == principal && a.State == event.ActionWaiting && a.Expires > now() && !yield(a, nil) {
				return
			}
		}
	}
}

// ActionStatement prepares what a reviewer signs to decide about a question as it
// stands now. Scope is of an approval: [event.ScopeOnce] or [event.ScopeDirectory].
func (g *Guard) ActionStatement(ctx context.Context, d reviewer.Decision, id hearsay.RecordID, scope, note string) (reviewer.Statement, error) {
	a, err := loadAction(ctx, g.store, id)
	if err != nil {
		return reviewer.Statement{}, err
	}
	st, err := g.blank(ctx, d, note)
	if err != nil {
		return reviewer.Statement{}, err
	}
	st.RecordID, st.ContentDigest, st.Subject = id.String(), a.Content, scope
	st.LabelOrigin, st.LabelTaint = a.Label.Origin.String(), a.Label.Taint.Tags()
	return st, nil
}

// DecideAction carries out a reviewer's decision about a question: approve it (once,
// or the action in its directory for 30 minutes), refuse it, or override the policy's
// denial, which needs a note that says why. What is denied absolutely stays so.
func (g *Guard) DecideAction(ctx context.Context, signed reviewer.Signed, note string) (*event.Action, error) {
	st := signed.Statement
	id, err := hearsay.ParseRecordID(st.RecordID)
	if err != nil {
		return nil, err
	}
	if st.NoteDigest == "" != (note == "") || note != "" && st.NoteDigest != noteDigest(st.Nonce, note) {
		return nil, refuse("the note is not the one that was signed")
	}
	var after *event.Action
	_, err = g.store.Update(ctx, func(tx Tx) ([]event.Draft, error) {
		a, err := loadAction(ctx, tx, id)
		if err != nil {
			return nil, err
		}
		kind, err := g.decided(a, st, note, tx.Now())
		if err != nil {
			return nil, err
		}
		if !sameQuestion(st, a) {
			return nil, refuse("question %s changed after it was signed: look at it again", id)
		}
		// What was shown must be what is approved.
		if _, err := g.questionOf(ctx, tx, a); err != nil {
			return nil, err
		}
		proof, err := g.accept(ctx, tx, signed)
		if err != nil {
			return nil, err
		}
		after = a
		return []event.Draft{{Event: event.Event{Kind: kind, Action: a, Proof: proof}, Side: event.Side{Note: note}}}, nil
	})
	if err != nil {
		return nil, fmt.Errorf("%s %s: %w", st.Decision, id, err)
	}
	return after, nil
}

// decided changes a question as the decision says.
func (g *Guard) decided(a *event.Action, st reviewer.Statement, note string, at int64) (event.Kind, error) {
	open := a.State == event.ActionWaiting && a.Expires > at
	switch st.Decision {
	case reviewer.Reject:
		if !open {
			return "", refuse("question %s does not wait any more: it is %s", a.ID, StateAt(a, at))
		}
		a.State, a.Expires = event.ActionRefused, 0
		return event.ActionDenied, nil
	case reviewer.ApproveAction:
		if !open {
			return "", refuse("question %s does not wait any more: it is %s; let the agent ask again", a.ID, StateAt(a, at))
		}
	case reviewer.Override:
		if note == "" {
			return "", refuse("an override needs a reason: give it as a note")
		}
		if d := g.policy.DecideAction(a.Names, a.Label.Tainted()); d.Absolute || g.policy.DecideAction(a.Names, true).Absolute {
			return "", refuse("%s is never overridden", d.Pattern)
		}
		if a.State != event.ActionRefused && a.State != event.ActionUnanswered && a.State != event.ActionWaiting {
			return "", refuse("question %s is %s: there is nothing to override", a.ID, StateAt(a, at))
		}
	default:
		return "", refuse("an action is approved, refused or overridden, not %s", st.Decision)
	}
	if st.Subject != event.ScopeOnce && st.Subject != event.ScopeDirectory {
		return "", refuse("unknown scope: want %s or %s", event.ScopeOnce, event.ScopeDirectory)
	}
	a.State, a.Scope, a.Expires = event.ActionApproved, st.Subject, at+approvedFor.Milliseconds()
	a.Approved = now()
	if st.Decision == reviewer.Override {
		return event.ActionOverride, nil
	}
	return event.ActionApprove, nil
}

// StateAt is what a question's state amounts to at a time: nobody answered in time is
// an answer.
func StateAt(a *event.Action, now int64) event.ActionState {
	if a.State == event.ActionWaiting && a.Expires <= now {
		return event.ActionUnanswered
	}
	return a.State
}

// sameQuestion reports whether a statement is about the question as it is.
func sameQuestion(st reviewer.Statement, a *event.Action) bool {
	return st.RecordID == a.ID.String() && st.ContentDigest == a.Content &&
		st.LabelOrigin == a.Label.Origin.String() && slices.Equal(st.LabelTaint, a.Label.Taint.Tags())
}

// Went tells the guard that the host let a call go on that was asked about: the person
// said yes to the host. Where nothing of that call waits it does nothing.
func (g *Guard) Went(ctx context.Context, c hearsay.Caller, call string) error {
	if call == "" {
		return nil
	}
	key := g.callKey(c, call)
	if items, err := g.store.Items(ctx, [][32]byte{key}); err != nil || len(items[key]) == 0 {
		return err
	}
	_, err := g.store.Update(ctx, func(tx Tx) ([]event.Draft, error) {
		known, err := questions(ctx, tx, [][32]byte{key})
		if err != nil {
			return nil, err
		}
		var drafts []event.Draft
		for _, k := range known {
			if a := k.action; a.State == event.ActionWaiting {
				a.State, a.Expires = event.ActionSpent, 0
				drafts = append(drafts, event.Draft{Event: event.Event{Kind: event.ActionAllowed, Action: a,
					Proof: &event.Proof{Level: reviewer.ProofClient.String(), Reviewer: "host"}}})
			}
		}
		return drafts, nil
	})
	if err != nil {
		return fmt.Errorf("seal that a call went on: %w", err)
	}
	return nil
}

// questionOf reads the words of a question, checked against their commitment.
func (g *Guard) questionOf(ctx context.Context, r Reader, a *event.Action) (q question, err error) {
	side, err := g.sideOf(ctx, r, a.Side, a.Content)
	if err == nil {
		err = json.Unmarshal(side.Content, &q)
	}
	if err == nil && (q.Agent != a.Agent || !slices.Equal(q.Names, a.Names)) {
		err = ErrTampered // what it amounts to is as much what a person decides by
	}
	if err != nil {
		return question{}, fmt.Errorf("question %s: %w", a.ID, err)
	}
	return q, nil
}
