package bare

import (
	"errors"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"
)

// Search is a full-text index over texts and nothing else. It is not safe for concurrent
// use.
type Search struct{ c *sqlite.Conn }

// NewSearch makes an index of texts in a new file.
func NewSearch(path string, texts []string) (_ *Search, err error) {
	c, err := sqlite.OpenConn(path)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, c.Close())
		}
	}()
	const tables = `PRAGMA cache_size=-8192; CREATE VIRTUAL TABLE words USING fts5(text, content='', tokenize='unicode61 remove_diacritics 2');`
	if err := sqlitex.ExecuteScript(c, tables, nil); err != nil {
		return nil, err
	}
	if err := sqlitex.ExecuteTransient(c, "BEGIN", nil); err != nil {
		return nil, err
	}
	for i, text := range texts {
		if err := sqlitex.Execute(c, "INSERT INTO words(rowid, text) VALUES(?, ?)", &sqlitex.ExecOptions{Args: []any{i + 1, text}}); err != nil {
			return nil, err
		}
	}
	for _, last := range [...]string{"INSERT INTO words(words) VALUES('optimize')", "COMMIT"} {
		if err := sqlitex.ExecuteTransient(c, last, nil); err != nil {
			return nil, err
		}
	}
	return &Search{c}, nil
}

// Best finds the best texts for a query in the index's own language, at most most of them,
// and returns how many there are.
func (s *Search) Best(query string, most int) (n int, err error) {
	err = sqlitex.Execute(s.c, "SELECT rowid FROM words WHERE words MATCH ? ORDER BY rank LIMIT ?", &sqlitex.ExecOptions{
		Args:       []any{query, most},
		ResultFunc: func(*sqlite.Stmt) error { n++; return nil },
	})
	return n, err
}

// Close closes the file.
func (s *Search) Close() error { return s.c.Close() }
