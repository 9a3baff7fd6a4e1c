package memory_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"log/slog"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/mod/sumdb/note"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/event"
	"github.com/hearsay-memory/hearsay/guard"
	"github.com/hearsay-memory/hearsay/internal/lint"
	"github.com/hearsay-memory/hearsay/internal/memory"
	"github.com/hearsay-memory/hearsay/internal/reviewer"
	"github.com/hearsay-memory/hearsay/internal/store/sqlite"
	"github.com/hearsay-memory/hearsay/ledger"
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
	key    note.Signer
	rules  *policy.Policy
	logged *bytes.Buffer
}

// newWorld makes a world with the default profile, where extra replaces text in it.
func newWorld(t testing.TB, replace ...string) *world {
	t.Helper()
	w := &world{t: t, dir: t.TempDir(), logged: new(bytes.Buffer), rules: policyWith(t, replace...)}
	private, _, err := note.GenerateKey(rand.Reader, "test/log")
	if err != nil {
		t.Fatal(err)
	}
	if w.key, err = note.NewSigner(private); err != nil {
		t.Fatal(err)
	}
	if w.signer, err = reviewer.NewSigner("ana", []byte(strings.Repeat("s", 32))); err != nil {
		t.Fatal(err)
	}
	w.open()
	t.Cleanup(w.close)
	recovery, err := reviewer.NewSigner("ana", []byte(strings.Repeat("r", 32)))
	if err != nil {
		t.Fatal(err)
	}
	e := reviewer.Enrolment{Name: "ana", Public: w.signer.Public(), Recovery: recovery.Public()}
	st, err := w.guard.SubjectStatement(t.Context(), reviewer.AddReviewer, e.Subject())
	if err != nil {
		t.Fatal(err)
	}
	signed, err := w.signer.Sign(st)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.guard.AddReviewer(t.Context(), e, signed); err != nil {
		t.Fatal(err)
	}
	return w
}

// policyWith is the default profile, where replace replaces text in it.
func policyWith(t testing.TB, replace ...string) *policy.Policy {
	t.Helper()
	data, err := policy.Profile("default")
	if err != nil {
		t.Fatal(err)
	}
	edited := strings.NewReplacer(replace...).Replace(string(data))
	for i := 0; i < len(replace); i += 2 {
		if !strings.Contains(string(data), replace[i]) {
			t.Fatalf("the profile has nothing of %q", replace[i])
		}
	}
	p, err := policy.Parse("default.yaml", []byte(edited))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// open opens the home, as another process would.
func (w *world) open() {
	w.t.Helper()
	store, err := sqlite.Open(context.Background(), sqlite.Options{Path: filepath.Join(w.dir, "hearsay.db"), LogID: "test/log", Signer: w.key})
	if err != nil {
		w.t.Fatal(err)
	}
	w.store = store
	w.guard = guard.New(guard.Config{Store: store, Policy: w.rules, Index: ledger.IndexKey{1}, Lint: lint.Text})
	w.Store = w.memoryOf("ana")
}

// memoryOf opens a principal's memory in the home.
func (w *world) memoryOf(principal string) *memory.Store {
	return memory.Open(w.guard, memory.Options{
		Principal: principal, Dir: w.folder(principal), Log: slog.New(slog.NewTextHandler(w.logged, nil)),
	})
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
	st, err := w.guard.Statement(w.t.Context(), d, id, "")
	if err != nil {
		w.t.Fatal(err)
	}
	signed, err := w.sign(st)
	if err != nil {
		w.t.Fatal(err)
	}
	if d == reviewer.Revoke {
		_, err = w.guard.Revoke(w.t.Context(), signed)
	} else {
		_, err = w.guard.Review(w.t.Context(), signed, "")
	}
	if err != nil {
		w.t.Fatal(err)
	}
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
