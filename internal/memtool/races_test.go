package memtool_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/hearsay-memory/hearsay"
)

// Sessions that edit one file at the same time lose no line, and each line is of its
// writer's record.
func TestParallelEdits(t *testing.T) {
	w := newWorld(t)
	w.ok(w.session("s0"), "create", "path", "/memories/m.md", "file_text", "head\ntail\n")
	const sessions, edits = 4, 6
	var wg sync.WaitGroup
	for s := range sessions {
		h := w.session(fmt.Sprintf("s%d", s+1))
		wg.Go(func() {
			for i := range edits {
				r, err := h.Do(t.Context(), args("insert", "path", "/memories/m.md", "insert_line", 1, "insert_text", fmt.Sprintf("line %d of %d", i, s)))
				if err != nil || r.IsError {
					t.Errorf("%+v, %v", r, err)
				}
			}
		})
	}
	wg.Wait()
	text := w.text("m.md")
	records := make(map[hearsay.RecordID]bool)
	state := w.state("m.md")
	for i := 1; i <= sessions*edits; i++ {
		records[state.File.At(i).Record] = true
	}
	if n := strings.Count(text, "\n"); n != sessions*edits+2 || len(records) != sessions*edits || state.Changed() {
		t.Errorf("%d lines, %d records:\n%s", n, len(records), text)
	}
	w.verify()
}

// Another program that saves all the time loses nothing either: what it saved last is
// there, or what was made of it.
func TestAgainstAnotherWriter(t *testing.T) {
	w := newWorld(t)
	h := w.session("s1")
	w.ok(h, "create", "path", "/memories/m.md", "file_text", "x\n")
	for i := range 20 {
		saved := fmt.Sprintf("x\nsaved %d\n", i)
		r := w.do(h.At(func(string) {
			if i%2 == 0 {
				w.put("m.md", saved)
			}
		}), "str_replace", "path", "/memories/m.md", "old_str", "x\n", "new_str", "x\nmine\n")
		if i%2 == 0 && !strings.Contains(w.text("m.md"), fmt.Sprintf("saved %d\n", i)) {
			t.Fatalf("what was saved is gone: %q, %+v", w.text("m.md"), r)
		}
		for line, l := range w.labels("m.md") {
			if strings.HasPrefix(line, "saved") && l.Origin > hearsay.Unverified {
				t.Fatalf("%q is %s", line, l)
			}
		}
	}
	w.verify()
}

// A folder that becomes a link between the decision and the write, or while a command
// looks at it, leads nothing out.
func TestSwapDuringACall(t *testing.T) {
	w := newWorld(t)
	outside := filepath.Join(w.top, "outside")
	w.must(os.Mkdir(outside, 0o700))
	w.must(os.WriteFile(filepath.Join(outside, "m.md"), []byte("secret\n"), 0o600))
	h := w.session("s1")
	w.ok(h, "create", "path", "/memories/d/m.md", "file_text", "mine\n")
	swap := func() {
		w.must(os.Rename(w.path("d"), w.path("kept")))
		if err := os.Symlink(outside, w.path("d")); err != nil {
			t.Skip("no links here")
		}
	}
	back := func() {
		w.must(os.Remove(w.path("d")))
		w.must(os.Rename(w.path("kept"), w.path("d")))
	}
	for _, c := range [][]any{
		{"create", "path", "/memories/d/n.md", "file_text", "x"},
		{"str_replace", "path", "/memories/d/m.md", "old_str", "mine", "new_str", "x"},
		{"insert", "path", "/memories/d/m.md", "insert_line", 0, "insert_text", "x"},
		{"delete", "path", "/memories/d/m.md"},
		{"rename", "old_path", "/memories/d/m.md", "new_path", "/memories/d/n.md"},
	} {
		r := w.do(h.At(func(string) { swap() }), c[0].(string), c[1:]...)
		if !r.IsError || strings.Contains(r.Text, "secret") || strings.Contains(r.Text, outside) {
			t.Errorf("%v: %+v", c, r)
		}
		back()
		same(t, w.text("d/m.md"), "mine\n")
	}
	names, err := os.ReadDir(outside)
	data, _ := os.ReadFile(filepath.Join(outside, "m.md"))
	if err != nil || len(names) != 1 || string(data) != "secret\n" {
		t.Errorf("%v, %q, %v", names, data, err)
	}

	// Swapped to and fro while the commands run.
	stop := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		for {
			select {
			case <-stop:
				return
			default:
				swap()
				back()
			}
		}
	})
	for range 60 {
		for _, c := range [][]byte{args("view", "path", "/memories/d/m.md"), args("insert", "path", "/memories/d/m.md", "insert_line", 0, "insert_text", "x")} {
			if r, _ := h.Do(t.Context(), c); strings.Contains(r.Text, "secret") {
				t.Errorf("%+v", r)
			}
		}
	}
	close(stop)
	wg.Wait()
	if names, _ := os.ReadDir(outside); len(names) != 1 {
		t.Errorf("%v", names)
	}
	if data, _ := os.ReadFile(filepath.Join(outside, "m.md")); string(data) != "secret\n" {
		t.Errorf("%q", data)
	}
	w.verify()
}

// The folder itself as a link is not opened.
func TestFolderIsALink(t *testing.T) {
	w := newWorld(t)
	h := w.session("s1")
	w.must(os.Rename(w.dir, w.dir+"2"))
	if err := os.Symlink(w.dir+"2", w.dir); err != nil {
		t.Skip("no links here")
	}
	r, err := h.Do(t.Context(), args("view", "path", "/memories"))
	if err == nil || !r.IsError || strings.Contains(r.Text, w.top) {
		t.Errorf("%+v, %v", r, err)
	}
}
