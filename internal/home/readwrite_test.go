package home

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestWriteFileReplacesInOneStep(t *testing.T) {
	h := create(t)
	old, err := os.Create(h.Path(FilePolicy))
	if err != nil {
		t.Fatal(err)
	}
	defer old.Close()
	if _, err := old.WriteString("old"); err != nil {
		t.Fatal(err)
	}
	if err := h.WriteFile(FilePolicy, []byte("new"), FileMode); err != nil {
		t.Fatal(err)
	}
	if got, err := h.ReadFile(FilePolicy); err != nil || string(got) != "new" {
		t.Errorf("read %q, %v", got, err)
	}
	// A reader that had the old file open still sees all of it: the file was exchanged, not written over.
	if got, _ := os.ReadFile(old.Name()); string(got) != "new" {
		t.Errorf("the name leads to %q", got)
	}
	buf := make([]byte, 8)
	if n, _ := old.ReadAt(buf, 0); string(buf[:n]) != "old" {
		t.Errorf("an open reader sees %q", buf[:n])
	}
	if !modesUnchecked {
		if info, _ := os.Stat(h.Path(FilePolicy)); info.Mode().Perm() != FileMode {
			t.Errorf("mode %v", info.Mode())
		}
	}
	entries, _ := os.ReadDir(h.Dir())
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), ".tmp") {
			t.Errorf("%s was left", e.Name())
		}
	}
}

func TestWriteFileReplacesALinkAndNotItsTarget(t *testing.T) {
	h := create(t)
	victim := h.Dir() + ".victim"
	if err := errors.Join(os.WriteFile(victim, []byte("mine"), 0o600), os.Symlink(victim, h.Path(FilePolicy))); err != nil {
		t.Skip(err)
	}
	if err := h.WriteFile(FilePolicy, []byte("new"), FileMode); err != nil {
		t.Fatal(err)
	}
	if got, _ := os.ReadFile(victim); string(got) != "mine" {
		t.Errorf("wrote through a link: %q", got)
	}
}

func TestNamesStayInside(t *testing.T) {
	h := create(t)
	for _, name := range []string{"", ".", "..", "../x", "/etc/passwd", "a/../../x", "reviewers/../../x", `..\x`, "a\x00b", ReviewerFile("../../x")} {
		if _, err := h.ReadFile(name); err == nil || errors.Is(err, fs.ErrNotExist) {
			t.Errorf("ReadFile(%q) = %v", name, err)
		}
		if err := h.WriteFile(name, nil, FileMode); err == nil {
			t.Errorf("WriteFile(%q) succeeded", name)
		}
		if err := h.WriteNew(name, nil); err == nil {
			t.Errorf("WriteNew(%q) succeeded", name)
		}
	}
	if err := h.WriteFile("x", nil, 0o644); err == nil {
		t.Error("a file that others can read was written")
	}
}

func TestWriteNewKeepsWhatIsThere(t *testing.T) {
	h := create(t)
	if err := h.WriteNew(FileLedgerKey, []byte("first")); err != nil {
		t.Fatal(err)
	}
	if err := h.WriteNew(FileLedgerKey, []byte("second")); !errors.Is(err, fs.ErrExist) {
		t.Errorf("second write: %v", err)
	}
	if got, _ := h.ReadFile(FileLedgerKey); string(got) != "first" {
		t.Errorf("key is %q", got)
	}
}

func TestReadFileRefuses(t *testing.T) {
	h := create(t)
	if _, err := h.ReadFile(FileLedgerKey); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("missing: %v", err)
	}
	if err := h.WriteFile(FilePolicy, make([]byte, MaxFile+1), FileMode); err != nil {
		t.Fatal(err)
	}
	if _, err := h.ReadFile(FilePolicy); err == nil {
		t.Error("read a file beyond the bound")
	}
	needModes(t)
	if err := errors.Join(h.WriteNew(FileLedgerPub, []byte("pub")), os.Chmod(h.Path(FileLedgerPub), 0o644)); err != nil {
		t.Fatal(err)
	}
	if _, err := h.ReadFile(FileLedgerPub); err != nil {
		t.Errorf("a public file that others can read: %v", err)
	}
	for _, name := range []string{FileIndexKey, ReviewerFile("ana")} {
		if err := errors.Join(h.WriteFile(name, []byte("secret"), FileMode), os.Chmod(h.Path(name), 0o644)); err != nil {
			t.Fatal(err)
		}
		if _, err := h.ReadFile(name); !errors.Is(err, ErrUnsafe) || !strings.Contains(err.Error(), "chmod 0600") {
			t.Errorf("%s, which others can read: %v", name, err)
		}
	}
	if err := os.Chmod(h.Path(FileLedgerPub), 0o622); err != nil {
		t.Fatal(err)
	}
	if _, err := h.ReadFile(FileLedgerPub); !errors.Is(err, ErrUnsafe) {
		t.Errorf("a file that others can write: %v", err)
	}
	if err := errors.Join(os.Remove(h.Path(FilePolicy)), os.Symlink("/etc/passwd", h.Path(FilePolicy))); err != nil {
		t.Fatal(err)
	}
	if _, err := h.ReadFile(FilePolicy); !errors.Is(err, ErrUnsafe) {
		t.Errorf("followed a link: %v", err)
	}
}

func TestIndexKeyOfTheWrongLength(t *testing.T) {
	h := create(t)
	if err := h.WriteFile(FileIndexKey, []byte("short"), FileMode); err != nil {
		t.Fatal(err)
	}
	if key, err := h.IndexKey(); err == nil {
		t.Errorf("accepted %q", key)
	}
}

func TestSignedPolicies(t *testing.T) {
	h := create(t)
	policy := []byte("version: 1\n")
	sum, err := h.PutSigned(policy)
	if err != nil {
		t.Fatal(err)
	}
	if again, err := h.PutSigned(policy); err != nil || again != sum {
		t.Errorf("the same policy again: %s, %v", again, err)
	}
	if got, err := h.Signed(sum); err != nil || !bytes.Equal(got, policy) {
		t.Errorf("Signed = %q, %v", got, err)
	}
	if err := os.WriteFile(h.Path(signedName(sum)), []byte("mode: off\n"), FileMode); err != nil {
		t.Fatal(err)
	}
	if got, err := h.Signed(sum); err == nil {
		t.Errorf("a changed policy was returned: %q", got)
	}
	for _, bad := range []string{"", "../policy", strings.ToUpper(sum), sum[2:], sum + "00"} {
		if _, err := h.Signed(bad); err == nil || errors.Is(err, fs.ErrNotExist) {
			t.Errorf("Signed(%q) = %v", bad, err)
		}
	}
}

func TestReviewers(t *testing.T) {
	h := create(t)
	for _, name := range []string{ReviewerFile("zoe"), ReviewerFile("ana"), DirReviewers + "/README", DirReviewers + "/.x.json"} {
		if err := h.WriteFile(name, nil, FileMode); err != nil {
			t.Fatal(err)
		}
	}
	got, err := h.Reviewers()
	if diff := cmp.Diff([]string{"ana", "zoe"}, got); diff != "" || err != nil {
		t.Error(diff, err)
	}
}
