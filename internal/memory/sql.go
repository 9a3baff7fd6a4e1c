package memory

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"zombiezen.com/go/sqlite"
)

// each runs a statement with its parameters, numbered from 1, and calls row for every row
// of the answer. Parameters are int, int64, bool, float64, string or []byte.
func each(c *sqlite.Conn, sql string, row func(*sqlite.Stmt) error, args ...any) (err error) {
	st, err := c.Prepare(sql)
	if err != nil {
		return failed(err)
	}
	defer func() {
		// What a bound blob points to must not be kept alive by the cached statement.
		err = cmp.Or(err, failed(st.Reset()), failed(st.ClearBindings()))
	}()
	for i, a := range args {
		switch a := a.(type) {
		case int:
			st.BindInt64(i+1, int64(a))
		case int64:
			st.BindInt64(i+1, a)
		case bool:
			st.BindBool(i+1, a)
		case float64:
			st.BindFloat(i+1, a)
		case string:
			st.BindText(i+1, a)
		case []byte:
			st.BindBytes(i+1, a)
		default:
			return fmt.Errorf("parameter %d of a statement is a %T", i+1, a)
		}
	}
	for {
		more, err := st.Step()
		if err != nil || !more {
			return failed(err)
		}
		if row == nil {
			continue
		}
		if err := row(st); err != nil {
			return err
		}
	}
}

// run runs a statement that answers with nothing.
func run(c *sqlite.Conn, sql string, args ...any) error { return each(c, sql, nil, args...) }

// script runs statements without parameters, among them settings that answer with a row.
func script(c *sqlite.Conn, sql string) error {
	for sql = strings.TrimSpace(sql); sql != ""; {
		st, rest, err := c.PrepareTransient(sql)
		if err != nil {
			return failed(err)
		}
		for more := true; more && err == nil; {
			more, err = st.Step()
		}
		if err = errors.Join(err, st.Finalize()); err != nil {
			return failed(err)
		}
		sql = strings.TrimSpace(sql[len(sql)-rest:]) // white space alone is no statement
	}
	return nil
}

// blob copies a column.
func blob(st *sqlite.Stmt, col int) []byte {
	b := make([]byte, st.ColumnLen(col))
	st.ColumnBytes(col, b)
	return b
}

// sqlError is what SQLite says, apart from what others do.
type sqlError struct{ error }

func (e *sqlError) Unwrap() error { return e.error }

func failed(err error) error {
	if err == nil {
		return nil
	}
	return &sqlError{err}
}
