package storetest

import (
	"errors"
	"iter"
	"slices"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/event"
	"github.com/hearsay-memory/hearsay/guard"
)

// standingOf reads one record.
func standingOf(t *testing.T, r guard.Reader, n int) (hearsay.Standing, error) {
	t.Helper()
	key := id(n)
	put, err := r.Get(t.Context(), event.Records, key[:])
	if err != nil {
		return 0, err
	}
	rec, err := event.DecodeRecord(put.Value)
	if err != nil {
		return 0, err
	}
	return rec.Standing, nil
}

// testOverlay: a transaction reads what it has changed, others only what is kept.
func testOverlay(t *testing.T, b Backend) {
	f := open(t, b)
	f.put(record(0, hearsay.Allowed, hearsay.Intent))
	ctx := t.Context()
	f.update(func(tx guard.Tx) ([]event.Draft, error) {
		drafts, err := change(tx, 1)
		if err != nil {
			return nil, err
		}
		if _, err := tx.Side(ctx, 0); !errors.Is(err, guard.ErrNotFound) {
			t.Errorf("erased words inside: %v, want not found", err)
		}
		if _, err := f.Side(ctx, 0); err != nil {
			t.Errorf("outside they are erased already: %v", err)
		}
		if seen, err := tx.Seen(ctx, mark(1), tx.Now()); err != nil || !seen {
			t.Errorf("its mark inside: %v, %v", seen, err)
		}
		if seen, err := f.Seen(ctx, mark(1), tx.Now()); err != nil || seen {
			t.Errorf("its mark outside: %v, %v", seen, err)
		}
		if items, err := tx.Items(ctx, [][32]byte{mark(1), mark(2)}); err != nil || len(items[mark(1)]) != 1 || len(items) != 1 {
			t.Errorf("its items inside: %v, %v", items, err)
		}
		if s, err := tx.Session(ctx, guard.SessionKey{Principal: "ana", ID: "s1"}, tx.Now()); err != nil || s.Used != tx.Now() {
			t.Errorf("its session inside: %v, %v", s, err)
		}
		if list, err := tx.Sessions(ctx, new("ana"), tx.Now()); err != nil || len(list) != 1 {
			t.Errorf("its sessions inside: %v, %v", list, err)
		}
		if list, err := tx.Sessions(ctx, new("ben"), tx.Now()); err != nil || len(list) != 0 {
			t.Errorf("another's sessions inside: %v, %v", list, err)
		}
		if list, err := f.Sessions(ctx, nil, tx.Now()); err != nil || len(list) != 0 {
			t.Errorf("its sessions outside: %v, %v", list, err)
		}
		return drafts, nil
	})
	if _, err := f.Side(ctx, 0); !errors.Is(err, guard.ErrNotFound) {
		t.Errorf("erased words: %v, want not found", err)
	}
	if s, err := standingOf(t, f, 1); err != nil || s != hearsay.Held {
		t.Errorf("its record: %s, %v", s, err)
	}
}

// testBatch: whether or not updates share a commit, each sees all that came before it.
func testBatch(t *testing.T, b Backend) {
	f := open(t, b)
	const writers = 48
	var wg sync.WaitGroup
	drop := errors.New("drop it")
	for w := range writers {
		wg.Go(func() {
			_, err := f.Update(t.Context(), func(tx guard.Tx) ([]event.Draft, error) {
				n := int(tx.Seq())
				if n > 0 {
					if _, err := standingOf(t, tx, n-1); err != nil {
						t.Errorf("%d does not see the one before: %v", n, err)
					}
					if _, err := tx.Side(t.Context(), int64(n-1)); err != nil {
						t.Errorf("%d does not see the words before: %v", n, err)
					}
				}
				seen := 0
				for _, err := range tx.Scan(t.Context(), guard.Query{}) {
					if err != nil {
						t.Errorf("scan: %v", err)
					}
					seen++
				}
				if seen != n {
					t.Errorf("%d sees %d records", n, seen)
				}
				drafts := []event.Draft{record(n, hearsay.Allowed, hearsay.Intent)}
				if w%3 == 1 {
					return drafts, drop
				}
				return drafts, nil
			})
			if err != nil && !errors.Is(err, drop) {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if got := f.verify(); got != writers*2/3 {
		t.Errorf("%d entries, want %d", got, writers*2/3)
	}
}

// testTxIsOver: a transaction that was kept past its function answers nothing.
func testTxIsOver(t *testing.T, b Backend) {
	f := open(t, b)
	var kept guard.Tx
	f.update(func(tx guard.Tx) ([]event.Draft, error) {
		kept = tx
		return []event.Draft{record(0, hearsay.Allowed, hearsay.Intent)}, nil
	})
	_, merge := kept.MergeSession(session("ana", "s", 0))
	_, take := kept.Take(mark(1))
	_, get := standingOf(t, kept, 0)
	for name, err := range map[string]error{
		"Get": get, "MergeSession": merge, "Take": take, "Mark": kept.Mark(mark(1), 1),
		"PutItem": kept.PutItem(guard.StoredItem{}), "EraseSide": kept.EraseSide(0),
		"EndSession": kept.EndSession(guard.SessionKey{}),
	} {
		if err == nil || errors.Is(err, guard.ErrNotFound) {
			t.Errorf("%s of a transaction that is over: %v, want an error", name, err)
		}
	}
}

// testTables: rows are after-images, found by their key and listed in its order.
func testTables(t *testing.T, b Backend) {
	f := open(t, b)
	reviewer := func(name, key string) event.Draft {
		return event.Draft{Event: event.Event{Kind: event.ReviewerAdd, Reviewer: &event.Reviewer{Name: name, KeyID: key, RecoveryID: key + "r"},
			Proof: &event.Proof{Reviewer: name, Statement: []byte(name + key)}}}
	}
	policy := func(hash string) event.Draft {
		return event.Draft{Event: event.Event{Kind: event.PolicyLoad, Policy: &event.Policy{Hash: hash}}}
	}
	f.put(reviewer("ben", "2"), policy("a"), policy("b"))
	f.put(reviewer("ana", "1"), policy("c"))
	put, err := f.Get(t.Context(), event.Policies, []byte("current"))
	if err != nil || put.Seq != 4 {
		t.Fatalf("the policy is of entry %d, %v: want 4", put.Seq, err)
	}
	if p, err := event.DecodePolicy(put.Value); err != nil || p.Hash != "c" {
		t.Errorf("the policy is %+v, %v: want the last", p, err)
	}
	for table, want := range map[event.Table][]string{
		event.Policies:  {"current"},
		event.Reviewers: {"key/1", "key/1r", "key/2", "key/2r", "name/ana", "name/ben"},
		event.Records:   nil,
	} {
		var got []string
		for put, err := range f.Rows(t.Context(), table) {
			if err != nil {
				t.Fatal(err)
			}
			if put.Table != table {
				t.Errorf("a row of %s among those of %s", put.Table, table)
			}
			got = append(got, string(put.Key))
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: %s", table, diff)
		}
	}
	spent := 0
	for range f.Rows(t.Context(), event.Statements) {
		spent++
	}
	if spent != 2 {
		t.Errorf("%d statements are spent, want 2", spent)
	}
	if _, err := f.Get(t.Context(), event.Reviewers, []byte("name/eve")); !errors.Is(err, guard.ErrNotFound) {
		t.Errorf("nobody's row: %v, want not found", err)
	}
}

// scanned lists the numbers of the records that a scan yields.
func scanned(t *testing.T, list iter.Seq2[*event.Record, error]) []int {
	t.Helper()
	var out []int
	for r, err := range list {
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		for id(n) != r.ID {
			n++
		}
		out = append(out, n)
	}
	return out
}

// scans are queries over the records of fill, with the numbers that they select.
var scans = map[string]struct {
	query guard.Query
	want  []int
}{
	"all":          {guard.Query{}, []int{0, 1, 2, 3, 4, 5, 6, 7}},
	"newest":       {guard.Query{Newest: true}, []int{7, 6, 5, 4, 3, 2, 1, 0}},
	"review":       {guard.Query{Queue: event.QueueReview}, []int{0, 3, 6}},
	"delivery":     {guard.Query{Queue: event.QueueDelivery}, []int{1, 4, 7}},
	"newest queue": {guard.Query{Queue: event.QueueReview, Newest: true}, []int{6, 3, 0}},
	"after":        {guard.Query{After: id(5)}, []int{6, 7}},
	"after newest": {guard.Query{After: id(2), Newest: true}, []int{1, 0}},
	"after queue":  {guard.Query{After: id(3), Queue: event.QueueReview}, []int{6}},
	"before queue": {guard.Query{After: id(3), Queue: event.QueueReview, Newest: true}, []int{0}},
	"limit":        {guard.Query{Limit: 2}, []int{0, 1}},
	"limit newest": {guard.Query{Limit: 2, Newest: true}, []int{7, 6}},
	"limit above":  {guard.Query{Limit: 100, After: id(6)}, []int{7}},
	"match":        {guard.Query{Match: odd}, []int{1, 3, 5, 7}},
	"match limit":  {guard.Query{Match: odd, Limit: 2, After: id(1)}, []int{3, 5}},
	"match queue":  {guard.Query{Match: odd, Queue: event.QueueReview}, []int{3}},
	"none":         {guard.Query{After: id(7)}, nil},
}

func odd(r *event.Record) bool { return r.ID[5]%2 == 0 } // id(n) is of the time n+1

// fill drafts eight records, of which n%3 says what they wait for; they are put in an
// order that is not theirs, and the first has waited for something else before.
func fill() (before, drafts []event.Draft) {
	before = []event.Draft{record(0, hearsay.Allowed, hearsay.Intent), record(4, hearsay.Held, hearsay.Undelivered)}
	for _, n := range []int{3, 7, 0, 5, 1, 6, 2, 4} {
		switch n % 3 {
		case 0:
			drafts = append(drafts, record(n, hearsay.Held, hearsay.Undelivered))
		case 1:
			drafts = append(drafts, record(n, hearsay.Allowed, hearsay.Intent))
		case 2:
			drafts = append(drafts, record(n, hearsay.Allowed, hearsay.Applied))
		}
	}
	return before, drafts
}

func testScan(t *testing.T, b Backend) {
	f := open(t, b)
	before, drafts := fill()
	f.put(before...)
	f.put(drafts...)
	for name, tt := range scans {
		if diff := cmp.Diff(tt.want, scanned(t, f.Scan(t.Context(), tt.query))); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
	for range f.Scan(t.Context(), guard.Query{}) {
		break // gives back what it holds
	}
}

// testScanInside: half of the records are kept, the other half is not written yet where
// updates share a commit; it makes no difference.
func testScanInside(t *testing.T, b Backend) {
	f := open(t, b)
	before, drafts := fill()
	f.put(before...)
	f.put(drafts[:4]...)
	// Many at once, so that a backend that groups has some of them in one commit.
	var wg sync.WaitGroup
	for _, d := range drafts[4:] {
		wg.Go(func() {
			if _, err := f.Update(t.Context(), func(guard.Tx) ([]event.Draft, error) { return []event.Draft{d}, nil }); err != nil {
				t.Error(err)
			}
		})
		wg.Go(func() {
			if _, err := f.Update(t.Context(), func(tx guard.Tx) ([]event.Draft, error) {
				all := scanned(t, tx.Scan(t.Context(), guard.Query{}))
				for limit := 1; limit <= len(all); limit++ {
					if diff := cmp.Diff(all[:limit], scanned(t, tx.Scan(t.Context(), guard.Query{Limit: limit}))); diff != "" {
						t.Errorf("limit %d inside: %s", limit, diff)
					}
				}
				back := scanned(t, tx.Scan(t.Context(), guard.Query{Newest: true}))
				slices.Reverse(back)
				if diff := cmp.Diff(all, back); diff != "" {
					t.Errorf("newest inside: %s", diff)
				}
				return nil, nil
			}); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	f.update(func(tx guard.Tx) ([]event.Draft, error) {
		for name, tt := range scans {
			if diff := cmp.Diff(tt.want, scanned(t, tx.Scan(t.Context(), tt.query))); diff != "" {
				t.Errorf("%s inside: %s", name, diff)
			}
		}
		return nil, nil
	})
}

// testSides: words lie beside the log, with their salt, until they are erased.
func testSides(t *testing.T, b Backend) {
	f := open(t, b)
	events := f.put(record(0, hearsay.Allowed, hearsay.Applied), started("s"), record(1, hearsay.Allowed, hearsay.Applied))
	side, err := f.Side(t.Context(), 2)
	if err != nil {
		t.Fatal(err)
	}
	words, err := event.DecodeSide(side.Blob)
	if err != nil || string(words.Content) != "words of 1" || side.Salt == [32]byte{} || side.Seq != 2 {
		t.Errorf("side blob of 2 is %q of %d, %v", words.Content, side.Seq, err)
	}
	if events[1].Side != "" {
		t.Error("an event without words commits to some")
	}
	if _, err := f.Side(t.Context(), 1); !errors.Is(err, guard.ErrNotFound) {
		t.Errorf("no words: %v, want not found", err)
	}
	f.update(func(tx guard.Tx) ([]event.Draft, error) {
		return []event.Draft{record(0, hearsay.Erased, hearsay.Withdrawn)}, errors.Join(tx.EraseSide(0), tx.EraseSide(77))
	})
	var got []int64
	for side, err := range f.Sides(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, side.Seq)
	}
	if diff := cmp.Diff([]int64{2, 3}, got); diff != "" {
		t.Errorf("sides after erasing: %s", diff)
	}
	if got := f.verify(); got != 4 {
		t.Errorf("%d entries, want 4", got)
	}
}
