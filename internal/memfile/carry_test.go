package memfile_test

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/event"
	"github.com/hearsay-memory/hearsay/guard"
	"github.com/hearsay-memory/hearsay/internal/memfile"
	"github.com/hearsay-memory/hearsay/internal/memfile/segment"
)

// carried are calls of our own on a file that has a line of the agent's and one of a
// page's.
func carried(at func(string) string) map[string][]memfile.Edit {
	base := []byte("# Notes\n" + mine + "\n" + theirs + "\n")
	return map[string][]memfile.Edit{
		"edit":   {{Path: at("m.md"), Old: "# Notes\n", New: "# All notes\n"}},
		"insert": {memfile.Insertion(at("m.md"), base, 2, "- new\n")},
		"create": {{Path: at("d/n.md"), New: "- new\n", Whole: true}},
		"delete": {{Path: at("m.md"), Old: string(base), Delete: true}},
		"rename": {{Path: at("m.md"), New: string(base), Whole: true, MoveTo: at("d/n.md")}},
	}
}

// letIn is a call that the guard lets a clean session make.
func letIn(ctx context.Context, g *guard.Guard, edits []memfile.Edit) (*memfile.Call, segment.Owner, hearsay.Caller, error) {
	c := caller()
	c.Session = "s2"
	if _, err := g.Open(ctx, c, guard.Start{}); err != nil {
		return nil, segment.Owner{}, c, err
	}
	call := &memfile.Call{Host: memfile.ByHearsay, Tool: "memory", Edits: edits, Base: make(map[string]string)}
	for _, name := range call.Paths() {
		data, err := memfile.Read(name)
		if err != nil {
			return nil, segment.Owner{}, c, err
		}
		call.Base[name] = memfile.Sum(data)
	}
	content, err := call.Encode()
	if err != nil {
		return nil, segment.Owner{}, c, err
	}
	d, err := g.Write(ctx, c, guard.Write{
		Store: memfile.Store, Source: hearsay.Source{Type: "agent"}, Namespace: hearsay.Namespace{"files"}, Op: event.Update, Tool: "memory",
		Items: memfile.Items(edits), Texts: []string{"- new"}, Content: content, Takes: true,
	})
	if err == nil && d.Standing != hearsay.Allowed {
		err = errors.New("the write is " + d.Standing.String())
	}
	return call, segment.Owner{Record: d.ID, Label: d.Verdict.Label}, c, err
}

// carryChild carries out a call until it dies.
func carryChild(dir, key, which, step string) error {
	_, g, err := openGuard(context.Background(), dir, key)
	if err != nil {
		return err
	}
	edits := carried(func(name string) string { return filepath.ToSlash(filepath.Join(dir, "w", name)) })[which]
	call, by, c, err := letIn(context.Background(), g, edits)
	if err != nil {
		return err
	}
	_, err = memfile.CarryAt(context.Background(), g, c, by, call, func(reached string) {
		if reached == step {
			die()
		}
	})
	return err
}

// base makes a file with a line of the agent's own and one of a page's.
func (w *world) base() {
	w.t.Helper()
	w.put("m.md", "# Notes\n"+mine+"\n")
	w.settle("m.md", true)
	w.release(memfile.Edit{Path: w.path("m.md"), Old: mine + "\n", New: mine + "\n" + theirs + "\n"})
	if d := w.deliver(); d.Delivery != hearsay.Applied {
		w.t.Fatalf("%+v", d)
	}
	w.end("s1")
}

// A process that carries out a call of our own is killed at each step. The call was made
// once or not at all and is sealed as applied or unknown, no byte is lost, and no line
// rises: not even where it moved to another file.
func TestCarryKilledAtEachStep(t *testing.T) {
	for which := range carried(func(name string) string { return name }) {
		for _, step := range memfile.Steps {
			if which == "delete" && step == "written" {
				continue
			}
			t.Run(which+" "+step, func(t *testing.T) {
				w := newWorld(t)
				w.base()
				w.killed("carry "+w.dir+" "+w.key+" "+which+" "+step, step)
				if step != "applied" {
					d := w.deliver()
					if d.Delivery != hearsay.Applied && d.Delivery != hearsay.UnknownDelivery || d.Warning != "" {
						t.Errorf("after the crash: %+v", d)
					}
				}
				if again, err := memfile.Deliver(t.Context(), w.guard, caller()); err != nil || len(again) != 0 {
					t.Errorf("again: %+v, %v", again, err)
				}
				here, there := w.text("m.md"), w.text("d/n.md")
				if which != "delete" && !strings.Contains(here+there, theirs+"\n") || which != "delete" && !strings.Contains(here+there, mine+"\n") {
					t.Errorf("a line is lost: %q, %q", here, there)
				}
				if strings.Count(here+there, "- new\n") > 1 {
					t.Errorf("it was made twice: %q, %q", here, there)
				}
				for _, name := range []string{"m.md", "d/n.md"} {
					w.checkMoved(name)
					w.settle(name, false)
					w.checkMoved(name)
					if left, _ := filepath.Glob(w.path(filepath.Dir(name) + "/.*hearsay-*")); len(left) > 0 {
						t.Errorf("left behind: %q", left)
					}
				}
				w.verify()
			})
		}
	}
}

// checkMoved wants that no line of a file is more trusted than who said it.
func (w *world) checkMoved(name string) {
	w.t.Helper()
	for line, l := range w.labels(name) {
		if line == theirs && !l.Taint.Has("web") || l.Origin > hearsay.Agent {
			w.t.Errorf("%s: %q is %s", name, line, l)
		}
	}
}

// What another program saves while a call is carried out is never taken for the call's.
func TestCarryBesideAnotherWriter(t *testing.T) {
	w := newWorld(t)
	w.base()
	call, by, c, err := letIn(t.Context(), w.guard, carried(w.path)["insert"])
	w.must(err)
	d, err := memfile.CarryAt(t.Context(), w.guard, c, by, call, func(step string) {
		if step == "made" {
			w.put("m.md", w.text("m.md")+"- by another\n")
		}
	})
	if err != nil || d.Delivery != hearsay.Applied {
		t.Fatalf("%+v, %v", d, err)
	}
	labels := w.labels("m.md")
	if l := labels["- by another"]; l.Origin != hearsay.Unverified {
		t.Errorf("what nobody was seen writing is %s", l)
	}
	if l := labels["- new"]; l.Origin != hearsay.Agent {
		t.Errorf("the call's line is %s", l)
	}
	w.verify()
}

// A call that an agent's own tool has under way is left to its host, and one of ours that
// is found under way is not.
func TestOnlyOursIsLookedFor(t *testing.T) {
	for host, done := range map[string]int{"claude": 0, memfile.ByHearsay: 1} {
		w := newWorld(t)
		w.base()
		call, _, _, err := letIn(t.Context(), w.guard, carried(w.path)["edit"])
		w.must(err)
		if host != memfile.ByHearsay {
			call.Host = host
			content, err := call.Encode()
			w.must(err)
			c := caller()
			c.Session = "s2"
			_, err = w.guard.Write(t.Context(), c, guard.Write{
				Store: memfile.Store, Source: hearsay.Source{Type: "agent"}, Namespace: hearsay.Namespace{"files"}, Op: event.Update, Tool: "Edit", Texts: []string{"x"}, Content: content,
			})
			w.must(err)
			done = 1 // the one of ours from before
		}
		got, err := memfile.Deliver(t.Context(), w.guard, caller())
		if err != nil || len(got) != done || got[0].Delivery != hearsay.UnknownDelivery {
			t.Errorf("%s: %+v, %v", host, got, err)
		}
	}
}

// A move that fails because somebody saved the file meanwhile leaves that file as it was
// saved, and nothing of the name that it should have had.
func TestMoveFails(t *testing.T) {
	w := newWorld(t)
	w.base()
	call, by, c, err := letIn(t.Context(), w.guard, carried(w.path)["rename"])
	w.must(err)
	saved := w.text("m.md") + "- by another\n"
	d, err := memfile.CarryAt(t.Context(), w.guard, c, by, call, func(step string) {
		if step == "placed" {
			w.put("m.md", saved)
		}
	})
	if err != nil || d.Delivery != hearsay.Failed || d.Conflict == "" {
		t.Fatalf("%+v, %v", d, err)
	}
	if got := w.text("m.md"); got != saved {
		t.Errorf("%q", got)
	}
	s, err := (&memfile.Tracker{Guard: w.guard, Caller: c}).Look(t.Context(), w.path("d/n.md"))
	w.must(err)
	if s.Data != nil || len(s.Before()) > 0 {
		t.Errorf("the new name is %q on disk and was %q", s.Data, s.Before())
	}
	w.checkMoved("m.md")
	w.verify()
}
