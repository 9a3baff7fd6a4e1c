package guard

import (
	"context"
	"errors"
	"fmt"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/event"
)

// MaxAuditHeld is how many memories one run of the audit holds at most: a scan that is
// wrong, or was made wrong, never empties a memory.
const MaxAuditHeld = 20

// Suspicion is a memory that an audit would hold, and the rule by which it found it.
type Suspicion struct {
	Record hearsay.RecordID
	Rule   string
}

// SealAudit holds the memories that an audit suspects, as [Guard.Quarantine] does, and
// seals the run, all in one transaction. What may not be held any more, as it was approved
// or revoked meanwhile, is counted under what was left. Of a, Found and Left are asked for.
func (g *Guard) SealAudit(ctx context.Context, c hearsay.Caller, a event.Audit, suspects []Suspicion) (*event.Audit, error) {
	if len(suspects) > MaxAuditHeld {
		return nil, refuse("an audit holds at most %d memories a run, not %d", MaxAuditHeld, len(suspects))
	}
	var run event.Audit
	_, err := g.store.Update(ctx, func(tx Tx) ([]event.Draft, error) {
		id, err := g.newID(tx.Now())
		if err != nil {
			return nil, err
		}
		run = event.Audit{ID: id, Principal: c.Principal, Found: a.Found, Left: a.Left}
		var drafts []event.Draft
		done := make(map[hearsay.RecordID]bool)
		for _, s := range suspects {
			if done[s.Record] {
				continue
			}
			done[s.Record] = true
			held, err := g.quarantine(ctx, tx, c, s.Record, "audit: "+s.Rule, tx.Seq()+int64(len(drafts)))
			switch {
			case errors.Is(err, ErrRefused), errors.Is(err, ErrNotFound):
				run.Left++
				continue
			case err != nil:
				return nil, err
			}
			drafts, run.Held = append(drafts, held), append(run.Held, s.Record)
		}
		return append(drafts, event.Draft{Event: event.Event{Kind: event.AuditFinding, Audit: &run}}), nil
	})
	if err != nil {
		return nil, fmt.Errorf("seal an audit: %w", err)
	}
	return &run, nil
}

// LastAudit returns the last run that was sealed for a principal, or [ErrNotFound].
func (g *Guard) LastAudit(ctx context.Context, principal string) (*event.Audit, error) {
	put, err := g.store.Get(ctx, event.Audits, event.AuditKey(principal))
	if err != nil {
		return nil, fmt.Errorf("the last audit: %w", err)
	}
	return event.DecodeAudit(put.Value)
}

// Taken counts, for each record, the sessions that took it in, as they were sealed: it is
// sealed once a session, of what is tainted and of memories of our own that are low in
// trust. Recalling something again in a session does not count.
func (g *Guard) Taken(ctx context.Context, principal string) (map[hearsay.RecordID]int, error) {
	taken := make(map[hearsay.RecordID]int)
	for entry, err := range g.store.Log(ctx, 0) {
		if err != nil {
			return nil, fmt.Errorf("read what sessions took in: %w", err)
		}
		if !event.Is(entry.Body, event.Recall) {
			continue
		}
		e, err := event.Decode(entry.Body)
		if err != nil {
			return nil, fmt.Errorf("entry %d: %w: %w", entry.Seq, ErrTampered, err)
		}
		if e.Session.Principal != principal {
			continue
		}
		for _, id := range e.Session.Records {
			taken[id]++
		}
	}
	return taken, nil
}
