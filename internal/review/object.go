package review

import (
	"github.com/hearsay-memory/hearsay/event"
	"github.com/hearsay-memory/hearsay/guard"
)

// RecordObject is what review says of a record with --json.
type RecordObject struct {
	What string `json:"what"` // Memory
	*event.Record
}

// QuestionObject is what review says of a question with --json.
type QuestionObject struct {
	What  string            `json:"what"`  // Action
	State event.ActionState `json:"state"` // that it has now
	*event.Action
	Tool     string `json:"tool,omitempty"`
	Target   string `json:"target,omitempty"`
	Dir      string `json:"dir,omitempty"`
	Withheld bool   `json:"words_withheld,omitempty"` // the output is no terminal
}

// Object is the question as JSON at a time, UTC ms, with or without its words.
func (q *Question) Object(now int64, words bool) QuestionObject {
	out := QuestionObject{What: Action, State: guard.StateAt(q.Action, now), Action: q.Action, Withheld: !words}
	if words {
		out.Tool, out.Target, out.Dir = q.Tool, q.Target, q.Dir
	}
	return out
}
