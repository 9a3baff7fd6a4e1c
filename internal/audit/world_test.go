package audit_test

import (
	"context"
	"path/filepath"
	"testing"

	"golang.org/x/mod/sumdb/note"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/event"
	"github.com/hearsay-memory/hearsay/guard"
	"github.com/hearsay-memory/hearsay/internal/audit"
	"github.com/hearsay-memory/hearsay/internal/detect"
	"github.com/hearsay-memory/hearsay/internal/guardtest"
	"github.com/hearsay-memory/hearsay/internal/lint"
	"github.com/hearsay-memory/hearsay/internal/memory"
	"github.com/hearsay-memory/hearsay/internal/reviewer"
	"github.com/hearsay-memory/hearsay/internal/store/sqlite"
	"github.com/hearsay-memory/hearsay/recall"
)

// world is ana's memory over a real store, with a reviewer.
type world struct {
	t      testing.TB
	dir    string // the home
	guard  *guard.Guard
	store  *sqlite.Store
	memory *memory.Store
	signer *reviewer.Signer
	key    note.Verifier // of the log
}

// newWorld makes a world with the default profile, in which replace replaces text. Close it.
func newWorld(t testing.TB, replace ...string) *world {
	t.Helper()
	w := &world{t: t, dir: t.TempDir()}
	private, public := guardtest.Key(t)
	w.key = public
	var err error
	w.store, w.guard, err = guardtest.Open(context.Background(), filepath.Join(w.dir, "hearsay.db"), private,
		guard.Config{Policy: guardtest.Policy(t, "default", replace...), Lint: lint.Text})
	check(t, err)
	w.memory = memory.Open(w.guard, memory.Options{Principal: "ana", Dir: filepath.Join(w.dir, "memory")})
	w.signer = guardtest.Enrol(t, w.guard)
	return w
}

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func (w *world) close() {
	if err := w.memory.Close(); err != nil {
		w.t.Error(err)
	}
	if err := w.store.Close(); err != nil {
		w.t.Error(err)
	}
}

// session opens a session of ana's agent, or goes on with it.
func (w *world) session(id string) hearsay.Caller {
	w.t.Helper()
	c := hearsay.Caller{Principal: "ana", Session: id, Surface: hearsay.SurfaceOwn}
	_, err := w.guard.Open(w.t.Context(), c, guard.Start{})
	check(w.t, err)
	return c
}

// said is a memory of somebody, about something.
func said(source, ref, text string, tags ...string) memory.New {
	return memory.New{
		Doc:    memory.Doc{Kind: recall.Learning, Text: text, Tags: tags},
		Source: hearsay.Source{Type: source, Ref: ref}, Namespace: hearsay.Namespace{"facts"},
	}
}

// remember writes a memory and says how it stands.
func (w *world) remember(c hearsay.Caller, n memory.New) (hearsay.RecordID, hearsay.Standing) {
	w.t.Helper()
	d, err := w.memory.Remember(w.t.Context(), c, n)
	check(w.t, err)
	return d.ID, d.Standing
}

// say seals a memory as ana's own word.
func (w *world) say(n memory.New) *event.Record {
	w.t.Helper()
	r, err := w.memory.Say(w.t.Context(), hearsay.Caller{Principal: "ana", Surface: hearsay.SurfaceCLI}, n, w.signer.Sign)
	check(w.t, err)
	return r
}

// decide approves, rejects or revokes a record as ana.
func (w *world) decide(d reviewer.Decision, id hearsay.RecordID) {
	w.t.Helper()
	guardtest.Decide(w.t, w.guard, w.signer, d, id)
}

// look audits everything.
func (w *world) look() *audit.Report {
	w.t.Helper()
	r, err := audit.Look(w.t.Context(), w.guard, audit.Scope{Principal: "ana", Memory: w.memory})
	check(w.t, err)
	return r
}

// rules returns the rules by which a record was found.
func rules(r *audit.Report, id hearsay.RecordID) (out []detect.Rule) {
	for _, f := range r.Found {
		for _, of := range f.Records {
			if of == id {
				out = append(out, f.Rule)
			}
		}
	}
	return out
}
