package memory

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/guard"
	"github.com/hearsay-memory/hearsay/recall"
)

// sealed reads the memories of some rows of the index, in their order, as they were sealed.
// It is nil for a row that is not to be believed: that is of no memory of the principal, of
// one that is not served or that another stands in the place of, or that says anything else
// than was sealed. wrong says what is the matter with the last of those; nil: nothing is.
func (s *Store) sealed(ctx context.Context, rows []recall.Memory) (list []*Memory, wrong, err error) {
	ids := make([]hearsay.RecordID, len(rows))
	for i := range rows {
		ids[i] = rows[i].ID
	}
	displaced, err := s.guard.Displaced(ctx, ids)
	if err != nil {
		return nil, nil, err
	}
	list = make([]*Memory, 0, len(rows))
	for m, err := range s.readAll(ctx, ids) {
		row := &rows[len(list)]
		switch {
		case errors.Is(err, guard.ErrNotFound):
			wrong = fmt.Errorf("%w: %w", errUnusable, err)
		case err != nil:
			return nil, nil, err
		case !m.served() || displaced[m.ID]:
			wrong = fmt.Errorf("record %s is not served: %w", m.ID, errUnusable)
		case !m.isRow(row):
			wrong = fmt.Errorf("record %s is not what the index says: %w", m.ID, errUnusable)
		default:
			list = append(list, m)
			continue
		}
		list = append(list, nil)
	}
	return list, wrong, nil
}

// served returns the memories of the rows that get reads from the index, as far as those are
// to be believed.
func (s *Store) served(ctx context.Context, get func() ([]recall.Memory, error)) (out []Living, err error) {
	err = s.believed(func(last bool) error {
		rows, err := get()
		if err != nil {
			return err
		}
		list, wrong, err := s.sealed(ctx, rows)
		if err != nil {
			return err
		}
		if wrong != nil {
			if !last {
				return wrong
			}
			s.throwAway(wrong)
		}
		out = nil
		for i, m := range list {
			if m != nil {
				out = append(out, Living{m, rows[i]})
			}
		}
		return nil
	})
	return out, err
}

// isRow reports whether a row of the index is the memory's, in all that was sealed of it.
// The strength and the last use were learnt, and ranking bounds them. So it does the date of
// what a run of the engine made, which is that of what it was made of.
func (m *Memory) isRow(row *recall.Memory) bool {
	return m.ID == row.ID && m.Label == row.Label && m.Kind == row.Kind && m.Form == row.Form &&
		m.Project == row.Project && slices.Equal(m.Namespace, row.Namespace) &&
		m.Claims == hearsay.Claims{Salience: row.Salience, Confidence: row.Confidence, Pin: row.Pinned, Stable: row.Stable} &&
		m.Weight == row.Weight && (m.Standing == hearsay.Released) == row.Vetted &&
		slices.Equal(m.Tags, row.Tags) && slices.Equal(m.Links, row.Links) &&
		(m.Created == row.Written.UnixMilli() || m.Source.Type == SleepSource)
}

// believed asks the index and has what it says checked. Where that is wrong, which ask says
// by an error that wraps [errUnusable], it may only be behind, so it is asked once more; then
// it is made again; and where somebody changes it as fast as that, the last is to be content
// with what is right of it. The index is given up then, too, and made again when it is next used.
func (s *Store) believed(ask func(last bool) error) error {
	err := ask(false)
	if errors.Is(err, errUnusable) {
		err = ask(false)
	}
	if errors.Is(err, errUnusable) {
		s.throwAway(err)
		err = ask(true)
	}
	return err
}
