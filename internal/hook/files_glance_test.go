package hook_test

import (
	"context"
	"log/slog"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"
)

// A memory file that did not change is named at every session's start, though nothing of
// it is read anew but its bytes; and a command that changes it and sets its times back is
// found all the same.
func TestUnchangedFilesAreNotForgotten(t *testing.T) {
	if runtime.GOOS != "linux" && runtime.GOOS != "darwin" {
		t.Skip("the time of last change is not known here")
	}
	w := newWorld(t, "claude")
	w.write("$WORK/memory/a.md", "one line\nand two\n")
	w.write("$WORK/memory/b.md", "another\n")
	old := time.Now().Add(-time.Hour)
	for _, name := range []string{"$WORK/memory/a.md", "$WORK/memory/b.md"} {
		if err := os.Chtimes(w.expand(name), old, old); err != nil {
			t.Fatal(err)
		}
	}
	greeted := func(id string) {
		t.Helper()
		c := &chat{world: w, id: id}
		said := string(c.event("SessionStart", input{"source": "startup"}).Stdout)
		for _, part := range []string{"a.md (lines 1-2)", "b.md (lines 1)"} {
			if !strings.Contains(said, part) {
				t.Errorf("session %s starts with %s, want %q in it", id, said, part)
			}
		}
	}
	greeted("s1")
	time.Sleep(2100 * time.Millisecond) // what was written shortly before a look is read again
	greeted("s2")
	greeted("s3")
	c := &chat{world: w, id: "s3"}
	c.fetch("https://a.example.test", page)
	in := input{"command": "make notes"}
	c.wants("a command", c.before("Bash", in), "")
	if err := os.WriteFile(w.expand("$WORK/memory/a.md"), []byte("one lime\nand two\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(w.expand("$WORK/memory/a.md"), old, old); err != nil {
		t.Fatal(err)
	}
	c.after("Bash", in, input{"stdout": "", "stderr": ""})
	if got := w.read("$WORK/memory/a.md"); got != "one line\nand two\n" {
		t.Errorf("what the command changed stands there: %q", got)
	}
	if len(w.held()) != 1 {
		t.Errorf("%d records are held, want what was taken out", len(w.held()))
	}
}

// Where an event has no time left for a look at all files, a new file is not taken for
// what a command made, and what was not looked at is at the next event.
func TestALookWithoutTimeTakesNothingAway(t *testing.T) {
	w := newWorld(t, "claude")
	c := w.chat("s1")
	c.fetch("https://a.example.test", page)
	w.write("$WORK/memory/mine.md", "my own\n")
	e := w.event(c.payload("PreToolUse", input{"tool_name": "Bash", "tool_use_id": "late", "tool_input": input{"command": "make notes"}}))
	var log strings.Builder
	h := w.handler(w.work)
	h.Log = slog.New(slog.NewTextHandler(&log, nil))
	if _, err := h.Handle(nearlyOver{t.Context()}, e); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(log.String(), "no time to look") {
		t.Errorf("nothing is said of it: %s", &log)
	}
	if _, err := w.handler(w.work).Handle(t.Context(), w.event(c.payload("PostToolUse", input{"tool_name": "Bash", "tool_use_id": "late",
		"tool_input": input{"command": "make notes"}, "tool_response": input{"stdout": "", "stderr": ""}}))); err != nil {
		t.Fatal(err)
	}
	if got := w.read("$WORK/memory/mine.md"); got != "my own\n" || len(w.held()) != 0 {
		t.Errorf("a file that was there is %q, and %d are held", got, len(w.held()))
	}
	w.wantLines("$WORK/memory/mine.md", "external (web)")
}

// nearlyOver says that its time is about to end, and lasts for all that.
type nearlyOver struct{ context.Context }

func (nearlyOver) Deadline() (time.Time, bool) { return time.Now().Add(900 * time.Millisecond), true }

func TestIndexed(t *testing.T) {
	w := newWorld(t, "claude")
	files := w.files(w.work)
	for name, want := range map[string]bool{
		"$WORK/memory/a.md": true, "$WORK/memory/MEMORY.md": false, "$WORK/memory/a.txt": false, "$WORK/IDENTITY.md": false, "$WORK/README.md": false,
		"$WORK/src/README.md": false, "$HOME/.claude/projects/-work/memory/topic.md": true,
	} {
		if got := files.Indexed(files.Real(w.expand(name))); got != want {
			t.Errorf("%s: %v", name, got)
		}
	}
}
