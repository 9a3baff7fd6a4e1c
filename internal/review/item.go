package review

import (
	"context"
	"errors"
	"fmt"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/event"
	"github.com/hearsay-memory/hearsay/guard"
	"github.com/hearsay-memory/hearsay/internal/instance"
	"github.com/hearsay-memory/hearsay/internal/reviewer"
	"github.com/hearsay-memory/hearsay/internal/term"
)

// The kinds of what is reviewed.
const (
	Memory = "memory"
	Action = "action"
)

// Item is one thing that a person decides about, or did: a memory or an action.
type Item interface {
	ID() hearsay.RecordID
	What() string // Memory or Action
	// Facts prints what is known of it in words that are Hearsay's own or checked.
	Facts(*term.Printer)
	// Words prints what others wrote, for the eyes of a person.
	Words(*term.Printer)
	// Decidable says why the decision cannot be made at a time, UTC ms; nil: it can.
	Decidable(d reviewer.Decision, now int64) error
	// Decide signs and seals a decision, and says what came of it.
	Decide(ctx context.Context, in *instance.Instance, signer *reviewer.Signer, ch Choice) (string, error)
	// Offer prints, after a decision, what a person can do who wants what did not fit.
	Offer(*term.Printer)
}

// Choice is what a person decides. Scope is of actions that are let go on.
type Choice struct {
	Decision reviewer.Decision // approve, reject or override
	Scope    string
	Note     string
}

func (c Choice) String() string {
	if c.Scope == event.ScopeDirectory {
		return string(c.Decision) + " for the directory"
	}
	return string(c.Decision)
}

// Load reads what an id names. What was changed in the store is an error.
func Load(ctx context.Context, in *instance.Instance, id hearsay.RecordID) (Item, error) {
	c, err := LoadCard(ctx, in, id)
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
