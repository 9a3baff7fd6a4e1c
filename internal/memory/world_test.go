package memory_test

import (
	"bytes"
	"context"
	"log/slog"
	"path/filepath"
	"testing"

	"golang.org/x/mod/sumdb/note"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/event"
	"github.com/hearsay-memory/hearsay/guard"
	"github.com/hearsay-memory/hearsay/internal/guardtest"
	"github.com/hearsay-memory/hearsay/internal/lint"
	"github.com/hearsay-memory/hearsay/internal/memory"
	"github.com/hearsay-memory/hearsay/internal/reviewer"
	"github.com/hearsay-memory/hearsay/internal/store/sqlite"
	"github.com/hearsay-memory/hearsay/policy"
	"github.com/hearsay-memory/hearsay/recall"
)

// world is ana's memory over a real store, with a reviewer.
type world struct {
	*memory.Store
	t      testing.TB
	dir    string // the home
	guard  *guard.Guard
	store  *sqlite.Store
	signer *reviewer.Signer
	key    string
	public note.Verifier
	rules  *policy.Policy
	logged *bytes.Buffer
	toy    *toy // nil: no embedder
}

// newWorld makes a world with the default profile, where extra replaces text in it.
func newWorld(t testing.TB, replace ...string) *world {
	t.Helper()
	w := &world{t: t, dir: t.TempDir(), logged: new(bytes.Buffer), rules: guardtest.Policy(t, "default", replace...)}
	w.key, w.public = guardtest.Key(t)
	w.open()
	t.Cleanup(w.close)
	w.signer = guardtest.Enrol(t, w.guard)
	return w
}

// open opens the home, as another process would.
func (w *world) open() {
	w.t.Helper()
	var err error
	w.store, w.guard, err = guardtest.Open(context.Background(), filepath.Join(w.dir, "hearsay.db"), w.key, guard.Config{Policy: w.rules, Lint: lint.Text})
	if err != nil {
		w.t.Fatal(err)
	}
	w.Store = w.memoryOf("ana")
}

// memoryOf opens a principal's memory in the home.
func (w *world) memoryOf(principal string) *memory.Store {
	o := memory.Options{Principal: principal, Dir: w.folder(principal), Log: slog.New(slog.NewTextHandler(w.logged, nil))}
	if w.toy != nil {
		o.Embedder, o.EmbedderName = w.toy.embed, w.toy.name
	}
	return memory.Open(w.guard, o)
}

func (w *world) folder(principal string) string {
	return filepath.Join(w.dir, "memory", memory.Folder(principal))
}

func (w *world) close() {
	if w.Store == nil {
		return // shut
	}
	if err := w.Store.Close(); err != nil {
		w.t.Error(err)
	}
	if err := w.store.Close(); err != nil {
		w.t.Error(err)
	}
}

// quiet fails where something was logged.
func (w *world) quiet() {
	w.t.Helper()
	if w.logged.Len() > 0 {
		w.t.Errorf("it was logged: %s", w.logged)
	}
}

func (w *world) sign(st reviewer.Statement) (reviewer.Signed, error) { return w.signer.Sign(st) }

// session opens a session of a principal.
func (w *world) session(principal, id string) hearsay.Caller {
	w.t.Helper()
	c := hearsay.Caller{Principal: principal, Session: id, Surface: hearsay.SurfaceOwn}
	if _, err := w.guard.Open(w.t.Context(), c, guard.Start{}); err != nil {
		w.t.Fatal(err)
	}
	return c
}

// read lets a session take in a page.
func (w *world) read(c hearsay.Caller) {
	w.t.Helper()
	if _, err := w.guard.Observe(w.t.Context(), c, guard.Observation{Source: hearsay.Source{Type: "web", Ref: "https://page.example.invalid"}, Tool: "fetch"}); err != nil {
		w.t.Fatal(err)
	}
}

// agents is a memory that the agent writes.
func agents(text string) memory.New {
	return memory.New{Doc: memory.Doc{Kind: recall.Learning, Text: text}, Source: hearsay.Source{Type: "agent"}}
}

// webs is a fact that the web says, which the default profile lets in.
func webs(text string) memory.New {
	n := agents(text)
	n.Source, n.Namespace = hearsay.Source{Type: "web", Ref: "https://page.example.invalid"}, hearsay.Namespace{"facts"}
	return n
}

// remember wants a memory to stand as said.
func (w *world) remember(c hearsay.Caller, n memory.New, want hearsay.Standing) hearsay.RecordID {
	w.t.Helper()
	d, err := w.Remember(w.t.Context(), c, n)
	if err != nil {
		w.t.Fatal(err)
	}
	if d.Standing != want {
		w.t.Fatalf("%q is %s, want %s: %+v", n.Text, d.Standing, want, d.Verdict)
	}
	return d.ID
}

// say seals a memory as the user's own word.
func (w *world) say(n memory.New) *event.Record {
	w.t.Helper()
	r, err := w.Say(w.t.Context(), hearsay.Caller{Principal: "ana", Surface: hearsay.SurfaceCLI}, n, w.sign)
	if err != nil {
		w.t.Fatal(err)
	}
	return r
}

// review approves or rejects a record.
func (w *world) review(d reviewer.Decision, id hearsay.RecordID) {
	w.t.Helper()
	guardtest.Decide(w.t, w.guard, w.signer, d, id)
}

// recall asks, and returns the ids of what came back.
func (w *world) recall(c hearsay.Caller, a memory.Ask) (memory.Answer, []hearsay.RecordID) {
	w.t.Helper()
	got, err := w.Recall(w.t.Context(), c, a)
	if err != nil {
		w.t.Fatal(err)
	}
	var ids []hearsay.RecordID
	for _, r := range got.Results {
		ids = append(ids, r.ID)
	}
	return got, ids
}
