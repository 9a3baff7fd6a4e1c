package sqlite_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"sync"
	"testing"

	"github.com/hearsay-memory/hearsay/event"
	"github.com/hearsay-memory/hearsay/guard"
	"github.com/hearsay-memory/hearsay/internal/store/sqlite"
)

// TestProcesses has eight processes append while half of them are killed somewhere.
func TestProcesses(t *testing.T) {
	const processes, each = 8, 60
	v := newSite(t)
	var mu sync.Mutex
	var acked []string
	var wg sync.WaitGroup
	for p := range processes {
		cmd, lines := v.child(fmt.Sprint("p", p), each, "-", 0)
		killAfter := each
		if p%2 == 0 {
			killAfter = rand.IntN(each - 1)
		}
		wg.Go(func() {
			n := 0
			for ; n < killAfter && lines.Scan(); n++ {
				mu.Lock()
				acked = append(acked, lines.Text())
				mu.Unlock()
			}
			if killAfter < each {
				if err := cmd.Process.Kill(); err != nil && !errors.Is(err, os.ErrProcessDone) {
					t.Error(err)
				}
				for lines.Scan() { // acknowledged before it died
					mu.Lock()
					acked = append(acked, lines.Text())
					mu.Unlock()
				}
				_ = cmd.Wait() // it was killed, and says so
				return
			}
			if err := cmd.Wait(); err != nil || n != each {
				t.Errorf("process %d: %v after %d of %d", p, err, n, each)
			}
		})
	}
	wg.Wait()
	s := v.open(nil)
	size := v.oracle(s, acked)
	// Each that was killed can leave one that is durable and was not heard of.
	if least := int64(len(acked)); size < least || size > least+processes/2 {
		t.Errorf("%d entries and %d acknowledged", size, least)
	}
	if size < processes/2*each {
		t.Errorf("%d entries, want at least those of the processes that lived", size)
	}
}

// TestCrash kills a process at each step of a commit: the first of a store, and one
// that fills a tile. Recovery is opening the store.
func TestCrash(t *testing.T) {
	for _, step := range sqlite.Steps {
		for _, at := range []int{1, 256} {
			t.Run(fmt.Sprint(step, at), func(t *testing.T) {
				v := newSite(t)
				cmd, lines := v.child("c", 300, step, at)
				var acked []string
				for lines.Scan() {
					acked = append(acked, lines.Text())
				}
				if exit, ok := errors.AsType[*exec.ExitError](cmd.Wait()); !ok || exit.Exited() {
					t.Fatalf("the process was not killed: %v", exit)
				}
				s := v.open(nil)
				want := int64(at - 1)
				if int64(len(acked)) != want {
					t.Errorf("%d acknowledged, want %d", len(acked), want)
				}
				if step == "committed" {
					want++ // durable, and nobody heard of it
				}
				if got := v.oracle(s, acked); got != want {
					t.Errorf("%d entries, want %d", got, want)
				}
				for range 2 {
					events, err := s.Update(t.Context(), func(tx guard.Tx) ([]event.Draft, error) {
						return []event.Draft{written("after", tx.Now())}, nil
					})
					if err != nil || events[0].Seq != want {
						t.Fatalf("after the crash: %v", err)
					}
					want++
				}
				if got := v.oracle(s, acked); got != want {
					t.Errorf("%d entries, want %d", got, want)
				}
			})
		}
	}
}

// TestDiesWithOthers: a process dies at each step while another one goes on appending
// on the store that it has open.
func TestDiesWithOthers(t *testing.T) {
	v := newSite(t)
	s := v.open(nil)
	var acked []string
	add := func() {
		t.Helper()
		events, err := s.Update(t.Context(), func(tx guard.Tx) ([]event.Draft, error) {
			return []event.Draft{written("lives", tx.Now())}, nil
		})
		if err != nil {
			t.Fatal(err)
		}
		acked = append(acked, fmt.Sprint(events[0].Seq, " ", events[0].Subject))
	}
	for _, step := range sqlite.Steps {
		add()
		cmd, lines := v.child("dies", 100, step, 3)
		for lines.Scan() {
			acked = append(acked, lines.Text())
			add()
		}
		if err := cmd.Wait(); err == nil {
			t.Error("the process was not killed")
		}
		add()
	}
	// Each died in its third commit, and one of them after that was durable.
	if got, want := v.oracle(s, acked), int64(len(acked)+1); got != want {
		t.Errorf("%d entries, want %d", got, want)
	}
}
