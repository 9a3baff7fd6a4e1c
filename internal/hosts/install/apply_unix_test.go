//go:build unix

package install

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// The superuser may install for somebody else: the file stays theirs, and so does its
// copy.
func TestApplyKeepsOwner(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only the superuser gives files away")
	}
	_, changes := tree(t)
	path := changes[0].File
	if err := errors.Join(os.Chown(path, 1234, 2345), os.Chmod(path, 0o604)); err != nil {
		t.Fatal(err)
	}
	backups, err := Apply(changes[:1], testNow)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range append(backups, path) {
		info, err := os.Stat(p)
		if err != nil {
			t.Fatal(err)
		}
		if st := info.Sys().(*syscall.Stat_t); st.Uid != 1234 || st.Gid != 2345 || info.Mode().Perm() != 0o604 {
			t.Errorf("%s: %d:%d %v", p, st.Uid, st.Gid, info.Mode())
		}
	}
}

// A FIFO in the place of a settings file makes nobody wait.
func TestReadFIFO(t *testing.T) {
	path := filepath.Join(t.TempDir(), "fifo")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Skip(err)
	}
	if _, err := Read(path); err == nil {
		t.Error("it was read")
	}
}
