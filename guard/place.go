package guard

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/event"
)

// placeKey is the key of the items that tell which records stand, or stood, in the place of
// one of the own store.
func (g *Guard) placeKey(id hearsay.RecordID) [32]byte { return g.index.Digest("place", id[:]) }

// takePlaces notes for what a record of the own store replaces that the record stands in
// its place, or no longer does. It is noted beside the log, and looked up in the records.
func (g *Guard) takePlaces(tx Tx, r *event.Record, seq int64) error {
	it := StoredItem{Record: r.ID, State: ItemGone, Landed: seq}
	switch {
	case r.Displaces():
		it.State = ItemLanded
	case r.Delivery != hearsay.Withdrawn:
		return nil // it never did
	}
	for _, id := range r.Replaces {
		it.Key = g.placeKey(id)
		if err := tx.PutItem(it); err != nil {
			return err
		}
	}
	return nil
}

// Displaced returns those of some records of the own store that are out of service since
// another record stands in their place: a correction, a summary, a deletion. It takes one
// look for each, however long the log is.
func (g *Guard) Displaced(ctx context.Context, ids []hearsay.RecordID) (map[hearsay.RecordID]bool, error) {
	keys := make([][32]byte, len(ids))
	for i, id := range ids {
		keys[i] = g.placeKey(id)
	}
	taken, err := g.store.Items(ctx, keys, ItemLanded)
	if err != nil {
		return nil, fmt.Errorf("what stands in the place of records: %w", err)
	}
	out := make(map[hearsay.RecordID]bool)
	for i, id := range ids {
		for _, it := range taken[keys[i]] {
			r, err := loadRecord(ctx, g.store, it.Record)
			if err != nil && !errors.Is(err, ErrNotFound) {
				return nil, err
			}
			// A record that should be there and is not cannot have given the place back.
			if err != nil || r.Displaces() && slices.Contains(r.Replaces, id) {
				out[id] = true
				break
			}
		}
	}
	return out, nil
}
