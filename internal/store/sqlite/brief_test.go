package sqlite_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"testing"

	"github.com/hearsay-memory/hearsay/event"
	"github.com/hearsay-memory/hearsay/guard"
	"github.com/hearsay-memory/hearsay/internal/store/sqlite"
)

// brief opens the store as a process that makes one update or none does, has f use it and
// closes it. It returns the length of the -wal afterwards; 0 where there is none.
func (v *site) brief(f func(*sqlite.Store) error) int64 {
	v.t.Helper()
	s := v.open(func(o sqlite.Options) sqlite.Options { o.Brief = true; return o })
	if err := errors.Join(f(s), s.Close()); err != nil {
		v.t.Fatal(err)
	}
	info, err := os.Stat(v.path() + "-wal")
	if errors.Is(err, fs.ErrNotExist) {
		return 0
	}
	if err != nil {
		v.t.Fatal(err)
	}
	return info.Size()
}

// TestBrief: brief processes leave what they committed in the -wal, where all others find
// it, and it stays short however many they are.
func TestBrief(t *testing.T) {
	v := newSite(t)
	v.brief(func(*sqlite.Store) error { return nil }) // makes it
	const most = 128<<10 + 64<<10                     // the bound, and the pages of one update
	left, moved := 0, 0
	for i := range 100 {
		size := v.brief(func(s *sqlite.Store) error { return add(t.Context(), s, fmt.Sprint("words ", i)) })
		switch {
		case size == 0:
			moved++
		case size > most:
			t.Fatalf("after %d updates the -wal has %d bytes", i, size)
		default:
			left++
		}
		if i%10 == 0 {
			if read := v.brief(func(s *sqlite.Store) error { _, err := s.Head(t.Context()); return err }); read != size {
				t.Errorf("reading made a -wal of %d bytes one of %d", size, read)
			}
		}
	}
	if left < 70 || moved == 0 {
		t.Errorf("%d of 100 left their -wal, and %d moved it", left, moved)
	}
	s := v.open(nil)
	if got := v.oracle(s, nil); got != 100 {
		t.Errorf("%d entries, want 100", got)
	}
	if err := errors.Join(add(t.Context(), s, "last"), s.Close()); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(v.path() + "-wal"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a process that is not brief leaves a -wal: %v", err)
	}
}

// TestBriefErases: what a brief process erased is in no file afterwards.
func TestBriefErases(t *testing.T) {
	const words = "the words that are to be gone"
	v := newSite(t)
	v.brief(func(s *sqlite.Store) error { return add(t.Context(), s, strings.Repeat(words, 400)) })
	v.brief(func(s *sqlite.Store) error {
		for range s.Log(t.Context(), 0) { // a reader keeps the -wal from being emptied at once
			_, err := s.Update(t.Context(), func(tx guard.Tx) ([]event.Draft, error) { return nil, tx.EraseSide(0) })
			return err
		}
		return errors.New("the log is empty")
	})
	for _, suffix := range [...]string{"", "-wal"} {
		data, err := os.ReadFile(v.path() + suffix)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			t.Fatal(err)
		}
		if strings.Contains(string(data), words) {
			t.Errorf("the words are still in hearsay.db%s", suffix)
		}
	}
}

// TestBriefKilled: what brief processes left survives the death of one that writes.
func TestBriefKilled(t *testing.T) {
	v := newSite(t)
	v.brief(func(s *sqlite.Store) error { return add(t.Context(), s, "first") })
	for _, step := range sqlite.Steps {
		cmd, lines := v.child("dies", 1, step, 1)
		for lines.Scan() {
		}
		_ = cmd.Wait() // it was killed, and says so
		v.brief(func(s *sqlite.Store) error { return add(t.Context(), s, "after "+step) })
	}
	// One of those that died had committed, and nobody heard of it.
	if got, want := v.oracle(v.open(nil), nil), int64(1+len(sqlite.Steps)+1); got != want {
		t.Errorf("%d entries, want %d", got, want)
	}
}

// BenchmarkBrief is one update of a process that makes no other.
func BenchmarkBrief(b *testing.B) {
	for name, brief := range map[string]bool{"brief": true, "moves": false} {
		b.Run(name, func(b *testing.B) {
			v := newSite(b)
			for i := 0; b.Loop(); i++ {
				s, err := openHome(b.Context(), v.dir, v.signer, func(o sqlite.Options) sqlite.Options { o.Brief = brief; return o })
				if err != nil {
					b.Fatal(err)
				}
				if err := errors.Join(add(b.Context(), s, fmt.Sprint("words ", i)), s.Close()); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
