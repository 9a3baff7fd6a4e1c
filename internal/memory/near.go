package memory

import (
	"fmt"
	"strings"
	"time"

	"zombiezen.com/go/sqlite"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/recall"
)

// Bounds of what lies around the best candidates. Only trusted memories are looked at, from
// trusted ones, so that nothing of the rest decides which.
const (
	nearSources = 8  // candidates whose neighbours are looked up
	nearEach    = 8  // neighbours by one link, tie or pair of tags
	nearPairs   = 10 // pairs of tags of one memory
	nearAll     = 128
)

// around returns the graph of what was found: the candidates, what is linked to the best
// of the trusted ones or shares tags with them, and the ties among all these. It adds to
// trusted what the graph reaches and nothing found, if it passes the filter.
func (s *Store) around(c *sqlite.Conn, ceilings *hearsay.Ceilings, trusted, rest []recall.Candidate, f *filter, at time.Time) ([]recall.Candidate, *recall.Graph, error) {
	nodes := make([]recall.Memory, 0, len(trusted)+len(rest)+nearAll)
	known := make(map[hearsay.RecordID]bool, cap(nodes))
	for i := range trusted {
		nodes, known[trusted[i].Memory.ID] = append(nodes, trusted[i].Memory), true
	}
	beside := make(map[hearsay.RecordID]recall.Memory)
	byDoc := func(sql string, args ...any) error {
		return each(c, fmt.Sprintf("SELECT %s FROM (%s LIMIT %d) n CROSS JOIN trusted d ON d.doc = n.doc LEFT JOIN life.life l ON l.id = d.id", rowColumns, sql, nearEach), func(st *sqlite.Stmt) error {
			id := columnID(st, 0)
			if known[id] || len(beside) == nearAll {
				return nil
			}
			m, err := s.row(st, 0)
			beside[id], known[id], nodes = m, true, append(nodes, m)
			return err
		}, args...)
	}
	var ties []recall.Tie
	for i := range trusted[:min(len(trusted), nearSources)] {
		m := &trusted[i].Memory
		if err := byDoc("SELECT doc FROM trusted_link WHERE target = ? ORDER BY doc DESC", m.ID[:]); err != nil {
			return nil, nil, err
		}
		for _, to := range m.Links {
			if err := byDoc("SELECT doc FROM trusted WHERE id = ?", to[:]); err != nil {
				return nil, nil, err
			}
		}
		list := pairs(m.Tags)
		for _, p := range list[:min(len(list), nearPairs)] {
			if err := byDoc("SELECT doc FROM trusted_pair WHERE pair = ? ORDER BY doc DESC", p); err != nil {
				return nil, nil, err
			}
		}
	}
	if n := min(len(trusted), nearSources); n > 0 {
		marks, args := strings.TrimSuffix(strings.Repeat("?,", n), ","), make([]any, n)
		for i := range args {
			args[i] = trusted[i].Memory.ID[:]
		}
		for _, column := range []string{"a", "b"} {
			if err := readTies(c, fmt.Sprintf("%s IN (%s) ORDER BY weight DESC, at DESC, a, b LIMIT %d", column, marks, nearSources*nearEach), &ties, args...); err != nil {
				return nil, nil, err
			}
		}
	}
	for _, t := range ties {
		for _, id := range []hearsay.RecordID{t.A, t.B} {
			if !known[id] {
				if err := byDoc("SELECT doc FROM trusted WHERE id = ?", id[:]); err != nil {
					return nil, nil, err
				}
			}
		}
	}
	for i := range rest {
		nodes = append(nodes, rest[i].Memory)
	}
	g := recall.NewGraph(ceilings, s.principal, nodes, ties, at)
	for _, id := range g.Near(trusted, f.namespace, nearAll) {
		if m, ok := beside[id]; ok && f.match(&m) {
			trusted = append(trusted, recall.Candidate{Memory: m})
		}
	}
	return trusted, g, nil
}
