package review

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/hearsay-memory/hearsay/internal/hometest"
	"github.com/hearsay-memory/hearsay/internal/people"
	"github.com/hearsay-memory/hearsay/internal/reviewer"
	"github.com/hearsay-memory/hearsay/internal/term"
)

// script is a person who presses these keys and then Ctrl-C.
type script struct{ keys string }

func (s *script) ReadKey() (term.Key, error) {
	if s.keys == "" {
		return term.KeyOther, term.ErrInterrupted
	}
	k := s.keys[0]
	s.keys = s.keys[1:]
	return term.Key(k), nil
}

func (s *script) Ask(string) (string, error) { return "", term.ErrInterrupted }

// heldWalk is a walk over two held records.
func heldWalk(t *testing.T, keys string) (*walk, *bytes.Buffer) {
	t.Helper()
	in := hometest.Held(t)
	var screen bytes.Buffer
	w := &walk{in: in, keys: &script{keys}, screen: term.New(&screen, func(string) string { return "" }),
		unlock: func() (*reviewer.Signer, error) { return people.Signer(in, "", "") }}
	var err error
	if w.queue, err = Queue(t.Context(), in, time.Now().UnixMilli()); err != nil {
		t.Fatal(err)
	}
	return w, &screen
}

// TestWalkInterrupted: what was not sealed when the person breaks off stays held, and
// what the next decision had sealed before stays sealed.
func TestWalkInterrupted(t *testing.T) {
	for _, tc := range []struct {
		keys string
		held int
	}{
		{"", 2},
		{"a", 2},   // approved, then broken off
		{"aa", 1},  // the second decision seals the first
		{"an", 2},  // broken off in the note
		{"aau", 1}, // the second taken back
	} {
		w, screen := heldWalk(t, tc.keys)
		err := w.run(t.Context())
		if !errors.Is(err, ErrBrokenOff) {
			t.Errorf("keys %q: error %v, want a failed walk", tc.keys, err)
		}
		held, err := w.in.Guard.CountHeld(t.Context(), "ana")
		if err != nil {
			t.Fatal(err)
		}
		if held != tc.held {
			t.Errorf("keys %q: %d held, want %d", tc.keys, held, tc.held)
		}
		if strings.HasPrefix(tc.keys, "an") && !strings.Contains(screen.String(), "Not sealed, still held: "+w.queue[0].String()) {
			t.Errorf("keys %q: the screen does not say what was dropped:\n%s", tc.keys, screen)
		}
	}
}

// TestWalkTampered: a record whose words were changed in the store is not shown as
// fine and cannot be approved; the others can.
func TestWalkTampered(t *testing.T) {
	w, screen := heldWalk(t, "a ")
	if err := hometest.Change(w.in.Home.Dir(), "UPDATE side SET blob = CAST(replace(CAST(blob AS TEXT), 'b25l', 'dHdv') AS BLOB)"); err != nil {
		t.Fatal(err)
	}
	if err := w.run(t.Context()); err != nil {
		t.Fatal(err)
	}
	if w.failed.N != 1 || !w.failed.tampered || w.sealed != 1 {
		t.Errorf("failures %+v and %d sealed, want one of tampering and 1", w.failed, w.sealed)
	}
	if !strings.Contains(screen.String(), "cannot be shown:") {
		t.Errorf("the screen does not say that a record cannot be shown:\n%s", screen)
	}
}
