//go:build unix

package sleep_test

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"testing"
	"time"

	"golang.org/x/mod/sumdb/note"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/event"
	"github.com/hearsay-memory/hearsay/guard"
	"github.com/hearsay-memory/hearsay/internal/guardtest"
	"github.com/hearsay-memory/hearsay/internal/lint"
	"github.com/hearsay-memory/hearsay/internal/memory"
	"github.com/hearsay-memory/hearsay/internal/memory/sleep"
	"github.com/hearsay-memory/hearsay/internal/reviewer"
	"github.com/hearsay-memory/hearsay/internal/store/sqlite"
	"github.com/hearsay-memory/hearsay/recall"
)

const day = 24 * time.Hour

// world is ana's memory in a folder that other processes can open, too.
type world struct {
	*memory.Store
	t      testing.TB
	dir    string
	guard  *guard.Guard
	store  *sqlite.Store
	signer *reviewer.Signer
	caller hearsay.Caller
}

// openWorld opens the home in dir, and makes it where there is none.
func openWorld(dir string) (*world, error) {
	keyFile := filepath.Join(dir, "key")
	private, err := os.ReadFile(keyFile)
	if errors.Is(err, fs.ErrNotExist) {
		fresh, public, err := note.GenerateKey(rand.Reader, "test/log")
		if err != nil {
			return nil, err
		}
		if err := os.WriteFile(keyFile+".pub", []byte(public), 0o600); err != nil {
			return nil, err
		}
		if err := os.WriteFile(keyFile, []byte(fresh), 0o600); err != nil {
			return nil, err
		}
		private = []byte(fresh)
	} else if err != nil {
		return nil, err
	}
	store, g, err := guardtest.Open(context.Background(), filepath.Join(dir, "hearsay.db"), string(private), guard.Config{Lint: lint.Text})
	if err != nil {
		return nil, err
	}
	w := &world{dir: dir, store: store, guard: g}
	w.Store = memory.Open(w.guard, memory.Options{Principal: "ana", Dir: filepath.Join(dir, "memory")})
	w.caller = hearsay.Caller{Principal: "ana", Surface: hearsay.SurfaceCLI}
	return w, nil
}

func (w *world) close() error { return errors.Join(w.Store.Close(), w.store.Close()) }

func newWorld(t testing.TB) *world {
	t.Helper()
	w, err := openWorld(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	w.t = t
	t.Cleanup(func() {
		if err := w.close(); err != nil {
			t.Error(err)
		}
	})
	w.signer = guardtest.Enrol(t, w.guard)
	return w
}

func (w *world) sign(st reviewer.Statement) (reviewer.Signed, error) { return w.signer.Sign(st) }

func text(kind recall.Kind, s string, tags ...string) memory.New {
	return memory.New{Doc: memory.Doc{Kind: kind, Text: s, Tags: tags}, Source: hearsay.Source{Type: "agent"}}
}

// fact is one that the web says, which the default profile lets in.
func fact(kind recall.Kind, s string, tags ...string) memory.New {
	n := text(kind, s, tags...)
	n.Source, n.Namespace = hearsay.Source{Type: "web", Ref: "https://page.example.invalid"}, hearsay.Namespace{"facts"}
	return n
}

// note keeps a memory, each in a session of its own.
func (w *world) note(n memory.New) hearsay.RecordID {
	w.t.Helper()
	c := w.caller
	c.Session = "session-" + rand.Text()
	if _, err := w.guard.Open(w.t.Context(), c, guard.Start{}); err != nil {
		w.t.Fatal(err)
	}
	d, err := w.Remember(w.t.Context(), c, n)
	if err != nil || !d.Standing.Visible() {
		w.t.Fatalf("%q: %+v, %v", n.Text, d, err)
	}
	return d.ID
}

// say keeps the user's own word.
func (w *world) say(n memory.New) hearsay.RecordID {
	w.t.Helper()
	r, err := w.Say(w.t.Context(), w.caller, n, w.sign)
	if err != nil {
		w.t.Fatal(err)
	}
	return r.ID
}

// served returns the ids of what is served.
func (w *world) served() (ids []hearsay.RecordID) {
	w.t.Helper()
	for m, err := range w.All(w.t.Context()) {
		if err != nil {
			w.t.Fatal(err)
		}
		ids = append(ids, m.ID)
	}
	return ids
}

// lives returns what ranking knows of what is served.
func (w *world) lives() (list []recall.Memory) {
	w.t.Helper()
	for l, err := range w.Lives(w.t.Context()) {
		if err != nil {
			w.t.Fatal(err)
		}
		list = append(list, l.Life)
	}
	return list
}

// sleep lets the memory sleep as if so much time had passed.
func (w *world) sleep(after time.Duration, o sleep.Options) sleep.Report {
	w.t.Helper()
	o.At = time.Now().Add(after)
	got, err := sleep.Run(w.t.Context(), w.Store, w.caller, o)
	if err != nil {
		w.t.Fatal(err)
	}
	return got
}

// undo revokes a run.
func (w *world) undo(source string) {
	w.t.Helper()
	list, err := w.guard.Affected(w.t.Context(), guard.Revocation{Source: source})
	if err != nil || len(list) == 0 {
		w.t.Fatalf("a run left nothing to revoke: %v", err)
	}
	for _, d := range list {
		w.decide(reviewer.Revoke, d.Record.ID)
	}
}

func (w *world) decide(d reviewer.Decision, id hearsay.RecordID) {
	w.t.Helper()
	guardtest.Decide(w.t, w.guard, w.signer, d, id)
}

// record returns a record as it stands.
func (w *world) record(id hearsay.RecordID) *event.Record {
	w.t.Helper()
	shown, err := w.guard.Show(w.t.Context(), id)
	if err != nil {
		w.t.Fatal(err)
	}
	return shown.Record
}

// consistent verifies the log.
func (w *world) consistent() {
	w.t.Helper()
	public, err := os.ReadFile(filepath.Join(w.dir, "key.pub"))
	if err != nil {
		w.t.Fatal(err)
	}
	verifier, err := note.NewVerifier(string(public))
	if err != nil {
		w.t.Fatal(err)
	}
	report, err := guard.Verify(w.t.Context(), w.store, guard.Expect{Keys: note.VerifierList(verifier)})
	if err != nil || report.Fault != nil {
		w.t.Fatalf("%v, %+v", err, report)
	}
}

// changes sorts what a report says was done.
func changes(r sleep.Report, what sleep.What) (of [][]hearsay.RecordID) {
	for _, ch := range r.Changes {
		if ch.What == what {
			of = append(of, sorted(ch.Of))
		}
	}
	return of
}

func sorted(ids []hearsay.RecordID) []hearsay.RecordID {
	ids = slices.Clone(ids)
	slices.SortFunc(ids, func(a, b hearsay.RecordID) int { return slices.Compare(a[:], b[:]) })
	return ids
}

// TestMain also plays the commands of the tests, and a run that is killed.
func TestMain(m *testing.M) {
	if how := os.Getenv("SLEEP_TEST_SUMMARIZER"); how != "" {
		summarizer(how)
	}
	if dir := os.Getenv("SLEEP_TEST_HOME"); dir != "" {
		fmt.Println(die(dir, sleep.Step(os.Getenv("SLEEP_TEST_STEP"))))
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// die sleeps, and kills its own process when a step begins.
func die(dir string, at sleep.Step) error {
	w, err := openWorld(dir)
	if err != nil {
		return err
	}
	_, err = sleep.Run(context.Background(), w.Store, w.caller, sleep.Options{At: time.Now().Add(60 * day), Step: func(s sleep.Step) {
		if s == at {
			_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
			select {}
		}
	}})
	return errors.Join(err, errors.New("it was not killed"))
}
