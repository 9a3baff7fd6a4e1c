package sqlite_test

import (
	"context"
	"errors"
	"testing"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/event"
	"github.com/hearsay-memory/hearsay/guard"
)

// TestCompiledOnce: a statement that was used is not compiled anew when it is used with other
// values. SQLite does that by itself where it thinks that a value could change the plan.
func TestCompiledOnce(t *testing.T) {
	v := newSite(t)
	s := v.open(nil)
	session := guard.SessionKey{Principal: "ana", ID: "one"}
	key := [32]byte{1}
	var id hearsay.RecordID
	read := func(r guard.Reader) map[string]func() error {
		ctx := t.Context()
		found := func(err error) error {
			if errors.Is(err, guard.ErrNotFound) {
				return nil
			}
			return err
		}
		return map[string]func() error{
			"record":   func() error { _, err := r.Get(ctx, event.Records, id[:]); return found(err) },
			"row":      func() error { _, err := r.Get(ctx, event.Actions, id[:]); return found(err) },
			"side":     func() error { _, err := r.Side(ctx, 0); return found(err) },
			"session":  func() error { _, err := r.Session(ctx, session, 1); return found(err) },
			"sessions": func() error { _, err := r.Sessions(ctx, nil, 1); return err },
			"own":      func() error { _, err := r.Sessions(ctx, &session.Principal, 1); return err },
			"seen":     func() error { _, err := r.Seen(ctx, key, 1); return err },
			"words":    func() error { _, err := r.Words(ctx, session, 1); return err },
			"items":    func() error { _, err := r.Items(ctx, [][32]byte{key}); return err },
			"landed":   func() error { _, err := r.Items(ctx, [][32]byte{key}, guard.ItemLanded); return err },
			"speakers": func() error { _, _, err := r.Speakers(ctx, key, 8); return err },
			"scan":     func() error { return scanAll(ctx, r, guard.Query{}) },
			"newest":   func() error { return scanAll(ctx, r, guard.Query{Newest: true}) },
			"waiting":  func() error { return scanAll(ctx, r, guard.Query{Queue: event.QueueReview}) },
			"latest":   func() error { return scanAll(ctx, r, guard.Query{Queue: event.QueueDelivery, Newest: true}) },
		}
	}
	update := func(fn func(guard.Tx) ([]event.Draft, error)) func() error {
		return func() error { _, err := s.Update(t.Context(), fn); return err }
	}
	all := read(s)
	all["head"] = func() error { _, err := s.Head(t.Context()); return err }
	all["tile"] = func() error { _, err := s.Tile(t.Context(), 0, 0); return err }
	all["log"] = func() error {
		for _, err := range s.Log(t.Context(), 0) {
			if err != nil {
				return err
			}
		}
		return nil
	}
	for name := range read(s) {
		all["update, "+name] = update(func(tx guard.Tx) ([]event.Draft, error) {
			return nil, read(tx)[name]()
		})
	}
	all["write"] = update(func(tx guard.Tx) ([]event.Draft, error) {
		d := written("words", tx.Now())
		id = d.Event.Record.ID
		return []event.Draft{d}, errors.Join(
			tx.PutItem(guard.StoredItem{Key: key, Record: id, State: guard.ItemState(tx.Seq() % 3), Landed: tx.Seq()}),
			tx.PutWords(guard.StoredWords{Session: session, Name: "name", Data: []byte("data"), Expires: tx.Now() + 1e6}))
	})
	all["open and end"] = update(func(tx guard.Tx) ([]event.Draft, error) {
		_, err := tx.MergeSession(guard.Session{Key: session, Started: tx.Now(), Used: tx.Now(), Expires: tx.Now() + 1e6})
		return nil, errors.Join(err, tx.EndSession(guard.SessionKey{Principal: "ana", ID: "two"}))
	})
	all["mark and take"] = update(func(tx guard.Tx) ([]event.Draft, error) {
		_, err := tx.Take(key)
		return nil, errors.Join(err, tx.Mark([32]byte{2}, tx.Now()+1e6))
	})

	compiled, seen := 0, false
	for turn := range 4 { // the first two compile all of them, the second one with somebody looking
		for name, f := range all {
			compiled = 0
			if err := f(); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if turn > 1 && compiled > 0 {
				t.Errorf("%s: a statement is compiled anew", name)
			}
		}
		if turn == 0 {
			if err := s.OnCompile(func() { compiled++; seen = true }); err != nil {
				t.Fatal(err)
			}
		}
	}
	if !seen {
		t.Error("nothing was seen to be compiled at all")
	}
}

func scanAll(ctx context.Context, r guard.Reader, q guard.Query) error {
	for _, err := range r.Scan(ctx, q) {
		if err != nil {
			return err
		}
	}
	return nil
}
