package bare_test

import (
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/hearsay-memory/hearsay/internal/bench/bare"
	"github.com/hearsay-memory/hearsay/internal/store/sqlite"
)

// open makes a store's file and opens it by the driver.
func open(t *testing.T) *bare.DB {
	t.Helper()
	path := filepath.Join(t.TempDir(), "bare.db")
	s, err := sqlite.Open(t.Context(), sqlite.Options{Path: path, LogID: "test/log"})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	db, err := bare.OpenDB(path, time.Second, bare.Row{
		Body: []byte("body"), Leaf: make([]byte, 32), Value: []byte("value"), Queue: 2, Salt: make([]byte, 32), Blob: []byte("blob"),
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	return db
}

// rows wants n rows in every table that a write touches, and the tiles of n entries.
func rows(t *testing.T, db *bare.DB, n int64) {
	t.Helper()
	tiles := n / 256
	if tiles > 0 {
		tiles++ // the growing one above them
	}
	for query, want := range map[string]int64{
		"SELECT body, leaf FROM log": n, "SELECT val, id FROM record": n, "SELECT blob, salt FROM side": n,
		"SELECT hashes FROM tile": tiles, "SELECT frontier FROM head WHERE size = (SELECT count(*) FROM log)": 1,
	} {
		if got, err := db.Hash(query); err != nil || got != want {
			t.Errorf("%s: %d rows, %v, want %d", query, got, err, want)
		}
	}
}

// One row, less than a wide INSERT, more than one, and enough for a tile.
func TestCommit(t *testing.T) {
	db := open(t)
	total := int64(0)
	for _, n := range []int{1, 15, 16, 33, 600} {
		if err := db.Commit(n); err != nil {
			t.Fatal(err)
		}
		total += int64(n)
		rows(t, db, total)
	}
}

// A transaction that fails leaves nothing, and the next one goes on.
func TestCommitFails(t *testing.T) {
	db := open(t)
	if err := db.Commit(3); err != nil {
		t.Fatal(err)
	}
	// The head is put back, so that the next entries have numbers that are taken.
	if _, err := db.Hash("UPDATE head SET size = 0"); err != nil {
		t.Fatal(err)
	}
	if err := db.Commit(1); err == nil {
		t.Error("an entry was put twice")
	}
	if _, err := db.Hash("UPDATE head SET size = 3"); err != nil {
		t.Fatal(err)
	}
	if err := db.Commit(1); err != nil {
		t.Fatal(err)
	}
	rows(t, db, 4)
}

func TestGroup(t *testing.T) {
	db := open(t)
	g := bare.NewGroup(db)
	var wg sync.WaitGroup
	for range 64 {
		wg.Go(func() {
			for range 5 {
				if err := g.Write(); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	g.Close()
	rows(t, db, 320)
}

// A file that is full begins anew, and never grows.
func TestFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "bare.log")
	f, err := bare.OpenFile(path, 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	before, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	for range 9 {
		if err := f.Append(); err != nil {
			t.Fatal(err)
		}
	}
	after, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if before.Size() != after.Size() {
		t.Errorf("the file grew from %d to %d bytes", before.Size(), after.Size())
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	for _, size := range []int{0, -1, 1 << 30} {
		if _, err := bare.OpenFile(path, size); err == nil {
			t.Errorf("records of %d bytes were taken", size)
		}
	}
}
