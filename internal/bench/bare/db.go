package bare

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"
)

// wide is how many rows one INSERT puts, as in the store.
const wide = 16

// Row is a sample of what one sealed write puts into the store's tables: it gives the
// sizes. Keys are made anew for each row.
type Row struct {
	Body, Leaf []byte // of log
	Value      []byte // of record
	Queue      int64  // of record
	Salt, Blob []byte // of side
}

// DB is the driver on a store's file, with the store's settings. The file is made by
// the store, so that tables, indexes and triggers are the same; afterwards it is no
// store any more. It is not safe for concurrent use.
type DB struct {
	c      *sqlite.Conn
	row    Row
	head   []byte
	signed []byte
}

// OpenDB opens a store's file. wait bounds the wait for a writer of another process.
func OpenDB(path string, wait time.Duration, row Row) (*DB, error) {
	c, err := sqlite.OpenConn(path, sqlite.OpenReadWrite|sqlite.OpenPrivateCache)
	if err != nil {
		return nil, err
	}
	c.SetBusyTimeout(wait)
	for _, setting := range [...]string{
		"trusted_schema=OFF", "temp_store=MEMORY", "cache_size=-8192", "synchronous=FULL", "fullfsync=ON",
		"checkpoint_fullfsync=ON", "secure_delete=ON", "wal_autocheckpoint=2000",
	} {
		if err := sqlitex.ExecuteTransient(c, "PRAGMA "+setting, nil); err != nil {
			return nil, errors.Join(err, c.Close())
		}
	}
	// A frontier of a log of some thousands, and a checkpoint with one signature.
	return &DB{c: c, row: row, head: make([]byte, 400), signed: make([]byte, 220)}, nil
}

// Close closes the connection.
func (db *DB) Close() error { return db.c.Close() }

// Commit puts n writes in one transaction, by the statements that the store uses.
func (db *DB) Commit(n int) (err error) {
	if err := db.exec("BEGIN IMMEDIATE"); err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, db.exec("ROLLBACK"))
		}
	}()
	var size int64
	if err := db.run("SELECT size, frontier, checkpoint FROM head", none, func(st *sqlite.Stmt) { size = st.ColumnInt64(0) }); err != nil {
		return err
	}
	now := time.Now().UnixMilli()
	for _, put := range [...]func(from, to, now int64) error{db.log, db.records, db.sides, db.tiles, db.update} {
		if err := put(size, size+int64(n), now); err != nil {
			return err
		}
	}
	return db.exec("COMMIT")
}

func (db *DB) log(from, to, _ int64) error {
	return db.insert(intoLog, from, to, func(st *sqlite.Stmt, at int, seq int64) {
		st.BindInt64(at+1, seq)
		st.BindBytes(at+2, db.row.Body)
		st.BindBytes(at+3, db.row.Leaf)
	})
}

func (db *DB) records(from, to, now int64) error {
	return db.insert(intoRecord, from, to, func(st *sqlite.Stmt, at int, seq int64) {
		var id [16]byte // of the shape of a record's: time first, then chance
		binary.BigEndian.PutUint64(id[:], uint64(now)<<16|rand.Uint64N(1<<16))
		binary.BigEndian.PutUint64(id[8:], rand.Uint64())
		st.BindBytes(at+1, id[:])
		st.BindInt64(at+2, seq)
		st.BindInt64(at+3, db.row.Queue)
		st.BindBytes(at+4, db.row.Value)
	})
}

func (db *DB) sides(from, to, _ int64) error {
	return db.insert(intoSide, from, to, func(st *sqlite.Stmt, at int, seq int64) {
		st.BindInt64(at+1, seq)
		st.BindBytes(at+2, db.row.Salt)
		st.BindBytes(at+3, db.row.Blob)
	})
}

// tiles puts those that the entries between two sizes of the log fill, as the store
// does: 256 hashes each, and the growing one above.
func (db *DB) tiles(from, to, _ int64) error {
	for index := from >> 8; index < to>>8; index++ {
		for level, hashes := range [...]int64{256, index&255 + 1} {
			err := db.run("INSERT OR REPLACE INTO tile (level, idx, hashes) VALUES (?, ?, ?)", func(st *sqlite.Stmt) {
				st.BindInt64(1, int64(level))
				st.BindInt64(2, index>>(8*level))
				st.BindBytes(3, make([]byte, 32*hashes))
			}, nil)
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// update puts the head.
func (db *DB) update(_, to, now int64) error {
	return db.run("UPDATE head SET size = ?, t = ?, frontier = ?, checkpoint = ?", func(st *sqlite.Stmt) {
		st.BindInt64(1, to)
		st.BindInt64(2, now)
		st.BindBytes(3, db.head)
		st.BindBytes(4, db.signed)
	}, nil)
}

// Hash reads every row that a query gives and hashes its first two columns, which are
// blobs. It returns the number of rows.
func (db *DB) Hash(query string) (n int64, err error) {
	var buf []byte
	var sum [32]byte
	err = db.run(query, none, func(st *sqlite.Stmt) {
		buf = buf[:0]
		for col := range min(2, st.ColumnCount()) {
			have, more := len(buf), st.ColumnLen(col)
			if cap(buf) < have+more {
				buf = append(make([]byte, 0, 2*(have+more)), buf...)
			}
			buf = buf[:have+more]
			st.ColumnBytes(col, buf[have:])
		}
		sum = sha256.Sum256(buf)
		n++
	})
	if err == nil && n > 0 && sum == [32]byte{} {
		err = fmt.Errorf("bare: a hash of zeros")
	}
	return n, err
}

// statement is an INSERT of one row and of many.
type statement struct {
	one, many string
	columns   int
}

func prepare(into, row, tail string) statement {
	return statement{into + row + tail, into + strings.Repeat(row+", ", wide-1) + row + tail, strings.Count(row, "?")}
}

var (
	intoLog    = prepare("INSERT INTO log (seq, body, leaf) VALUES ", "(?, ?, ?)", "")
	intoRecord = prepare("INSERT INTO record (id, seq, queue, val) VALUES ", "(?, ?, ?, ?)",
		" ON CONFLICT (id) DO UPDATE SET seq = excluded.seq, queue = excluded.queue, val = excluded.val")
	intoSide = prepare("INSERT INTO side (seq, salt, blob) VALUES ", "(?, ?, ?)", "")
)

// insert puts the rows from one number up to another, many at a time while there are
// enough.
func (db *DB) insert(s statement, from, to int64, bind func(st *sqlite.Stmt, at int, seq int64)) error {
	for seq := from; seq < to; {
		sql, rows := s.one, 1
		if to-seq >= wide {
			sql, rows = s.many, wide
		}
		err := db.run(sql, func(st *sqlite.Stmt) {
			for r := range rows {
				bind(st, r*s.columns, seq+int64(r))
			}
		}, nil)
		if err != nil {
			return err
		}
		seq += int64(rows)
	}
	return nil
}

// run runs a prepared statement and shows each of its rows.
func (db *DB) run(sql string, bind, row func(*sqlite.Stmt)) (err error) {
	st, err := db.c.Prepare(sql)
	if err != nil {
		return err
	}
	defer func() { err = cmp.Or(err, st.Reset(), st.ClearBindings()) }()
	bind(st)
	for {
		more, err := st.Step()
		if err != nil || !more {
			return err
		}
		if row != nil {
			row(st)
		}
	}
}

func none(*sqlite.Stmt) {}

func (db *DB) exec(sql string) error { return db.run(sql, none, nil) }
