package sqlite_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/event"
	"github.com/hearsay-memory/hearsay/guard"
	"github.com/hearsay-memory/hearsay/internal/store/sqlite"
)

// TestUpgrade: a store of version 1 is one of version 2 once it was opened for writing, with
// the same items and the voices that their records have.
func TestUpgrade(t *testing.T) {
	v := newSite(t)
	s := v.open(nil)
	keys := [][32]byte{{1}, {2}}
	_, err := s.Update(t.Context(), func(tx guard.Tx) ([]event.Draft, error) {
		var drafts []event.Draft
		for n := range 30 {
			d := written("words", tx.Now())
			d.Event.Record.ID = hearsay.NewRecordID(tx.Now(), [10]byte{9: byte(n)})
			d.Event.Record.Standing = hearsay.Standing(n % 2)
			for _, k := range keys {
				if err := tx.PutItem(guard.StoredItem{Key: k, Record: d.Event.Record.ID}); err != nil {
					return nil, err
				}
			}
			drafts = append(drafts, d)
		}
		return drafts, tx.PutItem(guard.StoredItem{Key: keys[0], Record: hearsay.RecordID{1}, State: guard.ItemGone, Landed: 3})
	})
	if err != nil {
		t.Fatal(err)
	}
	look := func(s *sqlite.Store) (out [][]guard.StoredItem) {
		for _, k := range keys {
			got, more, err := s.Speakers(t.Context(), k, 3)
			if err != nil || more {
				t.Fatal(more, err)
			}
			all, err := s.Items(t.Context(), [][32]byte{k})
			if err != nil {
				t.Fatal(err)
			}
			out = append(out, got, all[k])
		}
		return out
	}
	want := look(s)
	path := v.path()
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	raw(t, path, "ALTER TABLE item RENAME TO item_2",
		"CREATE TABLE item (key BLOB NOT NULL, record BLOB NOT NULL, state INTEGER NOT NULL, landed INTEGER NOT NULL, PRIMARY KEY (key, record)) STRICT, WITHOUT ROWID",
		"INSERT INTO item SELECT key, record, state, landed FROM item_2", "DROP TABLE item_2", "UPDATE head SET min_writer = 1", "PRAGMA user_version = 1")
	if s, err := sqlite.Open(t.Context(), sqlite.Options{Path: path, ReadOnly: true}); err == nil || !strings.Contains(err.Error(), "older version") {
		t.Errorf("an old store is read as it is: %v, %v", s, err)
	}
	for range 2 {
		s = v.open(nil)
		if diff := cmp.Diff(want, look(s)); diff != "" {
			t.Error(diff)
		}
		if h, err := s.Head(t.Context()); err != nil || h.MinWriter != sqlite.Writer {
			t.Errorf("writers of version %d may append, %v", h.MinWriter, err)
		}
		v.oracle(s, nil)
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
}
