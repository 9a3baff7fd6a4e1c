package memory

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"zombiezen.com/go/sqlite"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/guard"
	"github.com/hearsay-memory/hearsay/policy"
)

// partSchema is that of a part: the vectors, in the order in which they came, where an empty
// one is gone; what still needs one, and when it is tried; how many at a time, and when.
const partSchema = `
CREATE TABLE %[1]s_vector(doc INTEGER PRIMARY KEY, seq INTEGER NOT NULL, v BLOB NOT NULL);
CREATE UNIQUE INDEX %[1]s_came ON %[1]s_vector(seq);
CREATE TABLE %[1]s_bare(doc INTEGER PRIMARY KEY, again INTEGER NOT NULL);
CREATE INDEX %[1]s_due ON %[1]s_bare(again, doc);
INSERT INTO batch VALUES('%[1]s', 64, 0);
`

// forget gives up all vectors of a part: they have to be made anew.
func (p part) forget(c *sqlite.Conn) error {
	for _, sql := range []string{
		"DELETE FROM %[1]s_vector", "DELETE FROM %[1]s_bare", "INSERT INTO %[1]s_bare SELECT doc, 0 FROM %[2]s WHERE 1" + p.among("doc"),
		"UPDATE batch SET size = 64, again = 0 WHERE part = '%[1]s'",
	} {
		if err := run(c, fmt.Sprintf(sql, p.name, p.of)); err != nil {
			return err
		}
	}
	return nil
}

// want notes that a memory needs a vector.
func (p part) want(c *sqlite.Conn, doc int64) error {
	return run(c, fmt.Sprintf("INSERT OR REPLACE INTO %s_bare VALUES(?, 0)", p.name), doc)
}

// drop takes the vector of a memory away.
func (p part) drop(c *sqlite.Conn, doc int64) error {
	if err := run(c, fmt.Sprintf("DELETE FROM %s_bare WHERE doc = ?", p.name), doc); err != nil {
		return err
	}
	return run(c, fmt.Sprintf("UPDATE %[1]s_vector SET v = x'', seq = (SELECT max(seq) + 1 FROM %[1]s_vector) WHERE doc = ?", p.name), doc)
}

// bare is a memory without a vector.
type bare struct {
	doc int64
	id  hearsay.RecordID
}

// due returns the memories of a part whose turn it is, the newest first, and how many are
// asked for at a time. There are none while the part rests.
func (p part) due(c *sqlite.Conn) (list []bare, size int, err error) {
	now, rest := time.Now(), false
	if err := each(c, "SELECT size, again FROM batch WHERE part = ?", func(st *sqlite.Stmt) error {
		size, rest = min(max(1, st.ColumnInt(0)), embedBatch), resting(st.ColumnInt64(1), now, embedRest)
		return nil
	}, p.name); err != nil || size == 0 || rest {
		return nil, size, err
	}
	// The second: those of a clock that went backwards.
	for _, when := range []struct {
		cond string
		at   time.Time
	}{{"<=", now}, {">", now.Add(embedSoon)}} {
		if len(list) > 0 {
			break
		}
		if err := each(c, fmt.Sprintf("SELECT b.doc, d.id FROM %[1]s_bare b CROSS JOIN %[2]s d ON d.doc = b.doc WHERE b.again %[3]s ? ORDER BY b.again, b.doc DESC LIMIT %[4]d", p.name, p.of, when.cond, size),
			func(st *sqlite.Stmt) error {
				list = append(list, bare{st.ColumnInt64(0), columnID(st, 1)})
				return nil
			}, when.at.UnixMilli()); err != nil {
			return nil, 0, err
		}
	}
	return list, size, nil
}

// batch makes the vectors of some memories of a part, and returns how many it looked at.
func (s *Store) batch(ctx context.Context, until time.Time, m model, p part) (int, error) {
	var list []bare
	var size int
	if err := s.use(ctx, func(c *sqlite.Conn) (err error) {
		list, size, err = p.due(c)
		return err
	}); err != nil || len(list) == 0 {
		return 0, err
	}
	ids := make([]hearsay.RecordID, len(list))
	for i := range list {
		ids[i] = list[i].id
	}
	displaced, err := s.guard.Displaced(ctx, ids)
	if err != nil {
		return 0, err
	}
	var texts []string
	shown, kept := list[:0:0], list[:0:0]
	for _, b := range list {
		text, err := s.embeddable(ctx, p, b.id)
		if err != nil {
			return 0, err
		}
		if text == "" || displaced[b.id] {
			kept = append(kept, b)
			continue
		}
		shown, texts = append(shown, b), append(texts, text)
	}
	var vectors [][]float32
	if len(texts) > 0 {
		if vectors, err = s.askFor(ctx, until, texts); ctx.Err() != nil {
			return 0, ctx.Err()
		} else if err != nil {
			s.failed(ctx, p, shown, size, err)
			return 0, err
		}
	}
	bad := 0
	for i, v := range vectors {
		if len(v) != m.dim {
			vectors[i], bad = nil, bad+1
		}
	}
	if bad > 0 {
		s.log.Warn("the embedder made no vector, or one of another length, of some memories: they are found by their words alone", "memories", bad)
	}
	return len(list), s.use(ctx, func(c *sqlite.Conn) error {
		return inTx(c, func() error {
			if is, err := readModel(c); err != nil || is.era != m.era {
				return err // they are another model's now
			}
			for i, b := range shown {
				if err := p.put(c, b, vectors[i]); err != nil {
					return err
				}
			}
			for _, b := range kept {
				if err := p.put(c, b, nil); err != nil {
					return err
				}
			}
			return run(c, "UPDATE batch SET size = ?, again = 0 WHERE part = ?", min(2*size, embedBatch), p.name)
		})
	})
}

// put keeps the vector of a memory if that is still there, or notes that there is none.
func (p part) put(c *sqlite.Conn, b bare, v []float32) error {
	there := false
	if err := each(c, fmt.Sprintf("SELECT 1 FROM %[1]s_bare b CROSS JOIN %[2]s d ON d.doc = b.doc WHERE b.doc = ? AND d.id = ?", p.name, p.of), func(*sqlite.Stmt) error {
		there = true
		return nil
	}, b.doc, b.id[:]); err != nil || !there {
		return err
	}
	if v == nil {
		return run(c, fmt.Sprintf("UPDATE %s_bare SET again = ? WHERE doc = ?", p.name), time.Now().Add(embedSoon).UnixMilli(), b.doc)
	}
	if err := run(c, fmt.Sprintf("INSERT OR REPLACE INTO %[1]s_vector VALUES(?, (SELECT ifnull(max(seq), 0) + 1 FROM %[1]s_vector), ?)", p.name), b.doc, packVector(v)); err != nil {
		return err
	}
	return run(c, fmt.Sprintf("DELETE FROM %s_bare WHERE doc = ?", p.name), b.doc)
}

// failed notes that the embedder failed with some memories. Fewer are tried the next time,
// and one alone is left for later, so that a text that breaks it is found.
func (s *Store) failed(ctx context.Context, p part, list []bare, size int, why error) {
	s.log.Warn("the embedder failed: some memories are found by their words alone", "memories", len(list), "error", why)
	if err := s.use(ctx, func(c *sqlite.Conn) error {
		return inTx(c, func() error {
			if len(list) == 1 {
				if err := p.put(c, list[0], nil); err != nil {
					return err
				}
			}
			return run(c, "UPDATE batch SET size = ?, again = ? WHERE part = ?", max(1, min(size, len(list))/4), time.Now().Add(embedRest).UnixMilli(), p.name)
		})
	}); err != nil {
		s.log.Warn("that the embedder failed is forgotten", "error", err)
	}
	if p == trustedPart {
		s.leave(ctx, "")
	}
}

// embeddable returns what an embedder is shown of a memory: nothing of one that may not be
// served now.
func (s *Store) embeddable(ctx context.Context, p part, id hearsay.RecordID) (string, error) {
	m, err := s.read(ctx, id)
	if errors.Is(err, guard.ErrTampered) || errors.Is(err, guard.ErrNotFound) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	pending := m.Label.Origin.LowTrust() && m.Standing != hearsay.Released
	if !m.served() || partOf(m) != p || pending && s.guard.Policy().Recall().Quarantine == policy.QuarantineEnforce {
		return "", nil
	}
	text := m.Text
	if m.Title != "" {
		text = m.Title + "\n" + text
	}
	return clip(text, maxEmbedded), nil
}

// clip returns the beginning of a text, at most n bytes.
func clip(text string, n int) string {
	if len(text) > n {
		text = text[:n]
	}
	return strings.ToValidUTF8(text, "")
}

// fill makes some of the vectors that are missing, as far as that is done by a time. What
// goes wrong is said to the log.
func (s *Store) fill(ctx context.Context, until time.Time, m model) {
	for _, p := range parts {
		if !s.filling[p].TryLock() {
			continue // somebody else is at it
		}
		_, err := s.batch(ctx, until, m, p)
		s.filling[p].Unlock()
		if err != nil && p == trustedPart || !time.Now().Before(until) {
			return
		}
	}
}

// Embed makes all vectors that are missing, and returns how many memories it looked at. A
// failure of the embedder ends it, and is said to the log. It is for when nobody waits: a
// recall and a write make a few.
func (s *Store) Embed(ctx context.Context) (n int, err error) {
	m, ok := s.ready(ctx, time.Now().Add(bulkWait))
	if !ok {
		return 0, ctx.Err()
	}
	for _, p := range parts {
		for {
			did, err := s.bulk(ctx, m, p)
			if n += did; err != nil {
				return n, err
			}
			if did == 0 {
				break
			}
		}
	}
	return n, nil
}

// bulk is batch where nobody waits.
func (s *Store) bulk(ctx context.Context, m model, p part) (int, error) {
	s.filling[p].Lock()
	defer s.filling[p].Unlock()
	return s.batch(ctx, time.Now().Add(bulkWait), m, p)
}
