package demo

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"github.com/hearsay-memory/hearsay/internal/home"
)

func (s *story) tampered(ctx context.Context) (err error) {
	c, err := sqlite.OpenConn(s.in.Home.Path(home.FileStore), sqlite.OpenReadWrite)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, c.Close()) }()
	changed, undo, err := tamper(c)
	if err != nil {
		return err
	}
	rep, err := s.in.Verify(ctx, nil)
	if err == nil && (rep.Fault == nil || rep.Fault.Seq != changed) {
		err = fmt.Errorf("entry %d was changed, and verify says: %v", changed, rep.Fault)
	}
	if err := errors.Join(err, undo()); err != nil {
		return err
	}
	return s.verified(ctx)
}

// tamper changes one byte of the first entry about something external, and returns
// which one that is and what puts everything back.
func tamper(c *sqlite.Conn) (changed int64, undo func() error, err error) {
	var guarding, body string
	changed = -1
	read := func(query string, f func(*sqlite.Stmt)) {
		if err == nil {
			err = sqlitex.Execute(c, query, &sqlitex.ExecOptions{ResultFunc: func(row *sqlite.Stmt) error { f(row); return nil }})
		}
	}
	read("SELECT sql FROM sqlite_schema WHERE name = 'log_keeps'", func(row *sqlite.Stmt) { guarding = row.ColumnText(0) })
	read(`SELECT seq, CAST(body AS TEXT) FROM log WHERE CAST(body AS TEXT) LIKE '%"external"%' ORDER BY seq LIMIT 1`,
		func(row *sqlite.Stmt) { changed, body = row.ColumnInt64(0), row.ColumnText(1) })
	if err != nil {
		return changed, nil, err
	}
	put := func(body string) error {
		return sqlitex.Execute(c, "UPDATE log SET body = ? WHERE seq = ?", &sqlitex.ExecOptions{Args: []any{[]byte(body), changed}})
	}
	if err := sqlitex.ExecuteTransient(c, "DROP TRIGGER log_keeps", nil); err != nil {
		return changed, nil, err
	}
	undo = func() error { return errors.Join(put(body), sqlitex.ExecuteTransient(c, guarding, nil)) }
	return changed, undo, put(strings.Replace(body, `"external"`, `"externel"`, 1))
}
