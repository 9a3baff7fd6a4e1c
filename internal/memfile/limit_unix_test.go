//go:build unix

package memfile_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/internal/memfile"
)

// writeLimited writes more than this process may.
func writeLimited(name string) error {
	signal.Ignore(syscall.SIGXFSZ)
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: 4096, Max: 4096}); err != nil {
		return err
	}
	before, err := memfile.Read(name)
	if err != nil {
		return err
	}
	err = memfile.Write(memfile.Image{Path: name, Before: before, After: bytes.Repeat([]byte("x"), 64<<10)})
	if !errors.Is(err, syscall.EFBIG) {
		return fmt.Errorf("%w: want that there is no room", err)
	}
	return nil
}

// deliverLimited delivers what waits in a world, where no file can be larger than 2 MiB.
func deliverLimited(dir, key string) error {
	signal.Ignore(syscall.SIGXFSZ)
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: 2 << 20, Max: 2 << 20}); err != nil {
		return err
	}
	s, g, err := openGuard(context.Background(), dir, key)
	if err != nil {
		return err
	}
	got, err := memfile.Deliver(context.Background(), g, caller())
	if err == nil && (len(got) != 1 || got[0].Delivery != hearsay.Failed || got[0].Conflict == "") {
		err = fmt.Errorf("%+v: want a write that failed", got)
	}
	return errors.Join(err, s.Close())
}

// A disk that is full in the middle of the replay of a call: the files are as they were,
// all of them, and the record says that it failed.
func TestNoRoomForAReplay(t *testing.T) {
	w := newWorld(t)
	many := strings.Repeat("a\n", 10_000)
	w.put("small.md", "# Notes\n")
	w.put("large.md", many)
	w.settle("small.md", true)
	w.settle("large.md", true)
	id := w.release(
		memfile.Edit{Path: w.path("small.md"), Old: "# Notes\n", New: "# Notes\n" + theirs + "\n"},
		memfile.Edit{Path: w.path("large.md"), Old: "a", New: strings.Repeat("b", 400), All: true},
	)
	w.must(w.store.Close())
	exe, err := os.Executable()
	w.must(err)
	cmd := exec.Command(exe)
	cmd.Env = append(os.Environ(), childEnv+"=limited "+w.dir+" "+w.key)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	w.open()
	if w.text("small.md") != "# Notes\n" || w.text("large.md") != many {
		t.Error("a file changed")
	}
	if got := w.delivery(id); got != hearsay.Failed {
		t.Errorf("the record is %s", got)
	}
	if l := w.labels("small.md")["# Notes"]; l.Origin != hearsay.Agent {
		t.Errorf("the line that was there is %s", l)
	}
	if left, _ := filepath.Glob(w.path(".*hearsay-*")); len(left) > 0 {
		t.Errorf("left behind: %q", left)
	}
	w.verify()
}

// A disk that is full in the middle of a write leaves the file as it was, and nothing
// beside it.
func TestNoRoom(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(dir, "m.md")
	if err := os.WriteFile(name, []byte("as it was\n"), 0o640); err != nil {
		t.Fatal(err)
	}
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(exe)
	cmd.Env = append(os.Environ(), childEnv+"=write "+name)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	data, err := os.ReadFile(name)
	if err != nil || string(data) != "as it was\n" {
		t.Errorf("%q, %v", data, err)
	}
	if all, _ := os.ReadDir(dir); len(all) != 1 {
		t.Errorf("%v", all)
	}
}
