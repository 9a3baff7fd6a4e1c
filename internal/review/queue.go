package review

import (
	"bytes"
	"context"
	"slices"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/event"
	"github.com/hearsay-memory/hearsay/guard"
	"github.com/hearsay-memory/hearsay/internal/instance"
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

// Selection is what review list is asked for.
type Selection struct {
	Status  string // held, released, rejected, unanswered or all
	ByAgent bool   // only what agent wrote or asks
	Agent   string
}

// Known reports whether there is such a status.
func (s *Selection) Known() bool { _, ok := statuses[s.Status]; return ok }

// List lists what is selected, oldest first. now is a time in UTC ms.
func (s *Selection) List(ctx context.Context, in *instance.Instance, now int64) ([]Listed, error) {
	var out []Listed
	want := statuses[s.Status]
	q := guard.Query{Match: func(r *event.Record) bool {
		return slices.Contains(want.records, r.Standing) && (!s.ByAgent || r.Agent == s.Agent)
	}}
	if s.Status == "held" {
		q.Queue = event.QueueReview
	}
	for r, err := range in.Guard.List(ctx, q) {
		if err != nil {
			return nil, err
		}
		out = append(out, Listed{id: r.ID, Record: r})
	}
	for q, err := range in.Guard.Questions(ctx) {
		if err != nil {
			return nil, err
		}
		if slices.Contains(want.questions, guard.StateAt(q, now)) && (!s.ByAgent || q.Agent == s.Agent) {
			out = append(out, Listed{id: q.ID, Question: q})
		}
	}
	// The ids bear the time that they were made at.
	slices.SortFunc(out, func(a, b Listed) int { return bytes.Compare(a.id[:], b.id[:]) })
	return out, nil
}

// Listed is one line of review list: a record or a question.
type Listed struct {
	id       hearsay.RecordID
	Record   *event.Record
	Question *event.Action
}

// Queue lists all that waits for a person at a time, UTC ms, oldest first.
func Queue(ctx context.Context, in *instance.Instance, now int64) ([]hearsay.RecordID, error) {
	list, err := (&Selection{Status: "held"}).List(ctx, in, now)
	if err != nil {
		return nil, err
	}
	ids := make([]hearsay.RecordID, len(list))
	for i, l := range list {
		ids[i] = l.id
	}
	return ids, nil
}

// Waiting counts what waits for a person at a time, UTC ms, by the session that it is of:
// memories that are held, and questions.
func Waiting(ctx context.Context, in *instance.Instance, now int64) (held, asking map[guard.SessionKey]int, err error) {
	list, err := (&Selection{Status: "held"}).List(ctx, in, now)
	if err != nil {
		return nil, nil, err
	}
	held, asking = make(map[guard.SessionKey]int), make(map[guard.SessionKey]int)
	for _, l := range list {
		if r := l.Record; r != nil {
			held[guard.SessionKey{Principal: r.Principal, ID: r.Session}]++
		} else {
			asking[guard.SessionKey{Principal: l.Question.Principal, ID: l.Question.Session}]++
		}
	}
	return held, asking, nil
}
