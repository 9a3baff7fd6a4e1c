package memfile

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestOddBytes(t *testing.T) {
	at := testFolder(t)
	for i, text := range []string{
		"", "\xff\xfe\x00\x80", "a\r\nb\rc", "\ufeffbom", "<<<<<<< a\n=======\n>>>>>>> b\n", "</recalled>\n\u2028", strings.Repeat("x", 1<<20), "\x00",
	} {
		name := at(fmt.Sprint(i, ".md"))
		must(t, Write(Image{Path: name, After: []byte(text)}))
		got, err := Read(name)
		if err != nil || string(got) != text {
			t.Errorf("%q reads %q, %v", text[:min(len(text), 20)], got[:min(len(got), 20)], err)
		}
		c := Call{Edits: []Edit{{Path: name, Old: text, New: text + "\xff"}}}
		if text == "" {
			continue
		}
		im, err := c.Replay(Read)
		if err != nil || string(im[0].After) != text+"\xff" {
			t.Errorf("%q: %v", text[:min(len(text), 20)], err)
		}
		enc, err := c.Encode()
		must(t, err)
		if dec, err := DecodeCall(enc); err != nil || dec.Edits[0] != c.Edits[0] {
			t.Errorf("a call with %q does not come back as it was: %v", text[:min(len(text), 20)], err)
		}
	}
	if _, err := (&Call{Edits: []Edit{{Path: "/a\xff"}}}).Encode(); err == nil {
		t.Error("a name that is not UTF-8 is held")
	}
}

func FuzzCall(f *testing.F) {
	f.Add("a", "b", true)
	f.Add("\xff", "\x00\u2028<", false)
	f.Fuzz(func(t *testing.T, old, text string, whole bool) {
		c := &Call{Host: "claude", Tool: "Edit", Edits: []Edit{{Path: "/m", Old: old, New: text, Whole: whole}}, Base: map[string]string{"/m": "x"}}
		enc, err := c.Encode()
		must(t, err)
		got, err := DecodeCall(enc)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(c, got); diff != "" {
			t.Error(diff)
		}
	})
}

// A pipe is refused at once: nobody waits for what somebody may write into it.
func TestPipe(t *testing.T) {
	at := testFolder(t)
	if err := mkfifo(at("m.md")); err != nil {
		t.Skip(err)
	}
	if _, err := Read(at("m.md")); err == nil {
		t.Error("it was read")
	}
	if _, err := new(Peeker).Peek(at("m.md")); err == nil {
		t.Error("it was peeked at")
	}
	if err := Write(Image{Path: at("m.md"), After: []byte("x")}); err == nil {
		t.Error("it was written")
	}
}

// A file of 100 MB is refused at once, with its size; so is one that would become so.
func TestHugeFile(t *testing.T) {
	at := testFolder(t)
	f, err := os.Create(at("m.md"))
	must(t, err)
	must(t, errors.Join(f.Truncate(100<<20), f.Close()))
	if _, err := Read(at("m.md")); err == nil || !strings.Contains(err.Error(), "104857600 bytes") {
		t.Errorf("%v", err)
	}
	if err := Write(Image{Path: at("m.md"), Before: []byte("x"), After: []byte("y")}); err == nil {
		t.Error("it was written")
	}
	if data, err := new(Peeker).Peek(at("m.md")); err != nil || len(data) != maxPeek {
		t.Errorf("%d bytes, %v", len(data), err)
	}
	if err := Write(Image{Path: at("n.md"), After: make([]byte, MaxFile+1)}); err == nil {
		t.Error("a file was written that nobody could read again")
	}
}

// Ten thousand files are looked at within bounds, and it is said where some are left out.
func TestManyFiles(t *testing.T) {
	at := testFolder(t)
	must(t, os.MkdirAll(at("memory"), 0o700))
	for i := range 10_000 {
		must(t, os.WriteFile(at(fmt.Sprintf("memory/%d.md", i)), nil, 0o600))
	}
	var s Set
	s.Add(Memory, at("."), "memory/**/*.md")
	names, complete := s.List()
	if !complete && len(names) == 0 || complete && len(names) != 10_000 {
		t.Errorf("%d files, complete %v", len(names), complete)
	}
	must(t, Write(Image{Path: at("memory/77.md"), Before: []byte{}, After: []byte("x")}))
	if left, err := leftovers(at("memory/77.md")); err != nil || len(left) != 0 {
		t.Errorf("%q, %v", left, err)
	}
}

// Roots within roots: a file is guarded as the strictest of them says.
func TestNestedRoots(t *testing.T) {
	var s Set
	s.Add(Memory, "/w", "memory/**")
	s.Add(Memory, "/w/memory/sub", "memory/**")
	s.Add(Protected, "/w/memory/sub", "AGENTS.md")
	for name, want := range map[string]Class{
		"/w/memory/sub/memory/a.md": Memory, "/w/memory/sub/AGENTS.md": Protected, "/w/memory/AGENTS.md": Memory, "/w/AGENTS.md": Ordinary,
	} {
		if got := s.Class(name); got != want {
			t.Errorf("%s: %d, want %d", name, got, want)
		}
	}
	if s.Holds("/w/memory") != Protected {
		t.Error("a folder that holds a protected file")
	}
}

func TestNetwork(t *testing.T) {
	if got := network(t.TempDir()); got != "" && runtime.GOOS == "linux" {
		t.Logf("the test runs on %s", got)
	}
	if got := network("/nowhere/at/all"); got != "" {
		t.Errorf("%q", got)
	}
}

func BenchmarkWrite(b *testing.B) {
	dir, err := filepath.EvalSymlinks(b.TempDir())
	if err != nil {
		b.Fatal(err)
	}
	im := Image{Path: filepath.ToSlash(filepath.Join(dir, "m.md")), After: []byte("x")}
	for b.Loop() {
		if err := Write(im); err != nil {
			b.Fatal(err)
		}
		im.Before, im.After = im.After, append([]byte("x"), im.After[:min(len(im.After), 4096)]...)
	}
}
