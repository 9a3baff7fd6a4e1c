package home

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// note makes a checkpoint of the right form; its signature is of no consequence here.
func note(origin string, size int, root string) []byte {
	return fmt.Appendf(nil, "%s\n%d\n%s\n\n— %s c2lnbmF0dXJl\n", origin, size, root, origin)
}

func TestCopyCheckpointToAFile(t *testing.T) {
	h := create(t)
	path := filepath.Join(t.TempDir(), "copies")
	var want []string
	for size := range 3 {
		msg := note("log", size, "r")
		want = append(want, string(msg))
		for range 2 { // the second time changes nothing
			if err := h.CopyCheckpoint([]string{path}, msg); err != nil {
				t.Fatal(err)
			}
		}
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, text(SplitCheckpoints(data))); diff != "" {
		t.Error(diff)
	}
}

func TestCopyCheckpointToADirectory(t *testing.T) {
	h := create(t)
	dir := filepath.Join(t.TempDir(), "new", "dir")
	for _, target := range []string{dir + "/", "file:" + dir, "file://" + dir + "/"} {
		for size := 1; size <= 2; size++ {
			err := h.CopyCheckpoint([]string{target}, note("log", size, "r"))
			if size == 1 && target != dir+"/" {
				if !errors.Is(err, ErrRollback) {
					t.Errorf("%s: an older tree: %v", target, err)
				}
				continue
			}
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	newest, err := os.ReadFile(filepath.Join(dir, "checkpoint"))
	if err != nil || !bytes.Equal(newest, note("log", 2, "r")) {
		t.Errorf("newest is %q, %v", newest, err)
	}
	history, err := os.ReadFile(filepath.Join(dir, "checkpoints.log"))
	if got := SplitCheckpoints(history); err != nil || len(got) != 2 {
		t.Errorf("history is %q, %v", history, err)
	}
}

func TestCopyCheckpointNamesARollback(t *testing.T) {
	h := create(t)
	path := filepath.Join(t.TempDir(), "copies")
	if err := h.CopyCheckpoint([]string{path}, note("log", 5, "five")); err != nil {
		t.Fatal(err)
	}
	before, _ := os.ReadFile(path)
	for name, msg := range map[string][]byte{
		"smaller": note("log", 4, "four"), "forked": note("log", 5, "other"), "another log": note("log2", 9, "nine"),
	} {
		if err := h.CopyCheckpoint([]string{path}, msg); !errors.Is(err, ErrRollback) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if after, _ := os.ReadFile(path); !bytes.Equal(before, after) {
		t.Errorf("the copy was changed: %q", after)
	}
}

func TestCopyCheckpointGoesOnAfterAFailure(t *testing.T) {
	h := create(t)
	good := filepath.Join(t.TempDir(), "good")
	err := h.CopyCheckpoint([]string{"https://witness.example", filepath.Join(good, "none", "x"), good}, note("log", 1, "r"))
	if err == nil || !strings.Contains(err.Error(), `"https" is not supported`) || !strings.Contains(err.Error(), "none") {
		t.Errorf("errors: %v", err)
	}
	if data, _ := os.ReadFile(good); len(SplitCheckpoints(data)) != 1 {
		t.Errorf("the good target has %q", data)
	}
}

func TestCopyCheckpointRefusesWhatIsNone(t *testing.T) {
	h := create(t)
	path := filepath.Join(t.TempDir(), "copies")
	for _, bad := range []string{"", "log\n1\nr\n", "log\n1\nr\n\n", "log\n01\nr\n\n— log x\n", "log\n-1\nr\n\n— log x\n", "\n1\nr\n\n— log x\n",
		"log\n1\n\n— log x\n", "log\n1\nr\n\n— log x", "log\n1\nr\n\n— log x\n\nmore\n", "# log\n1\nr\n\n— log x\n", "log\n1\nr\n\n— " + strings.Repeat("x", MaxCheckpoint) + "\n"} {
		if err := h.CopyCheckpoint([]string{path}, []byte(bad)); err == nil {
			t.Errorf("%.60q was copied", bad)
		}
	}
	if _, err := os.Stat(path); err == nil {
		t.Error("something was written")
	}
}

func TestCheckTarget(t *testing.T) {
	h := create(t)
	outside := t.TempDir()
	link := filepath.Join(outside, "link")
	if err := os.Symlink(h.Dir(), link); err != nil {
		t.Skip(err)
	}
	for target, want := range map[string]string{
		filepath.Join(outside, "c"): "",
		outside + "/":               "",
		"file:" + outside:           "",
		"":                          "not an absolute path",
		"rel/path":                  "not an absolute path",
		"git+ssh://host/x":          `"git+ssh" is not supported`,
		"https://host/x":            `"https" is not supported`,
		"file://host/x":             `"file" is not supported`,
		"witness:x":                 `"witness" is not supported`,
		h.Dir():                     "inside the home",
		h.Path("copies"):            "inside the home",
		filepath.Join(link, "c"):    "inside the home",
		link + "/deep/er/":          "inside the home",
	} {
		err := h.CheckTarget(target)
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("CheckTarget(%q) = %v, want %q", target, err, want)
		}
	}
}

// A crash may cut an append short at any byte. The next copy must go through, must be readable, and no earlier entry
// may be lost.
func TestHistorySurvivesACrashAtEachByte(t *testing.T) {
	h := create(t)
	dir := t.TempDir()
	first, second, third := note("log", 1, "one"), note("log", 2, "two"), note("log", 3, "three")
	whole := append(append(bytes.Clone(first), '\n'), append(bytes.Clone(second), '\n')...)
	for cut := range len(second) + 2 {
		data := whole[:len(first)+1+cut]
		path := filepath.Join(dir, fmt.Sprint(cut))
		if err := os.WriteFile(path, data, FileMode); err != nil {
			t.Fatal(err)
		}
		if err := h.CopyCheckpoint([]string{path}, third); err != nil {
			t.Fatalf("cut at %d: %v", cut, err)
		}
		got, _ := os.ReadFile(path)
		want := []string{string(first), string(third)}
		if cut >= len(second) {
			want = []string{string(first), string(second), string(third)}
		}
		if diff := cmp.Diff(want, text(SplitCheckpoints(got))); diff != "" {
			t.Errorf("cut at %d: %s\n%q", cut, diff, got)
		}
		if !bytes.HasPrefix(got, data) {
			t.Errorf("cut at %d: more than an append", cut)
		}
	}
}

func TestLongHistoryIsReadFromItsEnd(t *testing.T) {
	h := create(t)
	path := filepath.Join(t.TempDir(), "copies")
	var data []byte
	for size := range 2000 {
		data = append(append(data, note("log", size, "r")...), '\n')
	}
	if err := os.WriteFile(path, data, FileMode); err != nil {
		t.Fatal(err)
	}
	if err := h.CopyCheckpoint([]string{path}, note("log", 1998, "r")); !errors.Is(err, ErrRollback) {
		t.Errorf("older: %v", err)
	}
	if err := h.CopyCheckpoint([]string{path}, note("log", 2000, "r")); err != nil {
		t.Error(err)
	}
	data, _ = os.ReadFile(path)
	if n := len(SplitCheckpoints(data)); n != 2001 {
		t.Errorf("%d entries", n)
	}
}

func FuzzSplitCheckpoints(f *testing.F) {
	f.Add([]byte(nil))
	f.Add(append(note("log", 1, "r"), '\n'))
	f.Add(append(note("log", 1, "r"), tornMark...))
	f.Add([]byte("log\n1\nr\n\n— "))
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, e := range SplitCheckpoints(data) {
			if _, err := parseHead(e); err != nil {
				t.Errorf("an entry that cannot be read: %q: %v", e, err)
			}
			if !bytes.Contains(data, e) {
				t.Errorf("an entry that is not in the file: %q", e)
			}
		}
	})
}

func text(entries [][]byte) []string {
	var out []string
	for _, e := range entries {
		out = append(out, string(e))
	}
	return out
}
