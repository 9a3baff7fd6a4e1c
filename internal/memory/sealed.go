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
// one that is not served or that another stands in the place of, of one whose words are not
// what was sealed, or that says anything else than was sealed. wrong says what is the matter
// with one of those, above all that it wraps [guard.ErrTampered]; nil: nothing is.
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
		switch row := &rows[len(list)]; {
		case errors.Is(err, guard.ErrNotFound), errors.Is(err, guard.ErrTampered):
			m = nil
		case err != nil:
			return nil, nil, err
		case !m.served() || displaced[m.ID]:
			m, err = nil, fmt.Errorf("record %s is not served", row.ID)
		case !m.isRow(row):
			m, err = nil, fmt.Errorf("record %s is not what the index says", row.ID)
		}
		if m == nil && !errors.Is(wrong, guard.ErrTampered) {
			wrong = err
		}
		list = append(list, m)
	}
	return list, wrong, nil
}

// served returns the memories of the rows that get reads from the index, as far as those are
// to be believed. It is an error where words are not what was sealed: this is for who wants
// all there is.
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
		if errors.Is(wrong, guard.ErrTampered) {
			return wrong
		}
		if err := s.doubt(wrong, last); err != nil {
			return err
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

// doubt returns an error for [Store.believed] where something is wrong with the index. At
// last there is none, and the index is given up for the next use.
func (s *Store) doubt(wrong error, last bool) error {
	if wrong == nil {
		return nil
	}
	wrong = fmt.Errorf("%w: %w", errUnusable, wrong)
	if last {
		s.throwAway(wrong)
		return nil
	}
	return wrong
}
