package memtool_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hearsay-memory/hearsay/internal/memtool"
)

// plain is the six commands without any guard: files by name. It returns false where a
// command is refused.
type plain map[string]string

func (p plain) do(command string, m map[string]any) bool {
	path, _ := m["path"].(string)
	text, there := p[path]
	isFolder := func(path string) bool {
		for name := range p {
			if strings.HasPrefix(name, path+"/") {
				return true
			}
		}
		return false
	}
	inFile := func(path string) bool {
		for name := range p {
			if strings.HasPrefix(path, name+"/") {
				return true
			}
		}
		return false
	}
	switch command {
	case "create":
		if there || isFolder(path) || inFile(path) {
			return false
		}
		p[path] = m["file_text"].(string)
	case "str_replace":
		old := m["old_str"].(string)
		if !there || old == "" || strings.Count(text, old) != 1 {
			return false
		}
		p[path] = strings.Replace(text, old, m["new_str"].(string), 1)
	case "insert":
		lines := strings.SplitAfter(text, "\n")
		if lines[len(lines)-1] == "" {
			lines = lines[:len(lines)-1]
		}
		at := m["insert_line"].(int)
		if !there || at < 0 || at > len(lines) {
			return false
		}
		if at > 0 && !strings.HasSuffix(lines[at-1], "\n") {
			lines[at-1] += "\n"
		}
		p[path] = strings.Join(slices.Insert(lines, at, strings.TrimRight(m["insert_text"].(string), "\n")+"\n"), "")
	case "delete":
		if !there && !isFolder(path) {
			return false
		}
		delete(p, path)
		for name := range p {
			if strings.HasPrefix(name, path+"/") {
				delete(p, name)
			}
		}
	case "rename":
		from, to := m["old_path"].(string), m["new_path"].(string)
		_, taken := p[to]
		_, file := p[from]
		if taken || isFolder(to) || inFile(to) || strings.HasPrefix(to, from+"/") || !file && !isFolder(from) {
			return false
		}
		for name, text := range p {
			if rest, ok := strings.CutPrefix(name, from); ok && (rest == "" || rest[0] == '/') {
				delete(p, name)
				p[to+rest] = text
			}
		}
	}
	return true
}

// onDisk is what lies in a folder, by the names that a model knows.
func onDisk(t testing.TB, dir string) map[string]string {
	t.Helper()
	out := make(map[string]string)
	err := filepath.WalkDir(dir, func(name string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(name)
		rel, _ := filepath.Rel(dir, name)
		out["/memories/"+filepath.ToSlash(rel)] = string(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// command makes up a command.
func command(r *rand.Rand, have map[string]string) (string, map[string]any) {
	names := []string{"/memories/a.md", "/memories/b.md", "/memories/d/a.md", "/memories/d/e/f.md", "/memories/d", "/memories/g"}
	texts := []string{"", "x", "x\n", "line\n", "\n", "line one\nline two\n", "a\r\nb\r\n", "no end", "ä\n\nö\n", "x\nx\nx\n", "\n\n"}
	path, text := names[r.IntN(len(names))], texts[r.IntN(len(texts))]
	switch r.IntN(8) {
	case 0, 1:
		return "create", map[string]any{"path": path, "file_text": text}
	case 2, 3:
		old := texts[r.IntN(len(texts))]
		if have := have[path]; have != "" && r.IntN(2) == 0 {
			at := r.IntN(len(have))
			old = strings.ToValidUTF8(have[at:min(len(have), at+1+r.IntN(8))], "")
		}
		return "str_replace", map[string]any{"path": path, "old_str": old, "new_str": text}
	case 4, 5:
		return "insert", map[string]any{"path": path, "insert_line": r.IntN(6) - 1, "insert_text": text}
	case 6:
		return "delete", map[string]any{"path": path}
	}
	return "rename", map[string]any{"old_path": path, "new_path": names[r.IntN(len(names))]}
}

// In a clean session the bytes after any commands are those that a plain implementation
// leaves, a command succeeds just where it does there, and every line is of somebody.
func TestPlainBytes(t *testing.T) {
	for seed := range uint64(6) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			r := rand.New(rand.NewPCG(seed, 1))
			w := newWorld(t)
			h := w.session("s1")
			want := plain{}
			for i := range 70 {
				name, m := command(r, want)
				var pairs []any
				for k, v := range m {
					pairs = append(pairs, k, v)
				}
				ok := want.do(name, m)
				reply := w.do(h, name, pairs...)
				if reply.IsError == ok {
					t.Fatalf("%d: %s %v: %+v, want success %v", i, name, m, reply, ok)
				}
				if d := cmp.Diff(map[string]string(want), onDisk(t, w.dir)); d != "" {
					t.Fatalf("%d: %s %v: (-want +got)\n%s", i, name, m, d)
				}
				for path := range want {
					s := w.state(strings.TrimPrefix(path, "/memories/"))
					if s.Changed() || s.First() && len(s.Data) > 0 {
						t.Fatalf("%d: %s %v: %s is not recorded", i, name, m, path)
					}
					for _, o := range s.File.All() {
						if o.Label != agentLabel || o.Record.IsZero() {
							t.Fatalf("%d: %s %v: a line of %s is %+v", i, name, m, path, o)
						}
					}
				}
			}
			w.verify()
		})
	}
}

// No line ever rises: whatever a tainted and a clean session do by turns, with releases,
// a line that the tainted one brought is never shown as an agent's own.
func TestNoLineRises(t *testing.T) {
	for seed := range uint64(4) {
		r := rand.New(rand.NewPCG(seed, 2))
		w := newWorld(t)
		clean, dirty := w.session("clean"), w.tainted("dirty")
		w.ok(clean, "create", "path", "/memories/a.md", "file_text", "mine 0\n")
		names := []string{"/memories/a.md", "/memories/b.md", "/memories/d/c.md"}
		for i := range 40 {
			h := []*memtool.Handler{clean, dirty}[r.IntN(2)]
			text := "mine"
			if h == dirty {
				text = "theirs"
			}
			name := names[r.IntN(len(names))]
			var reply memtool.Reply
			switch r.IntN(5) {
			case 0:
				reply = w.do(h, "create", "path", name, "file_text", fmt.Sprintf("%s %d\n", text, i))
			case 1, 2:
				reply = w.do(h, "insert", "path", name, "insert_line", r.IntN(2), "insert_text", fmt.Sprintf("%s %d\n", text, i))
			case 3:
				reply = w.do(h, "str_replace", "path", name, "old_str", " ", "new_str", " again ")
			case 4:
				reply = w.do(h, "rename", "old_path", name, "new_path", names[r.IntN(len(names))])
			}
			if _, id, ok := strings.Cut(reply.Text, "held for review as "); ok && r.IntN(2) == 0 {
				id, err := parseID(id)
				w.must(err)
				w.release(id)
			}
		}
		for path := range onDisk(t, w.dir) {
			for line, l := range w.labels(strings.TrimPrefix(path, "/memories/")) {
				if strings.HasPrefix(line, "theirs") && !l.Taint.Has("web") {
					t.Errorf("seed %d: %s: %q is %s", seed, path, line, l)
				}
			}
		}
		w.verify()
	}
}
