package storetest

import (
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/event"
	"github.com/hearsay-memory/hearsay/guard"
)

const hour = 3_600_000 // ms

// session is a session of a principal that was used at a time.
func session(principal, name string, at int64) guard.Session {
	return guard.Session{
		Key: guard.SessionKey{Principal: principal, ID: name}, Surface: hearsay.SurfaceLib,
		Label: hearsay.LabelIdentity, Started: at, Used: at, Expires: at + hour,
	}
}

// merge joins a session into the stored one.
func (f *fixture) merge(s guard.Session) (after guard.Session) {
	f.t.Helper()
	f.update(func(tx guard.Tx) (_ []event.Draft, err error) {
		after, err = tx.MergeSession(s)
		return nil, err
	})
	return after
}

var comparable = cmpopts.EquateComparable(hearsay.Label{})

// testSessions: labels only sink until the row expires, times widen.
func testSessions(t *testing.T, b Backend) {
	c := &clock{ms: 10 * hour}
	f := open(t, b, func(cfg *Config) { cfg.Now = c.now })
	web := hearsay.Label{Origin: hearsay.External, Taint: hearsay.NewTaint("web")}
	mail := hearsay.Label{Origin: hearsay.Unverified, Taint: hearsay.NewTaint("email")}
	s := session("ana", "s", c.ms)
	s.Agent, s.Host = "coder", "host"
	if diff := cmp.Diff(s, f.merge(s), comparable); diff != "" {
		t.Fatalf("a new session: %s", diff)
	}
	dirty := session("ana", "s", c.ms-1000)
	dirty.Surface = hearsay.SurfaceMCP // who else uses it does not own it
	dirty.Label, dirty.Expires = web, c.ms+2*hour
	want := s
	want.Label, want.Started, want.Expires = web, c.ms-1000, c.ms+2*hour
	if diff := cmp.Diff(want, f.merge(dirty), comparable); diff != "" {
		t.Errorf("an earlier, tainted use: %s", diff)
	}
	want.Label = web.Join(mail)
	other := s
	other.Label = mail
	if diff := cmp.Diff(want, f.merge(other), comparable); diff != "" {
		t.Errorf("another taint: %s", diff)
	}
	if diff := cmp.Diff(want, f.merge(s), comparable); diff != "" {
		t.Errorf("the clean session again: %s", diff)
	}
	stored, err := f.Session(t.Context(), s.Key, c.ms)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, stored, comparable); diff != "" {
		t.Errorf("stored: %s", diff)
	}
	if _, err := f.Session(t.Context(), s.Key, want.Expires-1); err != nil {
		t.Errorf("a moment before it expires: %v", err)
	}
	if _, err := f.Session(t.Context(), s.Key, want.Expires); !errors.Is(err, guard.ErrNotFound) {
		t.Errorf("expired: %v, want not found", err)
	}
	if list, err := f.Sessions(t.Context(), nil, want.Expires); err != nil || len(list) != 0 {
		t.Errorf("expired ones are listed: %v, %v", list, err)
	}
	c.ms = want.Expires
	fresh := session("ana", "s", c.ms)
	if diff := cmp.Diff(fresh, f.merge(fresh), comparable); diff != "" {
		t.Errorf("a session after the old one expired: %s", diff)
	}
	f.update(func(tx guard.Tx) ([]event.Draft, error) {
		return nil, errors.Join(tx.EndSession(s.Key), tx.EndSession(guard.SessionKey{Principal: "nobody"}))
	})
	if _, err := f.Session(t.Context(), s.Key, c.ms); !errors.Is(err, guard.ErrNotFound) {
		t.Errorf("ended: %v, want not found", err)
	}
	f.update(func(tx guard.Tx) ([]event.Draft, error) {
		_, err := tx.MergeSession(dirty)
		if err != nil {
			return nil, err
		}
		if err := tx.EndSession(s.Key); err != nil {
			return nil, err
		}
		if _, err := tx.Session(t.Context(), s.Key, 0); !errors.Is(err, guard.ErrNotFound) {
			t.Errorf("ended in the same transaction: %v, want not found", err)
		}
		return nil, nil
	})
}

// testSessionKeys: a key is a tuple of bytes. Nothing folds, trims, joins or cuts it.
func testSessionKeys(t *testing.T, b Backend) {
	f := open(t, b)
	keys := []guard.SessionKey{
		{Principal: "a", ID: "bc"}, {Principal: "ab", ID: "c"}, {Principal: "abc"}, {ID: "abc"},
		{Principal: "A", ID: "bc"}, {Principal: "a ", ID: "bc"}, {Principal: "a\x00", ID: "bc"}, {Principal: "a", ID: "\x00bc"},
		{Principal: "a/", ID: "bc"}, {Principal: "\u00e9", ID: "x"}, {Principal: "e\u0301", ID: "x"}, {Principal: "\xff", ID: "x"}, {Principal: "\xfe", ID: "x"},
	}
	at := int64(1 << 41)
	for i, key := range keys {
		s := session(key.Principal, key.ID, at+int64(i))
		s.Label = hearsay.Label{Origin: hearsay.External, Taint: hearsay.NewTaint("t", string('a'+rune(i)))}
		f.merge(s)
	}
	for i, key := range keys {
		s, err := f.Session(t.Context(), key, at)
		if err != nil || s.Key != key || s.Used != at+int64(i) || s.Label.Taint != hearsay.NewTaint("t", string('a'+rune(i))) {
			t.Errorf("session %+q is %+v, %v", key, s, err)
		}
	}
	list, err := f.Sessions(t.Context(), nil, at)
	if err != nil || len(list) != len(keys) {
		t.Fatalf("%d sessions, %v: want %d", len(list), err, len(keys))
	}
	for i, s := range list {
		if s.Key != keys[len(keys)-1-i] {
			t.Errorf("session %d is %+q, want the newest first", i, s.Key)
		}
	}
	of, err := f.Sessions(t.Context(), new("a"), at)
	if err != nil || len(of) != 2 || of[0].Key.ID != "\x00bc" || of[1].Key.ID != "bc" {
		t.Errorf("sessions of a: %+v, %v", of, err)
	}
}

// testMarks: a mark is seen until it expires, and taken only while it is seen.
func testMarks(t *testing.T, b Backend) {
	c := &clock{ms: 1_000}
	f := open(t, b, func(cfg *Config) { cfg.Now = c.now })
	f.update(func(tx guard.Tx) ([]event.Draft, error) {
		return nil, errors.Join(tx.Mark(mark(1), 2_000), tx.Mark(mark(2), 2_000), tx.Mark(mark(2), 9_000))
	})
	for at, want := range map[int64][3]bool{0: {true, true}, 1_999: {true, true}, 2_000: {false, true}, 9_000: {}} {
		for i := range want {
			if got, err := f.Seen(t.Context(), mark(byte(i+1)), at); err != nil || got != want[i] {
				t.Errorf("mark %d at %d: %v, %v", i+1, at, got, err)
			}
		}
	}
	c.ms = 2_000
	f.update(func(tx guard.Tx) ([]event.Draft, error) {
		for i, want := range [...]bool{false, true, false} {
			if got, err := tx.Take(mark(byte(i + 1))); err != nil || got != want {
				t.Errorf("taking mark %d: %v, %v", i+1, got, err)
			}
		}
		if got, err := tx.Take(mark(2)); err != nil || got {
			t.Errorf("taking mark 2 again: %v, %v", got, err)
		}
		return nil, nil
	})
	if seen, err := f.Seen(t.Context(), mark(2), 0); err != nil || seen {
		t.Errorf("a taken mark: %v, %v", seen, err)
	}
}

// testTakeOnce: of many that take a mark at once, one gets it; one whose transaction
// fails has not taken it.
func testTakeOnce(t *testing.T, b Backend) {
	f := open(t, b)
	stores := [2]guard.Store{f.Store, f.again()}
	for round := range byte(4) {
		f.update(func(tx guard.Tx) ([]event.Draft, error) { return nil, tx.Mark(mark(round), tx.Now()+hour) })
		var taken atomic.Int32
		var wg sync.WaitGroup
		fail := errors.New("fail")
		for i := range 32 {
			wg.Go(func() {
				var got bool
				_, err := stores[i%2].Update(t.Context(), func(tx guard.Tx) (_ []event.Draft, err error) {
					if got, err = tx.Take(mark(round)); err == nil && i%4 == 3 {
						err = fail
					}
					return nil, err
				})
				if err != nil && !errors.Is(err, fail) {
					t.Error(err)
				}
				if err == nil && got {
					taken.Add(1)
				}
			})
		}
		wg.Wait()
		if got := taken.Load(); got != 1 {
			t.Errorf("round %d: taken %d times, want once", round, got)
		}
	}
}

// testWords: words are by session and name, replaced as a whole, and gone when they expire.
func testWords(t *testing.T, b Backend) {
	c := &clock{ms: 1_000}
	f := open(t, b, func(cfg *Config) { cfg.Now = c.now })
	ana, ben := guard.SessionKey{Principal: "ana", ID: "s"}, guard.SessionKey{Principal: "anas", ID: ""}
	put := func(tx guard.Tx, s guard.SessionKey, name, data string, expires int64) error {
		return tx.PutWords(guard.StoredWords{Session: s, Name: name, Data: []byte(data), Expires: expires})
	}
	words := func(r guard.Reader, s guard.SessionKey, at int64) string {
		list, err := r.Words(t.Context(), s, at)
		if err != nil {
			t.Error(err)
		}
		var out strings.Builder
		for _, w := range list {
			out.WriteString(w.Name + "=" + string(w.Data) + ";")
		}
		return out.String()
	}
	f.update(func(tx guard.Tx) ([]event.Draft, error) {
		return nil, errors.Join(put(tx, ana, "b", "1", 5_000), put(tx, ana, "a", "2", 9_000), put(tx, ben, "a", "3", 9_000))
	})
	f.update(func(tx guard.Tx) ([]event.Draft, error) {
		err := errors.Join(put(tx, ana, "b", "4", 5_000), put(tx, ana, "c", "5", 5_000))
		if got := words(tx, ana, 0); got != "a=2;b=4;c=5;" {
			t.Errorf("inside: %s", got)
		}
		return nil, err
	})
	for at, want := range map[int64]string{0: "a=2;b=4;c=5;", 5_000: "a=2;", 9_000: ""} {
		if got := words(f, ana, at); got != want {
			t.Errorf("at %d: %s, want %s", at, got, want)
		}
	}
	if got := words(f, ben, 0); got != "a=3;" {
		t.Errorf("another session has %s", got)
	}
}

// testItems: items are by key and record, in the order in which they landed.
func testItems(t *testing.T, b Backend) {
	f := open(t, b)
	item := func(key byte, n int, state guard.ItemState, landed int64) guard.StoredItem {
		return guard.StoredItem{Key: mark(key), Record: id(n), State: state, Landed: landed}
	}
	put := func(items ...guard.StoredItem) {
		t.Helper()
		f.update(func(tx guard.Tx) (_ []event.Draft, err error) {
			for _, it := range items {
				err = errors.Join(err, tx.PutItem(it))
			}
			return nil, err
		})
	}
	put(item(1, 3, guard.ItemWaiting, 0), item(1, 1, guard.ItemWaiting, 0), item(2, 1, guard.ItemWaiting, 0))
	put(item(1, 2, guard.ItemLanded, 9), item(1, 4, guard.ItemLanded, 7))
	put(item(1, 3, guard.ItemGone, 8))
	want := map[[32]byte][]guard.StoredItem{
		mark(1): {item(1, 4, guard.ItemLanded, 7), item(1, 3, guard.ItemGone, 8), item(1, 2, guard.ItemLanded, 9), item(1, 1, guard.ItemWaiting, 0)},
		mark(2): {item(2, 1, guard.ItemWaiting, 0)},
	}
	got, err := f.Items(t.Context(), [][32]byte{mark(1), mark(2), mark(3), mark(1)})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	f.update(func(tx guard.Tx) ([]event.Draft, error) {
		if err := tx.PutItem(item(1, 1, guard.ItemLanded, 6)); err != nil {
			return nil, err
		}
		got, err := tx.Items(t.Context(), [][32]byte{mark(1)})
		if err != nil {
			return nil, err
		}
		inside := map[[32]byte][]guard.StoredItem{mark(1): append([]guard.StoredItem{item(1, 1, guard.ItemLanded, 6)}, want[mark(1)][:3]...)}
		if diff := cmp.Diff(inside, got); diff != "" {
			t.Errorf("inside: %s", diff)
		}
		return nil, nil
	})
}

// testItemsAtOnce: what is asked together is told of one state of the store. A thing that
// goes and comes back meanwhile is there once, and all of an update or none of it.
func testItemsAtOnce(t *testing.T, b Backend) {
	f := open(t, b)
	keys := [][32]byte{mark(1), mark(2)}
	turn := func(n int64) {
		state := guard.ItemLanded
		if n%2 == 0 {
			state = guard.ItemGone
		}
		f.update(func(tx guard.Tx) (_ []event.Draft, err error) {
			for _, key := range keys {
				err = errors.Join(err, tx.PutItem(guard.StoredItem{Key: key, Record: id(1), State: state, Landed: n}))
			}
			return nil, err
		})
	}
	turn(0)
	var wg sync.WaitGroup
	over := make(chan struct{})
	wg.Go(func() {
		for reads := 0; ; reads++ {
			select {
			case <-over:
				return
			default:
			}
			got, err := f.Items(t.Context(), keys)
			if one, two := got[keys[0]], got[keys[1]]; err != nil || len(one) != 1 || len(two) != 1 || one[0].Landed != two[0].Landed {
				t.Errorf("read %d: %v, %v, %v", reads, one, two, err)
				return
			}
		}
	})
	for n := range int64(300) {
		turn(n + 1)
	}
	close(over)
	wg.Wait()
}
