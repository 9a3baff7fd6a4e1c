package memory

import (
	"context"
	"fmt"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/event"
	"github.com/hearsay-memory/hearsay/guard"
)

// Pin sets whether a memory is pinned and stable, by a person who signs for it. Only the
// user's own word can be: what somebody else said is adopted, by its exact text, as a new
// memory that replaces it.
func (s *Store) Pin(ctx context.Context, c hearsay.Caller, id hearsay.RecordID, claims guard.PinClaims, sign Signing) (*event.Record, error) {
	if err := s.ours(c); err != nil {
		return nil, err
	}
	m, err := s.read(ctx, id)
	if err != nil {
		return nil, err
	}
	if claims != (guard.PinClaims{}) {
		if m.Label != hearsay.LabelIdentity {
			return s.adopt(ctx, c, m, claims, sign)
		}
		if err := s.isServed(ctx, m); err != nil {
			return nil, err
		}
	}
	st, err := s.guard.PinStatement(ctx, id, claims)
	if err != nil {
		return nil, err
	}
	signed, err := sign(st)
	if err != nil {
		return nil, err
	}
	r, err := s.guard.Pin(ctx, c, claims, signed)
	if err != nil {
		return nil, err
	}
	s.follow(ctx)
	return r, nil
}

// isServed refuses a memory that no agent is shown, or that another stands in the place of.
func (s *Store) isServed(ctx context.Context, m *Memory) error {
	if !m.served() {
		return fmt.Errorf("record %s is %s: only what is served can be pinned or adopted: %w", m.ID, m.Standing, guard.ErrRefused)
	}
	displaced, err := s.guard.Displaced(ctx, []hearsay.RecordID{m.ID})
	if err != nil {
		return err
	}
	if displaced[m.ID] {
		return fmt.Errorf("another record stands in the place of %s, or forgets it: name that one, or revoke it: %w", m.ID, guard.ErrRefused)
	}
	return nil
}
