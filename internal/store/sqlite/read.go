package sqlite

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"slices"

	"zombiezen.com/go/sqlite"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/event"
	"github.com/hearsay-memory/hearsay/guard"
	"github.com/hearsay-memory/hearsay/ledger"
)

// query runs a prepared statement and calls row for each of its rows; row returns
// false to stop. bind sets the parameters, numbered from 1.
//
// Where the value of a parameter could change the plan, SQLite compiles the statement anew
// each time, which costs ten times its run. In some of the texts such a parameter stands
// behind a plus, where SQLite does not look for a value; a test tells in which it must.
func query(c *sqlite.Conn, sql string, bind func(*sqlite.Stmt), row func(*sqlite.Stmt) (bool, error)) (err error) {
	st, err := c.Prepare(sql)
	if err != nil {
		return err
	}
	defer func() {
		// What a bound blob points to must not be kept alive by the cached statement.
		err = cmp.Or(err, st.Reset(), st.ClearBindings())
	}()
	bind(st)
	for {
		more, err := st.Step()
		if err != nil || !more {
			return err
		}
		if more, err = row(st); err != nil || !more {
			return err
		}
	}
}

func none(*sqlite.Stmt) {}

// blob copies a column.
func blob(st *sqlite.Stmt, col int) []byte {
	b := make([]byte, st.ColumnLen(col))
	st.ColumnBytes(col, b)
	return b
}

// fixed reads a column of just len(into) bytes.
func fixed(st *sqlite.Stmt, col int, into []byte) error {
	if st.ColumnLen(col) != len(into) {
		return fmt.Errorf("column %s has %d bytes, wanted %d: the store was changed by something else; run `hearsay verify`", st.ColumnName(col), st.ColumnLen(col), len(into))
	}
	st.ColumnBytes(col, into)
	return nil
}

func readHead(c *sqlite.Conn) (h guard.Head, err error) {
	found := false
	err = query(c, "SELECT log_id, t, frontier, min_writer, checkpoint, size FROM head", none, func(st *sqlite.Stmt) (bool, error) {
		found = true
		h.LogID, h.T, h.MinWriter = st.ColumnText(0), st.ColumnInt64(1), st.ColumnInt(3)
		if st.ColumnLen(4) > 0 {
			h.Checkpoint = blob(st, 4)
		}
		if err := h.Frontier.UnmarshalBinary(blob(st, 2)); err != nil {
			return false, err
		}
		if size := st.ColumnInt64(5); size != h.Frontier.Size() {
			return false, fmt.Errorf("the head says %d entries and its tree has %d: the store was changed by something else; run `hearsay verify`", size, h.Frontier.Size())
		}
		return false, nil
	})
	if err == nil && !found {
		err = fmt.Errorf("the head is gone: restore a backup")
	}
	return h, err
}

func getRow(c *sqlite.Conn, t event.Table, key []byte) (event.Put, error) {
	put := event.Put{Table: t, Key: key}
	found := false
	take := func(st *sqlite.Stmt) (bool, error) {
		found = true
		put.Seq, put.Value, put.Queue = st.ColumnInt64(0), blob(st, 1), event.Queue(st.ColumnInt(2))
		return false, nil
	}
	var err error
	if t == event.Records {
		err = query(c, "SELECT seq, val, queue FROM record WHERE id = ?", func(st *sqlite.Stmt) { st.BindBytes(1, key) }, take)
	} else {
		err = query(c, "SELECT seq, val, 0 FROM row WHERE tbl = ? AND key = ?", func(st *sqlite.Stmt) {
			st.BindText(1, string(t))
			st.BindBytes(2, key)
		}, take)
	}
	if err == nil && !found {
		err = guard.ErrNotFound
	}
	return put, err
}

func scan(c *sqlite.Conn, q guard.Query, yield func(*event.Record) bool) error {
	sql := "SELECT val FROM record WHERE id > ?1 ORDER BY id"
	if q.Newest {
		sql = "SELECT val FROM record WHERE id < ?1 ORDER BY id DESC"
	}
	if q.Queue != event.QueueNone {
		// The queue stands in the text: a partial index serves no parameter.
		sql = fmt.Sprintf("SELECT val FROM record WHERE queue = %d AND queue <> 0 AND id > ?1 ORDER BY id", q.Queue)
		if q.Newest {
			sql = fmt.Sprintf("SELECT val FROM record WHERE queue = %d AND queue <> 0 AND id < ?1 ORDER BY id DESC", q.Queue)
		}
	}
	after := q.After[:]
	if q.After.IsZero() && q.Newest {
		after = slices.Repeat([]byte{0xff}, 17) // after every id
	}
	n := 0
	return query(c, sql, func(st *sqlite.Stmt) { st.BindBytes(1, after) }, func(st *sqlite.Stmt) (bool, error) {
		r, err := event.DecodeRecord(blob(st, 0))
		if err != nil {
			return false, err
		}
		if q.Match != nil && !q.Match(r) {
			return true, nil
		}
		n++
		return yield(r) && (q.Limit == 0 || n < q.Limit), nil
	})
}

func getSide(c *sqlite.Conn, seq int64) (side guard.StoredSide, err error) {
	found := false
	err = query(c, "SELECT salt, blob FROM side WHERE seq = ?", func(st *sqlite.Stmt) { st.BindInt64(1, seq) }, func(st *sqlite.Stmt) (bool, error) {
		found = true
		side.Seq, side.Blob = seq, blob(st, 1)
		return false, fixed(st, 0, side.Salt[:])
	})
	if err == nil && !found {
		err = guard.ErrNotFound
	}
	return side, err
}

const sessionColumns = "principal, id, agent, surface, label, host, started, used, expires"

func readSession(st *sqlite.Stmt) (s guard.Session, err error) {
	s.Key = guard.SessionKey{Principal: string(blob(st, 0)), ID: string(blob(st, 1))}
	s.Agent, s.Surface = string(blob(st, 2)), hearsay.Surface(blob(st, 3))
	// A label that cannot be read is the lowest one.
	if err := json.Unmarshal([]byte(st.ColumnText(4)), &s.Label); err != nil {
		s.Label = hearsay.Label{}
	}
	s.Host = string(blob(st, 5))
	s.Started, s.Used, s.Expires = st.ColumnInt64(6), st.ColumnInt64(7), st.ColumnInt64(8)
	return s, nil
}

func getSession(c *sqlite.Conn, key guard.SessionKey, now int64) (s guard.Session, err error) {
	found := false
	err = query(c, "SELECT "+sessionColumns+" FROM session WHERE principal = ? AND id = ? AND expires > ?", func(st *sqlite.Stmt) {
		st.BindBytes(1, []byte(key.Principal))
		st.BindBytes(2, []byte(key.ID))
		st.BindInt64(3, now)
	}, func(st *sqlite.Stmt) (bool, error) {
		found = true
		s, err = readSession(st)
		return false, err
	})
	if err == nil && !found {
		err = guard.ErrNotFound
	}
	return s, err
}

func getSessions(c *sqlite.Conn, principal *string, now int64) (list []guard.Session, err error) {
	sql, bind := "SELECT "+sessionColumns+" FROM session WHERE expires > ?1", func(st *sqlite.Stmt) { st.BindInt64(1, now) }
	if principal != nil {
		sql, bind = sql+" AND principal = ?2", func(st *sqlite.Stmt) {
			st.BindInt64(1, now)
			st.BindBytes(2, []byte(*principal))
		}
	}
	err = query(c, sql, bind, func(st *sqlite.Stmt) (bool, error) {
		s, err := readSession(st)
		list = append(list, s)
		return true, err
	})
	sortSessions(list)
	return list, err
}

// sortSessions puts the newest first.
func sortSessions(list []guard.Session) {
	slices.SortFunc(list, func(a, b guard.Session) int {
		return cmp.Or(cmp.Compare(b.Used, a.Used), cmp.Compare(a.Key.Principal, b.Key.Principal), cmp.Compare(a.Key.ID, b.Key.ID))
	})
}

func getMark(c *sqlite.Conn, mark [32]byte) (expires int64, err error) {
	err = query(c, "SELECT expires FROM mark WHERE mark = ?", func(st *sqlite.Stmt) { st.BindBytes(1, mark[:]) }, func(st *sqlite.Stmt) (bool, error) {
		expires = st.ColumnInt64(0)
		return false, nil
	})
	return expires, err
}

func getWords(c *sqlite.Conn, key guard.SessionKey, now int64) (list []guard.StoredWords, err error) {
	err = query(c, "SELECT name, data, expires FROM words WHERE principal = +?1 AND session = +?2 AND expires > ?3 ORDER BY name", func(st *sqlite.Stmt) {
		st.BindBytes(1, []byte(key.Principal))
		st.BindBytes(2, []byte(key.ID))
		st.BindInt64(3, now)
	}, func(st *sqlite.Stmt) (bool, error) {
		list = append(list, guard.StoredWords{Session: key, Name: st.ColumnText(0), Data: blob(st, 1), Expires: st.ColumnInt64(2)})
		return true, nil
	})
	return list, err
}

// reading runs f on a read connection.
func (s *Store) reading(ctx context.Context, what string, f func(*sqlite.Conn) error) error {
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("store: %s: %w", what, err)
	}
	c, err := s.reads.take()
	if err != nil {
		return explain(what, err)
	}
	defer s.reads.put(c)
	return explain(what, f(c))
}

// snapshot is reading for what takes several statements: all of them see one state of the
// store, which is locked once.
func (s *Store) snapshot(ctx context.Context, what string, f func(*sqlite.Conn) error) error {
	return s.reading(ctx, what, func(c *sqlite.Conn) (err error) {
		if err := exec(c, "BEGIN"); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, exec(c, "COMMIT")) }()
		return f(c)
	})
}

// Head implements [guard.Store].
func (s *Store) Head(ctx context.Context) (h guard.Head, err error) {
	err = s.reading(ctx, "read the head", func(c *sqlite.Conn) error { h, err = readHead(c); return err })
	return h, err
}

// Get implements [guard.Reader].
func (s *Store) Get(ctx context.Context, t event.Table, key []byte) (put event.Put, err error) {
	err = s.reading(ctx, "read a row", func(c *sqlite.Conn) error { put, err = getRow(c, t, key); return err })
	return put, err
}

// Side implements [guard.Reader].
func (s *Store) Side(ctx context.Context, seq int64) (side guard.StoredSide, err error) {
	err = s.reading(ctx, "read a side blob", func(c *sqlite.Conn) error { side, err = getSide(c, seq); return err })
	return side, err
}

// Session implements [guard.Reader].
func (s *Store) Session(ctx context.Context, key guard.SessionKey, now int64) (row guard.Session, err error) {
	err = s.reading(ctx, "read a session", func(c *sqlite.Conn) error { row, err = getSession(c, key, now); return err })
	return row, err
}

// Sessions implements [guard.Reader].
func (s *Store) Sessions(ctx context.Context, principal *string, now int64) (list []guard.Session, err error) {
	err = s.reading(ctx, "read sessions", func(c *sqlite.Conn) error { list, err = getSessions(c, principal, now); return err })
	return list, err
}

// Seen implements [guard.Reader].
func (s *Store) Seen(ctx context.Context, mark [32]byte, now int64) (seen bool, err error) {
	err = s.reading(ctx, "read a mark", func(c *sqlite.Conn) error {
		expires, err := getMark(c, mark)
		seen = expires > now
		return err
	})
	return seen, err
}

// Words implements [guard.Reader].
func (s *Store) Words(ctx context.Context, key guard.SessionKey, now int64) (words []guard.StoredWords, err error) {
	err = s.reading(ctx, "read words", func(c *sqlite.Conn) error { words, err = getWords(c, key, now); return err })
	return words, err
}

// Tile implements [guard.Store].
func (s *Store) Tile(ctx context.Context, level int, index int64) (tile []ledger.Hash, err error) {
	err = s.reading(ctx, "read a tile", func(c *sqlite.Conn) error { tile, err = hashes{c}.Tile(level, index); return err })
	return tile, err
}

// Scan implements [guard.Reader].
func (s *Store) Scan(ctx context.Context, q guard.Query) iter.Seq2[*event.Record, error] {
	return seq(s, ctx, "read records", func(c *sqlite.Conn, yield func(*event.Record) bool) error { return scan(c, q, yield) })
}

// Log implements [guard.Store].
func (s *Store) Log(ctx context.Context, from int64) iter.Seq2[ledger.Entry, error] {
	return seq(s, ctx, "read the log", func(c *sqlite.Conn, yield func(ledger.Entry) bool) error {
		var e ledger.Entry
		return query(c, "SELECT seq, body, leaf FROM log WHERE seq >= ? ORDER BY seq", func(st *sqlite.Stmt) { st.BindInt64(1, from) }, func(st *sqlite.Stmt) (bool, error) {
			e.Seq = st.ColumnInt64(0)
			e.Body = slices.Grow(e.Body[:0], st.ColumnLen(1))[:st.ColumnLen(1)]
			e.Leaf = slices.Grow(e.Leaf[:0], st.ColumnLen(2))[:st.ColumnLen(2)]
			st.ColumnBytes(1, e.Body)
			st.ColumnBytes(2, e.Leaf)
			return yield(e), nil
		})
	})
}

// Sides implements [guard.Store].
func (s *Store) Sides(ctx context.Context) iter.Seq2[guard.StoredSide, error] {
	return seq(s, ctx, "read side blobs", func(c *sqlite.Conn, yield func(guard.StoredSide) bool) error {
		return query(c, "SELECT seq, salt, blob FROM side ORDER BY seq", none, func(st *sqlite.Stmt) (bool, error) {
			side := guard.StoredSide{Seq: st.ColumnInt64(0), Blob: blob(st, 2)}
			if err := fixed(st, 1, side.Salt[:]); err != nil {
				return false, err
			}
			return yield(side), nil
		})
	})
}

// Rows implements [guard.Store].
func (s *Store) Rows(ctx context.Context, t event.Table) iter.Seq2[event.Put, error] {
	return seq(s, ctx, "read rows", func(c *sqlite.Conn, yield func(event.Put) bool) error {
		sql, bind := "SELECT key, seq, val, 0 FROM row WHERE tbl = ? ORDER BY key", func(st *sqlite.Stmt) { st.BindText(1, string(t)) }
		if t == event.Records {
			sql, bind = "SELECT id, seq, val, queue FROM record ORDER BY id", none
		}
		return query(c, sql, bind, func(st *sqlite.Stmt) (bool, error) {
			return yield(event.Put{Table: t, Key: blob(st, 0), Seq: st.ColumnInt64(1), Value: blob(st, 2), Queue: event.Queue(st.ColumnInt(3))}), nil
		})
	})
}

// seq makes an iterator that holds a read connection, and with it one snapshot, while
// it runs. An error comes last.
func seq[T any](s *Store, ctx context.Context, what string, each func(*sqlite.Conn, func(T) bool) error) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		stopped := false
		err := s.reading(ctx, what, func(c *sqlite.Conn) error {
			return each(c, func(v T) bool {
				if ctx.Err() != nil {
					return false
				}
				stopped = !yield(v, nil)
				return !stopped
			})
		})
		if !stopped && err == nil {
			err = ctx.Err()
		}
		if !stopped && err != nil {
			var zero T
			yield(zero, err)
		}
	}
}

// hashes reads what a [ledger.Builder] needs.
type hashes struct{ c *sqlite.Conn }

// Tile implements [ledger.Hashes].
func (h hashes) Tile(level int, index int64) (tile []ledger.Hash, err error) {
	err = query(h.c, "SELECT hashes FROM tile WHERE level = ? AND idx = ?", func(st *sqlite.Stmt) {
		st.BindInt64(1, int64(level))
		st.BindInt64(2, index)
	}, func(st *sqlite.Stmt) (bool, error) {
		tile, err = ledger.ParseTile(blob(st, 0))
		return false, err
	})
	return tile, err
}

// Leaves implements [ledger.Hashes].
func (h hashes) Leaves(from, to int64) (leaves []ledger.Hash, err error) {
	err = query(h.c, "SELECT leaf FROM log WHERE seq >= ? AND seq < ? ORDER BY seq", func(st *sqlite.Stmt) {
		st.BindInt64(1, from)
		st.BindInt64(2, to)
	}, func(st *sqlite.Stmt) (bool, error) {
		var leaf ledger.Hash
		err := fixed(st, 0, leaf[:])
		leaves = append(leaves, leaf)
		return true, err
	})
	return leaves, err
}
