//go:build unix

package memfile_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"syscall"
	"testing"

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
