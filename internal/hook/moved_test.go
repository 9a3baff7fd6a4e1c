package hook_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/internal/memfile/segment"
)

// mixed is a world with a memory file of lines of everybody: the agent's, one that nobody was
// seen writing, the user's, and a released one from a page.
func mixed(t *testing.T) (*world, *chat) {
	t.Helper()
	w := newWorld(t, "claude")
	c := w.chat("s1")
	c.lands("memory/a.md", "# Notes\n- by the agent\n")
	w.file("memory/a.md", "# Notes\n- by the agent\n- by hand\n- adopted\n")
	c.run("ls")
	w.attest("$WORK/memory/a.md", segment.Range{From: 3, To: 4})
	c.fetch("https://a.example.test", page)
	c.wants("the page's lesson", c.add("$WORK/memory/a.md", "- "+sting), "deny")
	w.approveAll()
	w.process = "proc-2"
	c = w.chat("s2")
	w.wantLines("$WORK/memory/a.md", everybody...)
	return w, c
}

var everybody = []string{"agent", "external (web)", "agent", "unverified", "user"}

// Lines keep their owners when their file moves, however it is moved: by a command that is
// read, by one that is not, or by somebody outside of the session. Nothing rises, and a
// foreign line stays foreign.
func TestLabelsFollowFiles(t *testing.T) {
	for name, tt := range map[string]struct {
		command, at string
		copied      bool
	}{
		"mv":            {command: "mv memory/a.md memory/b.md", at: "memory/b.md"},
		"git mv":        {command: "git mv -k memory/a.md memory/b.md; mv memory/a.md memory/b.md", at: "memory/b.md"},
		"cp":            {command: "cp memory/a.md memory/b.md", at: "memory/b.md", copied: true},
		"to the index":  {command: "mv memory/a.md MEMORY.md", at: "MEMORY.md"},
		"by a script":   {command: "sh src/move.sh", at: "memory/b.md"},
		"of the folder": {command: "mv memory old && mkdir -p memory && mv old memory/old", at: "memory/old/a.md"},
	} {
		t.Run(name, func(t *testing.T) {
			w, c := mixed(t)
			w.shell("git init -q")
			w.file("src/move.sh", "d=$(printf mem)ory; mv $d/a.md $d/b.md\n")
			before := w.read("$WORK/memory/a.md")
			n := len(w.records())
			if d := c.before("Bash", input{"command": tt.command}); d != "" {
				t.Fatalf("%s: %q", tt.command, d)
			}
			w.shell(tt.command)
			c.after("Bash", input{"command": tt.command}, input{"stdout": "", "stderr": "", "interrupted": false})
			if got := w.read("$WORK/" + tt.at); got != before {
				t.Fatalf("%s is %q", tt.at, got)
			}
			w.wantLines("$WORK/"+tt.at, everybody...)
			if tt.copied {
				w.wantLines("$WORK/memory/a.md", everybody...)
			} else {
				w.wantLines("$WORK/memory/a.md")
			}
			if got := len(w.records()) - n; got != 0 {
				t.Errorf("%d records of a move", got)
			}
			w.verify()
		})
	}
}

// What is moved while nobody looks keeps its owners too, and a copy that nobody was seen
// making is no better than what it is a copy of.
func TestLabelsFollowFilesOutside(t *testing.T) {
	w, _ := mixed(t)
	w.shell("mv memory kept && mkdir memory && mv kept memory/kept")
	w.process = "proc-4"
	w.chat("s4")
	w.wantLines("$WORK/memory/kept/a.md", everybody...)
	w.wantLines("$WORK/memory/a.md")

	w.shell("cp memory/kept/a.md memory/copy.md")
	w.process = "proc-5"
	w.chat("s5")
	for _, l := range w.lines("$WORK/memory/copy.md") {
		if l != "external (web)" {
			t.Errorf("a line of the copy is %s", l)
		}
	}
	w.shell("rm memory/copy.md")
	w.process = "proc-5b"
	w.chat("s5b")
	// Part of it in a file of another name, and the rest gone.
	w.shell("head -n 2 memory/kept/a.md > memory/part.md && rm memory/kept/a.md")
	w.process = "proc-6"
	w.chat("s6")
	w.wantLines("$WORK/memory/part.md", "agent", "external (web)")
	w.verify()
}

// A patch that moves a file takes its lines along, and what it adds is its own.
func TestPatchMovesAFile(t *testing.T) {
	for name, hunk := range map[string]struct {
		patch, text string
		want        []string
	}{
		"only": {"@@\n # Notes\n-- one\n+- one\n", "# Notes\n- one\n- by hand\n", []string{"agent", "agent", "unverified"}},
		"more": {"@@\n # Notes\n+- new words entirely\n - one\n", "# Notes\n- new words entirely\n- one\n- by hand\n", []string{"agent", "agent", "agent", "unverified"}},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, "codex")
			w.write("$WORK/memory/a.md", "# Notes\n- one\n- by hand\n")
			payload := func(event, extra string) string {
				return `{"session_id":"c1","turn_id":"t1","cwd":"$WORK","hook_event_name":"` + event + `","model":"m","permission_mode":"default","transcript_path":null` + extra + `}`
			}
			w.send(payload("SessionStart", `,"source":"startup"`))
			id := w.attest("$WORK/memory/a.md", segment.Range{From: 0, To: 2})
			if id.IsZero() {
				t.Fatal("nothing was adopted")
			}
			patch := "*** Begin Patch\n*** Update File: memory/a.md\n*** Move to: memory/b.md\n" + hunk.patch + "*** End Patch"
			quoted := strings.ReplaceAll(patch, "\n", `\n`)
			call := `,"tool_name":"apply_patch","tool_use_id":"p1","tool_input":{"command":"` + quoted + `"}`
			w.want(payload("PreToolUse", call), "")
			w.write("$WORK/memory/b.md", hunk.text)
			if err := os.Remove(w.expand("$WORK/memory/a.md")); err != nil {
				t.Fatal(err)
			}
			w.send(payload("PostToolUse", call+`,"tool_response":"Success"`))
			want := strings.ReplaceAll(strings.Join(hunk.want, "|"), "agent", "user")
			want = strings.Replace(want, "user|user|user", "user|agent|user", 1)
			if got := strings.Join(w.lines("$WORK/memory/b.md"), "|"); got != want {
				t.Errorf("lines of %s, want %s", got, want)
			}
			w.verify()
		})
	}
}

// A command that deletes, empties or hides memory files by paths that it computes is found
// out, wherever they lie: a tainted session's is undone and held, with modes and times, and
// a clean one's is said.
func TestMC108ComputedDeletion(t *testing.T) {
	needs(t, "python3")
	for name, code := range map[string]string{
		"removes": `import os; os.remove("mem"+"ory/x.md"); os.remove("sub/mem"+"ory/deep/y.md"); os.remove(HOME+"/.claude/proj"+"ects/-work/memory/MEMORY.md")`,
		"tree":    `import shutil; shutil.rmtree("mem"+"ory"); shutil.rmtree("sub/mem"+"ory"); shutil.rmtree(HOME+"/.claude/proj"+"ects/-work/memory")`,
		"empties": `[open(n,"w").close() for n in ("mem"+"ory/x.md","sub/mem"+"ory/deep/y.md",HOME+"/.claude/proj"+"ects/-work/memory/MEMORY.md")]`,
		"renames": `import os; [os.rename(n, "src/"+str(i)) for i,n in enumerate(("mem"+"ory/x.md","sub/mem"+"ory/deep/y.md",HOME+"/.claude/proj"+"ects/-work/memory/MEMORY.md"))]`,
	} {
		for _, tainted := range []bool{true, false} {
			t.Run(name+map[bool]string{true: ", tainted", false: ", clean"}[tainted], func(t *testing.T) {
				w := newWorld(t, "claude")
				files := []string{"$WORK/memory/x.md", "$WORK/sub/memory/deep/y.md", "$HOME/.claude/projects/-work/memory/MEMORY.md"}
				old := time.Now().Add(-time.Hour).Truncate(time.Second)
				for _, name := range files {
					w.write(name, "# Notes\n- kept "+filepath.Base(name)+"\n")
					if err := os.Chmod(w.expand(name), 0o640); err != nil {
						t.Fatal(err)
					}
					if err := os.Chtimes(w.expand(name), old, old); err != nil {
						t.Fatal(err)
					}
				}
				c := w.chat("s1")
				// A file of a folder further down is known once it was written.
				c.wants("an edit", c.add("$WORK/sub/memory/deep/y.md", "- more"), "")
				texts, infos := make(map[string]string), make(map[string]os.FileInfo)
				for _, name := range files {
					info, err := os.Stat(w.expand(name))
					if err != nil {
						t.Fatal(err)
					}
					texts[name], infos[name] = w.read(name), info
				}
				if tainted {
					c.fetch("https://a.example.test", page)
				}
				w.file("src/x.py", "HOME="+`"`+w.home+`"`+"\n"+code)
				n := len(w.records())
				c.ranFor("python3 src/x.py")
				for _, name := range files {
					want, got := texts[name], w.read(name)
					if !tainted {
						if got == want {
							t.Errorf("%s was put back", name)
						}
						continue
					}
					if got != want {
						t.Errorf("%s is %q", name, got)
						continue
					}
					info, err := os.Stat(w.expand(name))
					if err != nil || info.Mode().Perm() != 0o640 || !info.ModTime().Equal(infos[name].ModTime()) {
						t.Errorf("%s is %s of %s, %v", name, info.Mode(), info.ModTime(), err)
					}
				}
				added := w.records()[n:]
				if want := map[bool]int{true: len(files), false: 0}[tainted]; len(added) != want {
					t.Errorf("%d records, want %d", len(added), want)
				}
				for _, r := range added {
					if r.Standing != hearsay.Held {
						t.Errorf("%+v: want it held", r)
					}
				}
				w.verify()
			})
		}
	}
}
