package install

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hearsay-memory/hearsay/internal/asuser"
)

var testNow = time.Date(2026, 11, 30, 9, 5, 7, 0, time.UTC)

const testStamp = ".hearsay-backup-20261130-090507"

// tree is a directory of a test with two files, of which one exists.
func tree(t *testing.T) (dir string, changes []Change) {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	one, two := filepath.Join(dir, "one.json"), filepath.Join(dir, "sub", "deep", "two.json")
	write(t, one, "old")
	return dir, []Change{
		{File: one, Before: []byte("old"), After: []byte("new"), Exists: true},
		{File: filepath.Join(dir, "noted"), Notes: []string{"nothing"}},
		{File: two, After: []byte("second")},
	}
}

func write(t *testing.T, path, data string) {
	t.Helper()
	// The mode is the one that tests ask for, whatever the user's mask is.
	if err := errors.Join(os.WriteFile(path, []byte(data), 0o640), os.Chmod(path, 0o640)); err != nil {
		t.Fatal(err)
	}
}

// disk returns what a directory holds, with modes.
func disk(t *testing.T, dir string) map[string]string {
	t.Helper()
	out := make(map[string]string)
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || path == dir {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		name, _ := filepath.Rel(dir, path)
		switch {
		case d.IsDir():
			out[name+"/"] = info.Mode().Perm().String()
		case info.Mode()&fs.ModeSymlink != 0:
			to, err := os.Readlink(path)
			out[name] = "-> " + to
			return err
		default:
			data, err := os.ReadFile(path)
			out[name] = info.Mode().Perm().String() + " " + string(data)
			return err
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func wantDisk(t *testing.T, dir string, want map[string]string) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("modes mean nothing here")
	}
	if diff := cmp.Diff(want, disk(t, dir)); diff != "" {
		t.Errorf("on disk (-want +got):\n%s", diff)
	}
}

func TestApply(t *testing.T) {
	dir, changes := tree(t)
	backups, err := Apply(changes, testNow)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{changes[0].File + testStamp}, backups); diff != "" {
		t.Error(diff)
	}
	wantDisk(t, dir, map[string]string{
		"one.json":             "-rw-r----- new",
		"one.json" + testStamp: "-rw-r----- old",
		"sub/":                 "-rwx------",
		"sub/deep/":            "-rwx------",
		"sub/deep/two.json":    "-rw------- second",
	})
	// A copy is never written over, and a file that we made goes away with a copy.
	next := []Change{
		{File: changes[0].File, Before: []byte("new"), After: []byte("newer"), Exists: true},
		{File: changes[2].File, Before: []byte("second"), Exists: true},
	}
	if backups, err = Apply(next, testNow); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{changes[0].File + testStamp + "-2", changes[2].File + testStamp}, backups); diff != "" {
		t.Error(diff)
	}
	wantDisk(t, dir, map[string]string{
		"one.json":                      "-rw-r----- newer",
		"one.json" + testStamp:          "-rw-r----- old",
		"one.json" + testStamp + "-2":   "-rw-r----- new",
		"sub/":                          "-rwx------",
		"sub/deep/":                     "-rwx------",
		"sub/deep/two.json" + testStamp: "-rw------- second",
	})
}

func TestApplyRefusesWhatChanged(t *testing.T) {
	for name, meddle := range map[string]func(t *testing.T, c []Change){
		"other bytes": func(t *testing.T, c []Change) { write(t, c[0].File, "theirs") },
		"gone": func(t *testing.T, c []Change) {
			if err := os.Remove(c[0].File); err != nil {
				t.Fatal(err)
			}
		},
		"there now": func(t *testing.T, c []Change) {
			if err := os.MkdirAll(filepath.Dir(c[2].File), 0o700); err != nil {
				t.Fatal(err)
			}
			write(t, c[2].File, "")
		},
		"a directory": func(t *testing.T, c []Change) {
			if err := errors.Join(os.Remove(c[0].File), os.Mkdir(c[0].File, 0o700)); err != nil {
				t.Fatal(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir, changes := tree(t)
			meddle(t, changes)
			before := disk(t, dir)
			if backups, err := Apply(changes, testNow); !errors.Is(err, ErrChanged) || backups != nil {
				t.Errorf("got %v, %v", backups, err)
			}
			wantDisk(t, dir, before)
		})
		// The same, after everything was prepared.
		t.Run(name+" in between", func(t *testing.T) {
			dir, changes := tree(t)
			var theirs map[string]string
			a := applier{now: testNow, fault: func(op, path string) error {
				if op == "commit" && theirs == nil {
					meddle(t, changes)
					theirs = disk(t, dir)
				}
				return nil
			}}
			if name == "there now" {
				// It shows when the first file is done already, which is put back.
				a.fault = func(op, path string) error {
					if op == "commit" && path == changes[2].File {
						write(t, path, "theirs")
					}
					return nil
				}
			}
			if _, err := a.apply(changes); !errors.Is(err, ErrChanged) {
				t.Errorf("got %v", err)
			}
			got := disk(t, dir)
			for path := range got {
				if strings.Contains(path, "backup") || strings.Contains(path, ".tmp") {
					t.Errorf("%s was left", path)
				}
			}
			if name == "there now" && (got["one.json"] != "-rw-r----- old" || !strings.HasSuffix(got["sub/deep/two.json"], " theirs")) {
				t.Errorf("on disk: %v", got)
			}
			if name == "other bytes" && got["one.json"] != "-rw-r----- theirs" {
				t.Errorf("on disk: %v", got)
			}
		})
	}
}

// Each step fails once; what was done is undone.
func TestApplyIsAllOrNothing(t *testing.T) {
	broken := errors.New("the disk is full")
	for _, at := range []string{"prepare", "commit"} {
		for _, n := range []int{0, 2} {
			dir, changes := tree(t)
			changes = append(changes, Change{File: filepath.Join(dir, "three"), Before: []byte("x"), Exists: true})
			write(t, changes[3].File, "x")
			changes[2], changes[3] = changes[3], changes[2] // one, noted, three goes away, two
			before := disk(t, dir)
			a := applier{now: testNow, fault: func(op, path string) error {
				if op == at && path == changes[n+n/2].File {
					return broken
				}
				return nil
			}}
			if _, err := a.apply(changes); !errors.Is(err, broken) {
				t.Errorf("%s %d: %v", at, n, err)
			}
			wantDisk(t, dir, before)
		}
	}
	// Undoing fails as well: the copy stays and is told.
	dir, changes := tree(t)
	a := applier{now: testNow, fault: func(op, path string) error {
		if op == "undo" || op == "commit" && path == changes[2].File {
			return broken
		}
		return nil
	}}
	if _, err := a.apply(changes); err == nil || !strings.Contains(err.Error(), "cannot put back") || !strings.Contains(err.Error(), changes[0].File+testStamp) {
		t.Errorf("got %v", err)
	}
	wantDisk(t, dir, map[string]string{"one.json": "-rw-r----- new", "one.json" + testStamp: "-rw-r----- old"})
}

// A crash between two files: each is old or new, and installing again does the rest.
func TestApplyCrash(t *testing.T) {
	dir := t.TempDir()
	settings, servers := filepath.Join(dir, ".claude", "settings.json"), filepath.Join(dir, ".claude.json")
	write(t, servers, `{"mcpServers":{"a":{"command":"npx"}}}`)
	o := options("claude")
	changes, err := claude.Install(Read, User, dir, "", o)
	if err != nil || len(changes) != 2 {
		t.Fatalf("%v, %v", changes, err)
	}
	func() {
		defer func() { _ = recover() }()
		a := applier{now: testNow, fault: func(op, path string) error {
			if op == "commit" && path == servers {
				panic("crash")
			}
			return nil
		}}
		_, _ = a.apply(changes)
	}()
	if _, err := os.Stat(settings); err != nil {
		t.Fatal(err)
	}
	again, err := claude.Install(Read, User, dir, "", o)
	if err != nil || len(again) != 1 || again[0].File != servers {
		t.Fatalf("%v, %v", again, err)
	}
	backups, err := Apply(again, testNow)
	if err != nil || len(backups) != 1 || !strings.HasSuffix(backups[0], "-2") {
		t.Errorf("%v, %v", backups, err)
	}
	undone, err := claude.Remove(Read, User, dir, "")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Apply(undone, testNow.Add(time.Second)); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(settings); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the file that we made is still there: %v", err)
	}
	if data, err := os.ReadFile(servers); err != nil || string(data) != string(changes[1].Before) {
		t.Errorf("%s, %v", data, err)
	}
}

func TestApplyFollowsLinks(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("links need rights here")
	}
	dir, changes := tree(t)
	link := filepath.Join(dir, "link.json")
	if err := os.Symlink("one.json", link); err != nil {
		t.Fatal(err)
	}
	changes = changes[:1]
	changes[0].File = link
	changes[0].Within = dir
	backups, err := Apply(changes, testNow)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{filepath.Join(dir, "one.json") + testStamp}, backups); diff != "" {
		t.Error(diff)
	}
	wantDisk(t, dir, map[string]string{
		"link.json":            "-> one.json",
		"one.json":             "-rw-r----- new",
		"one.json" + testStamp: "-rw-r----- old",
	})

	// A repository's link does not lead us out of it.
	outside := filepath.Join(t.TempDir(), "theirs")
	write(t, outside, "old")
	inside := filepath.Join(dir, "project")
	if err := errors.Join(os.Mkdir(inside, 0o700), os.Symlink(outside, filepath.Join(inside, "a")), os.Symlink(filepath.Dir(outside), filepath.Join(inside, "d")), os.Symlink("nowhere", filepath.Join(inside, "n"))); err != nil {
		t.Fatal(err)
	}
	for _, c := range []Change{
		{File: filepath.Join(inside, "a"), Before: []byte("old"), After: []byte("new"), Exists: true},
		{File: filepath.Join(inside, "d", "new"), After: []byte("new")},
		{File: filepath.Join(inside, "d", "x", "new"), After: []byte("new")},
		{File: filepath.Join(inside, "n"), After: []byte("new")},
	} {
		c.Within = inside
		if _, err := Apply([]Change{c}, testNow); err == nil || !strings.Contains(err.Error(), "a symbolic link leads") {
			t.Errorf("%s: %v", c.File, err)
		}
	}
	wantDisk(t, filepath.Dir(outside), map[string]string{"theirs": "-rw-r----- old"})

	// The same file under two names is changed once, or not at all.
	twice := []Change{
		{File: filepath.Join(dir, "one.json"), Before: []byte("new"), After: []byte("a"), Exists: true},
		{File: link, Before: []byte("new"), After: []byte("b"), Exists: true},
	}
	if _, err := Apply(twice, testNow); !errors.Is(err, ErrChanged) {
		t.Errorf("got %v", err)
	}
	if data, _ := os.ReadFile(link); string(data) != "new" {
		t.Errorf("it holds %q", data)
	}
}

func TestApplyReadOnlyDirectory(t *testing.T) {
	if asuser.Again(t) {
		return
	}
	dir, changes := tree(t)
	if err := os.Chmod(dir, 0o500); err != nil {
		t.Fatal(err)
	}
	defer os.Chmod(dir, 0o700)
	if f, err := os.CreateTemp(dir, ""); err == nil {
		f.Close()
		os.Remove(f.Name())
		t.Skip("this user may write everywhere")
	}
	if _, err := Apply(changes, testNow); !errors.Is(err, fs.ErrPermission) {
		t.Errorf("got %v", err)
	}
	wantDisk(t, dir, map[string]string{"one.json": "-rw-r----- old"})
}

// A place in which nothing can be made, whoever we are.
func TestApplyNoDirectory(t *testing.T) {
	dir, changes := tree(t)
	write(t, filepath.Join(dir, "sub"), "a file")
	before := disk(t, dir)
	if _, err := Apply(changes, testNow); err == nil {
		t.Error("no error")
	}
	wantDisk(t, dir, before)
	if _, err := Apply([]Change{{File: "relative", After: []byte("x")}}, testNow); err == nil {
		t.Error("a relative path was taken")
	}
}

func TestRead(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "x")
	write(t, path, strings.Repeat("x", MaxFile+100))
	if data, err := Read(path); err != nil || len(data) != MaxFile+1 {
		t.Errorf("%d bytes, %v", len(data), err)
	}
	if _, err := Read(dir); err == nil {
		t.Error("a directory was read")
	}
	if _, err := Read(filepath.Join(dir, "none")); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
	if err := os.Chmod(path, 0o700); err != nil {
		t.Fatal(err)
	}
	hooks := []Hook{{Program: path}, {Program: filepath.Join(dir, "none")}, {Program: "x"}, {Program: dir}}
	if got := Absent(hooks); len(got) != 3 || got[0].Program != hooks[1].Program {
		t.Errorf("got %+v", got)
	}
}
