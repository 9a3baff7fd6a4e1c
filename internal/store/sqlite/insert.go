package sqlite

import (
	"strings"

	"zombiezen.com/go/sqlite"
)

// wide is how many rows one INSERT puts: fewer statements are cheaper than more.
const wide = 16

// into is an INSERT of one row and of many.
type into struct {
	one, many string
	columns   int
}

// rows makes an INSERT whose text ends in VALUES; tail follows the rows.
func rows(sql, row, tail string) into {
	return into{sql + row + tail, sql + strings.Repeat(row+", ", wide-1) + row + tail, strings.Count(row, "?")}
}

var (
	intoLog    = rows("INSERT INTO log (seq, body, leaf) VALUES ", "(?, ?, ?)", "")
	intoRecord = rows("INSERT INTO record (id, seq, queue, val) VALUES ", "(?, ?, ?, ?)",
		" ON CONFLICT (id) DO UPDATE SET seq = excluded.seq, queue = excluded.queue, val = excluded.val")
	intoRow   = rows("INSERT OR REPLACE INTO row (tbl, key, seq, val) VALUES ", "(?, ?, ?, ?)", "")
	intoSide  = rows("INSERT INTO side (seq, salt, blob) VALUES ", "(?, ?, ?)", "")
	intoWords = rows("INSERT OR REPLACE INTO words (principal, session, name, data, expires) VALUES ", "(?, ?, ?, ?, ?)", "")
	intoItem  = rows("INSERT OR REPLACE INTO item (key, record, state, landed, voice) VALUES ", "(?, ?, ?, ?, ?)", "")
	intoTile  = rows("INSERT OR REPLACE INTO tile (level, idx, hashes) VALUES ", "(?, ?, ?)", "")
)

// insert puts n rows, wide at a time while there are as many.
func insert(c *sqlite.Conn, to into, n int, bind func(st *sqlite.Stmt, at, i int)) error {
	for i := 0; i < n; {
		text, rows := to.one, 1
		if n-i >= wide {
			text, rows = to.many, wide
		}
		err := query(c, text, func(st *sqlite.Stmt) {
			for r := range rows {
				bind(st, r*to.columns, i+r)
			}
		}, func(*sqlite.Stmt) (bool, error) { return true, nil })
		if err != nil {
			return err
		}
		i += rows
	}
	return nil
}
