package mcpserver

import (
	"bytes"
	"log/slog"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"golang.org/x/mod/sumdb/note"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/guard"
	"github.com/hearsay-memory/hearsay/internal/guardtest"
	"github.com/hearsay-memory/hearsay/internal/lint"
	"github.com/hearsay-memory/hearsay/internal/memory"
	"github.com/hearsay-memory/hearsay/internal/reviewer"
	"github.com/hearsay-memory/hearsay/internal/store/sqlite"
	"github.com/hearsay-memory/hearsay/policy"
	"github.com/hearsay-memory/hearsay/recall"
)

// eras are a revision of each.
var eras = []string{"2025-11-25", modern}

// world is ana's memory over a real store, with a reviewer.
type world struct {
	t      testing.TB
	dir    string
	key    string
	rules  *policy.Policy
	guard  *guard.Guard
	store  *sqlite.Store
	memory *memory.Store
	keys   note.Verifiers
	signer *reviewer.Signer
	logged *logged
}

// logged is a log that tests can read.
type logged struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *logged) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *logged) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// newWorld makes a world with the default profile, in which text can be replaced.
func newWorld(t testing.TB, replace ...string) *world {
	t.Helper()
	w := &world{t: t, dir: t.TempDir(), rules: guardtest.Policy(t, "default", replace...), logged: new(logged)}
	private, public := guardtest.Key(t)
	w.key, w.keys = private, note.VerifierList(public)
	w.open(guardtest.Patience)
	w.signer = guardtest.Enrol(t, w.guard)
	return w
}

// open opens what a process opens, until the test ends.
func (w *world) open(patience time.Duration) {
	w.t.Helper()
	var err error
	w.store, w.guard, err = guardtest.OpenWithin(w.t.Context(), filepath.Join(w.dir, "hearsay.db"), w.key, patience, guard.Config{Policy: w.rules, Lint: lint.Text})
	if err != nil {
		w.t.Fatal(err)
	}
	store := w.store
	w.t.Cleanup(func() { _ = store.Close() })
	memories := memory.Open(w.guard, memory.Options{Principal: "ana", Dir: filepath.Join(w.dir, "memory", memory.Folder("ana")), Log: w.log()})
	w.t.Cleanup(func() { _ = memories.Close() })
	w.memory = memories
}

func (w *world) log() *slog.Logger { return slog.New(slog.NewTextHandler(w.logged, nil)) }

// caller opens a session of ana's.
func (w *world) caller(session string) hearsay.Caller {
	w.t.Helper()
	c := hearsay.Caller{Principal: "ana", Session: session, Surface: hearsay.SurfaceOwn}
	if _, err := w.guard.Open(w.t.Context(), c, guard.Start{}); err != nil {
		w.t.Fatal(err)
	}
	return c
}

// read lets a session take in a page, as a proxy or a hook of the same session would.
func (w *world) read(c hearsay.Caller) {
	w.t.Helper()
	o := guard.Observation{Source: hearsay.Source{Type: "web", Ref: "https://page.example.invalid"}, Tool: "fetch"}
	if _, err := w.guard.Observe(w.t.Context(), c, o); err != nil {
		w.t.Fatal(err)
	}
}

// keep stores a memory of a source past this surface, and releases it where it is held.
func (w *world) keep(source, title, text string, tags ...string) hearsay.RecordID {
	w.t.Helper()
	n := memory.New{Doc: memory.Doc{Kind: recall.Learning, Title: title, Text: text, Tags: tags}, Source: hearsay.Source{Type: source}}
	d, err := w.memory.Remember(w.t.Context(), w.caller("keeper of "+source), n)
	if err != nil {
		w.t.Fatal(err)
	}
	if d.Standing == hearsay.Held {
		w.decide(reviewer.Approve, d.ID)
	}
	return d.ID
}

// decide signs and carries out a reviewer's decision.
func (w *world) decide(d reviewer.Decision, id hearsay.RecordID) {
	w.t.Helper()
	guardtest.Decide(w.t, w.guard, w.signer, d, id)
}

// tainted says whether a session is.
func (w *world) tainted(c hearsay.Caller) bool {
	w.t.Helper()
	l, err := w.guard.SessionLabel(w.t.Context(), c)
	if err != nil {
		w.t.Fatal(err)
	}
	return l.Tainted()
}

// records counts the records of the own store by standing.
func (w *world) records() map[hearsay.Standing]int {
	w.t.Helper()
	out := make(map[hearsay.Standing]int)
	for r, err := range w.guard.List(w.t.Context(), guard.Query{}) {
		if err != nil {
			w.t.Fatal(err)
		}
		out[r.Standing]++
	}
	return out
}

func (w *world) verify() {
	w.t.Helper()
	rep, err := guard.Verify(w.t.Context(), w.store, guard.Expect{Keys: w.keys})
	if err != nil || !rep.Consistent {
		w.t.Errorf("verify: %v, %+v", err, rep)
	}
}

// server makes a server for a session of a clean agent, unless options say otherwise.
func (w *world) server(c hearsay.Caller, change ...func(*Options)) *Server {
	w.t.Helper()
	o := Options{Memory: w.memory, Guard: w.guard, Caller: c, Name: "memory", Assume: true, Version: "test", Log: w.log()}
	for _, f := range change {
		f(&o)
	}
	s, err := New(w.t.Context(), o)
	if err != nil {
		w.t.Fatal(err)
	}
	return s
}
