package memory

import (
	"context"
	"errors"
	"fmt"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/event"
	"github.com/hearsay-memory/hearsay/guard"
)

// Knowing is a record of the principal's memory that holds certain words, and whether it
// is served. Where it is not, and is visible all the same, something took its place: it was
// corrected, adopted or forgotten.
type Knowing struct {
	Record *event.Record
	Served bool
}

// Known returns what the principal's memory holds under the title and text of a memory,
// oldest first, whatever became of it: held and withdrawn ones too. It is for a surface that
// must not write the same twice, and for people: an agent may not learn of what is held.
func (s *Store) Known(ctx context.Context, d *Doc) ([]Knowing, error) {
	ids, err := s.guard.Owners(ctx, guard.OwnStore, d.item())
	if err != nil {
		return nil, err
	}
	displaced, err := s.guard.Displaced(ctx, ids)
	if err != nil {
		return nil, err
	}
	var out []Knowing
	for _, id := range ids {
		shown, err := s.guard.Show(ctx, id)
		if errors.Is(err, guard.ErrNotFound) {
			continue
		}
		if err != nil {
			return nil, err
		}
		if r := shown.Record; r.Principal == s.principal && r.Op != event.Delete {
			out = append(out, Knowing{Record: r, Served: r.Standing.Visible() && !displaced[id]})
		}
	}
	return out, nil
}

// Adopt makes a memory that somebody else said the user's own word, by a person who signs
// for its exact text: a new memory that takes its place. What the old one claimed for
// itself is kept, and where it came from is in its record.
func (s *Store) Adopt(ctx context.Context, c hearsay.Caller, id hearsay.RecordID, sign Signing) (*event.Record, error) {
	if err := s.ours(c); err != nil {
		return nil, err
	}
	m, err := s.read(ctx, id)
	if err != nil {
		return nil, err
	}
	if m.Label == hearsay.LabelIdentity {
		return nil, fmt.Errorf("memory %s is your own word already: %w", id, guard.ErrRefused)
	}
	return s.adopt(ctx, c, m, guard.PinClaims{}, sign)
}

// adopt says a memory again as the user's own, pinned or not.
func (s *Store) adopt(ctx context.Context, c hearsay.Caller, m *Memory, claims guard.PinClaims, sign Signing) (*event.Record, error) {
	if err := s.isServed(ctx, m); err != nil {
		return nil, err
	}
	adopted := m.Claims
	adopted.Pin, adopted.Stable = claims.Pin, claims.Stable
	c.Project = m.Project
	return s.Say(ctx, c, New{Doc: m.Doc, Claims: adopted, Namespace: m.Namespace, Replaces: []hearsay.RecordID{m.ID}}, sign)
}
