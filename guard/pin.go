package guard

import (
	"context"
	"fmt"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/event"
	"github.com/hearsay-memory/hearsay/internal/reviewer"
)

// Pin sets whether a memory of the own store is pinned and stable, by a reviewer's
// statement: no agent reaches that. Pinning does not promote: what is not the user's own
// word is refused, and so is what is not served. A person can adopt it with [Guard.Vouch].
func (g *Guard) Pin(ctx context.Context, c hearsay.Caller, claims PinClaims, signed reviewer.Signed) (*event.Record, error) {
	st := signed.Statement
	id, err := hearsay.ParseRecordID(st.RecordID)
	if err != nil {
		return nil, err
	}
	if st.Decision != reviewer.Pin || st.Subject != claims.subject() {
		return nil, refuse("the statement is not about this: sign it again")
	}
	var after *event.Record
	_, err = g.store.Update(ctx, func(tx Tx) ([]event.Draft, error) {
		r, err := loadRecord(ctx, tx, id)
		if err != nil {
			return nil, err
		}
		switch {
		case r.Principal != c.Principal || r.Store != OwnStore:
			return nil, fmt.Errorf("record %s: %w", id, ErrNotFound)
		case !r.Standing.Visible():
			return nil, refuse("record %s is %s: only what is served can be pinned", id, r.Standing)
		case claims != PinClaims{} && r.Label != hearsay.LabelIdentity:
			return nil, refuse("record %s comes from %s: pinning does not make it the user's own word; adopt it first", id, r.Label)
		}
		if err := sameAsSigned(st, r); err != nil {
			return nil, err
		}
		proof, err := g.accept(ctx, tx, signed)
		if err != nil {
			return nil, err
		}
		r.Claims.Pin, r.Claims.Stable = claims.Pin, claims.Stable
		after = r
		return []event.Draft{{Event: event.Event{Kind: event.Pin, Record: r, Proof: proof}}}, nil
	})
	if err != nil {
		return nil, fmt.Errorf("pin %s: %w", id, err)
	}
	return after, nil
}

// PinClaims are what only a person gives a memory. The zero value takes both away.
type PinClaims struct {
	Pin    bool // recalled at every session's start
	Stable bool // does not fade
}

// subject is how a statement names them.
func (p PinClaims) subject() string {
	return fmt.Sprintf("pin=%t stable=%t", p.Pin, p.Stable)
}

// PinStatement prepares what a reviewer signs to pin a record, as it stands now.
func (g *Guard) PinStatement(ctx context.Context, id hearsay.RecordID, claims PinClaims) (reviewer.Statement, error) {
	st, err := g.Statement(ctx, reviewer.Pin, id, "")
	st.Subject = claims.subject()
	return st, err
}
