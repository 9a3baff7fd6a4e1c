package hook_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/mod/sumdb/note"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/guard"
	"github.com/hearsay-memory/hearsay/internal/guardtest"
	"github.com/hearsay-memory/hearsay/internal/hook"
	"github.com/hearsay-memory/hearsay/internal/hosts"
	"github.com/hearsay-memory/hearsay/internal/reviewer"
	"github.com/hearsay-memory/hearsay/internal/store/sqlite"
	"github.com/hearsay-memory/hearsay/policy"
)

// world is a machine with a host on it: a real store, a workspace, a home.
type world struct {
	t        *testing.T
	guard    *guard.Guard
	store    *sqlite.Store
	policy   *policy.Policy
	verifier note.Verifier
	dialect  hosts.Dialect
	home     string // the user's
	work     string // the workspace
	own      string // Hearsay's home
	process  string // id of the host process
	signer   *reviewer.Signer
}

func newWorld(t *testing.T, host string) *world {
	t.Helper()
	w := &world{t: t, process: "proc-1"}
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	top, err := filepath.EvalSymlinks(t.TempDir())
	must(err)
	w.home, w.work, w.own = filepath.Join(top, "home"), filepath.Join(top, "work"), filepath.Join(top, "home/.hearsay")
	for _, dir := range []string{w.own, filepath.Join(w.work, ".git"), filepath.Join(w.work, "src"), filepath.Join(w.home, ".claude/projects/-work/memory")} {
		must(os.MkdirAll(dir, 0o700))
	}
	w.policy = guardtest.Policy(t, "default")
	private, public := guardtest.Key(t)
	w.verifier = public
	w.store, w.guard, err = guardtest.Open(t.Context(), filepath.Join(w.own, "hearsay.db"), private, guard.Config{Policy: w.policy})
	must(err)
	t.Cleanup(func() { _ = w.store.Close() })
	w.signer = guardtest.Enrol(t, w.guard)
	var ok bool
	if w.dialect, ok = hosts.Find(host); !ok {
		t.Fatalf("no host %s", host)
	}
	return w
}

// files are those of the session in dir.
func (w *world) files(dir string) *hook.Files { return hook.NewFiles(w.policy, w.home, dir, w.own) }

// handler is one run of the hook program.
func (w *world) handler(dir string) *hook.Handler {
	return hook.New(hook.Config{
		Guard: w.guard, Caller: hearsay.Caller{Principal: "ana", Surface: hearsay.SurfaceHook}, Host: func() string { return w.process },
		Files: w.files(dir), Lost: hook.Lost{Dir: filepath.Join(w.own, "lost")}, Command: "hearsay", Program: "/usr/bin/hearsay",
		LockFiles: func(context.Context) (func() error, error) { return func() error { return nil }, nil },
	})
}

// expand puts the world's paths into a payload.
func (w *world) expand(payload string) string {
	return strings.NewReplacer("$WORK", w.work, "$HOME", w.home, "$OWN", w.own).Replace(payload)
}

// event decodes a payload in the world's dialect.
func (w *world) event(payload string) hosts.Event {
	w.t.Helper()
	e, err := w.dialect.Decode([]byte(w.expand(payload)))
	if err != nil {
		w.t.Fatalf("%v in %s", err, payload)
	}
	if e.Dir == "" {
		e.Dir = w.work // where the host starts its hooks
	}
	return e
}

// send handles an event and returns the host's reply.
func (w *world) send(payload string) hosts.Reply {
	w.t.Helper()
	e := w.event(payload)
	a, err := w.handler(e.Dir).Handle(w.t.Context(), e)
	if err != nil {
		w.t.Fatalf("%v in %s", err, payload)
	}
	return w.dialect.Encode(e, a)
}

// decision is what a reply to a tool call says: "", "deny" or "ask".
func decision(r hosts.Reply) string {
	for _, d := range []string{"deny", "ask"} {
		if bytes.Contains(r.Stdout, []byte(`"permissionDecision":"`+d+`"`)) {
			return d
		}
	}
	return ""
}

// want sends a tool call and wants a decision.
func (w *world) want(payload, want string) hosts.Reply {
	w.t.Helper()
	r := w.send(payload)
	if got := decision(r); got != want {
		w.t.Errorf("%q, want %q for\n%s\n%s", got, want, payload, r.Stdout)
	}
	return r
}

// approveAll releases everything that is held.
func (w *world) approveAll() {
	w.t.Helper()
	for _, r := range w.held() {
		st, err := w.guard.Statement(w.t.Context(), reviewer.Approve, r.ID, "")
		if err != nil {
			w.t.Fatal(err)
		}
		signed, err := w.signer.Sign(st)
		if err != nil {
			w.t.Fatal(err)
		}
		if _, err := w.guard.Review(w.t.Context(), signed, ""); err != nil {
			w.t.Fatal(err)
		}
	}
}

func (w *world) verify() {
	w.t.Helper()
	rep, err := guard.Verify(w.t.Context(), w.store, guard.Expect{Keys: note.VerifierList(w.verifier)})
	if err != nil || !rep.Consistent {
		w.t.Errorf("verify: %v, %+v", err, rep)
	}
}
