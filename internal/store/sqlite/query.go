package sqlite

import (
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"strings"

	"zombiezen.com/go/sqlite"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/event"
	"github.com/hearsay-memory/hearsay/guard"
	"github.com/hearsay-memory/hearsay/ledger"
)

// The functions here read through one connection: that of the writer inside its
// transaction, or one of the pool. Statements are prepared once a connection.

// query runs a statement and calls row for each row. The statement is reset before it
// returns, so that it holds no snapshot.
func query(c *sqlite.Conn, sql string, bind func(*sqlite.Stmt), row func(*sqlite.Stmt) error) error {
	st, err := c.Prepare(sql)
	if err != nil {
		return err
	}
	if bind != nil {
		bind(st)
	}
	for {
		more, err := st.Step()
		if err != nil {
			return err
		}
		if !more {
			return st.Reset()
		}
		if err := row(st); err != nil {
			return errors.Join(err, st.Reset())
		}
	}
}

// one is query for a statement of at most one row; without it, [guard.ErrNotFound].
func one(c *sqlite.Conn, sql string, bind func(*sqlite.Stmt), row func(*sqlite.Stmt) error) error {
	found := false
	err := query(c, sql, bind, func(st *sqlite.Stmt) error {
		found = true
		return row(st)
	})
	if err == nil && !found {
		return guard.ErrNotFound
	}
	return err
}

// bytesOf copies a blob; nil for an empty one.
func bytesOf(st *sqlite.Stmt, col int) []byte {
	n := st.ColumnLen(col)
	if n == 0 {
		return nil
	}
	b := make([]byte, n)
	st.ColumnBytes(col, b)
	return b
}

// arrayOf fills dst from a blob that must have its length.
func arrayOf(st *sqlite.Stmt, col int, dst []byte) error {
	if n := st.ColumnLen(col); n != len(dst) {
		return fmt.Errorf("column %s has %d bytes and should have %d: the store is damaged; run `hearsay verify`", st.ColumnName(col), n, len(dst))
	}
	st.ColumnBytes(col, dst)
	return nil
}

// textOf returns a blob as a string, byte for byte.
func textOf(st *sqlite.Stmt, col int) string { return string(bytesOf(st, col)) }

// bindString binds s as a blob, so that no character set gets between.
func bindString(st *sqlite.Stmt, param int, s string) { st.BindBytes(param, []byte(s)) }

func readHead(c *sqlite.Conn) (guard.Head, error) {
	var h guard.Head
	err := one(c, `SELECT log_id, t, frontier, min_writer, checkpoint FROM head`, nil, func(st *sqlite.Stmt) error {
		h.LogID, h.T, h.MinWriter = st.ColumnText(0), st.ColumnInt64(1), st.ColumnInt(3)
		h.Checkpoint = bytesOf(st, 4)
		return h.Frontier.UnmarshalBinary(bytesOf(st, 2))
	})
	if errors.Is(err, guard.ErrNotFound) {
		return h, errors.New("the head row is missing: the store is damaged; restore a backup and run `hearsay verify`")
	}
	return h, err
}

func readRow(c *sqlite.Conn, t event.Table, key []byte) (event.Put, error) {
	p := event.Put{Table: t, Key: append([]byte(nil), key...)}
	sql := `SELECT seq, val, 0 FROM row WHERE tbl = ?2 AND key = ?1`
	if t == event.Records {
		sql = `SELECT seq, val, queue FROM record WHERE id = ?1`
	}
	err := one(c, sql, func(st *sqlite.Stmt) {
		st.BindBytes(1, key)
		if t != event.Records {
			st.BindText(2, string(t))
		}
	}, func(st *sqlite.Stmt) error {
		p.Seq, p.Value, p.Queue = st.ColumnInt64(0), bytesOf(st, 1), event.Queue(st.ColumnInt(2))
		return nil
	})
	return p, err
}

// scanPage is how many records a scan fetches at once. Between pages no statement is
// open, so what is done with a record may itself read, scan or write.
const scanPage = 128

// afterAll is greater than every record id.
var afterAll = strings.Repeat("\xff", len(hearsay.RecordID{})+1)

// scan yields the records that q selects. The caller sees to it that c is in a
// transaction, so that all pages are of one state.
func scan(c *sqlite.Conn, q guard.Query) iter.Seq2[*event.Record, error] {
	return func(yield func(*event.Record, error) bool) {
		sql, at := `SELECT id, val FROM record WHERE id > ?1`, ""
		if q.Newest {
			sql, at = `SELECT id, val FROM record WHERE id < ?1`, afterAll
		}
		if q.Queue != event.QueueNone {
			sql += ` AND queue <> 0 AND queue = ?3`
		}
		if sql += ` ORDER BY id`; q.Newest {
			sql += ` DESC`
		}
		sql += ` LIMIT ?2`
		if !q.After.IsZero() {
			at = string(q.After[:])
		}
		given := 0
		for {
			size := scanPage
			if q.Limit > 0 && q.Match == nil {
				size = min(size, q.Limit-given)
			}
			page := make([][]byte, 0, size)
			err := query(c, sql, func(st *sqlite.Stmt) {
				bindString(st, 1, at)
				st.BindInt64(2, int64(size))
				if q.Queue != event.QueueNone {
					st.BindInt64(3, int64(q.Queue))
				}
			}, func(st *sqlite.Stmt) error {
				at = textOf(st, 0)
				page = append(page, bytesOf(st, 1))
				return nil
			})
			if err != nil {
				yield(nil, explain("scan records", err))
				return
			}
			for _, val := range page {
				r, err := event.DecodeRecord(val)
				if err != nil {
					yield(nil, explain("scan records", err))
					return
				}
				if q.Match != nil && !q.Match(r) {
					continue
				}
				if given++; !yield(r, nil) || given == q.Limit {
					return
				}
			}
			if len(page) < size {
				return
			}
		}
	}
}

func readSide(c *sqlite.Conn, seq int64) (guard.StoredSide, error) {
	side := guard.StoredSide{Seq: seq}
	err := one(c, `SELECT salt, blob FROM side WHERE seq = ?`,
		func(st *sqlite.Stmt) { st.BindInt64(1, seq) },
		func(st *sqlite.Stmt) error {
			side.Blob = bytesOf(st, 1)
			return arrayOf(st, 0, side.Salt[:])
		})
	return side, err
}

const sessionColumns = `SELECT principal, id, agent, surface, label, host, started, used, expires FROM session `

func sessionOf(st *sqlite.Stmt) (guard.Session, error) {
	v := guard.Session{
		Key:     guard.SessionKey{Principal: textOf(st, 0), ID: textOf(st, 1)},
		Agent:   textOf(st, 2),
		Surface: hearsay.Surface(textOf(st, 3)),
		Host:    textOf(st, 5),
		Started: st.ColumnInt64(6),
		Used:    st.ColumnInt64(7),
		Expires: st.ColumnInt64(8),
	}
	if err := json.Unmarshal([]byte(st.ColumnText(4)), &v.Label); err != nil {
		return guard.Session{}, fmt.Errorf("the label of a session cannot be read: %w", err)
	}
	return v, nil
}

// readSession returns a session, expired or not.
func readSession(c *sqlite.Conn, key guard.SessionKey) (v guard.Session, err error) {
	err = one(c, sessionColumns+`WHERE principal = ? AND id = ?`, func(st *sqlite.Stmt) {
		bindString(st, 1, key.Principal)
		bindString(st, 2, key.ID)
	}, func(st *sqlite.Stmt) (err error) {
		v, err = sessionOf(st)
		return err
	})
	return v, err
}

// readSessions returns a principal's sessions, expired or not, in no order.
func readSessions(c *sqlite.Conn, principal *string) (all []guard.Session, err error) {
	sql, bind := sessionColumns, func(*sqlite.Stmt) {}
	if principal != nil {
		sql, bind = sql+`WHERE principal = ?`, func(st *sqlite.Stmt) { bindString(st, 1, *principal) }
	}
	err = query(c, sql, bind, func(st *sqlite.Stmt) error {
		v, err := sessionOf(st)
		all = append(all, v)
		return err
	})
	return all, err
}

// readMark returns when a mark expires; 0 for one that is not there.
func readMark(c *sqlite.Conn, mark [32]byte) (expires int64, err error) {
	err = query(c, `SELECT expires FROM mark WHERE mark = ?`,
		func(st *sqlite.Stmt) { st.BindBytes(1, mark[:]) },
		func(st *sqlite.Stmt) error {
			expires = st.ColumnInt64(0)
			return nil
		})
	return expires, err
}

// itemKeys is how many keys one statement looks up.
const itemKeys = 64

var (
	oneItem   = `SELECT key, record, state, landed FROM item WHERE key = ?`
	manyItems = `SELECT key, record, state, landed FROM item WHERE key IN (?` + strings.Repeat(`,?`, itemKeys-1) + `)`
)

// readItems returns the items of the keys, those of one key in no order.
func readItems(c *sqlite.Conn, keys [][32]byte) (map[[32]byte][]guard.Item, error) {
	found := make(map[[32]byte][]guard.Item)
	row := func(st *sqlite.Stmt) error {
		it := guard.Item{State: guard.ItemState(st.ColumnInt(2)), Landed: st.ColumnInt64(3)}
		if err := errors.Join(arrayOf(st, 0, it.Key[:]), arrayOf(st, 1, it.Record[:])); err != nil {
			return err
		}
		found[it.Key] = append(found[it.Key], it)
		return nil
	}
	for len(keys) > 0 {
		sql, n := oneItem, 1
		if len(keys) >= itemKeys {
			sql, n = manyItems, itemKeys
		}
		err := query(c, sql, func(st *sqlite.Stmt) {
			for i := range n {
				st.BindBytes(i+1, keys[i][:])
			}
		}, row)
		if err != nil {
			return nil, err
		}
		keys = keys[n:]
	}
	return found, nil
}

func readTile(c *sqlite.Conn, level int, index int64) (hashes []ledger.Hash, err error) {
	err = query(c, `SELECT hashes FROM tile WHERE level = ? AND idx = ?`, func(st *sqlite.Stmt) {
		st.BindInt64(1, int64(level))
		st.BindInt64(2, index)
	}, func(st *sqlite.Stmt) error {
		hashes, err = ledger.ParseTile(bytesOf(st, 0))
		return err
	})
	return hashes, err
}

// hashes is what a [ledger.Builder] reads back, inside the writer's transaction.
type hashes struct{ conn *sqlite.Conn }

func (h hashes) Tile(level int, index int64) ([]ledger.Hash, error) {
	return readTile(h.conn, level, index)
}

func (h hashes) Leaves(from, to int64) (leaves []ledger.Hash, err error) {
	err = query(h.conn, `SELECT leaf FROM log WHERE seq >= ? AND seq < ? ORDER BY seq`, func(st *sqlite.Stmt) {
		st.BindInt64(1, from)
		st.BindInt64(2, to)
	}, func(st *sqlite.Stmt) error {
		var leaf ledger.Hash
		err := arrayOf(st, 0, leaf[:])
		leaves = append(leaves, leaf)
		return err
	})
	return leaves, err
}
