package sqlite

import (
	"fmt"
	"slices"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"github.com/hearsay-memory/hearsay/guard"
	"github.com/hearsay-memory/hearsay/ledger"
)

const (
	applicationID = 0x48725379 // "HrSy", so that file(1) and we know the file
	schemaVersion = 2          // PRAGMA user_version; a newer one is refused

	// Writer is the version of this writer. A store whose min_writer is above it takes
	// no events from us. Version 2 keeps the voices of items.
	Writer = 2
)

// schema makes an empty store. Records have a rowid because their values are too long
// for the interior pages of a table without one; they are put at the end or in place.
// The triggers are a speed bump for people with a shell, not a defence.
const schema = `
CREATE TABLE head (
	one        INTEGER PRIMARY KEY CHECK (one = 1),
	log_id     TEXT    NOT NULL,
	size       INTEGER NOT NULL,
	t          INTEGER NOT NULL,
	frontier   BLOB    NOT NULL,
	min_writer INTEGER NOT NULL,
	checkpoint BLOB    NOT NULL
) STRICT;
CREATE TABLE log (
	seq  INTEGER PRIMARY KEY,
	body BLOB NOT NULL,
	leaf BLOB NOT NULL
) STRICT;
CREATE TRIGGER log_keeps BEFORE UPDATE ON log BEGIN SELECT RAISE(ABORT, 'the log is append-only'); END;
CREATE TRIGGER log_holds BEFORE DELETE ON log BEGIN SELECT RAISE(ABORT, 'the log is append-only'); END;
CREATE TABLE tile (
	level  INTEGER NOT NULL,
	idx    INTEGER NOT NULL,
	hashes BLOB    NOT NULL,
	PRIMARY KEY (level, idx)
) STRICT;
CREATE TABLE side (
	seq  INTEGER PRIMARY KEY,
	salt BLOB NOT NULL,
	blob BLOB NOT NULL
) STRICT;
CREATE TABLE record (
	id    BLOB    NOT NULL PRIMARY KEY,
	seq   INTEGER NOT NULL,
	queue INTEGER NOT NULL,
	val   BLOB    NOT NULL
) STRICT;
CREATE INDEX record_queue ON record (queue, id) WHERE queue <> 0;
CREATE TABLE row (
	tbl TEXT    NOT NULL,
	key BLOB    NOT NULL,
	seq INTEGER NOT NULL,
	val BLOB    NOT NULL,
	PRIMARY KEY (tbl, key)
) STRICT, WITHOUT ROWID;
CREATE TABLE session (
	principal BLOB    NOT NULL,
	id        BLOB    NOT NULL,
	agent     BLOB    NOT NULL,
	surface   BLOB    NOT NULL,
	label     TEXT    NOT NULL,
	host      BLOB    NOT NULL,
	started   INTEGER NOT NULL,
	used      INTEGER NOT NULL,
	expires   INTEGER NOT NULL,
	PRIMARY KEY (principal, id)
) STRICT, WITHOUT ROWID;
CREATE INDEX session_expires ON session (expires);
CREATE TABLE words (
	principal BLOB    NOT NULL,
	session   BLOB    NOT NULL,
	name      TEXT    NOT NULL,
	data      BLOB    NOT NULL,
	expires   INTEGER NOT NULL,
	UNIQUE (principal, session, name)
) STRICT;
CREATE INDEX words_expires ON words (expires);
CREATE TABLE mark (
	mark    BLOB    NOT NULL PRIMARY KEY,
	expires INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX mark_expires ON mark (expires);
` + itemSchema

// itemSchema makes the table of items. A voice is a function of the row of the record:
// whatever puts that row gives it to the record's items. The index lets one item of each
// voice be found among any number of them.
const itemSchema = `
CREATE TABLE item (
	key    BLOB    NOT NULL,
	record BLOB    NOT NULL,
	state  INTEGER NOT NULL,
	landed INTEGER NOT NULL,
	voice  BLOB    NOT NULL,
	PRIMARY KEY (record, key)
) STRICT, WITHOUT ROWID;
CREATE INDEX item_voice ON item (key, state, voice, landed, record);
`

// create makes the schema and the head in one transaction. It is run under the file
// lock; a store that somebody else made meanwhile is left as it is.
func create(c *sqlite.Conn, logID string) (err error) {
	if err := sqlitex.ExecuteTransient(c, "PRAGMA journal_mode=WAL", nil); err != nil {
		return err
	}
	end, err := sqlitex.ImmediateTransaction(c)
	if err != nil {
		return err
	}
	defer end(&err)
	if version, err := check(c); version != 0 || err != nil {
		return err
	}
	if err := sqlitex.ExecuteScript(c, schema, nil); err != nil {
		return err
	}
	frontier, err := ledger.Frontier{}.MarshalBinary()
	if err != nil {
		return err
	}
	const head = `INSERT INTO head VALUES (1, ?, 0, 0, ?, ?, x'')`
	if err := sqlitex.ExecuteTransient(c, head, &sqlitex.ExecOptions{Args: []any{logID, frontier, Writer}}); err != nil {
		return err
	}
	for _, pragma := range [...]string{
		fmt.Sprintf("PRAGMA application_id=%d", applicationID),
		fmt.Sprintf("PRAGMA user_version=%d", schemaVersion),
	} {
		if err := sqlitex.ExecuteTransient(c, pragma, nil); err != nil {
			return err
		}
	}
	return nil
}

// check returns the version of the schema of the store in the file: this program's or an
// older one, and 0 for an empty file. A file of something else is an error.
func check(c *sqlite.Conn) (int64, error) {
	app, err := pragma(c, "application_id")
	if err != nil {
		return 0, err
	}
	version, err := pragma(c, "user_version")
	if err != nil {
		return 0, err
	}
	tables, err := pragma(c, "schema_version")
	if err != nil {
		return 0, err
	}
	switch {
	case slices.Equal([]int64{app, version, tables}, []int64{0, 0, 0}):
		return 0, nil
	case app != applicationID:
		return 0, fmt.Errorf("the file is an SQLite database of something else (application id %d); give the path of a store", app)
	case version > schemaVersion:
		return 0, fmt.Errorf("its schema is version %d and this program knows %d: %w", version, schemaVersion, guard.ErrNewerStore)
	case version < 1:
		return 0, fmt.Errorf("its schema has no version: it was changed by something else; restore a backup")
	}
	return version, nil
}

// pragma reads one number.
func pragma(c *sqlite.Conn, name string) (n int64, err error) {
	err = sqlitex.ExecuteTransient(c, "PRAGMA "+name, &sqlitex.ExecOptions{ResultFunc: func(st *sqlite.Stmt) error {
		n = st.ColumnInt64(0)
		return nil
	}})
	return n, err
}
