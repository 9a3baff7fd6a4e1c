package storetest

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/event"
	"github.com/hearsay-memory/hearsay/guard"
	"github.com/hearsay-memory/hearsay/ledger"
)

// testLog: events come back sealed, in order and with what their drafts say, and the log
// holds just their bytes.
func testLog(t *testing.T, b Backend) {
	f := open(t, b)
	if got := f.verify(); got != 0 {
		t.Fatalf("a new log has %d entries", got)
	}
	var want []string
	for n := range 5 {
		events := f.put(record(2*n, hearsay.Allowed, hearsay.Intent), started(fmt.Sprint("s", n)))
		if len(events) != 2 {
			t.Fatalf("%d events of 2 drafts", len(events))
		}
		for i, e := range events {
			if e.Seq != int64(2*n+i) || e.V != event.Version {
				t.Errorf("event %d of version %d, want %d of %d", e.Seq, e.V, 2*n+i, event.Version)
			}
			body, err := e.Encode()
			if err != nil {
				t.Fatal(err)
			}
			want = append(want, string(body))
		}
		if r := events[0].Record; r.Content == "" || r.Side != events[0].Seq || r.Created != events[0].T {
			t.Errorf("the record is not bound to its words: %+v", r)
		}
	}
	var got []string
	for e, err := range f.Log(t.Context(), 0) {
		if err != nil {
			t.Fatal(err)
		}
		if leaf := ledger.LeafHash(e.Body); e.Seq != int64(len(got)) || string(e.Leaf) != string(leaf[:]) {
			t.Errorf("entry %d stands at %d, or its leaf is wrong", e.Seq, len(got))
		}
		got = append(got, string(e.Body))
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	var seqs []int64
	for e, err := range f.Log(t.Context(), 8) {
		if err != nil {
			t.Fatal(err)
		}
		seqs = append(seqs, e.Seq)
	}
	if diff := cmp.Diff([]int64{8, 9}, seqs); diff != "" {
		t.Errorf("from 8 on: %s", diff)
	}
	if got := f.verify(); got != 10 {
		t.Errorf("%d entries, want 10", got)
	}
}

// change does everything a transaction can, as the n-th.
func change(tx guard.Tx, n int) ([]event.Draft, error) {
	s := session("ana", fmt.Sprint("s", n), tx.Now())
	_, err := tx.MergeSession(s)
	return []event.Draft{record(n, hearsay.Held, hearsay.Undelivered)}, errors.Join(err,
		tx.Mark(mark(byte(n)), tx.Now()+hour),
		tx.PutItem(guard.StoredItem{Key: mark(byte(n)), Record: id(n)}),
		tx.EraseSide(0))
}

// unchanged wants what change did as the n-th to be nowhere, and entry 0 to have its words.
func (f *fixture) unchanged(n int) {
	f.t.Helper()
	ctx, at := f.t.Context(), time.Now().UnixMilli()
	if got := f.verify(); got != 1 {
		f.t.Errorf("%d entries, want 1", got)
	}
	key := id(n)
	if _, err := f.Get(ctx, event.Records, key[:]); !errors.Is(err, guard.ErrNotFound) {
		f.t.Errorf("its row: %v, want not found", err)
	}
	if _, err := f.Side(ctx, 0); err != nil {
		f.t.Errorf("the words of entry 0: %v", err)
	}
	if list, err := f.Sessions(ctx, nil, at); err != nil || len(list) != 0 {
		f.t.Errorf("sessions %v, %v: want none", list, err)
	}
	if seen, err := f.Seen(ctx, mark(byte(n)), at); err != nil || seen {
		f.t.Errorf("its mark: %v, %v", seen, err)
	}
	if items, err := f.Items(ctx, [][32]byte{mark(byte(n))}); err != nil || len(items) != 0 {
		f.t.Errorf("its items: %v, %v", items, err)
	}
}

// testErrors: the caller's error comes back and nothing stays.
func testErrors(t *testing.T, b Backend) {
	f := open(t, b)
	f.put(record(0, hearsay.Allowed, hearsay.Intent))
	mine := errors.New("mine")
	events, err := f.Update(t.Context(), func(tx guard.Tx) ([]event.Draft, error) {
		drafts, err := change(tx, 1)
		return drafts, errors.Join(mine, err)
	})
	if !errors.Is(err, mine) || events != nil {
		t.Errorf("%d events, %v: want mine", len(events), err)
	}
	f.unchanged(1)
	// So it is where an event cannot be sealed.
	_, err = f.Update(t.Context(), func(tx guard.Tx) ([]event.Draft, error) {
		drafts, err := change(tx, 1)
		return append(drafts, event.Draft{Event: event.Event{Kind: "no.such.kind"}}), err
	})
	if err == nil {
		t.Error("an event of no kind was sealed")
	}
	f.unchanged(1)
}

// testPanic: a function that panics is an error of its caller alone.
func testPanic(t *testing.T, b Backend) {
	f := open(t, b)
	f.put(record(0, hearsay.Allowed, hearsay.Intent))
	_, err := f.Update(t.Context(), func(tx guard.Tx) ([]event.Draft, error) {
		if _, err := change(tx, 1); err != nil {
			return nil, err
		}
		panic("the reason")
	})
	if err == nil || !strings.Contains(err.Error(), "the reason") {
		t.Errorf("a panic gives %v, want its reason", err)
	}
	f.unchanged(1)
	f.put(started("s"))
	if got := f.verify(); got != 2 {
		t.Errorf("%d entries after a panic, want 2", got)
	}
}

// testUnsigned: without a key no event is sealed, and what is not sealed still works.
func testUnsigned(t *testing.T, b Backend) {
	f := open(t, b, func(c *Config) { c.Signer = nil })
	if _, err := f.Update(t.Context(), func(guard.Tx) ([]event.Draft, error) {
		return []event.Draft{started("s")}, nil
	}); err == nil {
		t.Error("an event was sealed without a key")
	}
	f.update(func(tx guard.Tx) ([]event.Draft, error) { return nil, tx.Mark(mark(1), tx.Now()+hour) })
	if got := f.verify(); got != 0 {
		t.Errorf("%d entries, want none", got)
	}
}

// testClock: a clock that goes backwards, also over a reopening, moves no event before
// the one that came first.
func testClock(t *testing.T, b Backend) {
	c := &clock{ms: 5_000}
	f := open(t, b, func(cfg *Config) { cfg.Now = c.now })
	var got []int64
	for i, ms := range []int64{5_000, 1_000, 0, 6_000, -1} {
		if i == 3 {
			if err := f.Close(); err != nil {
				t.Fatal(err)
			}
			f.Store = f.again()
		}
		c.ms = ms
		e := f.update(func(tx guard.Tx) ([]event.Draft, error) {
			if tx.Seq() != int64(i) {
				t.Errorf("the transaction would seal %d, want %d", tx.Seq(), i)
			}
			if len(got) > 0 && tx.Now() < got[len(got)-1] {
				t.Errorf("the time of a transaction goes back to %d", tx.Now())
			}
			return []event.Draft{started(fmt.Sprint(tx.Now()))}, nil
		})[0]
		if e.Session.ID != fmt.Sprint(e.T) {
			t.Errorf("sealed at %d, the transaction said %s", e.T, e.Session.ID)
		}
		got = append(got, e.T)
	}
	if diff := cmp.Diff([]int64{5_000, 5_000, 5_000, 6_000, 6_000}, got); diff != "" {
		t.Error(diff)
	}
	head, err := f.Head(t.Context())
	if err != nil || head.T != 6_000 {
		t.Errorf("the head is of %d, %v: want 6000", head.T, err)
	}
}

// testWriters: 64 writers on two openings of one store lose nothing.
func testWriters(t *testing.T, b Backend) {
	f := open(t, b)
	stores := [2]guard.Store{f.Store, f.again()}
	const writers, each = 64, 12
	var wg sync.WaitGroup
	var mu sync.Mutex
	acked := make(map[int64]string)
	for w := range writers {
		wg.Go(func() {
			for n := range each {
				events, err := stores[w%2].Update(t.Context(), func(guard.Tx) ([]event.Draft, error) {
					return []event.Draft{record(w*each+n, hearsay.Allowed, hearsay.Intent)}, nil
				})
				if err != nil {
					t.Error(err)
					return
				}
				mu.Lock()
				acked[events[0].Seq] = events[0].Subject
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	if got := f.verify(); got != writers*each || len(acked) != writers*each {
		t.Fatalf("%d entries and %d places given out, want %d", got, len(acked), writers*each)
	}
	for entry, err := range f.Log(t.Context(), 0) {
		if err != nil {
			t.Fatal(err)
		}
		e, err := event.Decode(entry.Body)
		if err != nil {
			t.Fatal(err)
		}
		if acked[e.Seq] != e.Subject {
			t.Errorf("entry %d is %s and was acknowledged as %s", e.Seq, e.Subject, acked[e.Seq])
		}
	}
	rows := 0
	for _, err := range f.Rows(t.Context(), event.Records) {
		if err != nil {
			t.Fatal(err)
		}
		rows++
	}
	if rows != writers*each {
		t.Errorf("%d rows, want %d", rows, writers*each)
	}
}
