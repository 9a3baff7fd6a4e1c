package memory

import (
	"context"
	"fmt"
	"iter"
	"slices"

	"zombiezen.com/go/sqlite"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/event"
	"github.com/hearsay-memory/hearsay/guard"
	"github.com/hearsay-memory/hearsay/recall"
)

// Get returns one memory. Everything that may not be seen is [guard.ErrNotFound]: what is
// held or withdrawn, another principal's, and what something served replaces.
func (s *Store) Get(ctx context.Context, c hearsay.Caller, id hearsay.RecordID) (Result, error) {
	if err := s.ours(c); err != nil {
		return Result{}, err
	}
	var out answered
	if err := s.believed(func(last bool) error {
		out = answered{}
		rows, err := s.rows(ctx, "AND d.id = ?", id[:])
		if err != nil || len(rows) == 0 {
			return err
		}
		out, err = s.answer(ctx, c, recall.Answer{Results: []recall.Result{{Memory: rows[0]}}}, maxFile, false, last)
		return err
	}); err != nil {
		return Result{}, err
	}
	if len(out.Results) == 0 {
		return Result{}, fmt.Errorf("memory %s: %w", id, guard.ErrNotFound)
	}
	return out.Results[0], nil
}

// find looks a memory up in both halves of the index.
func (s *Store) find(conn *sqlite.Conn, id hearsay.RecordID) (m recall.Memory, ok bool, err error) {
	for _, of := range []set{trustedSet, restSet} {
		if m, ok, err = s.byID(conn, of, id); ok || err != nil {
			return m, ok, err
		}
	}
	return m, false, nil
}

// Filter says what is listed. The zero value lists the newest 50.
type Filter struct {
	Kinds     []recall.Kind
	Tags      []string // all of them
	Namespace hearsay.Namespace
	Pinned    bool             // pinned ones alone
	Limit     int              // 0: 50; at most 1,000
	After     hearsay.RecordID // goes on behind this one; zero: from the newest on
}

const (
	defaultLimit = 50
	maxLimit     = 1000
)

// List lists memories, newest first, without their texts. It takes nothing into the
// session: of what is not trusted it shows no word, not the heading either; [Store.Get] does.
func (s *Store) List(ctx context.Context, c hearsay.Caller, f Filter) ([]Result, error) {
	if err := s.ours(c); err != nil {
		return nil, err
	}
	if f.Limit == 0 {
		f.Limit = defaultLimit
	}
	if f.Limit < 0 || f.Limit > maxLimit {
		return nil, fmt.Errorf("list: limit %d: want 1 to %d", f.Limit, maxLimit)
	}
	if i := slices.IndexFunc(f.Kinds, func(k recall.Kind) bool { return !known(k) }); i >= 0 {
		return nil, fmt.Errorf("list: kind %d is not one: see docs/memory.md", f.Kinds[i])
	}
	list, err := s.served(ctx, func() ([]recall.Memory, error) { return s.list(ctx, f) })
	if err != nil {
		return nil, err
	}
	now := nowMS()
	var out []Result
	for _, l := range list {
		m := l.Memory
		pending := m.Label.Origin.LowTrust() && m.Standing != hearsay.Released
		if !m.Label.Trusted() {
			m.Doc = Doc{Kind: m.Kind, Form: m.Form, Links: m.Links, Title: fmt.Sprintf("memory of %s origin", m.Label.Origin)}
			m.Source.Ref, m.Source.Actor = "", ""
		}
		r := m.result("", now)
		r.Memory.Title, r.Text = m.Heading(), ""
		r.Memory.Pending = pending
		r.Flags = recall.Flags{Origin: m.Label.Origin, LowTrust: m.Label.Origin.LowTrust() || m.Label.Tainted(), Pending: pending}
		out = append(out, r)
	}
	return out, nil
}

// list returns rows of the index, newest first.
func (s *Store) list(ctx context.Context, f Filter) (rows []recall.Memory, err error) {
	cond := filter{namespace: f.Namespace, kinds: f.Kinds, tags: f.Tags}
	where, args := cond.sql()
	if f.Pinned {
		where += " AND d.pinned"
	}
	if !f.After.IsZero() {
		where += " AND d.id < ?"
		args = append(args, f.After[:])
	}
	rows, err = s.rows(ctx, fmt.Sprintf("%s ORDER BY d.id DESC LIMIT %d", where, f.Limit), args...)
	slices.SortFunc(rows, func(a, b recall.Memory) int { return compareIDs(b.ID, a.ID) })
	return rows[:min(len(rows), f.Limit)], err
}

// rows returns the rows of both halves of the index that pass a condition.
func (s *Store) rows(ctx context.Context, where string, args ...any) (rows []recall.Memory, err error) {
	err = s.use(ctx, func(conn *sqlite.Conn) error {
		rows = nil
		if err := s.used.flush(conn); err != nil {
			return err
		}
		for _, of := range []set{trustedSet, restSet} {
			if err := each(conn, fmt.Sprintf("SELECT %s FROM %s d LEFT JOIN life.life l ON l.id = d.id WHERE 1 %s", rowColumns, of, where), func(st *sqlite.Stmt) error {
				m, err := s.row(st, 0)
				rows = append(rows, m)
				return err
			}, args...); err != nil {
				return err
			}
		}
		return nil
	})
	return rows, err
}

// Start returns what is shown at every session's start: what the user pinned, oldest
// first, of the caller's project and of none, as far as it fits into budget bytes; 0: as
// much as [Ask] has room for.
func (s *Store) Start(ctx context.Context, c hearsay.Caller, budget int) (Answer, error) {
	if err := s.ours(c); err != nil {
		return Answer{}, err
	}
	if budget <= 0 {
		budget = defaultBudget
	}
	var out answered
	err := s.believed(func(last bool) error {
		var chosen recall.Answer
		if err := s.use(ctx, func(conn *sqlite.Conn) error {
			chosen = recall.Answer{}
			return each(conn, fmt.Sprintf("SELECT %s FROM trusted d LEFT JOIN life.life l ON l.id = d.id WHERE d.pinned AND d.project IN ('', ?) ORDER BY d.id LIMIT %d", rowColumns, maxLimit), func(st *sqlite.Stmt) error {
				m, err := s.row(st, 0)
				chosen.Results = append(chosen.Results, recall.Result{Memory: m, Trusted: true})
				return err
			}, c.Project)
		}); err != nil {
			return err
		}
		var err error
		out, err = s.answer(ctx, c, chosen, budget, false, last)
		return err
	})
	return out.Answer, err
}

// Status is the memory in numbers.
type Status struct {
	Memories int   `json:"memories"`
	Pinned   int   `json:"pinned"`
	LowTrust int   `json:"low_trust"`
	Pending  int   `json:"pending"`          // low in trust, and no person has approved them
	Held     int   `json:"held"`             // wait for a person; up to guard.MostCounted
	Oldest   int64 `json:"oldest,omitempty"` // of what waits, UTC ms
}

// Status counts. It says no word of any memory.
func (s *Store) Status(ctx context.Context, c hearsay.Caller) (st Status, err error) {
	if err := s.ours(c); err != nil {
		return st, err
	}
	if err := s.use(ctx, func(conn *sqlite.Conn) error {
		st = Status{}
		for _, of := range []set{trustedSet, restSet} {
			if err := each(conn, fmt.Sprintf("SELECT count(*), total(pinned), total(origin <= ? OR taint <> ''), total(origin <= ? AND NOT vetted) FROM %s", of), func(row *sqlite.Stmt) error {
				st.Memories += row.ColumnInt(0)
				st.Pinned += row.ColumnInt(1)
				st.LowTrust += row.ColumnInt(2)
				st.Pending += row.ColumnInt(3)
				return nil
			}, int(hearsay.Tool), int(hearsay.Tool)); err != nil {
				return err
			}
		}
		return nil
	}); err != nil {
		return st, err
	}
	for r, err := range s.guard.List(ctx, guard.Query{Queue: event.QueueReview, Match: func(r *event.Record) bool {
		return r.Principal == s.principal && r.Store == guard.OwnStore
	}}) {
		if err != nil {
			return st, err
		}
		if st.Held++; st.Oldest == 0 {
			st.Oldest = r.Created
		}
		if st.Held == guard.MostCounted {
			break
		}
	}
	return st, nil
}

// allPage is how many memories [Store.Lives] has at hand at most.
const allPage = 128

// Living is a memory that is served, with what ranking knows of it.
type Living struct {
	Memory *Memory
	Life   recall.Memory
}

// Lives yields the memories of the principal that are served, oldest first, for the engine
// itself: their texts bear no marks and must not reach an agent.
func (s *Store) Lives(ctx context.Context) iter.Seq2[Living, error] {
	return func(yield func(Living, error) bool) {
		for after := (hearsay.RecordID{}); ; {
			var end hearsay.RecordID // zero: there are no more
			page, err := s.served(ctx, func() ([]recall.Memory, error) {
				rows, err := s.rows(ctx, fmt.Sprintf("AND d.id > ? ORDER BY d.id LIMIT %d", allPage), after[:])
				slices.SortFunc(rows, func(a, b recall.Memory) int { return compareIDs(a.ID, b.ID) })
				rows, end = rows[:min(len(rows), allPage)], hearsay.RecordID{}
				if len(rows) > 0 {
					end = rows[len(rows)-1].ID
				}
				return rows, err
			})
			if err != nil {
				yield(Living{}, err)
				return
			}
			for _, l := range page {
				l.Memory.Pending = l.Memory.Label.Origin.LowTrust() && l.Memory.Standing != hearsay.Released
				if !yield(l, nil) {
					return
				}
			}
			if end.IsZero() {
				return
			}
			after = end
		}
	}
}

// All yields them without what ranking knows.
func (s *Store) All(ctx context.Context) iter.Seq2[*Memory, error] {
	return func(yield func(*Memory, error) bool) {
		for l, err := range s.Lives(ctx) {
			if !yield(l.Memory, err) {
				return
			}
		}
	}
}

// Read returns one memory that is served as far as its standing goes, for the engine itself:
// its text bears no marks and must not reach an agent. Any other is [guard.ErrNotFound].
func (s *Store) Read(ctx context.Context, id hearsay.RecordID) (*Memory, error) {
	m, err := s.read(ctx, id)
	if err == nil && !m.served() {
		return nil, fmt.Errorf("memory %s: %w", id, guard.ErrNotFound)
	}
	return m, err
}

// Life returns what ranking knows of a memory that is served, or [guard.ErrNotFound].
func (s *Store) Life(ctx context.Context, id hearsay.RecordID) (recall.Memory, error) {
	list, err := s.served(ctx, func() ([]recall.Memory, error) { return s.rows(ctx, "AND d.id = ?", id[:]) })
	if err == nil && len(list) == 0 {
		err = fmt.Errorf("memory %s: %w", id, guard.ErrNotFound)
	}
	if err != nil {
		return recall.Memory{}, err
	}
	return list[0].Life, nil
}
