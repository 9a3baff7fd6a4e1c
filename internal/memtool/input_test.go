package memtool_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hearsay-memory/hearsay/internal/memtool"
)

// What two readers could read differently, and what is of another type or too much, is
// refused, and the reply repeats none of it.
func TestInputs(t *testing.T) {
	w := newWorld(t)
	h := w.session("s1")
	for _, input := range []string{
		``, ` `, `null`, `[]`, `"view"`, `{`, `{}`, `{"command":"viewX"}`, `{"command":null}`, `{"command":["view"]}`, `{"command":"view"}`,
		`{"command":"view","path":"/memories","path":"/memories/evil"}`, `{"command":"view","path":"/memories","PATH":"/memories/evil"}`,
		`{"Command":"view","path":"/memories"}`, `{"command":"view","Path":"/memories"}`, `{"command":"VIEW","path":"/memories"}`,
		`{"command":"view","path":"/memories","evil":1}`, `{"command":"view","path":"/memories","file_text":"evil"}`,
		`{"command":"view","path":7}`, `{"command":"view","path":null}`, `{"command":"view","path":["/memories"]}`,
		`{"command":"view","path":"/memories","view_range":[1]}`, `{"command":"view","path":"/memories","view_range":[1,2,3]}`,
		`{"command":"view","path":"/memories","view_range":[1,"2"]}`, `{"command":"view","path":"/memories","view_range":[1.0,2]}`,
		`{"command":"view","path":"/memories","view_range":[1,1e3]}`, `{"command":"view","path":"/memories","view_range":[1,99999999999999999999]}`,
		`{"command":"view","path":"/memories","view_range":{"0":1,"1":2}}`, `{"command":"view","path":"/memories","view_range":"1-2"}`,
		`{"command":"insert","path":"/memories/a","insert_line":"0","insert_text":"evil"}`, `{"command":"insert","path":"/memories/a","insert_line":true,"insert_text":"evil"}`,
		`{"command":"create","path":"/memories/a"}`, `{"command":"create","path":"/memories/a","file_text":null}`, `{"command":"create","path":"/memories/a","file_text":{"evil":1}}`,
		`{"command":"create","path":"/memories/a","file_text":"evil"} x`, `{"command":"create","path":"/memories/a","file_text":"\ud800evil"}`,
		"{\"command\":\"create\",\"path\":\"/memories/a\",\"file_text\":\"evil\xff\"}", "\xef\xbb\xbf{}",
		`{"command":"view","path":` + strings.Repeat("[", 1000) + strings.Repeat("]", 1000) + `}`,
	} {
		r, err := h.Do(t.Context(), []byte(input))
		if err != nil || !r.IsError || strings.Contains(r.Text, "evil") {
			t.Errorf("%.100q: %+v, %v", input, r, err)
		}
	}
	if n := len(onDisk(t, w.dir)); n > 0 {
		t.Errorf("%d files were made", n)
	}
}

// No path leads out, means two things, or is a second name of a file.
func TestPaths(t *testing.T) {
	w := newWorld(t)
	h := w.session("s1")
	w.ok(h, "create", "path", "/memories/notes.md", "file_text", "x\n")
	w.ok(h, "create", "path", "/memories/Größe/ä.md", "file_text", "x\n")
	for _, path := range []string{
		"", "/", "notes.md", "memories/a", "/memory/a", "/memoriesX", "/memories2/a", "/MEMORIES/a", "//memories/a", "/memories//a",
		"/memories/../a", "/memories/./a", "/memories/a/../../b", "/memories/..", "/memories/.", "/memories/...", "/memories/%2e%2e\\a",
		"/memories/a\x00b", "/memories/a\nb", "/memories/a\x1b[2Jb", "/memories/a\u202eb", "/memories/a\u200db", "/memories/a\u00a0b",
		`/memories/a\b`, `\memories\a`, `/memories/C:\x`, "/memories/C:x", "/memories/a:stream", "/memories/a.", "/memories/a ", "/memories/CON", "/memories/nul.md", "/memories/lpt1",
		"/memories/.hidden", "/memories/d/.git/config", "/memories/.notes.md.hearsay-0123456789abcdef",
		"/memories/" + strings.Repeat("a", 201), "/memories" + strings.Repeat("/a", 9), "/memories/a*", "/memories/a?", "/memories/a|b", `/memories/a"b`, "/memories/a<b",
		"/memories/a\u0308.md", "/memories/\ufeffa",
	} {
		if r := w.do(h, "create", "path", path, "file_text", "y"); !r.IsError {
			t.Errorf("%q was made: %s", path, r.Text)
		}
		if r := w.do(h, "rename", "old_path", "/memories/notes.md", "new_path", path); !r.IsError {
			t.Errorf("%q was made: %s", path, r.Text)
		}
	}
	for _, path := range []string{"/memories/Notes.md", "/memories/NOTES.MD", "/memories/größe/b.md", "/memories/Größe/Ä.md", "/memories/notes.md\ufe0f"} {
		for _, c := range []string{"create", "delete"} {
			pairs := []any{"path", path}
			if c == "create" {
				pairs = append(pairs, "file_text", "y")
			}
			w.refused(h, "spelt otherwise", c, pairs...)
		}
	}
	same(t, w.text("notes.md"), "x\n")
	if n := len(onDisk(t, w.dir)); n != 2 {
		t.Errorf("%d files", n)
	}
	if _, err := os.Stat(filepath.Join(w.dir, "..", "a")); !os.IsNotExist(err) {
		t.Errorf("something was written outside: %v", err)
	}
	for _, path := range []string{"/memories/a..b.md", "/memories/日本語 メモ.md", "/memories/a-b_c (2).md", "/memories/🙂.md"} {
		w.ok(h, "create", "path", path, "file_text", "y")
	}
}

func TestFolderNames(t *testing.T) {
	seen := make(map[string]string)
	for _, p := range []string{"ana", "Ana", "ANA", "", "..", "a/b", "a", "b", "con", "x-ana", "ana ", "аna", strings.Repeat("a", 65), "a\x00"} {
		dir := memtool.Folder("/h", p)
		rest, ok := strings.CutPrefix(filepath.ToSlash(dir), "/h/memory/")
		part, end, _ := strings.Cut(rest, "/")
		if !ok || end != "tool" || part == "" || strings.Trim(part, "abcdefghijklmnopqrstuvwxyz0123456789_-") != "" {
			t.Errorf("%q: %s", p, dir)
		}
		if other, ok := seen[dir]; ok {
			t.Errorf("%q and %q share %s", p, other, dir)
		}
		seen[dir] = p
	}
}

// Whatever the input, nothing panics, nothing is written outside the folder, every file
// has a name that the tool reads back, and the reply is text.
func FuzzDo(f *testing.F) {
	for _, seed := range []string{
		`{"command":"view","path":"/memories"}`, `{"command":"view","path":"/memories/a.md","view_range":[1,-1]}`,
		`{"command":"create","path":"/memories/b/c.md","file_text":"x\ny"}`, `{"command":"create","path":"/memories/../x","file_text":"x"}`,
		`{"command":"str_replace","path":"/memories/a.md","old_str":"one","new_str":"1"}`, `{"command":"insert","path":"/memories/a.md","insert_line":1,"insert_text":"z"}`,
		`{"command":"delete","path":"/memories/a.md"}`, `{"command":"rename","old_path":"/memories/a.md","new_path":"/memories/\u0061/b"}`,
		`{"command":"view","path":"/memories","path":"x"}`, `{"command":"view","Path":"/memories"}`, `[{"command":"view"}]`, "{\"command\":\"\xff\"}",
	} {
		f.Add([]byte(seed))
	}
	w := newWorld(f)
	f.Fuzz(func(t *testing.T, input []byte) {
		w.t = t
		if err := os.RemoveAll(w.path("")); err != nil {
			t.Fatal(err)
		}
		if _, err := memtool.Prepare(w.dir); err != nil {
			t.Fatal(err)
		}
		w.put("a.md", "one\ntwo\n")
		h := w.session("s1")
		r, err := h.Do(context.Background(), input)
		if err != nil {
			t.Fatalf("%v", err)
		}
		if r.Text == "" || !json.Valid(must(json.Marshal(r))) {
			t.Fatalf("%+v", r)
		}
		for path := range onDisk(t, w.dir) {
			if r, err := h.Do(context.Background(), args("view", "path", path)); err != nil || r.IsError {
				t.Fatalf("%q was made and is not read: %+v, %v", path, r, err)
			}
		}
		if names, err := os.ReadDir(filepath.Dir(w.dir)); err != nil || len(names) != 1 {
			t.Fatalf("outside: %v, %v", names, err)
		}
	})
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}
