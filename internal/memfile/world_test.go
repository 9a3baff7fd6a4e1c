package memfile_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/mod/sumdb/note"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/event"
	"github.com/hearsay-memory/hearsay/guard"
	"github.com/hearsay-memory/hearsay/internal/guardtest"
	"github.com/hearsay-memory/hearsay/internal/memfile"
	"github.com/hearsay-memory/hearsay/internal/reviewer"
	"github.com/hearsay-memory/hearsay/internal/store/sqlite"
)

// world is a real store, and a folder of memory files.
type world struct {
	t      *testing.T
	dir    string
	key    string
	keys   note.Verifiers
	guard  *guard.Guard
	store  *sqlite.Store
	signer *reviewer.Signer
}

func openGuard(ctx context.Context, dir, key string) (*sqlite.Store, *guard.Guard, error) {
	return guardtest.Open(ctx, filepath.Join(dir, "hearsay.db"), key, guard.Config{})
}

func newWorld(t *testing.T) *world {
	t.Helper()
	top, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	w := &world{t: t, dir: top}
	w.must(os.MkdirAll(filepath.Join(top, "w"), 0o700))
	var public note.Verifier
	w.key, public = guardtest.Key(t)
	w.keys = note.VerifierList(public)
	w.open()
	w.signer = guardtest.Enrol(t, w.guard)
	t.Cleanup(func() { _ = w.store.Close() })
	return w
}

func (w *world) must(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) open() {
	w.t.Helper()
	var err error
	w.store, w.guard, err = openGuard(context.Background(), w.dir, w.key)
	w.must(err)
}

func caller() hearsay.Caller { return hearsay.Caller{Principal: "ana", Surface: hearsay.SurfaceCLI} }

// path is a memory file's.
func (w *world) path(name string) string { return filepath.ToSlash(filepath.Join(w.dir, "w", name)) }

// put writes a file as a person does.
func (w *world) put(name, text string) {
	w.t.Helper()
	w.must(os.WriteFile(w.path(name), []byte(text), 0o600))
}

func (w *world) text(name string) string {
	w.t.Helper()
	data, err := memfile.Read(w.path(name))
	w.must(err)
	return string(data)
}

// settle looks at a file, as an agent's own untainted words where agent says so.
func (w *world) settle(name string, agent bool) {
	w.t.Helper()
	tr := &memfile.Tracker{Guard: w.guard, Caller: caller()}
	s, err := tr.Look(w.t.Context(), w.path(name))
	w.must(err)
	if agent {
		w.must(tr.SettleAs(w.t.Context(), s, hearsay.Label{Origin: hearsay.Agent, Taint: hearsay.Untainted}))
		return
	}
	w.must(tr.Settle(w.t.Context(), s))
}

// end drops a session's row, as time does.
func (w *world) end(session string) {
	w.t.Helper()
	_, err := w.store.Update(w.t.Context(), func(tx guard.Tx) ([]event.Draft, error) {
		return nil, tx.EndSession(guard.SessionKey{Principal: caller().Principal, ID: session})
	})
	w.must(err)
}

// release holds a call of a session that read a page, and releases it.
func (w *world) release(edits ...memfile.Edit) hearsay.RecordID {
	w.t.Helper()
	c := caller()
	c.Session, c.Surface = "s1", hearsay.SurfaceHook
	_, err := w.guard.Open(w.t.Context(), c, guard.Start{})
	w.must(err)
	_, err = w.guard.Observe(w.t.Context(), c, guard.Observation{Source: hearsay.Source{Type: "web", Ref: "https://a.example.test"}})
	w.must(err)
	call := memfile.Call{Host: "claude", Tool: "Edit", Edits: edits, Base: make(map[string]string)}
	var texts []string
	for _, e := range edits {
		data, err := memfile.Read(e.Path)
		w.must(err)
		call.Base[e.Path] = memfile.Sum(data)
		if e.New != "" {
			texts = append(texts, e.New)
		}
	}
	content, err := call.Encode()
	w.must(err)
	op := event.Update
	if len(texts) == 0 {
		op = event.Delete
	}
	d, err := w.guard.Write(w.t.Context(), c, guard.Write{
		Store: memfile.Store, Source: hearsay.Source{Type: "agent"}, Namespace: hearsay.Namespace{"files"}, Op: op, Tool: "Edit",
		Items: memfile.Items(edits), Texts: texts, Content: content, Takes: true,
	})
	w.must(err)
	if d.Standing != hearsay.Held {
		w.t.Fatalf("the write is %s", d.Standing)
	}
	guardtest.Decide(w.t, w.guard, w.signer, reviewer.Approve, d.ID)
	return d.ID
}

// deliver delivers, and wants one thing done.
func (w *world) deliver() memfile.Delivered {
	w.t.Helper()
	got, err := memfile.Deliver(w.t.Context(), w.guard, caller())
	w.must(err)
	if len(got) != 1 {
		w.t.Fatalf("%+v: want one thing done", got)
	}
	return got[0]
}

func (w *world) delivery(id hearsay.RecordID) hearsay.Delivery {
	w.t.Helper()
	shown, err := w.guard.Show(w.t.Context(), id)
	w.must(err)
	return shown.Record.Delivery
}

func (w *world) verify() {
	w.t.Helper()
	rep, err := guard.Verify(context.Background(), w.store, guard.Expect{Keys: w.keys})
	if err != nil || !rep.Consistent {
		w.t.Errorf("verify: %v, %+v", err, rep)
	}
}

// labels are those of the lines of a file as it is on disk, by line.
func (w *world) labels(name string) map[string]hearsay.Label {
	w.t.Helper()
	tr := &memfile.Tracker{Guard: w.guard, Caller: caller()}
	s, err := tr.Look(w.t.Context(), w.path(name))
	w.must(err)
	out := make(map[string]hearsay.Label)
	i := 0
	for line := range strings.Lines(string(s.Data)) {
		out[strings.TrimSpace(line)] = s.File.At(i).Label
		i++
	}
	return out
}

// childEnv makes the test binary another process: "deliver DIR KEY STEP AT" delivers what
// waits in a world and kills itself when it reaches STEP for the AT-th time; "write PATH"
// writes 64 KiB over a file with a limit of 4 KiB for files; "limited DIR KEY" delivers
// with a limit of 2 MiB; "carry DIR KEY CASE STEP" carries out a call and dies at STEP.
const childEnv = "HEARSAY_TEST_FILES_CHILD"

func TestMain(m *testing.M) {
	if args, ok := os.LookupEnv(childEnv); ok {
		if err := child(strings.Fields(args)); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

func child(args []string) error {
	if args[0] == "write" {
		return writeLimited(args[1])
	}
	if args[0] == "limited" {
		return deliverLimited(args[1], args[2])
	}
	if args[0] == "carry" {
		return carryChild(args[1], args[2], args[3], args[4])
	}
	dir, key, step, at := args[1], args[2], args[3], args[4]
	s, g, err := openGuard(context.Background(), dir, key)
	if err != nil {
		return err
	}
	n := 0
	_, err = memfile.DeliverAt(context.Background(), g, caller(), func(reached string) {
		if reached != step {
			return
		}
		if n++; fmt.Sprint(n) == at {
			die()
		}
	})
	return errors.Join(err, s.Close())
}

// die ends this process as kill -9 does.
func die() {
	p, err := os.FindProcess(os.Getpid())
	if err == nil {
		err = p.Kill()
	}
	if err != nil {
		panic(err)
	}
	select {}
}

// kill lets a child deliver until it dies at a step.
func (w *world) kill(step string, at int) {
	w.t.Helper()
	w.killed(fmt.Sprintf("deliver %s %s %s %d", w.dir, w.key, step, at), step)
}

// killed lets a child do what a line says until it dies at a step.
func (w *world) killed(line, step string) {
	w.t.Helper()
	w.must(w.store.Close())
	exe, err := os.Executable()
	w.must(err)
	cmd := exec.Command(exe)
	cmd.Env = append(os.Environ(), childEnv+"="+line)
	out, err := cmd.CombinedOutput()
	if exit, ok := errors.AsType[*exec.ExitError](err); !ok || exit.Exited() {
		w.t.Fatalf("the process was not killed at %s: %v, %s", step, err, out)
	}
	w.open()
}
