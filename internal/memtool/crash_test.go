package memtool_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/event"
	"github.com/hearsay-memory/hearsay/guard"
	"github.com/hearsay-memory/hearsay/internal/home"
	"github.com/hearsay-memory/hearsay/internal/memtool"
)

// child is what [childEnv] says.
func child(spec []string) error {
	dir, key, step, input := spec[0], spec[1], spec[2], spec[3]
	_, g, err := openGuard(context.Background(), dir, key)
	if err != nil {
		return err
	}
	hm, err := home.Open(dir)
	if err != nil {
		return err
	}
	h := handler(g, hm, memtool.Folder(dir, "ana"), "s1").At(func(reached string) {
		if reached == step {
			die()
		}
	})
	_, err = h.Do(context.Background(), []byte(input))
	return err
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

// kill lets a child carry a command out until it dies at a step.
func (w *world) kill(step string, input []byte) {
	w.t.Helper()
	w.must(w.store.Close())
	exe, err := os.Executable()
	w.must(err)
	cmd := exec.Command(exe)
	cmd.Env = append(os.Environ(), fmt.Sprintf("%s=%s %s %s %s", childEnv, w.home.Dir(), w.key, step, input))
	out, err := cmd.CombinedOutput()
	if exit, ok := errors.AsType[*exec.ExitError](err); !ok || exit.Exited() {
		w.t.Fatalf("the process was not killed at %s: %v, %s", step, err, out)
	}
	w.open()
}

// newest is the record that was made last.
func (w *world) newest() *event.Record {
	w.t.Helper()
	for r, err := range w.guard.List(w.t.Context(), guard.Query{Newest: true, Limit: 1}) {
		w.must(err)
		return r
	}
	w.t.Fatal("there is no record")
	return nil
}

// A process is killed between the sealed decision and the write: nothing was written, the
// write is unknown and not made a second time, and the memory can be used.
func TestKilledBetweenSealAndWrite(t *testing.T) {
	for _, input := range [][]byte{
		args("create", "path", "/memories/n.md", "file_text", "new\n"),
		args("str_replace", "path", "/memories/m.md", "old_str", "b", "new_str", "B"),
		args("insert", "path", "/memories/m.md", "insert_line", 1, "insert_text", "new"),
		args("delete", "path", "/memories/m.md"),
		args("rename", "old_path", "/memories/m.md", "new_path", "/memories/n.md"),
	} {
		w := newWorld(t)
		h := w.session("s1")
		w.ok(h, "create", "path", "/memories/m.md", "file_text", "a\nb\n")
		w.kill("sealed", input)
		if r := w.newest(); r.Standing != hearsay.Allowed || r.Delivery != hearsay.Intent {
			t.Fatalf("%s: the record is %s, %s", input, r.Standing, r.Delivery)
		}
		h = handler(w.guard, w.home, w.dir, "s1")
		w.ok(h, "view", "path", "/memories")
		if r := w.newest(); r.Delivery != hearsay.UnknownDelivery {
			t.Errorf("%s: the record is %s", input, r.Delivery)
		}
		same(t, w.text("m.md"), "a\nb\n")
		same(t, w.text("n.md"), "<none>")
		if left, _ := filepath.Glob(w.path(".*")); len(left) > 0 {
			t.Errorf("left behind: %q", left)
		}
		for line, l := range w.labels("m.md") {
			if l != agentLabel {
				t.Errorf("%q is %s", line, l)
			}
		}
		w.ok(h, "insert", "path", "/memories/m.md", "insert_line", 0, "insert_text", "after")
		w.verify()
	}
}
