package sqlite_test

import (
	"context"
	"path/filepath"
	"testing"

	zsqlite "zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"github.com/hearsay-memory/hearsay/guard"
	"github.com/hearsay-memory/hearsay/internal/store/sqlite"
	"github.com/hearsay-memory/hearsay/internal/store/storetest"
)

func TestStore(t *testing.T) {
	storetest.Run(t, storetest.Backend{
		Open: func(ctx context.Context, c storetest.Config) (guard.Store, error) {
			s, err := sqlite.Open(ctx, sqlite.Options{
				Path: file(c.Dir), LogID: c.LogID, Signer: c.Signer, Now: c.Now, Deadline: c.Deadline, ReadOnly: c.ReadOnly,
			})
			if err != nil {
				return nil, err // and not a nil *Store in an interface
			}
			return s, nil
		},
		Age: func(t *testing.T, dir string, how storetest.Age) {
			sql := "PRAGMA user_version = 99"
			if how == storetest.NewerWriter {
				sql = "UPDATE head SET min_writer = 99"
			}
			raw(t, file(dir), sql)
		},
	})
}

func file(dir string) string { return filepath.Join(dir, "hearsay.db") }

// raw changes the file behind the store's back.
func raw(t *testing.T, path string, statements ...string) {
	t.Helper()
	c, err := zsqlite.OpenConn(path, zsqlite.OpenReadWrite)
	if err != nil {
		t.Fatal(err)
	}
	for _, sql := range statements {
		if err := sqlitex.ExecuteTransient(c, sql, nil); err != nil {
			t.Errorf("%s: %v", sql, err)
		}
	}
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
}
