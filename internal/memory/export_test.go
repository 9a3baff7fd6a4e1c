package memory

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"zombiezen.com/go/sqlite"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/guard"
	"github.com/hearsay-memory/hearsay/recall"
)

// RememberAside remembers without bringing the index in line.
func (s *Store) RememberAside(ctx context.Context, c hearsay.Caller, n New) (guard.Decision, error) {
	w, err := n.write()
	if err != nil {
		return guard.Decision{}, err
	}
	return s.guard.Write(ctx, c, w)
}

// BareQuery is what a full-text search alone costs: the best ten of the trusted half, with
// every word of the query.
func (s *Store) BareQuery(query string) (n int, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var list []string
	for _, t := range terms(query) {
		list = append(list, t.match())
	}
	err = each(s.conn, "SELECT rowid FROM trusted_text WHERE trusted_text MATCH ? ORDER BY rank LIMIT 10", func(*sqlite.Stmt) error { n++; return nil }, strings.Join(list, " OR "))
	return n, err
}

// SpoilIndex changes the index as somebody else might.
func (s *Store) SpoilIndex(sql string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return script(s.conn, sql)
}

// Vectors returns how many memories of a part have one.
func (s *Store) Vectors(part string) (n int, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	err = each(s.conn, fmt.Sprintf("SELECT count(*) FROM %s_vector WHERE v <> x''", part), func(st *sqlite.Stmt) error { n = st.ColumnInt(0); return nil })
	return n, err
}

// Bare returns how many memories of a part need a vector.
func (s *Store) Bare(part string) (n int, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	err = each(s.conn, fmt.Sprintf("SELECT count(*) FROM %s_bare", part), func(st *sqlite.Stmt) error { n = st.ColumnInt(0); return nil })
	return n, err
}

// Synchronous returns how the commits of the index and of what was learnt from use wait
// for the disk, as SQLite numbers it: 0 is not at all.
func (s *Store) Synchronous() (index, life int, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for name, into := range map[string]*int{"main": &index, "life": &life} {
		if err = each(s.conn, "PRAGMA "+name+".synchronous", func(st *sqlite.Stmt) error { *into = st.ColumnInt(0); return nil }); err != nil {
			return 0, 0, err
		}
	}
	return index, life, nil
}

// AnswerTo answers with rows that somebody says are of the index.
func (s *Store) AnswerTo(ctx context.Context, c hearsay.Caller, rows []recall.Memory, last bool) (Answer, error) {
	var chosen recall.Answer
	for _, m := range rows {
		chosen.Results = append(chosen.Results, recall.Result{Memory: m})
	}
	got, err := s.answer(ctx, c, chosen, defaultBudget, false, last)
	return got.Answer, err
}

// Unusable reports whether an error says that the index is to be made again.
func Unusable(err error) bool { return errors.Is(err, errUnusable) }
