package guard

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/event"
)

// OwnStore is the id of the store that is the log itself: what is let into it has landed
// by being sealed, and what is withdrawn from it is gone by being sealed. Its surface is
// package memory.
const OwnStore = "hearsay"

// settle gives a record of the own store the delivery that its standing amounts to, and
// brings its items in line. Records of other stores stay as they are: their surfaces say
// what became of them. seq is that of the event that seals it.
func (g *Guard) settle(tx Tx, r *event.Record, keys [][32]byte, seq int64) error {
	if r.Store != OwnStore {
		return nil
	}
	state := ItemWaiting
	switch {
	case r.Standing.Visible():
		r.Delivery, state = hearsay.Applied, ItemLanded
	case r.Delivery == hearsay.Applied:
		r.Delivery, state = hearsay.Withdrawn, ItemGone
	}
	if err := g.takePlaces(tx, r, seq); err != nil {
		return err
	}
	for _, k := range keys {
		it := StoredItem{Key: k, Record: r.ID, State: state}
		if state != ItemWaiting {
			it.Landed = seq
		}
		if err := tx.PutItem(it); err != nil {
			return err
		}
	}
	return nil
}

// settleStored is settle for a record that was sealed before: its items are those of its
// side blob. Where that was erased there are none to speak of.
func (g *Guard) settleStored(ctx context.Context, tx Tx, r *event.Record, seq int64) error {
	if r.Store != OwnStore {
		return nil
	}
	side, err := g.content(ctx, tx, r)
	if err != nil && !errors.Is(err, ErrNotFound) {
		return err
	}
	var keys [][32]byte
	for _, b := range side.Items {
		if len(b) != len([32]byte{}) {
			return fmt.Errorf("items of %s: %w", r.ID, ErrTampered)
		}
		keys = append(keys, [32]byte(b))
	}
	return g.settle(tx, r, keys, seq)
}

// replaced checks the records that a write would put itself in the place of, which stop
// being served while it is. An update is derived from them, so they become its parents.
func replaced(ctx context.Context, tx Tx, c hearsay.Caller, w *Write) (out taken, err error) {
	for _, id := range w.Replaces {
		r, err := loadRecord(ctx, tx, id)
		switch {
		case errors.Is(err, ErrNotFound), err == nil && (r.Principal != c.Principal || r.Store != w.Store || !r.Standing.Visible()):
			return taken{}, refuse("record %s is not there: a write can only replace what its principal recalls", id)
		case err != nil:
			return taken{}, err
		}
		out.pinned = out.pinned || r.Claims.Pin || r.Claims.Stable
		if !slices.ContainsFunc(out.spaces, func(n hearsay.Namespace) bool { return slices.Equal(n, r.Namespace) }) {
			out.spaces = append(out.spaces, r.Namespace)
		}
	}
	if w.Op == event.Update {
		for _, id := range w.Replaces {
			if !slices.Contains(w.Parents, id) {
				w.Parents = append(slices.Clip(w.Parents), id)
			}
		}
	}
	return out, nil
}

// taken is what a write would put itself in the place of.
type taken struct {
	pinned bool                // a person pinned some of it
	spaces []hearsay.Namespace // where it lies, each once
}

// holdReplacing says why a write that replaces records has to wait for a person; empty: it
// need not. What is taken away can steer as much as what is added: only a trusted speaker
// does it without a person.
func holdReplacing(w Write, label hearsay.Label) string {
	if len(w.Replaces) > 0 && !label.Trusted() {
		return "it would take the place of a memory, and what speaks is not trusted"
	}
	return ""
}

// Quarantine holds a record of the own store that was let in, for a person to look at: it
// is not served until one approves it. It takes nothing but trust away, so it needs no
// proof; what the user said, what was pinned and what a person approved is refused.
func (g *Guard) Quarantine(ctx context.Context, c hearsay.Caller, id hearsay.RecordID, why string) (*event.Record, error) {
	var held event.Draft
	_, err := g.store.Update(ctx, func(tx Tx) (drafts []event.Draft, err error) {
		held, err = g.quarantine(ctx, tx, c, id, why, tx.Seq())
		return []event.Draft{held}, err
	})
	if err != nil {
		return nil, fmt.Errorf("quarantine %s: %w", id, err)
	}
	return held.Event.Record, nil
}

// quarantine is [Guard.Quarantine] in a transaction, by the event that will be at seq.
func (g *Guard) quarantine(ctx context.Context, tx Tx, c hearsay.Caller, id hearsay.RecordID, why string, seq int64) (event.Draft, error) {
	r, err := loadRecord(ctx, tx, id)
	if err != nil {
		return event.Draft{}, err
	}
	switch {
	case r.Principal != c.Principal || r.Store != OwnStore:
		return event.Draft{}, fmt.Errorf("record %s: %w", id, ErrNotFound)
	case r.Standing != hearsay.Allowed:
		return event.Draft{}, refuse("record %s is %s: only what was let in without a person is held again", id, r.Standing)
	case r.Label == hearsay.LabelIdentity || r.Claims.Pin || r.Claims.Stable:
		return event.Draft{}, refuse("record %s is the user's own or pinned: a person revokes it", id)
	}
	r.Standing = hearsay.Held
	if err := g.settleStored(ctx, tx, r, seq); err != nil {
		return event.Draft{}, err
	}
	return event.Draft{Event: event.Event{Kind: event.Hold, Record: r}, Side: event.Side{Note: why}}, nil
}
