package sqlite_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	zsqlite "zombiezen.com/go/sqlite"

	"github.com/hearsay-memory/hearsay/event"
	"github.com/hearsay-memory/hearsay/guard"
	"github.com/hearsay-memory/hearsay/internal/asuser"
	"github.com/hearsay-memory/hearsay/internal/store/sqlite"
)

// add appends a record with words.
func add(ctx context.Context, s *sqlite.Store, words string) error {
	_, err := s.Update(ctx, func(tx guard.Tx) ([]event.Draft, error) {
		return []event.Draft{written(words, tx.Now())}, nil
	})
	return err
}

func TestFullDisk(t *testing.T) {
	v := newSite(t)
	s := v.open(nil)
	if err := add(t.Context(), s, "fits"); err != nil {
		t.Fatal(err)
	}
	if err := s.Pragma("max_page_count = 1"); err != nil { // as few as there are
		t.Fatal(err)
	}
	var err error
	kept := int64(1)
	for ; err == nil && kept < 100; kept++ {
		err = add(t.Context(), s, strings.Repeat("long ", 2000))
	}
	kept--
	if zsqlite.ErrCode(err).ToPrimary() != zsqlite.ResultFull || !strings.Contains(err.Error(), "disk is full") {
		t.Fatalf("a full disk gives %v", err)
	}
	if got := v.oracle(s, nil); got != kept {
		t.Errorf("%d entries, want the %d from before", got, kept)
	}
	if err := s.Pragma("max_page_count = 1000000"); err != nil {
		t.Fatal(err)
	}
	if err := add(t.Context(), s, strings.Repeat("long ", 2000)); err != nil {
		t.Errorf("once there is room: %v", err)
	}
	if got := v.oracle(s, nil); got != kept+1 {
		t.Errorf("%d entries, want %d", got, kept+1)
	}
}

func TestUnwritable(t *testing.T) {
	v := newSite(t)
	s := v.open(nil)
	if err := add(t.Context(), s, "first"); err != nil {
		t.Fatal(err)
	}
	// What SQLite says of a file it can only read, without the file's mode: that binds
	// everybody but root.
	if err := s.Pragma("query_only = ON"); err != nil {
		t.Fatal(err)
	}
	err := add(t.Context(), s, "second")
	if zsqlite.ErrCode(err).ToPrimary() != zsqlite.ResultReadOnly || !strings.Contains(err.Error(), "owner and mode") {
		t.Errorf("a store that cannot be written gives %v", err)
	}
	if got := v.oracle(s, nil); got != 1 {
		t.Errorf("%d entries, want 1", got)
	}
}

func TestReadOnlyFile(t *testing.T) {
	if asuser.Again(t) {
		return
	}
	v := newSite(t)
	s := v.open(nil)
	if err := add(t.Context(), s, "first"); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(v.path(), 0o400); err != nil {
		t.Fatal(err)
	}
	s = v.open(nil)
	if err := add(t.Context(), s, "second"); zsqlite.ErrCode(err).ToPrimary() != zsqlite.ResultReadOnly {
		t.Errorf("a file that cannot be written gives %v", err)
	}
	if got := v.oracle(s, nil); got != 1 {
		t.Errorf("%d entries, want 1", got)
	}
}

// TestErasedWordsAreGone looks for erased words in the bytes of all files, also where a
// reader kept the -wal from being emptied at the time.
func TestErasedWordsAreGone(t *testing.T) {
	const words = "the words that are to be gone"
	for _, long := range []int{1, 400} { // within a page, and over several
		t.Run(fmt.Sprint(long), func(t *testing.T) {
			v := newSite(t)
			s := v.open(nil)
			for range 3 {
				if err := add(t.Context(), s, strings.Repeat(words, long)); err != nil {
					t.Fatal(err)
				}
			}
			if !found(t, v, words) {
				t.Fatal("the words cannot be found before they are erased")
			}
			for range s.Log(t.Context(), 0) { // a reader, whose state has the words
				if _, err := s.Update(t.Context(), func(tx guard.Tx) ([]event.Draft, error) {
					return nil, errors.Join(tx.EraseSide(0), tx.EraseSide(1), tx.EraseSide(2))
				}); err != nil {
					t.Fatal(err)
				}
				break
			}
			if err := add(t.Context(), s, "other"); err != nil {
				t.Fatal(err)
			}
			if found(t, v, words) {
				t.Error("the words are still in a file")
			}
		})
	}
}

func found(t *testing.T, v *site, words string) bool {
	t.Helper()
	for _, suffix := range [...]string{"", "-wal"} {
		data, err := os.ReadFile(v.path() + suffix)
		if err != nil {
			t.Fatal(err)
		}
		if bytes.Contains(data, []byte(words)) {
			return true
		}
	}
	return false
}

// TestLock: an update whose turn at the home's lock does not come is busy and changes
// nothing, and a lock that fails for another reason says so.
func TestLock(t *testing.T) {
	v := newSite(t)
	var fail error
	s := v.open(func(o sqlite.Options) sqlite.Options {
		lock := o.Lock
		o.Lock = func(ctx context.Context) (func() error, error) {
			if fail != nil {
				return nil, fail
			}
			return lock(ctx)
		}
		return o
	})
	broken := errors.New("broken")
	for _, tt := range []struct{ fail, want error }{
		{fmt.Errorf("held: %w", context.DeadlineExceeded), guard.ErrBusy},
		{broken, broken},
		{nil, nil},
	} {
		fail = tt.fail
		if err := add(t.Context(), s, "words"); !errors.Is(err, tt.want) {
			t.Errorf("lock fails with %v: update gives %v, want %v", tt.fail, err, tt.want)
		}
	}
	if got := v.oracle(s, nil); got != 1 {
		t.Errorf("%d entries, want 1", got)
	}
}

// TestGoroutineEnds: a function that ends its goroutine, as a test does that fails, leaves
// nothing of itself and nobody waiting.
func TestGoroutineEnds(t *testing.T) {
	v := newSite(t)
	s := v.open(nil)
	if err := add(t.Context(), s, "before"); err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	wg.Go(func() {
		_, err := s.Update(t.Context(), func(tx guard.Tx) ([]event.Draft, error) {
			runtime.Goexit()
			return []event.Draft{written("never", tx.Now())}, nil
		})
		t.Errorf("it goes on, with %v", err)
	})
	wg.Wait()
	if err := add(t.Context(), s, "after"); err != nil {
		t.Fatal(err)
	}
	if got := v.oracle(s, nil); got != 2 {
		t.Errorf("%d entries, want 2", got)
	}
}

// TestAloneAndTogether: writers who come and go, so that they write now on their own
// goroutine and now with others, get numbers without a gap.
func TestAloneAndTogether(t *testing.T) {
	v := newSite(t)
	s := v.open(nil)
	const writers, each = 3, 200
	var wg sync.WaitGroup
	for range writers {
		wg.Go(func() {
			for n := range each {
				if err := add(t.Context(), s, "words"); err != nil {
					t.Error(err)
				}
				if n%7 == 0 {
					time.Sleep(time.Millisecond)
				}
			}
		})
	}
	wg.Wait()
	if got := v.oracle(s, nil); got != writers*each {
		t.Errorf("%d entries, want %d", got, writers*each)
	}
}

func TestNotAStore(t *testing.T) {
	for name, content := range map[string]string{
		"text":   strings.Repeat("this is no database, whatever its name says. ", 100),
		"sqlite": "",
	} {
		t.Run(name, func(t *testing.T) {
			v := newSite(t)
			if content == "" {
				c, err := zsqlite.OpenConn(v.path())
				if err != nil {
					t.Fatal(err)
				}
				if err := c.Close(); err != nil {
					t.Fatal(err)
				}
				raw(t, v.path(), "CREATE TABLE mine (x)")
			} else if err := os.WriteFile(v.path(), []byte(content), 0o600); err != nil {
				t.Fatal(err)
			}
			before, err := os.ReadFile(v.path())
			if err != nil {
				t.Fatal(err)
			}
			s, err := openHome(t.Context(), v.dir, v.signer, nil)
			if err == nil {
				t.Fatalf("it opens as a store: %v", s.Close())
			}
			after, err := os.ReadFile(v.path())
			if err != nil || !bytes.Equal(before, after) {
				t.Errorf("it was changed: %v", err)
			}
		})
	}
}

func TestFileMode(t *testing.T) {
	v := newSite(t)
	s := v.open(nil)
	if err := add(t.Context(), s, "words"); err != nil {
		t.Fatal(err)
	}
	for _, suffix := range [...]string{"", "-wal", "-shm"} {
		info, err := os.Stat(v.path() + suffix)
		if err != nil {
			t.Fatal(err)
		}
		if perm := info.Mode().Perm(); perm&0o077 != 0 {
			t.Errorf("hearsay.db%s has the mode %o: others can read it", suffix, perm)
		}
	}
}
