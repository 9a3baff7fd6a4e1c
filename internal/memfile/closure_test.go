package memfile

import (
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// tree is a file system of texts and links.
type tree struct {
	files, links map[string]string
	reads        int
}

func (tr *tree) reader() Reader {
	return Reader{
		Home: "/home/ana",
		Read: func(name string) (string, []byte, error) {
			tr.reads++
			for range 8 {
				to, ok := tr.links[name]
				if !ok {
					break
				}
				name = to
			}
			switch text, ok := tr.files[name]; {
			case ok && text == "unreadable":
				return name, nil, errors.New("permission denied")
			case ok:
				return name, []byte(text), nil
			}
			for n := range tr.files {
				if strings.HasPrefix(n, name+"/") {
					return name, nil, ErrFolder
				}
			}
			return name, nil, nil
		},
	}
}

func TestClosure(t *testing.T) {
	tr := &tree{
		files: map[string]string{
			"/w/CLAUDE.md":         "@docs/rules.md @~/mine.md @missing.md @/etc/rules @src `@code.md` @CLAUDE.md",
			"/w/docs/rules.md":     "@deeper.md @../other/b.md @rules.md",
			"/w/docs/deeper.md":    "@3.md",
			"/w/docs/3.md":         "@4.md",
			"/w/docs/4.md":         "@5.md",
			"/w/docs/5.md":         "@6.md",
			"/w/docs/6.md":         "",
			"/w/other/b.md":        "unreadable",
			"/w/src/main.go":       "",
			"/w/MEMORY.md":         "@topic.md @docs/rules.md",
			"/w/topic.md":          "@docs/4.md",
			"/w/AGENTS.md":         "@linked.md",
			"/w/real/instructions": "@beside.md",
		},
		links: map[string]string{"/w/GEMINI.md": "/w/real/instructions"},
	}
	var c Closure
	r := tr.reader()
	c.Follow("/w/MEMORY.md", Memory, r)
	if got := c.Class("/w/docs/6.md"); got != Memory {
		t.Errorf("what a topic of the memory imports is %d", got)
	}
	c.Follow("/w/CLAUDE.md", Protected, r)
	c.Follow("/w/GEMINI.md", Protected, r)
	for name, want := range map[string]Class{
		"/w/docs/rules.md": Protected, "/W/Docs/RULES.md": Protected, "/home/ana/mine.md": Protected, "/w/missing.md": Protected,
		"/etc/rules": Protected, "/w/src": Ordinary, "/w/code.md": Ordinary, "/w/docs/5.md": Protected, "/w/docs/6.md": Memory,
		"/w/other/b.md": Protected, "/w/topic.md": Memory, "/w/linked.md": Ordinary,
		"/w/real/instructions": Protected, "/w/real/beside.md": Protected, "/w/beside.md": Protected, "/w/README.md": Ordinary,
	} {
		if got := c.Class(name); got != want {
			t.Errorf("%s: %d, want %d", name, got, want)
		}
	}
	if c.Holds("/w/real") != Protected || c.Holds("/w/src") != Ordinary || c.Holds("/w/docs/") != Protected || c.Holds("/w/rea") != Ordinary {
		t.Error("folders")
	}
	if diff := cmp.Diff([]string{"/w/MEMORY.md", "/w/docs/6.md", "/w/topic.md"}, c.Names(Memory)); diff != "" {
		t.Error(diff)
	}
	if !c.Complete() {
		t.Error("it is not complete")
	}
	n := tr.reads
	c.Follow("/w/CLAUDE.md", Protected, r)
	if tr.reads > n+1 { // the folder is asked again
		t.Errorf("%d reads to follow a file twice", tr.reads-n)
	}
}

// Cycles end, each file is read once, and the number of files is bounded and told.
func TestClosureIsBounded(t *testing.T) {
	tr := &tree{files: make(map[string]string)}
	var all []string
	for i := range 10_000 {
		all = append(all, fmt.Sprintf("@%d.md", i))
	}
	for i := range 40 {
		tr.files[fmt.Sprintf("/w/%d.md", i)] = strings.Join(all[:900], " ")
	}
	tr.files["/w/CLAUDE.md"] = strings.Join(all[:900], " ")
	var c Closure
	c.Follow("/w/CLAUDE.md", Protected, tr.reader())
	if tr.reads > 901 || c.Class("/w/899.md") != Protected || !c.Complete() {
		t.Errorf("%d reads, complete %v", tr.reads, c.Complete())
	}
	tr.files["/w/0.md"] = strings.Join(all, " ")
	c = Closure{}
	c.Follow("/w/CLAUDE.md", Protected, tr.reader())
	if n := len(c.Names(Protected)); n > maxImported || c.Complete() {
		t.Errorf("%d files, complete %v", n, c.Complete())
	}
	tr.links = map[string]string{"/w/a": "/w/b", "/w/b": "/w/a"}
	c = Closure{}
	c.Follow("/w/a", Protected, tr.reader()) // links in a circle
	if c.Class("/w/a") != Protected {
		t.Error("a link in a circle is not guarded")
	}
}

// More imports never make a file less guarded.
func TestClosureOnlyGrows(t *testing.T) {
	names := []string{"a.md", "b.md", "c.md", "d.md"}
	for n := range 1 << 8 {
		tr := &tree{files: map[string]string{"/w/CLAUDE.md": "@a.md", "/w/MEMORY.md": "@b.md"}}
		for i, name := range names {
			var text []string
			for j, to := range names {
				if n>>(i*2)&3 == j {
					text = append(text, "@"+to)
				}
			}
			tr.files[path.Join("/w", name)] = strings.Join(text, " ")
		}
		var before, after Closure
		before.Follow("/w/MEMORY.md", Memory, tr.reader())
		before.Follow("/w/CLAUDE.md", Protected, tr.reader())
		tr.files["/w/CLAUDE.md"] += " @c.md"
		after.Follow("/w/CLAUDE.md", Protected, tr.reader())
		after.Follow("/w/MEMORY.md", Memory, tr.reader())
		for _, name := range slices.Concat(names, []string{"CLAUDE.md", "MEMORY.md"}) {
			if b, a := before.Class("/w/"+name), after.Class("/w/"+name); a < b {
				t.Fatalf("%s: %d, then %d with %v", name, b, a, tr.files)
			}
		}
	}
}
