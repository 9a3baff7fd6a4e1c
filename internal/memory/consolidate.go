package memory

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"slices"
	"time"

	"zombiezen.com/go/sqlite"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/event"
	"github.com/hearsay-memory/hearsay/guard"
	"github.com/hearsay-memory/hearsay/recall"
)

// SleepSource is the source of what a run of the engine makes, see package sleep.
const SleepSource = "tool:sleep"

// Consolidation is one change of a run of the engine: what takes the place of memories.
type Consolidation struct {
	Of   []hearsay.RecordID
	Doc  Doc           // the zero value: nothing takes their place
	Heir recall.Memory // what it starts with, see [recall.Heir]
	Why  string        // where nothing takes their place; for people
}

// ChangedError names memories that are not what they were when a run looked at them.
type ChangedError struct{ IDs []hearsay.RecordID }

func (e *ChangedError) Error() string {
	return fmt.Sprintf("%d memories were changed while a run looked at them", len(e.IDs))
}

// Mark is a point in the log.
type Mark int64

// Mark returns where the log ends now: what is read afterwards is as new or newer.
func (s *Store) Mark(ctx context.Context) (Mark, error) {
	head, err := s.guard.Store().Head(ctx)
	return Mark(head.Frontier.Size()), err
}

// maxMoves bounds how often a run is checked against what was written meanwhile.
const maxMoves = 50

// Consolidate seals a run, all of it or none, as [guard.Guard.Consolidate] does. ref names
// the run: revoking what comes from it undoes it. since is where the log ended when the run
// began to look; memories that were touched since then are a [ChangedError], and nothing
// was sealed.
func (s *Store) Consolidate(ctx context.Context, c hearsay.Caller, ref string, since Mark, all []Consolidation) ([]guard.Decision, error) {
	if err := s.ours(c); err != nil {
		return nil, err
	}
	of := make(map[hearsay.RecordID]bool)
	list := make([]guard.Consolidation, len(all))
	for i := range all {
		w, err := all[i].write(ref)
		if err != nil {
			return nil, err
		}
		list[i] = guard.Consolidation{Write: w, Project: all[i].Heir.Project}
		for _, id := range all[i].Of {
			of[id] = true
		}
	}
	for range maxMoves {
		now, changed, err := s.touched(ctx, since, of)
		if err != nil {
			return nil, err
		}
		if len(changed) > 0 {
			return nil, &ChangedError{changed}
		}
		decisions, err := s.guard.Consolidate(ctx, c, int64(now), list)
		if errors.Is(err, guard.ErrMoved) {
			since = now
			continue
		}
		if err != nil {
			return nil, err
		}
		s.follow(ctx)
		s.inherit(ctx, all, decisions)
		return decisions, nil
	}
	return nil, fmt.Errorf("consolidate: %w: run it again when less is written", guard.ErrMoved)
}

func (c *Consolidation) write(ref string) (guard.Write, error) {
	w := guard.Write{
		Source: hearsay.Source{Type: SleepSource, Ref: ref}, Tool: "hearsay sleep", Replaces: c.Of,
		Namespace: c.Heir.Namespace, Op: event.Delete,
	}
	var err error
	if c.Doc.Text == "" {
		if w.Content, err = json.Marshal(deletion{docVersion, c.Of, c.Why}); err != nil {
			return w, fmt.Errorf("consolidate: %w", err)
		}
		return w, nil
	}
	if w.Content, err = c.Doc.Encode(); err != nil {
		return w, fmt.Errorf("consolidate: %w", err)
	}
	w.Op, w.Kind = event.Update, c.Doc.Kind.String()
	w.Texts, w.Items = c.Doc.Texts(), []guard.Item{c.Doc.item()}
	w.Claims = hearsay.Claims{Salience: c.Heir.Salience, Confidence: c.Heir.Confidence}
	return w, nil
}

// touched returns where the log ends, and which of the memories an entry since a point is
// about, or puts something in the place of.
func (s *Store) touched(ctx context.Context, since Mark, of map[hearsay.RecordID]bool) (Mark, []hearsay.RecordID, error) {
	now, err := s.Mark(ctx)
	if err != nil || now == since {
		return now, nil, err
	}
	var changed []hearsay.RecordID
	for entry, err := range s.guard.Store().Log(ctx, int64(since)) {
		if err != nil {
			return now, nil, err
		}
		if entry.Seq >= int64(now) {
			break
		}
		r, err := s.about(entry.Body)
		if err != nil {
			return now, nil, fmt.Errorf("entry %d: %w: %w", entry.Seq, guard.ErrTampered, err)
		}
		if r == nil {
			continue
		}
		for _, id := range append([]hearsay.RecordID{r.ID}, r.Replaces...) {
			if of[id] {
				changed = append(changed, id)
			}
		}
	}
	return now, changed, nil
}

// inherit lets what takes the place of memories live on as they did: with the strength and
// last use that the run worked out, and tied to what they were tied to. It is lost where
// that cannot be written down, and then fades from the day that the log tells.
func (s *Store) inherit(ctx context.Context, all []Consolidation, decisions []guard.Decision) {
	ceilings := s.Ceilings()
	err := s.use(ctx, func(conn *sqlite.Conn) error {
		return inTx(conn, func() error {
			for i, d := range decisions {
				if c := &all[i]; d.Standing.Visible() && c.Doc.Text != "" && d.Verdict.Label.Trusted() {
					if err := c.bequeath(conn, &ceilings, d.ID); err != nil {
						return err
					}
				}
			}
			return nil
		})
	})
	if err != nil {
		s.log.Warn("what was learnt from use of merged memories is lost", "error", err)
	}
}

func (c *Consolidation) bequeath(conn *sqlite.Conn, ceilings *hearsay.Ceilings, heir hearsay.RecordID) error {
	m := c.Heir
	m.ID = heir
	// It counts as written when the newest of its like was: as strong as the strongest was then.
	if err := each(conn, "SELECT written FROM made WHERE id = ?", func(st *sqlite.Stmt) error {
		if at := time.UnixMilli(st.ColumnInt64(0)); at.After(c.Heir.Written) && at.After(c.Heir.Used) {
			m.Strength = c.Heir.StrengthAt(ceilings, at)
		}
		return nil
	}, heir[:]); err != nil {
		return err
	}
	if err := keepLife(conn, m); err != nil {
		return err
	}
	var ties []recall.Tie
	for _, id := range c.Of {
		if err := readTies(conn, "a = ?1 OR b = ?1", &ties, id[:]); err != nil {
			return err
		}
	}
	for _, t := range ties {
		other := t.A
		if slices.Contains(c.Of, other) {
			other = t.B
		}
		if slices.Contains(c.Of, other) {
			continue
		}
		a, b := heir, other
		if compareIDs(a, b) > 0 {
			a, b = b, a
		}
		if err := run(conn, "INSERT INTO life.tie VALUES(?, ?, ?, ?) ON CONFLICT DO UPDATE SET at = iif(excluded.weight > weight, excluded.at, at), weight = max(weight, excluded.weight)",
			a[:], b[:], t.Weight, t.At.UnixMilli()); err != nil {
			return err
		}
	}
	return nil
}

// Consolidated yields the records that runs of the engine made of the principal's memories,
// however they stand now, oldest first.
func (s *Store) Consolidated(ctx context.Context) iter.Seq2[*event.Record, error] {
	return s.guard.List(ctx, guard.Query{Match: func(r *event.Record) bool {
		return r.Principal == s.principal && r.Store == guard.OwnStore && r.Source == SleepSource
	}})
}

// Ceilings returns what origins may claim, by the policy in force.
func (s *Store) Ceilings() hearsay.Ceilings { return s.guard.Policy().CeilingTable() }

// Loosen drops the ties that have become too weak to count, and returns how many are left
// and how many are gone.
func (s *Store) Loosen(ctx context.Context, at time.Time) (left, gone int, err error) {
	err = s.use(ctx, func(conn *sqlite.Conn) error {
		if err := s.used.flush(conn); err != nil {
			return err
		}
		left, gone = 0, 0
		return inTx(conn, func() error {
			var weak []recall.Tie
			var ties []recall.Tie
			if err := readTies(conn, "1", &ties); err != nil {
				return err
			}
			for _, t := range ties {
				if t.WeightAt(at) == 0 {
					weak = append(weak, t)
				}
			}
			for _, t := range weak {
				if err := run(conn, "DELETE FROM life.tie WHERE a = ? AND b = ?", t.A[:], t.B[:]); err != nil {
					return err
				}
			}
			left, gone = len(ties)-len(weak), len(weak)
			return nil
		})
	})
	return left, gone, err
}
