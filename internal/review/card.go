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
	"github.com/hearsay-memory/hearsay/internal/memfile"
	"github.com/hearsay-memory/hearsay/internal/reviewer"
	"github.com/hearsay-memory/hearsay/internal/tell"
	"github.com/hearsay-memory/hearsay/internal/term"
)

// Card is one record with all that a person decides by.
type Card struct {
	*guard.Shown
	trace  *guard.Trace
	Reason string // of the deciding rule, where the policy that decided is in force
	change string // of a write to files that waits: what it would make of them now
}

// LoadCard reads a record for a person. Text that was changed in the store is an error.
func LoadCard(ctx context.Context, in *instance.Instance, id hearsay.RecordID) (*Card, error) {
	shown, err := in.Guard.Show(ctx, id)
	if err != nil {
		return nil, err
	}
	trace, err := in.Guard.Trace(ctx, id)
	if err != nil {
		return nil, err
	}
	c := &Card{Shown: shown, trace: trace}
	if p := in.Guard.Policy(); p.Hash() == shown.Record.PolicyHash {
		for _, rule := range p.Rules() {
			if rule.ID == shown.Record.Rule {
				c.Reason = rule.Reason
			}
		}
	}
	if shown.Record.Rule == memfile.Overwrites {
		c.Reason = memfile.OverwritesReason
	}
	c.change, err = proposed(ctx, in, shown)
	return c, err
}

func (c *Card) ID() hearsay.RecordID { return c.Record.ID }

func (c *Card) What() string { return Memory }

// Decidable implements [Item].
func (c *Card) Decidable(d reviewer.Decision, _ int64) error {
	if c.Record.Standing != hearsay.Held {
		return fmt.Errorf("record %s is %s, not held: there is nothing to %s", c.Record.ID, c.Record.Standing, d)
	}
	return nil
}

// Decide implements [Item].
func (c *Card) Decide(ctx context.Context, in *instance.Instance, signer *reviewer.Signer, ch Choice) (string, error) {
	c.change = ""
	r, err := in.Decide(ctx, signer, c.Record, ch.Decision, ch.Note)
	if err != nil {
		return "", err
	}
	if r.Store == memfile.Store && r.Standing == hearsay.Released {
		became, err := released(ctx, in, r)
		if err == nil {
			c.change, err = offered(ctx, in, r.ID)
		}
		return became, err
	}
	return outcome(r), nil
}

// Facts prints what is known of the record, in words that are Hearsay's own or
// checked: no held and no foreign text.
func (c *Card) Facts(p *term.Printer) {
	r := c.Record
	rows := [][]any{
		{"record", r.ID},
		{"standing", fmt.Sprintf("%s, %s; written %s", r.Standing, r.Delivery, tell.Ago(r.Created, time.Now()))},
		{"label", p.Yellow(r.Label.String())},
		{"source", r.Source},
		{"rule", cmp.Or(r.Rule, "none matched") + tell.Prefixed(": ", c.Reason)},
	}
	if r.Attributed {
		rows = append(rows, []any{"words", tell.Attributed})
	}
	if len(r.Evidence) > 0 {
		rows = append(rows, []any{"found", p.Yellow(strings.Join(r.Evidence, ", "))})
	}
	rows = append(rows, []any{"session", fmt.Sprintf("%s, agent %s, by way of %s", r.Session, cmp.Or(r.Agent, "(default)"), r.Surface)})
	for _, clamp := range r.Clamps {
		rows = append(rows, []any{"claim", fmt.Sprintf("%s %g was lowered to %g", clamp.Field, clamp.From, clamp.To)})
	}
	for _, parent := range r.Parents {
		rows = append(rows, []any{"derived from", parent})
	}
	rows = append(rows, []any{"change", fmt.Sprintf("%s in %s of store %s, %d bytes", r.Op, cmp.Or(r.Namespace.String(), "the root"), r.Store, r.Bytes)})
	p.Table(nil, rows)
}

// outcome says what a decided record is now.
func outcome(r *event.Record) string {
	if r.Standing == hearsay.Released {
		return fmt.Sprintf("released; it goes to store %s with the next call there, label still %s", r.Store, r.Label)
	}
	return r.Standing.String()
}
