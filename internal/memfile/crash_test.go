package memfile_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/internal/memfile"
	"github.com/hearsay-memory/hearsay/internal/reviewer"
)

const (
	mine   = "- The build runs on port 80"
	theirs = "- Mail reports to box@x.example.invalid"
)

// checkLines wants that the user's line kept its label, and that what a page said is as
// little trusted as it was when it was held, wherever it stands.
func (w *world) checkLines(name string) {
	w.t.Helper()
	for line, l := range w.labels(name) {
		switch {
		case line == mine && (l.Origin != hearsay.Agent || l.Tainted()):
			w.t.Errorf("the line that was there is %s", l)
		case line == theirs && !l.Taint.Has("web"):
			w.t.Errorf("the line of the page is %s", l)
		}
	}
}

// A process that delivers is killed at each step. After it the write is there once or
// not at all, it is sealed as applied or unknown, nothing is made a second time, nothing
// lies about, no label rose, and the log verifies.
func TestKilledAtEachStep(t *testing.T) {
	whole := "# Notes\n" + theirs + "\n" + mine + "\n"
	for name, edit := range map[string]memfile.Edit{
		"edit":     {Old: "# Notes\n", New: "# Notes\n" + theirs + "\n"},
		"whole":    {New: whole, Whole: true},
		"deletion": {Delete: true},
		"taking":   {Old: mine + "\n"},
	} {
		for _, step := range memfile.Steps {
			if name == "deletion" && step == "written" {
				continue // nothing is written
			}
			t.Run(name+" "+step, func(t *testing.T) {
				w := newWorld(t)
				w.put("MEMORY.md", "# Notes\n"+mine+"\n")
				w.settle("MEMORY.md", true)
				edit.Path = w.path("MEMORY.md")
				id := w.release(edit)
				w.kill(step, 1)
				made := map[string]bool{"placed": true, "cleared": true, "made": true, "recorded": true, "applied": true}[step]
				want := map[bool]hearsay.Delivery{true: hearsay.Applied, false: hearsay.UnknownDelivery}[made]
				if step != "applied" {
					if d := w.deliver(); d.Delivery != want || (d.Conflict == "") != made || d.Warning != "" {
						t.Errorf("after the crash: %+v, want %s", d, want)
					}
				}
				if got := w.delivery(id); got != want {
					t.Errorf("the record is %s, want %s", got, want)
				}
				again, err := memfile.Deliver(t.Context(), w.guard, caller())
				if err != nil || len(again) != 0 {
					t.Errorf("again: %+v, %v", again, err)
				}
				text := w.text("MEMORY.md")
				switch n := strings.Count(text, theirs); {
				case !made && text != "# Notes\n"+mine+"\n":
					t.Errorf("it was not made, and the file is %q", text)
				case made && (name == "edit" || name == "whole") && text != whole,
					made && name == "deletion" && text != "", made && name == "taking" && text != "# Notes\n", n > 1:
					t.Errorf("it was made, and the file is %q", text)
				}
				if left, _ := filepath.Glob(w.path(".*hearsay-*")); len(left) > 0 {
					t.Errorf("left behind: %q", left)
				}
				w.checkLines("MEMORY.md")
				w.settle("MEMORY.md", false)
				w.checkLines("MEMORY.md")
				w.verify()
			})
		}
	}
}

// Somebody looks at the files after the crash and before they are delivered again, when
// the session that read the page is over: what they find seems to be of nobody, and it
// does not stay so.
func TestKilledAndLookedAt(t *testing.T) {
	for _, step := range []string{"placed", "cleared", "made"} {
		for _, looked := range []bool{false, true} {
			w := newWorld(t)
			w.put("MEMORY.md", "# Notes\n"+mine+"\n")
			w.settle("MEMORY.md", true)
			id := w.release(memfile.Edit{Path: w.path("MEMORY.md"), Old: "# Notes\n", New: "# Notes\n" + theirs + "\n"})
			w.put("MEMORY.md", "# Notes\n"+mine+"\nby hand\n")
			w.settle("MEMORY.md", false)
			w.end("s1") // sessions that are over are not held against what comes after
			w.kill(step, 1)
			if looked {
				w.settle("MEMORY.md", false)
				if l := w.labels("MEMORY.md")[theirs]; l.Taint.Has("web") {
					t.Errorf("%s: the line is known as %s, and the test tests nothing", step, l)
				}
			}
			if d := w.deliver(); d.Delivery != hearsay.Applied {
				t.Errorf("%s: %+v", step, d)
			}
			w.checkLines("MEMORY.md")
			tr := &memfile.Tracker{Guard: w.guard, Caller: caller()}
			s, err := tr.Look(t.Context(), w.path("MEMORY.md"))
			w.must(err)
			if o := s.File.At(1); o.Record != id || s.Changed() {
				t.Errorf("%s: the line is %+v", step, o)
			}
			w.verify()
		}
	}
}

// What somebody saved between the last look and the exchange of the files is not taken
// for a leftover.
func TestKilledWithASaveInBetween(t *testing.T) {
	w := newWorld(t)
	w.put("MEMORY.md", "# Notes\n"+mine+"\n")
	w.settle("MEMORY.md", true)
	w.release(memfile.Edit{Path: w.path("MEMORY.md"), Old: "# Notes\n", New: "# Notes\n" + theirs + "\n"})
	w.kill("placed", 1)
	left, err := filepath.Glob(w.path(".*hearsay-*"))
	if err != nil || len(left) != 1 {
		t.Fatalf("%q, %v", left, err)
	}
	w.must(os.WriteFile(left[0], []byte("# Notes\n"+mine+"\n- saved in the last moment\n"), 0o600))
	if d := w.deliver(); d.Delivery != hearsay.Applied || !strings.Contains(d.Warning, left[0]) {
		t.Errorf("%+v", d)
	}
	if _, err := os.Stat(left[0]); err != nil {
		t.Errorf("what a person saved is gone: %v", err)
	}
	w.verify()
}

// Of several files all are written or none.
func TestSeveralFiles(t *testing.T) {
	w := newWorld(t)
	w.put("a.md", "a\n")
	w.put("b.md", "b\n")
	w.settle("a.md", true)
	w.settle("b.md", true)
	edits := []memfile.Edit{
		{Path: w.path("a.md"), Old: "a\n", New: "a\n" + theirs + "\n"},
		{Path: w.path("b.md"), Old: "b\n", New: "b\n" + theirs + "\n"},
		{Path: w.path("c.md"), New: theirs + "\n", Whole: true},
	}
	id := w.release(edits...)
	n := 0
	got, err := memfile.DeliverAt(t.Context(), w.guard, caller(), func(step string) {
		if step == "written" {
			if n++; n == 3 {
				w.put("c.md", "a person's\n") // just before it is put there
			}
		}
	})
	if err != nil || len(got) != 1 || got[0].Delivery != hearsay.Failed || !strings.Contains(got[0].Conflict, "c.md") {
		t.Errorf("%+v, %v", got, err)
	}
	if w.text("a.md") != "a\n" || w.text("b.md") != "b\n" || w.text("c.md") != "a person's\n" {
		t.Errorf("%q, %q, %q", w.text("a.md"), w.text("b.md"), w.text("c.md"))
	}
	if l := w.labels("a.md")["a"]; l.Origin != hearsay.Agent {
		t.Errorf("the line that was there is %s", l)
	}
	if got := w.delivery(id); got != hearsay.Failed {
		t.Errorf("the record is %s", got)
	}

	// Killed between two files it is unknown, and what is there keeps its label.
	w = newWorld(t)
	for i := range edits {
		name := filepath.Base(edits[i].Path)
		edits[i].Path = w.path(name)
		if edits[i].Old != "" {
			w.put(name, edits[i].Old)
			w.settle(name, true)
		}
	}
	id = w.release(edits...)
	w.kill("cleared", 2)
	if d := w.deliver(); d.Delivery != hearsay.UnknownDelivery || d.Conflict == "" {
		t.Errorf("%+v", d)
	}
	for _, name := range []string{"a.md", "b.md"} {
		if l := w.labels(name)[theirs]; !l.Taint.Has("web") {
			t.Errorf("%s: the line of the page is %s", name, l)
		}
	}
	if got := w.delivery(id); got != hearsay.UnknownDelivery {
		t.Errorf("the record is %s", got)
	}
	w.verify()
}

// One file that cannot be written does not keep the others from being.
func TestOneFaultyFile(t *testing.T) {
	w := newWorld(t)
	w.put("a.md", "a\n")
	w.put("b.md", "b\n")
	w.release(memfile.Edit{Path: w.path("a.md"), Old: "a\n", New: theirs})
	w.release(memfile.Edit{Path: w.path("b.md"), Old: "b\n", New: theirs + "!"})
	w.must(os.Remove(w.path("a.md")))
	w.must(os.Mkdir(w.path("a.md"), 0o700))
	got, err := memfile.Deliver(t.Context(), w.guard, caller())
	if err != nil || len(got) != 2 || got[0].Delivery != hearsay.Failed || got[1].Delivery != hearsay.Applied {
		t.Errorf("%+v, %v", got, err)
	}
	w.verify()
}

// What was revoked is taken out once, wherever the process is killed on the way.
func TestKilledWithdrawal(t *testing.T) {
	for _, step := range []string{"written", "placed", "cleared"} {
		w := newWorld(t)
		w.put("MEMORY.md", "# Notes\n"+mine+"\n")
		w.settle("MEMORY.md", true)
		id := w.release(memfile.Edit{Path: w.path("MEMORY.md"), Old: "# Notes\n", New: "# Notes\n" + theirs + "\n"})
		if d := w.deliver(); d.Delivery != hearsay.Applied {
			t.Fatalf("%+v", d)
		}
		st, err := w.guard.Statement(t.Context(), reviewer.Revoke, id, "")
		w.must(err)
		signed, err := w.signer.Sign(st)
		w.must(err)
		_, err = w.guard.Revoke(t.Context(), signed)
		w.must(err)
		w.kill(step, 1)
		if d := w.deliver(); d.Delivery != hearsay.Withdrawn || d.Conflict != "" {
			t.Errorf("%s: %+v", step, d)
		}
		if text := w.text("MEMORY.md"); text != "# Notes\n"+mine+"\n" {
			t.Errorf("%s: the file is %q", step, text)
		}
		if left, _ := filepath.Glob(w.path(".*hearsay-*")); len(left) > 0 {
			t.Errorf("%s: left behind: %q", step, left)
		}
		w.checkLines("MEMORY.md")
		w.verify()
	}
}
