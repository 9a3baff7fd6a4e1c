package guard_test

import (
	"crypto/rand"
	"path/filepath"
	"testing"
	"time"

	"golang.org/x/mod/sumdb/note"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/event"
	"github.com/hearsay-memory/hearsay/guard"
	"github.com/hearsay-memory/hearsay/internal/guardtest"
	"github.com/hearsay-memory/hearsay/internal/lint"
	"github.com/hearsay-memory/hearsay/internal/store/sqlite"
	"github.com/hearsay-memory/hearsay/ledger"
	"github.com/hearsay-memory/hearsay/policy"
)

// stage is a store that several processes open, with a clock that a test moves and the
// lint of a real home.
type stage struct {
	t     *testing.T
	path  string
	key   note.Signer
	keys  note.Verifier
	rules *policy.Policy
	wait  time.Duration // deadline of an update
	now   func() time.Time
}

func newStage(t *testing.T) *stage {
	t.Helper()
	private, public, err := note.GenerateKey(rand.Reader, "test/log")
	if err != nil {
		t.Fatal(err)
	}
	s := &stage{t: t, path: filepath.Join(t.TempDir(), "hearsay.db"), wait: guardtest.Patience, now: time.Now}
	if s.key, err = note.NewSigner(private); err != nil {
		t.Fatal(err)
	}
	if s.keys, err = note.NewVerifier(public); err != nil {
		t.Fatal(err)
	}
	data, err := policy.Profile("default")
	if err != nil {
		t.Fatal(err)
	}
	if s.rules, err = policy.Parse("default.yaml", data); err != nil {
		t.Fatal(err)
	}
	return s
}

// open is one more process on the store.
func (s *stage) open() *world {
	s.t.Helper()
	store, err := sqlite.Open(s.t.Context(), sqlite.Options{Path: s.path, LogID: "test/log", Signer: s.key, Deadline: s.wait,
		Now: func() time.Time { return s.now() }})
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() {
		if err := store.Close(); err != nil {
			s.t.Error(err)
		}
	})
	return &world{t: s.t, store: store, path: s.path, verifier: s.keys,
		Guard: guard.New(guard.Config{Store: store, Policy: s.rules, Index: ledger.IndexKey{1}, Lint: lint.Text})}
}

// enrol gives a world a reviewer.
func (w *world) enrol() *world {
	w.t.Helper()
	w.signer = guardtest.Enrol(w.t, w.Guard)
	return w
}

// fact is a write of the agent to the facts.
func fact(text string, parents ...hearsay.RecordID) guard.Write {
	f := lesson(text, parents...)
	f.Namespace = hearsay.Namespace{"facts"}
	return f
}

// from is a write whose speaker the surface knows.
func from(kind string, w guard.Write) guard.Write {
	w.Source = hearsay.Source{Type: kind}
	return w
}

// stands returns a record as it stands.
func (w *world) stands(id hearsay.RecordID) *event.Record {
	w.t.Helper()
	shown, err := w.Show(w.t.Context(), id)
	if err != nil {
		w.t.Fatal(err)
	}
	return shown.Record
}

// held counts what waits for a person.
func (w *world) held(principal string) int {
	w.t.Helper()
	n, err := w.CountHeld(w.t.Context(), principal)
	if err != nil {
		w.t.Fatal(err)
	}
	return n
}

// label is that of a session.
func (w *world) label(c hearsay.Caller) hearsay.Label {
	w.t.Helper()
	l, err := w.SessionLabel(w.t.Context(), c)
	if err != nil {
		w.t.Fatal(err)
	}
	return l
}

// kinds are the kinds of all events, in order.
func (w *world) kinds() []event.Kind {
	w.t.Helper()
	var out []event.Kind
	for entry, err := range w.store.Log(w.t.Context(), 0) {
		if err != nil {
			w.t.Fatal(err)
		}
		e, err := event.Decode(entry.Body)
		if err != nil {
			w.t.Fatal(err)
		}
		out = append(out, e.Kind)
	}
	return out
}
