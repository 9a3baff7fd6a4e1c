package sqlite

import (
	"cmp"
	"context"
	"iter"
	"slices"

	"zombiezen.com/go/sqlite"

	"github.com/hearsay-memory/hearsay/event"
	"github.com/hearsay-memory/hearsay/guard"
	"github.com/hearsay-memory/hearsay/ledger"
)

// read runs f on a read connection.
func read[T any](ctx context.Context, s *Store, what string, f func(*sqlite.Conn) (T, error)) (T, error) {
	var zero T
	if err := ctx.Err(); err != nil {
		return zero, explain(what, err)
	}
	c, err := s.reads.take()
	if err != nil {
		return zero, explain(what, err)
	}
	defer s.reads.put(c)
	v, err := f(c)
	if err != nil {
		return zero, explain(what, err)
	}
	return v, nil
}

// Get returns one folded row.
func (s *Store) Get(ctx context.Context, t event.Table, key []byte) (event.Put, error) {
	return read(ctx, s, "read a row", func(c *sqlite.Conn) (event.Put, error) { return readRow(c, t, key) })
}

// Side returns a side blob.
func (s *Store) Side(ctx context.Context, seq int64) (guard.StoredSide, error) {
	return read(ctx, s, "read a side blob", func(c *sqlite.Conn) (guard.StoredSide, error) { return readSide(c, seq) })
}

// Session returns a session that has not expired.
func (s *Store) Session(ctx context.Context, key guard.SessionKey, now int64) (guard.Session, error) {
	return read(ctx, s, "read a session", func(c *sqlite.Conn) (guard.Session, error) {
		v, err := readSession(c, key)
		if err == nil && v.Expires <= now {
			err = guard.ErrNotFound
		}
		return v, err
	})
}

// Sessions returns the sessions that have not expired, those started last first.
func (s *Store) Sessions(ctx context.Context, principal *string, now int64) ([]guard.Session, error) {
	return read(ctx, s, "list sessions", func(c *sqlite.Conn) ([]guard.Session, error) {
		all, err := readSessions(c, principal)
		return live(all, now), err
	})
}

// live drops what has expired and sorts the rest, those started last first.
func live(all []guard.Session, now int64) []guard.Session {
	all = slices.DeleteFunc(all, func(v guard.Session) bool { return v.Expires <= now })
	slices.SortFunc(all, func(a, b guard.Session) int {
		return cmp.Or(cmp.Compare(b.Started, a.Started), cmp.Compare(b.Used, a.Used),
			cmp.Compare(a.Key.Principal, b.Key.Principal), cmp.Compare(a.Key.ID, b.Key.ID))
	})
	return all
}

// Seen reports whether a mark is there.
func (s *Store) Seen(ctx context.Context, mark [32]byte, now int64) (bool, error) {
	return read(ctx, s, "read a mark", func(c *sqlite.Conn) (bool, error) {
		expires, err := readMark(c, mark)
		return expires > now, err
	})
}

// Items returns what is known of things in a downstream store.
func (s *Store) Items(ctx context.Context, keys [][32]byte) (map[[32]byte][]guard.Item, error) {
	return read(ctx, s, "read items", func(c *sqlite.Conn) (map[[32]byte][]guard.Item, error) {
		end, err := snapshot(c)
		if err != nil {
			return nil, err
		}
		defer end()
		found, err := readItems(c, keys)
		for _, items := range found {
			sortItems(items)
		}
		return found, err
	})
}

// sortItems puts the items of one key in the order in which they landed, those that did
// not land last.
func sortItems(items []guard.Item) {
	slices.SortFunc(items, func(a, b guard.Item) int {
		if (a.Landed == 0) != (b.Landed == 0) {
			return cmp.Compare(b.Landed, a.Landed)
		}
		return cmp.Or(cmp.Compare(a.Landed, b.Landed), slices.Compare(a.Record[:], b.Record[:]))
	})
}

// Head returns the state of the log.
func (s *Store) Head(ctx context.Context) (guard.Head, error) {
	return read(ctx, s, "read the head", readHead)
}

// Tile returns the stored hashes of a tile.
func (s *Store) Tile(ctx context.Context, level int, index int64) ([]ledger.Hash, error) {
	return read(ctx, s, "read a tile", func(c *sqlite.Conn) ([]ledger.Hash, error) { return readTile(c, level, index) })
}

// Scan yields the records that q selects, all of one snapshot.
func (s *Store) Scan(ctx context.Context, q guard.Query) iter.Seq2[*event.Record, error] {
	return func(yield func(*event.Record, error) bool) {
		_, err := read(ctx, s, "scan records", func(c *sqlite.Conn) (struct{}, error) {
			end, err := snapshot(c)
			if err != nil {
				return struct{}{}, err
			}
			defer end()
			for r, err := range scan(c, q) {
				if err == nil {
					if cerr := ctx.Err(); cerr != nil {
						r, err = nil, explain("scan records", cerr)
					}
				}
				if !yield(r, err) || err != nil {
					break
				}
			}
			return struct{}{}, nil
		})
		if err != nil {
			yield(nil, err)
		}
	}
}

// Log yields the entries from seq on, all of one snapshot.
func (s *Store) Log(ctx context.Context, from int64) iter.Seq2[ledger.Entry, error] {
	var buf arena
	return each(ctx, s, "read the log", `SELECT seq, body, leaf FROM log WHERE seq >= ? ORDER BY seq`,
		func(st *sqlite.Stmt) { st.BindInt64(1, from) },
		func(st *sqlite.Stmt) (ledger.Entry, error) {
			return ledger.Entry{Seq: st.ColumnInt64(0), Body: buf.blob(st, 1), Leaf: buf.blob(st, 2)}, nil
		})
}

// Sides yields every side blob.
func (s *Store) Sides(ctx context.Context) iter.Seq2[guard.StoredSide, error] {
	var buf arena
	return each(ctx, s, "read the side blobs", `SELECT seq, salt, blob FROM side ORDER BY seq`, nil,
		func(st *sqlite.Stmt) (guard.StoredSide, error) {
			side := guard.StoredSide{Seq: st.ColumnInt64(0), Blob: buf.blob(st, 2)}
			return side, arrayOf(st, 1, side.Salt[:])
		})
}

// Rows yields every row of a folded table.
func (s *Store) Rows(ctx context.Context, t event.Table) iter.Seq2[event.Put, error] {
	sql, bind := `SELECT key, seq, val, 0 FROM row WHERE tbl = ? ORDER BY key`, func(st *sqlite.Stmt) { st.BindText(1, string(t)) }
	if t == event.Records {
		sql, bind = `SELECT id, seq, val, queue FROM record ORDER BY id`, nil
	}
	var buf arena
	return each(ctx, s, "read the rows of "+string(t), sql, bind, func(st *sqlite.Stmt) (event.Put, error) {
		return event.Put{
			Table: t, Key: buf.blob(st, 0), Seq: st.ColumnInt64(1),
			Value: buf.blob(st, 2), Queue: event.Queue(st.ColumnInt(3)),
		}, nil
	})
}

// each yields what row makes of every row of one statement. The connection is given
// back when the loop ends, in whatever way it does.
func each[T any](ctx context.Context, s *Store, what, sql string, bind func(*sqlite.Stmt), row func(*sqlite.Stmt) (T, error)) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		var zero T
		stopped := false
		_, err := read(ctx, s, what, func(c *sqlite.Conn) (struct{}, error) {
			st, err := c.Prepare(sql)
			if err != nil {
				return struct{}{}, err
			}
			// A failed Step has reset the statement and told its error already.
			defer func() { _ = st.Reset() }()
			if bind != nil {
				bind(st)
			}
			for {
				more, err := st.Step()
				if err != nil || !more {
					return struct{}{}, err
				}
				v, err := row(st)
				if err == nil {
					err = ctx.Err()
				}
				if err != nil {
					return struct{}{}, err
				}
				if !yield(v, nil) {
					stopped = true
					return struct{}{}, nil
				}
			}
		})
		if err != nil && !stopped {
			yield(zero, err)
		}
	}
}

// snapshot begins a read transaction, so that several statements see one state.
func snapshot(c *sqlite.Conn) (end func(), err error) {
	if err := exec(c, "BEGIN"); err != nil {
		return nil, err
	}
	// Ending a transaction that only read cannot lose anything.
	return func() { _ = exec(c, "ROLLBACK") }, nil
}

// arena hands out copies of blobs from a few large pieces of memory, which is what makes
// a scan of a whole log as fast as the driver. A copy is never touched again.
type arena struct{ free []byte }

const arenaPiece = 64 << 10

func (a *arena) blob(st *sqlite.Stmt, col int) []byte {
	n := st.ColumnLen(col)
	if n == 0 {
		return nil
	}
	if n > arenaPiece/8 {
		return bytesOf(st, col)
	}
	if n > len(a.free) {
		a.free = make([]byte, arenaPiece)
	}
	b := a.free[:n:n]
	a.free = a.free[n:]
	st.ColumnBytes(col, b)
	return b
}
