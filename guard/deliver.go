package guard

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/event"
	"github.com/hearsay-memory/hearsay/internal/reviewer"
	"github.com/hearsay-memory/hearsay/ledger"
)

// Outcome is what a surface saw become of a write that it let through.
type Outcome struct {
	Delivery hearsay.Delivery // Applied, UnknownDelivery, Failed or Withdrawn
	Landed   []Item           // of an applied write: the things seen to land, or seen gone after a deletion
}

// Applied seals what came of a write that was let through. It is the end of
// intent → applied | unknown | failed: saying the same again changes nothing, and
// an outcome that contradicts a sealed one is refused. An unknown delivery can
// later be resolved to applied or failed.
func (g *Guard) Applied(ctx context.Context, c hearsay.Caller, id hearsay.RecordID, o Outcome) error {
	_, err := g.store.Update(ctx, func(tx Tx) ([]event.Draft, error) {
		r, err := loadRecord(ctx, tx, id)
		if err != nil {
			return nil, err
		}
		if r.Principal != c.Principal {
			return nil, fmt.Errorf("record %s: %w", id, ErrNotFound)
		}
		if r.Delivery == o.Delivery {
			return nil, nil
		}
		if !canBecome(r, o.Delivery) {
			return nil, refuse("record %s is %s and %s: it cannot become %s", id, r.Standing, r.Delivery, o.Delivery)
		}
		r.Delivery = o.Delivery
		if err := g.landed(ctx, tx, r, o); err != nil {
			return nil, err
		}
		return []event.Draft{{Event: event.Event{Kind: event.WriteApplied, Record: r}}}, nil
	})
	if err != nil {
		return fmt.Errorf("what came of the write was not sealed: %w", err)
	}
	return nil
}

// canBecome says whether the record's delivery can become d.
func canBecome(r *event.Record, d hearsay.Delivery) bool {
	open := r.Delivery == hearsay.Intent || r.Delivery == hearsay.UnknownDelivery
	switch d {
	case hearsay.Applied, hearsay.Failed:
		return open
	case hearsay.UnknownDelivery:
		return r.Delivery == hearsay.Intent
	case hearsay.Withdrawn:
		return (open || r.Delivery == hearsay.Applied) && (r.Standing == hearsay.Revoked || r.Standing == hearsay.Erased)
	}
	return false
}

// landed brings the items of a record in line with its outcome.
func (g *Guard) landed(ctx context.Context, tx Tx, r *event.Record, o Outcome) error {
	switch {
	case o.Delivery == hearsay.Applied && r.Op != event.Delete:
		for _, it := range o.Landed {
			if err := tx.PutItem(StoredItem{Key: g.ItemKey(r.Store, it), Record: r.ID, State: ItemLanded, Landed: tx.Seq()}); err != nil {
				return err
			}
		}
	case o.Delivery == hearsay.Applied, o.Delivery == hearsay.Withdrawn:
		keys := make([][32]byte, len(o.Landed))
		for i, it := range o.Landed {
			keys[i] = g.ItemKey(r.Store, it)
		}
		known, err := tx.Items(ctx, keys, ItemLanded)
		if err != nil {
			return err
		}
		for _, k := range keys {
			for _, it := range known[k] {
				it.State = ItemGone
				if err := tx.PutItem(it); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// Task is something that a surface has to carry out in a downstream store.
type Task struct {
	Record  *event.Record
	Content []byte // the exact bytes that were let in
	// Withdraw says that what the record put there has to be taken out; else the
	// write is to be applied, or, where Begun, looked for.
	Withdraw bool
	Begun    bool // somebody may have applied it already: read it back, do not repeat it

	seq int64 // of the entry by which the record stands as it does
}

// idTime is how many bytes of a record's id are its time.
const idTime = 6

// Tasks returns what waits to be done in a store for the caller's principal, oldest
// first. A surface takes the store's lock before it asks, so that what looks begun
// is not under way elsewhere.
func (g *Guard) Tasks(ctx context.Context, c hearsay.Caller, store string) ([]Task, error) {
	var tasks []Task
	q := Query{Queue: event.QueueDelivery, Match: func(r *event.Record) bool {
		return r.Principal == c.Principal && r.Store == store
	}}
	for r, err := range g.store.Scan(ctx, q) {
		if err != nil {
			return nil, fmt.Errorf("find what waits to be applied: %w", err)
		}
		seq, err := g.sealed(ctx, r)
		if err != nil {
			return nil, err
		}
		withdraw := !r.Standing.Visible()
		side, err := g.content(ctx, g.store, r)
		if errors.Is(err, ErrNotFound) && withdraw {
			continue // erased words cannot be looked for; reads hide them by their digests
		}
		if err != nil {
			return nil, err
		}
		tasks = append(tasks, Task{Record: r, Content: side.Content, Withdraw: withdraw, Begun: r.Delivery != hearsay.Undelivered, seq: seq})
	}
	// Ids that two processes made in one millisecond are in no order; what was sealed is.
	slices.SortStableFunc(tasks, func(a, b Task) int {
		return cmp.Or(bytes.Compare(a.Record.ID[:idTime], b.Record.ID[:idTime]), cmp.Compare(a.seq, b.seq))
	})
	return tasks, nil
}

// sealed checks that a record stands as the log says, and, where it was released and
// nobody began to apply it, that a reviewer signed that: a row that was changed
// behind our back must not move a byte. It returns the entry's number.
func (g *Guard) sealed(ctx context.Context, r *event.Record) (seq int64, err error) {
	put, err := g.store.Get(ctx, event.Records, r.ID[:])
	if err != nil {
		return 0, err
	}
	for entry, err := range g.store.Log(ctx, put.Seq) {
		if err != nil {
			return 0, err
		}
		e, err := event.Decode(entry.Body)
		if err != nil || entry.Seq != put.Seq || e.Record == nil || ledger.LeafHash(entry.Body) != ledger.Hash(entry.Leaf) {
			return 0, fmt.Errorf("record %s: %w", r.ID, ErrTampered)
		}
		puts, err := event.Fold(e)
		if err != nil || !bytes.Equal(puts[0].Value, put.Value) {
			return 0, fmt.Errorf("record %s: %w", r.ID, ErrTampered)
		}
		if r.Standing != hearsay.Released || r.Delivery != hearsay.Undelivered {
			return put.Seq, nil
		}
		return put.Seq, g.approved(ctx, e)
	}
	return 0, fmt.Errorf("record %s: %w", r.ID, ErrTampered)
}

// approved checks the signature under a release.
func (g *Guard) approved(ctx context.Context, e *event.Event) error {
	unsigned := fmt.Errorf("record %s was released without a reviewer's signature: %w", e.Record.ID, ErrTampered)
	if e.Kind != event.Approve || e.Proof == nil {
		return unsigned
	}
	st, err := reviewer.Decode(e.Proof.Statement)
	if err != nil || st.Decision != reviewer.Approve || sameAsSigned(st, e.Record) != nil {
		return unsigned
	}
	reg, err := g.registryNow(ctx)
	if err != nil {
		return err
	}
	if _, err := reg.Verify(reviewer.Signed{Statement: st, Signature: e.Proof.Signature}); err != nil {
		return fmt.Errorf("%w: %w", unsigned, err)
	}
	return nil
}

// Begin seals that a released record is about to be applied. It succeeds once: a
// record that was begun before is refused, and has to be looked for instead.
func (g *Guard) Begin(ctx context.Context, c hearsay.Caller, id hearsay.RecordID) error {
	_, err := g.store.Update(ctx, func(tx Tx) ([]event.Draft, error) {
		r, err := loadRecord(ctx, tx, id)
		if err != nil {
			return nil, err
		}
		if r.Principal != c.Principal || !r.Standing.Visible() || r.Delivery != hearsay.Undelivered {
			return nil, refuse("record %s is %s and %s: only a released record that nobody began can be applied", id, r.Standing, r.Delivery)
		}
		r.Delivery = hearsay.Intent
		return []event.Draft{{Event: event.Event{Kind: event.WriteApplied, Record: r}}}, nil
	})
	if err != nil {
		return fmt.Errorf("begin to apply: %w", err)
	}
	return nil
}
