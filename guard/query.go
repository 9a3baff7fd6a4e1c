package guard

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"iter"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/event"
	"github.com/hearsay-memory/hearsay/ledger"
)

// loadRecord returns the row of a record, or [ErrNotFound].
func loadRecord(ctx context.Context, r Reader, id hearsay.RecordID) (*event.Record, error) {
	put, err := r.Get(ctx, event.Records, id[:])
	if err != nil {
		return nil, fmt.Errorf("record %s: %w", id, err)
	}
	return event.DecodeRecord(put.Value)
}

// Shown is a record with its free text, for a person. Its text must never reach a
// model while the record's standing is not visible.
type Shown struct {
	Record *event.Record
	Side   event.Side // zero where it was erased
	Erased bool
}

// Show returns a record for a person. The content is checked against its
// commitment: text that was changed in the store is an error, not an answer.
func (g *Guard) Show(ctx context.Context, id hearsay.RecordID) (*Shown, error) {
	r, err := loadRecord(ctx, g.store, id)
	if err != nil {
		return nil, err
	}
	side, err := g.content(ctx, g.store, r)
	if errors.Is(err, ErrNotFound) {
		return &Shown{Record: r, Erased: true}, nil
	}
	if err != nil {
		return nil, err
	}
	return &Shown{Record: r, Side: side}, nil
}

// ErrTampered is wrapped where what the store holds is not what was sealed.
var ErrTampered = errors.New("the store was changed behind hearsay's back: run `hearsay verify`")

// content loads the side blob that has the record's content.
func (g *Guard) content(ctx context.Context, r Reader, rec *event.Record) (event.Side, error) {
	side, err := g.sideOf(ctx, r, rec.Side, rec.Content)
	if err != nil {
		return event.Side{}, fmt.Errorf("content of %s: %w", rec.ID, err)
	}
	return side, nil
}

// sideOf loads the side blob of the event at seq and checks it against both
// commitments: the event's, and the one in hex to the content alone.
func (g *Guard) sideOf(ctx context.Context, r Reader, seq int64, commitment string) (event.Side, error) {
	stored, err := r.Side(ctx, seq)
	if err != nil {
		return event.Side{}, err
	}
	if err := g.committed(ctx, stored); err != nil {
		return event.Side{}, err
	}
	side, err := event.DecodeSide(stored.Blob)
	if err != nil {
		return event.Side{}, fmt.Errorf("%w: %w", ErrTampered, err)
	}
	want, err := hex.DecodeString(commitment)
	if err != nil || len(want) != 32 || !ledger.CheckCommit(stored.Salt, side.Content, [32]byte(want)) {
		return event.Side{}, ErrTampered
	}
	return side, nil
}

// committed checks a whole side blob, not its content alone, against the event that
// commits to it: who said it is as much what a person decides by as what was said.
func (g *Guard) committed(ctx context.Context, stored StoredSide) error {
	for entry, err := range g.store.Log(ctx, stored.Seq) {
		if err != nil {
			return err
		}
		e, err := event.Decode(entry.Body)
		if err != nil || entry.Seq != stored.Seq {
			break
		}
		if c := ledger.Commit(stored.Salt, stored.Blob); e.Side == hex.EncodeToString(c[:]) {
			return nil
		}
		break
	}
	return ErrTampered
}

// List yields records, for a person.
func (g *Guard) List(ctx context.Context, q Query) iter.Seq2[*event.Record, error] {
	return g.store.Scan(ctx, q)
}

// MostCounted is how many waiting records are looked at where they are counted: every held
// write counts them, so that to count all would take a flood ever longer.
const MostCounted = 256

// CountHeld counts, among the newest [MostCounted] records that wait for a person, those of
// the principal.
func (g *Guard) CountHeld(ctx context.Context, principal string) (int, error) {
	n := 0
	for r, err := range g.store.Scan(ctx, Query{Queue: event.QueueReview, Newest: true, Limit: MostCounted}) {
		if err != nil {
			return 0, fmt.Errorf("count what is held: %w", err)
		}
		if r.Principal == principal {
			n++
		}
	}
	return n, nil
}

// Owners returns the records that would put a thing into a store, or did.
func (g *Guard) Owners(ctx context.Context, store string, it Item) ([]hearsay.RecordID, error) {
	key := g.ItemKey(store, it)
	items, err := g.store.Items(ctx, [][32]byte{key})
	if err != nil {
		return nil, fmt.Errorf("who owns a thing: %w", err)
	}
	var out []hearsay.RecordID
	for _, item := range items[key] {
		out = append(out, item.Record)
	}
	return out, nil
}
