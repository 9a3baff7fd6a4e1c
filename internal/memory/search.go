package memory

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"zombiezen.com/go/sqlite"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/recall"
)

// mostPostings bounds how many occurrences of the words of one query are scored in one half
// of the index: full-text search takes time linear in them. The rarest words come first;
// how rare is told by the half's own counts, so that nothing of the rest moves what the
// trusted half answers.
const mostPostings = 12_000

// The limits of statements stand in their text: SQLite prepares a statement anew for every
// limit that is a parameter.

// rowColumns are what ranking needs of a memory, with what was learnt from its use.
const rowColumns = `d.id, d.kind, d.form, d.created, d.origin, d.taint, d.salience, d.confidence, d.weight, d.pinned, d.stable, d.vetted,
	d.namespace, d.project, d.tags, d.links, l.strength, l.used`

// row reads them, from column at on.
func (s *Store) row(st *sqlite.Stmt, at int) (m recall.Memory, err error) {
	m = recall.Memory{
		ID: columnID(st, at), Standing: hearsay.Allowed, Principal: s.principal, Kind: recall.Kind(st.ColumnInt(at + 1)), Form: recall.Form(st.ColumnInt(at + 2)),
		Written: time.UnixMilli(st.ColumnInt64(at + 3)), Label: hearsay.Label{Origin: hearsay.Origin(st.ColumnInt(at + 4)), Taint: hearsay.Untainted},
		Salience: st.ColumnFloat(at + 6), Confidence: st.ColumnFloat(at + 7), Weight: st.ColumnFloat(at + 8),
		Pinned: st.ColumnBool(at + 9), Stable: st.ColumnBool(at + 10), Vetted: st.ColumnBool(at + 11), Project: st.ColumnText(at + 13),
	}
	if taint := st.ColumnText(at + 5); taint != "" {
		m.Label.Taint = hearsay.NewTaint(strings.Split(taint, ",")...)
	}
	if m.Namespace, err = unpackNamespace(blob(st, at+12)); err != nil {
		return m, err
	}
	if m.Tags, err = unpackTags(st.ColumnText(at + 14)); err != nil {
		return m, err
	}
	m.Links = unpackIDs(blob(st, at+15))
	m.Strength = m.Kind.Curve(m.Form).Strength
	if !st.ColumnIsNull(at + 16) {
		if strength := st.ColumnFloat(at + 16); strength >= 0 && strength <= 1 {
			m.Strength = strength
		}
		if used := st.ColumnInt64(at + 17); used > 0 {
			m.Used = time.UnixMilli(used)
		}
	}
	return m, nil
}

// filter is what a memory has to be beside what it says.
type filter struct {
	namespace hearsay.Namespace
	kinds     []recall.Kind
	tags      []string
	project   string
	in        part // whose memories are looked at; the zero value: everybody's
}

// sql returns the rest of the filter as conditions on d, each after an AND, with their
// parameters.
func (f *filter) sql() (where string, args []any) {
	if len(f.namespace) > 0 {
		p := packNamespace(f.namespace)
		where += " AND substr(d.namespace, 1, ?) = ?"
		args = append(args, len(p), p)
	}
	if len(f.kinds) > 0 {
		where += " AND d.kind IN (" + strings.TrimSuffix(strings.Repeat("?,", len(f.kinds)), ",") + ")"
		for _, k := range f.kinds {
			args = append(args, int(k))
		}
	}
	for _, t := range f.tags {
		where += " AND EXISTS (SELECT 1 FROM json_each(d.tags) WHERE value = ?)"
		args = append(args, t)
	}
	if f.project != "" {
		where += " AND d.project IN ('', ?)"
		args = append(args, f.project)
	}
	return where, args
}

// match reports whether a memory passes.
func (f *filter) match(m *recall.Memory) bool {
	return m.Namespace.HasPrefix(f.namespace) &&
		(len(f.kinds) == 0 || slices.Contains(f.kinds, m.Kind)) &&
		(f.project == "" || m.Project == "" || m.Project == f.project) &&
		!slices.ContainsFunc(f.tags, func(t string) bool { return !slices.Contains(m.Tags, t) })
}

// found is what a search of one half of the index came to.
type found struct {
	list []recall.Candidate
	best float64 // the best score of a search by words; 0: there was none
}

// candidates searches one half of the index for at most most memories. scale is the score
// that counts as perfect where none is better, see [recall.TextRelevance].
func (s *Store) candidates(c *sqlite.Conn, of set, query []term, f *filter, most int, scale float64) (found, error) {
	type counted struct {
		term
		n int64
	}
	var there []counted
	for _, t := range query {
		n, err := countOf(c, of, t)
		if err != nil {
			return found{}, err
		}
		if n > 0 {
			there = append(there, counted{t, n})
		}
	}
	if len(there) == 0 {
		return found{}, nil
	}
	slices.SortFunc(there, func(a, b counted) int { return cmp.Or(cmp.Compare(a.n, b.n), cmp.Compare(a.word, b.word)) })
	var rare, common []string
	total := int64(0)
	for _, t := range there {
		if total += t.n; total <= mostPostings {
			rare = append(rare, t.match())
		} else {
			common = append(common, t.match())
		}
	}
	if len(rare) > 0 {
		return s.scored(c, of, strings.Join(rare, " OR "), f, most, scale)
	}
	// Every word of it stands nearly everywhere. How often says nothing, so the newest
	// that have all of them are taken, or else those that have the rarest.
	list, err := s.newest(c, of, strings.Join(common[:min(len(common), 4)], " AND "), f, most)
	if err == nil && len(list) == 0 && len(common) > 1 {
		list, err = s.newest(c, of, common[0], f, most)
	}
	return found{list: list}, err
}

// either puts together what was found by words and by vectors, the most relevant first.
func either(words, near []recall.Candidate) []recall.Candidate {
	at := make(map[hearsay.RecordID]int, len(words))
	for i := range words {
		at[words[i].Memory.ID] = i
	}
	for _, n := range near {
		if i, ok := at[n.Memory.ID]; ok {
			words[i].Relevance = recall.Either(words[i].Relevance, n.Relevance)
		} else {
			words = append(words, n)
		}
	}
	slices.SortStableFunc(words, func(a, b recall.Candidate) int {
		return cmp.Or(cmp.Compare(b.Relevance, a.Relevance), compareIDs(a.Memory.ID, b.Memory.ID))
	})
	return words
}

// match writes a term in the language of FTS5. A word has letters, marks and digits alone.
func (t term) match() string {
	if t.prefix {
		return `"` + t.word + `" *`
	}
	return `"` + t.word + `"`
}

// countOf returns in how many memories a term stands, or somewhat more.
func countOf(c *sqlite.Conn, of set, t term) (n int64, err error) {
	take := func(st *sqlite.Stmt) error { n = st.ColumnInt64(0); return nil }
	if t.prefix {
		err = each(c, fmt.Sprintf("SELECT sum(n) FROM (SELECT n FROM %s_word WHERE word >= ? AND word < ? LIMIT 4096)", of), take, t.word, t.word+"\U0010FFFF")
	} else {
		err = each(c, fmt.Sprintf("SELECT n FROM %s_word WHERE word = ?", of), take, t.word)
	}
	return n, err
}

// scored returns what matches best, by bm25 over one half of the index.
func (s *Store) scored(c *sqlite.Conn, of set, match string, f *filter, most int, scale float64) (out found, err error) {
	where, args := f.sql()
	sql := fmt.Sprintf(`SELECT w.score, %[2]s FROM (SELECT rowid AS doc, bm25(%[1]s_text) AS score FROM %[1]s_text WHERE %[1]s_text MATCH ?%[4]s ORDER BY score, doc LIMIT %[3]d) w
		CROSS JOIN %[1]s d ON d.doc = w.doc LEFT JOIN life.life l ON l.id = d.id ORDER BY w.score, w.doc`, of, rowColumns, most, f.in.among("rowid"))
	all := []any{match}
	if where != "" {
		sql = fmt.Sprintf(`SELECT w.score, %[2]s FROM (SELECT rowid AS doc, bm25(%[1]s_text) AS score FROM %[1]s_text WHERE %[1]s_text MATCH ?%[5]s) w
			CROSS JOIN %[1]s d ON d.doc = w.doc LEFT JOIN life.life l ON l.id = d.id WHERE 1 %[3]s ORDER BY w.score, w.doc LIMIT %[4]d`, of, rowColumns, where, most, f.in.among("rowid"))
		all = append(all, args...)
	}
	var scores []float64
	if err := each(c, sql, func(st *sqlite.Stmt) error {
		m, err := s.row(st, 1)
		scores, out.list = append(scores, -st.ColumnFloat(0)), append(out.list, recall.Candidate{Memory: m})
		return err
	}, all...); err != nil {
		return found{}, err
	}
	relevance, err := recall.TextRelevance(scores, scale)
	if err != nil {
		return found{}, fmt.Errorf("%w: %w", errUnusable, err)
	}
	for i := range out.list {
		out.list[i].Relevance = relevance[i]
		out.best = max(out.best, scores[i])
	}
	return out, nil
}

// newest returns the newest that match; all of them are equally relevant.
func (s *Store) newest(c *sqlite.Conn, of set, match string, f *filter, most int) ([]recall.Candidate, error) {
	where, args := f.sql()
	limit := fmt.Sprintf(" LIMIT %d", most)
	inner := limit
	if where != "" {
		inner, where = "", "WHERE 1"+where+limit
	}
	sql := fmt.Sprintf(`SELECT %[2]s FROM (SELECT rowid AS doc FROM %[1]s_text WHERE %[1]s_text MATCH ?%[5]s ORDER BY rowid DESC%[3]s) w
		CROSS JOIN %[1]s d ON d.doc = w.doc LEFT JOIN life.life l ON l.id = d.id %[4]s`, of, rowColumns, inner, where, f.in.among("rowid"))
	var list []recall.Candidate
	err := each(c, sql, func(st *sqlite.Stmt) error {
		m, err := s.row(st, 0)
		list = append(list, recall.Candidate{Memory: m, Relevance: 1})
		return err
	}, append([]any{match}, args...)...)
	return list, err
}

// latest returns the newest of one half, found by nothing.
func (s *Store) latest(c *sqlite.Conn, of set, f *filter, most int) ([]recall.Candidate, error) {
	where, args := f.sql()
	var list []recall.Candidate
	err := each(c, fmt.Sprintf("SELECT %[2]s FROM %[1]s d LEFT JOIN life.life l ON l.id = d.id WHERE 1 %[3]s ORDER BY d.doc DESC LIMIT %[4]d", of, rowColumns, where+f.in.among("d.doc"), most), func(st *sqlite.Stmt) error {
		m, err := s.row(st, 0)
		list = append(list, recall.Candidate{Memory: m})
		return err
	}, args...)
	return list, err
}

// byID returns one memory of a half; ok is whether it is there.
func (s *Store) byID(c *sqlite.Conn, of set, id hearsay.RecordID) (m recall.Memory, ok bool, err error) {
	err = each(c, fmt.Sprintf("SELECT %[2]s FROM %[1]s d LEFT JOIN life.life l ON l.id = d.id WHERE d.id = ?", of, rowColumns), func(st *sqlite.Stmt) (err error) {
		ok = true
		m, err = s.row(st, 0)
		return err
	}, id[:])
	return m, ok, err
}
