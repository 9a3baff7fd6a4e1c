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

// brief runs a brief process that makes some updates, and returns the length of the -wal
// afterwards.
func (v *site) brief(updates int) int64 {
	v.t.Helper()
	cmd, lines := v.child("brief", updates, "-", 0)
	n := 0
	for lines.Scan() {
		n++
	}
	if err := cmd.Wait(); err != nil || n != updates {
		v.t.Fatalf("%d of %d updates, %v", n, updates, err)
	}
	info, err := os.Stat(v.path() + "-wal")
	if err != nil {
		v.t.Fatal(err)
	}
	return info.Size()
}

// TestBrief: brief processes leave what they committed in the -wal, where all others find
// it, and it stays short however many they are.
func TestBrief(t *testing.T) {
	v := newSite(t)
	v.brief(0)                    // makes it
	const most = 128<<10 + 64<<10 // the bound, and the pages of one update
	const processes = 60
	left, moved := 0, 0
	for i := range processes {
		size := v.brief(1)
		switch {
		case size == 0:
			moved++
		case size > most:
			t.Fatalf("after %d updates the -wal has %d bytes", i, size)
		default:
			left++
		}
		if i%10 == 0 {
			if read := v.brief(0); read != size {
				t.Errorf("reading made a -wal of %d bytes one of %d", size, read)
			}
		}
	}
	if left < processes/2 || moved == 0 {
		t.Errorf("%d of %d left their -wal, and %d moved it", left, processes, moved)
	}
	s := v.open(nil)
	if got := v.oracle(s, nil); got != processes {
		t.Errorf("%d entries, want %d", got, processes)
	}
	if err := errors.Join(add(t.Context(), s, "last"), s.Close()); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(v.path() + "-wal"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a process that is not brief leaves a -wal: %v", err)
	}
}

// TestBriefReadsAndWrites: one that reads while it writes, and goes on reading after it was
// closed, sees what there was and nothing that was not committed.
func TestBriefReadsAndWrites(t *testing.T) {
	v := newSite(t)
	s := v.open(brief)
	for i := range 3 {
		if err := add(t.Context(), s, fmt.Sprint("words ", i)); err != nil {
			t.Fatal(err)
		}
	}
	seen := 0
	for _, err := range s.Log(t.Context(), 0) {
		if err != nil {
			t.Fatal(err)
		}
		seen++
		if err := add(t.Context(), s, "meanwhile"); err != nil {
			t.Fatal(err)
		}
		failed := errors.New("no")
		if _, err := s.Update(t.Context(), func(tx guard.Tx) ([]event.Draft, error) {
			if _, err := s.Head(t.Context()); err != nil { // by another connection, while this one writes
				return nil, err
			}
			return []event.Draft{written("dropped", tx.Now())}, failed
		}); !errors.Is(err, failed) {
			t.Fatal(err)
		}
		if seen == 3 {
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
			break
		}
	}
	if got := v.oracle(v.open(nil), nil); got != 6 {
		t.Errorf("%d entries, want 6", got)
	}
}

func brief(o sqlite.Options) sqlite.Options { o.Brief = true; return o }

// TestBriefErases: what a brief process erased is in no file once it closed.
func TestBriefErases(t *testing.T) {
	const words = "the words that are to be gone"
	v := newSite(t)
	s := v.open(brief)
	if err := add(t.Context(), s, strings.Repeat(words, 400)); err != nil {
		t.Fatal(err)
	}
	for range s.Log(t.Context(), 0) { // a reader keeps the -wal from being emptied at once
		if _, err := s.Update(t.Context(), func(tx guard.Tx) ([]event.Draft, error) { return nil, tx.EraseSide(0) }); err != nil {
			t.Fatal(err)
		}
		break
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if found(t, v, words) {
		t.Error("the words are still in a file")
	}
}

// TestBriefKilled: what brief processes left survives the death of others that write.
func TestBriefKilled(t *testing.T) {
	v := newSite(t)
	v.brief(1)
	for _, step := range sqlite.Steps {
		cmd, lines := v.child("brief", 1, step, 1)
		for lines.Scan() {
			t.Error("it did not die")
		}
		_ = cmd.Wait() // it was killed, and says so
		v.brief(1)
	}
	// One of those that died had committed, and nobody heard of it.
	if got, want := v.oracle(v.open(nil), nil), int64(1+len(sqlite.Steps)+1); got != want {
		t.Errorf("%d entries, want %d", got, want)
	}
}
