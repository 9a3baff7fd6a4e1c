package storetest

import (
	"errors"
	"slices"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/event"
	"github.com/hearsay-memory/hearsay/guard"
)

// testSpeakers: of each state and voice of a key's items the first and the last few are
// found, by the records as they are, also while that changes.
func testSpeakers(t *testing.T, b Backend) {
	f := open(t, b)
	item := func(n int) guard.StoredItem { return guard.StoredItem{Key: mark(1), Record: id(n)} }
	const many = 40
	// The first half is held, the second blocked; the last has no record.
	f.update(func(tx guard.Tx) (drafts []event.Draft, err error) {
		for n := range many {
			standing := hearsay.Held
			if n >= many/2 {
				standing = hearsay.Blocked
			}
			drafts = append(drafts, record(n, standing, hearsay.Undelivered))
			err = errors.Join(err, tx.PutItem(item(n)))
		}
		return drafts, errors.Join(err, tx.PutItem(item(many)), tx.PutItem(guard.StoredItem{Key: mark(2), Record: id(0)}))
	})
	few := func(first, end int) (out []guard.StoredItem) {
		out = append(out, item(first))
		for n := end - guard.EachVoice; n < end; n++ {
			out = append(out, item(n))
		}
		return out
	}
	check := func(r guard.Reader, what string, most int, wantMore bool, want ...guard.StoredItem) {
		t.Helper()
		got, more, err := r.Speakers(t.Context(), mark(1), most)
		if err != nil || more != wantMore {
			t.Errorf("%s: more %v, %v", what, more, err)
		}
		if diff := cmp.Diff(want, got); !wantMore && diff != "" {
			t.Errorf("%s: %s", what, diff)
		}
	}
	all := append(append(few(0, many/2), few(many/2, many)...), item(many))
	check(f, "voices", 3, false, all...)
	check(f, "too many voices", 2, true)
	if got, _, err := f.Speakers(t.Context(), mark(3), 3); err != nil || len(got) != 0 {
		t.Errorf("a key that is not there: %v, %v", got, err)
	}

	// The second is let in, and lands; the record of the last comes.
	landed := item(1)
	landed.State, landed.Landed = guard.ItemLanded, 9
	f.update(func(tx guard.Tx) ([]event.Draft, error) {
		err := tx.PutItem(landed)
		check(tx, "inside", 3, false, append([]guard.StoredItem{landed}, all...)...)
		return []event.Draft{record(1, hearsay.Released, hearsay.Applied), record(many, hearsay.Blocked, hearsay.Undelivered)}, err
	})
	check(f, "after a release", 3, false, append(append([]guard.StoredItem{landed}, few(0, many/2)...), few(many/2, many+1)...)...)

	// All but one that were blocked are erased: the voice of their items changes with them.
	f.update(func(guard.Tx) (drafts []event.Draft, _ error) {
		for n := many / 2; n < many; n++ {
			drafts = append(drafts, record(n, hearsay.Erased, hearsay.Undelivered))
		}
		return drafts, nil
	})
	check(f, "after an erasure", 4, false, append(append(append([]guard.StoredItem{landed}, few(0, many/2)...), few(many/2, many)...), item(many))...)

	// By their states alone.
	got, err := f.Items(t.Context(), [][32]byte{mark(1)}, guard.ItemLanded)
	if diff := cmp.Diff(map[[32]byte][]guard.StoredItem{mark(1): {landed}}, got); err != nil || diff != "" {
		t.Error(diff, err)
	}
}

// testSpeakersNow: whether or not updates share a commit, each hears the voices that records
// have by then.
func testSpeakersNow(t *testing.T, b Backend) {
	f := open(t, b)
	const many, writers = 80, 48
	f.update(func(tx guard.Tx) (drafts []event.Draft, err error) {
		for n := range many {
			drafts = append(drafts, record(n, hearsay.Held, hearsay.Undelivered))
			err = errors.Join(err, tx.PutItem(guard.StoredItem{Key: mark(1), Record: id(n)}))
		}
		return drafts, err
	})
	var wg sync.WaitGroup
	n := 1 // in the midst of the others; the functions run one after another
	for range writers {
		wg.Go(func() {
			if _, err := f.Update(t.Context(), func(tx guard.Tx) ([]event.Draft, error) {
				got, more, err := tx.Speakers(t.Context(), mark(1), 2)
				if err != nil || more {
					t.Errorf("%d: more %v, %v", n, more, err)
				}
				seen := make(map[hearsay.RecordID]bool)
				for _, it := range got {
					if seen[it.Record] {
						t.Errorf("%d hears %s twice", n, it.Record)
					}
					seen[it.Record] = true
				}
				// The first and the last that are held, and the one that the update before revoked.
				for _, must := range []int{0, many - 1, n - 1} {
					if !seen[id(must)] {
						t.Errorf("%d does not hear %d", n, must)
					}
				}
				n++
				return []event.Draft{record(n-1, hearsay.Revoked, hearsay.Undelivered)}, nil
			}); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	got, more, err := f.Speakers(t.Context(), mark(1), 2)
	if err != nil || more || len(got) != 2*(guard.EachVoice+1) || !slices.Contains(got, guard.StoredItem{Key: mark(1), Record: id(writers)}) {
		t.Errorf("in the end %d speak: %v, %v", len(got), more, err)
	}
}
