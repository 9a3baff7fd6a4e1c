package sqlite

import (
	"context"
	"fmt"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"
)

// upgrade brings a store of an older schema to this one's, under the file lock and in one
// transaction. Writers of older programs that have it open are refused from then on.
func (s *Store) upgrade(ctx context.Context) error {
	if s.readOnly {
		return fmt.Errorf("its schema is of an older version: run `hearsay recall` once, which opens it for writing")
	}
	return s.alone(ctx, addVoices)
}

// addVoices makes a store of version 1 one of version 2.
func addVoices(c *sqlite.Conn) (err error) {
	end, err := sqlitex.ImmediateTransaction(c)
	if err != nil {
		return err
	}
	defer end(&err)
	if version, err := check(c); version != 1 || err != nil {
		return err // another process was faster
	}
	if err := sqlitex.ExecuteScript(c, "ALTER TABLE item RENAME TO item_1;"+itemSchema+
		"INSERT INTO item SELECT key, record, state, landed, x'00' FROM item_1; DROP TABLE item_1;", nil); err != nil {
		return err
	}
	var id, value []byte
	for {
		// One at a time: a table that is read and written meanwhile is read as it pleases.
		more := false
		if err := query(c, "SELECT id, val FROM record WHERE id > ? ORDER BY id LIMIT 1", func(st *sqlite.Stmt) { st.BindBytes(1, id) }, func(st *sqlite.Stmt) (bool, error) {
			more, id, value = true, blob(st, 0), blob(st, 1)
			return false, nil
		}); err != nil {
			return err
		}
		if !more {
			break
		}
		voice, err := voiceOf(value)
		if err != nil {
			return err
		}
		if err := putVoice(c, id, voice); err != nil {
			return err
		}
	}
	return sqlitex.ExecuteScript(c, fmt.Sprintf("UPDATE head SET min_writer = %d; PRAGMA user_version=2;", Writer), nil)
}
