package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/event"
	"github.com/hearsay-memory/hearsay/guard"
	"github.com/hearsay-memory/hearsay/internal/instance"
	"github.com/hearsay-memory/hearsay/internal/reviewer"
	"github.com/hearsay-memory/hearsay/internal/term"
)

// The kinds of what is reviewed.
const (
	memoryItem = "memory"
	actionItem = "action"
)

// item is one thing that a person decides about, or did: a memory or an action.
type item interface {
	id() hearsay.RecordID
	what() string // memoryItem or actionItem
	// facts prints what is known of it in words that are Hearsay's own or checked.
	facts(*term.Printer)
	// words prints what others wrote, for the eyes of a person.
	words(*term.Printer)
	// decidable says why the decision cannot be made at a time, UTC ms; nil: it can.
	decidable(d reviewer.Decision, now int64) error
	// decide signs and seals a decision, and says what came of it.
	decide(ctx context.Context, in *instance.Instance, signer *reviewer.Signer, ch choice) (string, error)
	// offer prints, after a decision, what a person can do who wants what did not fit.
	offer(*term.Printer)
}

// choice is what a person decides. Scope is of actions that are let go on.
type choice struct {
	decision reviewer.Decision // approve, reject or override
	scope    string
	note     string
}

func (c choice) String() string {
	if c.scope == event.ScopeDirectory {
		return string(c.decision) + " for the directory"
	}
	return string(c.decision)
}

// loadItem reads what an id names. What was changed in the store is an error.
func loadItem(ctx context.Context, in *instance.Instance, id hearsay.RecordID) (item, error) {
	c, err := loadCard(ctx, in, id)
	if err == nil {
		return c, nil
	}
	if !errors.Is(err, guard.ErrNotFound) {
		return nil, err
	}
	q, err := loadQuestion(ctx, in, id)
	if errors.Is(err, guard.ErrNotFound) {
		return nil, fmt.Errorf("%s is no record and no question: %w; `hearsay review list --status all` shows the ids", id, guard.ErrNotFound)
	}
	if err != nil {
		return nil, err
	}
	return q, nil
}

// reviewQueue lists all that waits for a person at a time, UTC ms, oldest first.
func reviewQueue(ctx context.Context, in *instance.Instance, now int64) ([]hearsay.RecordID, error) {
	var ids []hearsay.RecordID
	for r, err := range in.Guard.List(ctx, guard.Query{Queue: event.QueueReview}) {
		if err != nil {
			return nil, err
		}
		ids = append(ids, r.ID)
	}
	for q, err := range in.Guard.Questions(ctx) {
		if err != nil {
			return nil, err
		}
		if guard.StateAt(q, now) == event.ActionWaiting {
			ids = append(ids, q.ID)
		}
	}
	slices.SortFunc(ids, byTime)
	return ids, nil
}

// byTime orders ids by the time that they were made at.
func byTime(a, b hearsay.RecordID) int { return bytes.Compare(a[:], b[:]) }

func nowMS() int64 { return time.Now().UnixMilli() }
