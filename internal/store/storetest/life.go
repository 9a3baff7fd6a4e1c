package storetest

import (
	"context"
	"errors"
	"io/fs"
	"sync"
	"testing"
	"time"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/event"
	"github.com/hearsay-memory/hearsay/guard"
)

// testIterators: iterators read one state, can be nested and left, and do not hold
// writers up.
func testIterators(t *testing.T, b Backend) {
	f := open(t, b)
	f.put(record(0, hearsay.Allowed, hearsay.Applied), record(1, hearsay.Allowed, hearsay.Applied))
	n := 0
	for entry, err := range f.Log(t.Context(), 0) {
		if err != nil {
			t.Fatal(err)
		}
		if entry.Seq == 0 {
			f.put(record(2, hearsay.Allowed, hearsay.Applied))
		}
		for range 8 { // more than any sensible number of idle connections
			for range f.Rows(t.Context(), event.Records) {
				if _, err := f.Side(t.Context(), entry.Seq); err != nil {
					t.Fatal(err)
				}
				break
			}
		}
		n++
	}
	if n != 2 {
		t.Errorf("the iterator yields %d entries, want the 2 that were there when it began", n)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var last error
	for _, err := range f.Log(ctx, 0) {
		last = err
		cancel()
	}
	if !errors.Is(last, context.Canceled) {
		t.Errorf("an iterator whose context ends: %v, want canceled", last)
	}
	if got := f.verify(); got != 3 {
		t.Errorf("%d entries, want 3", got)
	}
}

// testReopen: all of it is there after closing, and appending goes on.
func testReopen(t *testing.T, b Backend) {
	f := open(t, b)
	for n := range 3 {
		f.update(func(tx guard.Tx) ([]event.Draft, error) {
			s := session("ana", "s", tx.Now())
			if _, err := tx.MergeSession(s); err != nil {
				return nil, err
			}
			var drafts []event.Draft
			for i := range 200 { // across the edge of a tile
				drafts = append(drafts, record(200*n+i, hearsay.Allowed, hearsay.Applied))
			}
			return drafts, tx.Mark(mark(1), tx.Now()+hour)
		})
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
		f.Store = f.again(func(c *Config) {
			if n == 1 {
				c.LogID = ""
			}
		})
		if got, want := f.verify(), int64(200*(n+1)); got != want {
			t.Fatalf("%d entries, want %d", got, want)
		}
	}
	at := time.Now().UnixMilli()
	if _, err := f.Session(t.Context(), guard.SessionKey{Principal: "ana", ID: "s"}, at); err != nil {
		t.Errorf("the session: %v", err)
	}
	if seen, err := f.Seen(t.Context(), mark(1), at); err != nil || !seen {
		t.Errorf("the mark: %v, %v", seen, err)
	}
}

// testClosed: a closed store answers everything with ErrClosed; closing again is no error.
func testClosed(t *testing.T, b Backend) {
	f := open(t, b)
	f.put(record(0, hearsay.Allowed, hearsay.Applied))
	var wg sync.WaitGroup
	begun := make(chan struct{}, 16)
	for range 16 {
		wg.Go(func() {
			for first := true; ; first = false {
				_, err := f.Update(context.WithoutCancel(t.Context()), func(guard.Tx) ([]event.Draft, error) { return []event.Draft{started("s")}, nil })
				if first {
					begun <- struct{}{}
				}
				if errors.Is(err, guard.ErrClosed) {
					return
				}
				if err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	<-begun
	for range 2 {
		if err := f.Close(); err != nil {
			t.Fatalf("close: %v", err)
		}
	}
	wg.Wait()
	ctx := t.Context()
	_, update := f.Update(ctx, func(guard.Tx) ([]event.Draft, error) { t.Error("an update of a closed store ran"); return nil, nil })
	_, head := f.Head(ctx)
	_, get := standingOf(t, f, 0)
	_, side := f.Side(ctx, 0)
	_, seen := f.Seen(ctx, mark(1), 0)
	_, items := f.Items(ctx, [][32]byte{mark(1)})
	_, one := f.Session(ctx, guard.SessionKey{}, 0)
	_, list := f.Sessions(ctx, nil, 0)
	_, tile := f.Tile(ctx, 0, 0)
	errs := map[string]error{"Update": update, "Head": head, "Get": get, "Side": side, "Seen": seen, "Items": items, "Session": one, "Sessions": list, "Tile": tile}
	for _, err := range f.Log(ctx, 0) {
		errs["Log"] = err
	}
	for _, err := range f.Scan(ctx, guard.Query{}) {
		errs["Scan"] = err
	}
	for _, err := range f.Rows(ctx, event.Records) {
		errs["Rows"] = err
	}
	for _, err := range f.Sides(ctx) {
		errs["Sides"] = err
	}
	if len(errs) != 13 {
		t.Errorf("an iterator of a closed store ends as if it were empty: %v", errs)
	}
	for name, err := range errs {
		if !errors.Is(err, guard.ErrClosed) {
			t.Errorf("%s: %v, want closed", name, err)
		}
	}
	f.Store = f.again()
	f.verify()
}

// testCancelled: an update whose context ends while it waits does not run, and says so;
// one that runs already comes to its end.
func testCancelled(t *testing.T, b Backend) {
	f := open(t, b)
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	for range 20 {
		if _, err := f.Update(ended, func(guard.Tx) ([]event.Draft, error) {
			t.Error("an update whose context had ended ran")
			return nil, nil
		}); !errors.Is(err, context.Canceled) {
			t.Fatalf("a context that has ended: %v, want canceled", err)
		}
	}
	running, release := make(chan struct{}), make(chan struct{})
	ctx, cancelRunning := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	wg.Go(func() {
		events, err := f.Update(ctx, func(guard.Tx) ([]event.Draft, error) {
			close(running)
			<-release
			return []event.Draft{started("running")}, nil
		})
		if err != nil || len(events) != 1 {
			t.Errorf("the one that ran: %d events, %v", len(events), err)
		}
	})
	<-running
	waiting, cancelWaiting := context.WithCancel(t.Context())
	late, cancelLate := context.WithDeadline(t.Context(), time.Now().Add(20*time.Millisecond))
	defer cancelLate()
	for want, ctx := range map[error]context.Context{context.Canceled: waiting, guard.ErrBusy: late} {
		wg.Go(func() {
			if _, err := f.Update(ctx, func(guard.Tx) ([]event.Draft, error) {
				t.Errorf("the one that should end with %v ran", want)
				return nil, nil
			}); !errors.Is(err, want) {
				t.Errorf("while queued: %v, want %v", err, want)
			}
		})
	}
	cancelWaiting()
	cancelRunning()
	<-late.Done()
	// The two have given up, or will before they are looked at: their contexts have ended.
	close(release)
	wg.Wait()
	if got := f.verify(); got != 1 {
		t.Errorf("%d entries, want the one", got)
	}
}

// testReadOnly: a store that is opened for reading reads, and refuses to change.
func testReadOnly(t *testing.T, b Backend) {
	f := open(t, b)
	f.put(record(0, hearsay.Allowed, hearsay.Applied))
	r := f.again(func(c *Config) { c.ReadOnly = true })
	if s, err := standingOf(t, r, 0); err != nil || s != hearsay.Allowed {
		t.Errorf("reading: %s, %v", s, err)
	}
	if _, err := r.Update(t.Context(), func(guard.Tx) ([]event.Draft, error) { t.Error("it ran"); return nil, nil }); err == nil {
		t.Error("an update of a store opened for reading was no error")
	}
	f.put(record(1, hearsay.Allowed, hearsay.Applied))
	if h, err := r.Head(t.Context()); err != nil || h.Frontier.Size() != 2 {
		t.Errorf("it does not see what others write: %d, %v", h.Frontier.Size(), err)
	}
}

// testLogID: a store is only made where that was asked for, and only opened as the log
// that it is.
func testLogID(t *testing.T, b Backend) {
	f := open(t, b)
	c := f.config
	c.LogID = "storetest/other"
	if s, err := b.Open(t.Context(), c); err == nil {
		t.Errorf("it opens as another log: %v", s.Close())
	}
	c.LogID = ""
	s, err := b.Open(t.Context(), c)
	if err != nil {
		t.Fatalf("it does not open without a name: %v", err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	c.Dir = t.TempDir()
	for _, readOnly := range []bool{false, true} {
		c.ReadOnly = readOnly
		if s, err := b.Open(t.Context(), c); !errors.Is(err, fs.ErrNotExist) {
			if err == nil {
				err = s.Close()
			}
			t.Errorf("a store that is not there: %v, want not exist", err)
		}
	}
	if h, err := f.Head(t.Context()); err != nil || h.LogID != LogID {
		t.Errorf("the log is %q, %v", h.LogID, err)
	}
}

// testNewer: what a newer program made its own is not written, also by those who had it
// open.
func testNewer(t *testing.T, b Backend) {
	for name, how := range map[string]Age{"schema": NewerSchema, "writer": NewerWriter} {
		f := open(t, b)
		f.put(record(0, hearsay.Allowed, hearsay.Applied))
		if how == NewerSchema {
			if err := f.Close(); err != nil {
				t.Fatal(err)
			}
		}
		b.Age(t, f.config.Dir, how)
		for _, readOnly := range []bool{false, true} {
			c := f.config
			c.ReadOnly = readOnly
			s, err := b.Open(t.Context(), c)
			if err == nil {
				if err := s.Close(); err != nil {
					t.Error(err)
				}
			}
			if how == NewerWriter && readOnly {
				if err != nil {
					t.Errorf("%s: it cannot be read: %v", name, err)
				}
			} else if !errors.Is(err, guard.ErrNewerStore) {
				t.Errorf("%s: opened (read only: %v) with %v, want newer store", name, readOnly, err)
			}
		}
		if how == NewerSchema {
			continue
		}
		_, err := f.Update(t.Context(), func(guard.Tx) ([]event.Draft, error) { t.Error("it ran"); return nil, nil })
		if !errors.Is(err, guard.ErrNewerStore) {
			t.Errorf("%s: an update gives %v, want newer store", name, err)
		}
	}
}
