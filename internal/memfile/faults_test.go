package memfile

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/hearsay-memory/hearsay/internal/asuser"
)

// place makes a folder, and returns how names in it are spelt.
func testFolder(t *testing.T) func(name string) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return func(name string) string { return filepath.ToSlash(filepath.Join(dir, name)) }
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// no leftovers lie beside a file.
func clean(t *testing.T, at func(string) string) {
	t.Helper()
	if left, _ := filepath.Glob(at(".*hearsay-*")); len(left) > 0 {
		t.Errorf("left behind: %q", left)
	}
}

// A file becomes something else between the check and the moment when the new one would
// take its place. What it became stays, and nothing is left beside it.
func TestBetweenCheckAndUse(t *testing.T) {
	if runtime.GOOS != "linux" && runtime.GOOS != "darwin" {
		t.Skip("files change places on Linux and macOS only")
	}
	const before, after, other = "before\n", "after\n", "of somebody else\n"
	for name, f := range map[string]struct {
		meanwhile func(name string) error
		stays     func(name string) bool
	}{
		"vanishes": {os.Remove, func(name string) bool { _, err := os.Lstat(name); return errors.Is(err, os.ErrNotExist) }},
		"grows": {
			func(name string) error { return os.WriteFile(name, []byte(before+other), 0o600) },
			func(name string) bool {
				data, err := os.ReadFile(name)
				return err == nil && string(data) == before+other
			},
		},
		"is replaced": {
			func(name string) error {
				return errors.Join(os.WriteFile(name+".new", []byte(other), 0o600), os.Rename(name+".new", name))
			},
			func(name string) bool { data, err := os.ReadFile(name); return err == nil && string(data) == other },
		},
		"turns into a folder": {
			func(name string) error { return errors.Join(os.Remove(name), os.Mkdir(name, 0o700)) },
			func(name string) bool { info, err := os.Lstat(name); return err == nil && info.IsDir() },
		},
		"turns into a link": {
			func(name string) error {
				return errors.Join(os.Remove(name), os.WriteFile(name+".to", []byte(before), 0o600), os.Symlink(name+".to", name))
			},
			func(name string) bool {
				info, err := os.Lstat(name)
				data, _ := os.ReadFile(name + ".to")
				return err == nil && info.Mode()&os.ModeSymlink != 0 && string(data) == before
			},
		},
		"turns into a pipe": {
			func(name string) error { return errors.Join(os.Remove(name), mkfifo(name)) },
			func(name string) bool {
				info, err := os.Lstat(name)
				return err == nil && info.Mode()&os.ModeNamedPipe != 0
			},
		},
		"gets a second name": {
			func(name string) error { return os.Link(name, name+".two") },
			func(name string) bool {
				a, errA := os.ReadFile(name)
				b, errB := os.ReadFile(name + ".two")
				return errA == nil && errB == nil && string(a) == before && string(b) == before
			},
		},
		"is locked away": {
			func(name string) error { return os.Chmod(name, 0) },
			func(name string) bool {
				info, err := os.Lstat(name)
				return err == nil && info.Size() == int64(len(before))
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			if name == "is locked away" && asuser.Again(t) {
				return
			}
			at := testFolder(t)
			must(t, os.WriteFile(at("m.md"), []byte(before), 0o600))
			done := false
			err := write(Image{Path: at("m.md"), Before: []byte(before), After: []byte(after)}, func(step string) {
				if step == "written" && !done {
					done = true
					must(t, f.meanwhile(at("m.md")))
				}
			})
			if err == nil {
				t.Error("it was written")
			}
			if !f.stays(at("m.md")) {
				data, err := os.ReadFile(at("m.md"))
				t.Errorf("what it became is gone: %q, %v", data, err)
			}
			clean(t, at)
		})
	}
}

// The folder of a file is renamed, or becomes a link out of the tree, on the way.
func TestFolderBetweenCheckAndUse(t *testing.T) {
	for _, link := range []bool{false, true} {
		at := testFolder(t)
		must(t, os.MkdirAll(at("w/memory"), 0o700))
		must(t, os.MkdirAll(at("outside"), 0o700))
		must(t, os.WriteFile(at("w/memory/m.md"), []byte("x"), 0o600))
		must(t, os.WriteFile(at("outside/m.md"), []byte("x"), 0o600))
		err := write(Image{Path: at("w/memory/m.md"), Before: []byte("x"), After: []byte("y")}, func(step string) {
			if step != "written" {
				return
			}
			must(t, os.Rename(at("w/memory"), at("w/moved")))
			if link {
				must(t, os.Symlink(at("outside"), at("w/memory")))
			} else {
				must(t, os.Rename(at("outside"), at("w/memory")))
			}
		})
		if err == nil {
			t.Error("it was written")
		}
		for _, name := range []string{"w/moved/m.md", "w/memory/m.md"} {
			if data, err := os.ReadFile(at(name)); err != nil || string(data) != "x" {
				t.Errorf("%s: %q, %v", name, data, err)
			}
		}
		if left, _ := filepath.Glob(at("w/*/.*hearsay-*")); len(left) > 0 {
			t.Errorf("left behind: %q", left)
		}
	}
	// A new folder is not made through a link.
	at := testFolder(t)
	must(t, os.MkdirAll(at("outside"), 0o700))
	must(t, os.Symlink(at("outside"), at("memory")))
	if err := Write(Image{Path: at("memory/deep/er/m.md"), After: []byte("y")}); err == nil {
		t.Error("it was written through a link")
	}
	if all, _ := os.ReadDir(at("outside")); len(all) > 0 {
		t.Errorf("made outside: %v", all)
	}
}

// A new file does not replace one that came to be meanwhile, and a deletion does not take
// away what was saved meanwhile.
func TestNewAndGone(t *testing.T) {
	at := testFolder(t)
	err := write(Image{Path: at("new.md"), After: []byte("ours")}, func(step string) {
		if step == "written" {
			must(t, os.WriteFile(at("new.md"), []byte("theirs"), 0o600))
		}
	})
	if _, ok := errors.AsType[*Conflict](err); !ok {
		t.Errorf("%v: want a conflict", err)
	}
	must(t, os.WriteFile(at("old.md"), []byte("old"), 0o600))
	moved := ""
	err = write(Image{Path: at("old.md"), Before: []byte("old")}, func(step string) {
		if step == "placed" { // saved by a program that had it open
			left, err := leftovers(at("old.md"))
			if must(t, err); len(left) != 1 {
				t.Fatalf("%q", left)
			}
			moved = left[0]
			must(t, os.WriteFile(moved, []byte("theirs"), 0o600))
		}
	})
	if _, ok := errors.AsType[*Conflict](err); !ok {
		t.Errorf("%v: want a conflict", err)
	}
	for _, name := range []string{"new.md", "old.md"} {
		if data, err := os.ReadFile(at(name)); err != nil || string(data) != "theirs" {
			t.Errorf("%s: %q, %v", name, data, err)
		}
	}
	clean(t, at)
}

// Two agents and a person edit one file at once, each by reading, changing and saving it
// whole. No line is lost: a save that would lose one is refused or put back. The person's
// saves ask nobody; each adds a line to what stands there at that moment.
func TestConcurrentEdits(t *testing.T) {
	at := testFolder(t)
	name := at("m.md")
	must(t, os.WriteFile(name, []byte("# Notes\n"), 0o600))
	const each = 60
	var wg sync.WaitGroup
	for agent := range 3 {
		wg.Go(func() {
			for i := 0; i < each; {
				now, err := Read(name)
				if err != nil || now == nil {
					continue // in the middle of an exchange that is undone
				}
				line := fmt.Sprintf("- %d said %d\n", agent, i)
				err = Write(Image{Path: name, Before: now, After: append(bytes.Clone(now), line...)})
				if _, conflict := errors.AsType[*Conflict](err); err != nil && !conflict {
					t.Error(err)
					return
				}
				if err == nil {
					i++
				}
			}
		})
	}
	wg.Wait()
	data, err := os.ReadFile(name)
	must(t, err)
	for agent := range 3 {
		for i := range each {
			if n := strings.Count(string(data), fmt.Sprintf("- %d said %d\n", agent, i)); n != 1 {
				t.Errorf("agent %d's line %d stands there %d times", agent, i, n)
			}
		}
	}
	clean(t, at)
}

// A person's editor saves by renaming over the file, at any step of ours; its last save
// is what stands there, or stands in what ours was made of.
func TestPersonSavesAtEachStep(t *testing.T) {
	for _, step := range []string{"written", "placed", "cleared"} {
		at := testFolder(t)
		name := at("m.md")
		must(t, os.WriteFile(name, []byte("a\n"), 0o600))
		err := write(Image{Path: name, Before: []byte("a\n"), After: []byte("a\nours\n")}, func(reached string) {
			if reached == step {
				must(t, os.WriteFile(name+"~", []byte("a\ntheirs\n"), 0o600))
				must(t, os.Rename(name+"~", name))
			}
		})
		data, readErr := os.ReadFile(name)
		must(t, readErr)
		if string(data) != "a\ntheirs\n" {
			t.Errorf("%s: %q, %v", step, data, err)
		}
		if step == "written" && err == nil {
			t.Errorf("%s: nobody was told", step)
		}
		clean(t, at)
	}
}
