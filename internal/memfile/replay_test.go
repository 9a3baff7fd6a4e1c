package memfile

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

func TestReplay(t *testing.T) {
	files := map[string]string{"/m": "a\nb\nb\n", "/gone": "x"}
	read := func(path string) ([]byte, error) {
		if text, ok := files[path]; ok {
			return []byte(text), nil
		}
		return nil, nil
	}
	base := map[string]string{"/m": Sum([]byte("a\nb\nb\n")), "/gone": Sum([]byte("y"))}
	for name, tt := range map[string]struct {
		edits    []Edit
		want     string // of the last file; "-" where it goes
		conflict string
	}{
		"an edit":                 {[]Edit{{Path: "/m", Old: "a", New: "c"}}, "c\nb\nb\n", ""},
		"two edits":               {[]Edit{{Path: "/m", Old: "a", New: "c"}, {Path: "/m", Old: "c", New: "d"}}, "d\nb\nb\n", ""},
		"text that stands twice":  {[]Edit{{Path: "/m", Old: "b", New: "c"}}, "", "2 times"},
		"everywhere":              {[]Edit{{Path: "/m", Old: "b", New: "c", All: true}}, "a\nc\nc\n", ""},
		"text that is gone":       {[]Edit{{Path: "/m", Old: "z", New: "c"}}, "", "does not stand there"},
		"a file that is gone":     {[]Edit{{Path: "/none", Old: "z", New: "c"}}, "", "the file is gone"},
		"a whole file":            {[]Edit{{Path: "/m", New: "n", Whole: true}}, "n", ""},
		"a whole file, changed":   {[]Edit{{Path: "/gone", New: "n", Whole: true}}, "", "changed since"},
		"a new file":              {[]Edit{{Path: "/new", New: "n", Whole: true}}, "n", ""},
		"a deletion":              {[]Edit{{Path: "/m", Delete: true}}, "-", ""},
		"a deletion, changed":     {[]Edit{{Path: "/gone", Delete: true}}, "", "changed since"},
		"a move":                  {[]Edit{{Path: "/m", Old: "a", New: "c", MoveTo: "/n"}}, "c\nb\nb\n", ""},
		"a move onto a file":      {[]Edit{{Path: "/m", Old: "a", New: "c", MoveTo: "/gone"}}, "", "already"},
		"a cell":                  {[]Edit{{Path: "/m", New: "c", Cell: "1"}}, "", "notebooks"},
		"one that fits, one not":  {[]Edit{{Path: "/m", Old: "a", New: "c"}, {Path: "/m", Old: "z", New: "c"}}, "", "does not stand there"},
		"creation of one there":   {[]Edit{{Path: "/m", New: "c"}}, "", "by now"},
		"an edit after its whole": {[]Edit{{Path: "/m", New: "n", Whole: true}, {Path: "/m", Old: "n", New: "o"}}, "o", ""},
	} {
		c := &Call{Edits: tt.edits, Base: base}
		got, err := c.Replay(read)
		if tt.conflict != "" {
			if k, ok := errors.AsType[*Conflict](err); !ok || !strings.Contains(k.Reason, tt.conflict) {
				t.Errorf("%s: %v, want a conflict about %q", name, err, tt.conflict)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		last := got[len(got)-1]
		if text := string(last.After); last.After == nil && tt.want != "-" || last.After != nil && text != tt.want {
			t.Errorf("%s: %q, want %q", name, text, tt.want)
		}
	}
}

func TestDisk(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	at := func(name string) string { return filepath.ToSlash(filepath.Join(dir, name)) }
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(os.WriteFile(at("m.md"), []byte("old"), 0o640))
	must(os.Chmod(at("m.md"), 0o640)) // whatever the user's mask is
	if err := Write(Image{Path: at("m.md"), Before: []byte("old"), After: []byte("new")}); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(at("m.md"))
	if data, _ := Read(at("m.md")); err != nil || string(data) != "new" || runtime.GOOS != "windows" && info.Mode().Perm() != 0o640 {
		t.Errorf("%s, %v, %v", data, info.Mode(), err)
	}
	if k, ok := errors.AsType[*Conflict](Write(Image{Path: at("m.md"), Before: []byte("old"), After: []byte("x")})); !ok {
		t.Errorf("a file that changed was written over: %v", k)
	}
	if err := Write(Image{Path: at("deep/er/new.md"), After: []byte("n")}); err != nil {
		t.Error(err)
	}
	if err := Write(Image{Path: at("deep/er/new.md"), Before: []byte("n")}); err != nil {
		t.Error(err)
	}
	if data, err := Read(at("deep/er/new.md")); data != nil || err != nil {
		t.Errorf("a deleted file reads %q, %v", data, err)
	}
	if runtime.GOOS == "windows" {
		return
	}
	must(os.Symlink(at("m.md"), at("link.md")))
	must(os.Symlink(at("nowhere.md"), at("dangling.md")))
	must(os.Symlink(at("deep"), at("folder")))
	must(os.WriteFile(at("two.md"), []byte("x"), 0o600))
	must(os.Link(at("two.md"), at("names.md")))
	for _, name := range []string{"link.md", "dangling.md", "folder/x.md", "two.md", "deep"} {
		if data, err := Read(at(name)); err == nil && !(name == "folder/x.md" && data == nil) {
			t.Errorf("%s was read: %q", name, data)
		}
		if err := Write(Image{Path: at(name), After: []byte("x")}); err == nil {
			t.Errorf("%s was written", name)
		}
	}
	if _, err := os.Lstat(at("nowhere.md")); err == nil {
		t.Error("the target of a dangling link was made")
	}
	left, err := filepath.Glob(at(".*hearsay*"))
	if err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}
