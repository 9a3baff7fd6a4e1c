package hook_test

import (
	"strings"
	"testing"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/internal/memfile"
	"github.com/hearsay-memory/hearsay/internal/memfile/segment"
	"github.com/hearsay-memory/hearsay/internal/reviewer"
)

// revoke withdraws records, and takes out what they put there.
func (w *world) revoke(ids ...hearsay.RecordID) map[hearsay.RecordID]memfile.Delivered {
	w.t.Helper()
	for _, id := range ids {
		st, err := w.guard.Statement(w.t.Context(), reviewer.Revoke, id, "")
		if err != nil {
			w.t.Fatal(err)
		}
		signed, err := w.signer.Sign(st)
		if err != nil {
			w.t.Fatal(err)
		}
		if _, err := w.guard.Revoke(w.t.Context(), signed); err != nil {
			w.t.Fatal(err)
		}
	}
	all, err := memfile.Deliver(w.t.Context(), w.guard, hearsay.Caller{Principal: "ana", Surface: hearsay.SurfaceCLI})
	if err != nil {
		w.t.Fatal(err)
	}
	out := make(map[hearsay.RecordID]memfile.Delivered)
	for _, d := range all {
		out[d.Record] = d
	}
	return out
}

// history is the recorded states of a file.
func (w *world) history(name string) *memfile.History {
	w.t.Helper()
	track := memfile.Tracker{Guard: w.guard, Caller: hearsay.Caller{Principal: "ana"}}
	h, err := track.History(w.t.Context(), w.expand(name))
	if err != nil {
		w.t.Fatal(err)
	}
	return h
}

// What a whole-file write dropped comes back with its owners when the write is revoked,
// whatever was added to the file since.
func TestMC106RevokedWriteGivesBack(t *testing.T) {
	owners := ownersFile(120)
	w := newWorld(t, "claude")
	w.file("MEMORY.md", owners)
	c := w.chat("s1")
	w.attest("$WORK/MEMORY.md", segment.Range{From: 3, To: 5})
	was := w.lines("$WORK/MEMORY.md")
	c.look("$WORK/MEMORY.md")
	c.wants("the rewrite", c.save("$WORK/MEMORY.md", "# Notes of the owner\n[rest of file unchanged]\n"), "deny")
	w.approveAll()
	w.process = "proc-2"
	w.chat("makes").look("$WORK/MEMORY.md")
	id := w.newest().ID
	if got := w.read("$WORK/MEMORY.md"); strings.Contains(got, "rule 50") {
		t.Fatalf("it was not written: %q", got)
	}
	h := w.history("$WORK/MEMORY.md")
	n, ok := h.Of(id)
	if !ok {
		t.Fatal("no state is of the write")
	}
	if v, err := h.State(n - 1); err != nil || string(v.Data) != owners {
		t.Fatalf("before it the file was %v, %v", v, err)
	}
	w.file("MEMORY.md", w.read("$WORK/MEMORY.md")+"- added by hand since\n")
	got := w.revoke(id)[id]
	if got.Delivery != hearsay.Withdrawn || got.Conflict != "" || got.Warning != "" {
		t.Errorf("%+v", got)
	}
	if got := w.read("$WORK/MEMORY.md"); got != owners+"- added by hand since\n" {
		t.Errorf("MEMORY.md is %q", got)
	}
	if got := w.lines("$WORK/MEMORY.md"); strings.Join(got[:120], "|") != strings.Join(was, "|") || got[120] != "unverified" {
		t.Errorf("lines of %v, want %v and one more", got, was)
	}
	w.verify()
}

// An allowed write of a clean session, a deletion and a new file are taken back alike.
func TestMC106RevokeWhatWasAllowed(t *testing.T) {
	w := newWorld(t, "claude")
	c := w.chat("s1")
	c.wants("notes", c.save("$WORK/memory/a.md", "# A\n- one\n- two\n- three\n"), "")
	first := w.newest().ID
	c.wants("a rewrite", c.save("$WORK/memory/a.md", "# A\n- four\n"), "")
	second := w.newest().ID
	c.wants("an edit to nothing", c.call("Edit", input{"file_path": "$WORK/memory/a.md", "old_string": "# A\n- four\n", "new_string": ""}, input{}), "")
	third := w.newest().ID
	if got := w.read("$WORK/memory/a.md"); got != "" {
		t.Fatalf("it is %q", got)
	}
	w.revoke(third)
	if got := w.read("$WORK/memory/a.md"); got != "# A\n- four\n" {
		t.Errorf("without the deletion it is %q", got)
	}
	w.wantLines("$WORK/memory/a.md", "agent", "agent")
	w.revoke(second)
	if got := w.read("$WORK/memory/a.md"); got != "# A\n- one\n- two\n- three\n" {
		t.Errorf("without the rewrite it is %q", got)
	}
	w.revoke(first)
	if got := w.read("$WORK/memory/a.md"); got != "(none)" {
		t.Errorf("without the first write it is %q", got)
	}
	w.verify()
}

// Two writes that are withdrawn together give back what was there before the first, and
// nothing of each other.
func TestMC106RollbackOfSeveral(t *testing.T) {
	const owners = "# Notes\n- of the owner\n- of the owner too\n"
	for name, order := range map[string][]int{"oldest first": {0, 1}, "newest first": {1, 0}} {
		w := newWorld(t, "claude")
		w.file("MEMORY.md", owners)
		c := w.chat("s1")
		c.look("$WORK/MEMORY.md")
		var ids []hearsay.RecordID
		for _, text := range []string{"# Notes\n- the first rewrite\n", "# Notes\n- a second one of it\n"} {
			c.wants("a rewrite", c.save("$WORK/MEMORY.md", text), "")
			ids = append(ids, w.newest().ID)
		}
		w.revoke(ids[order[0]], ids[order[1]])
		if got := w.read("$WORK/MEMORY.md"); got != owners {
			t.Errorf("%s: MEMORY.md is %q", name, got)
		}
		w.wantLines("$WORK/MEMORY.md", "unverified", "unverified", "unverified")
		w.verify()
	}
	// One after the other: what comes back is never of a write that is withdrawn.
	w := newWorld(t, "claude")
	w.file("MEMORY.md", owners)
	c := w.chat("s1")
	c.look("$WORK/MEMORY.md")
	c.wants("a rewrite", c.save("$WORK/MEMORY.md", "# Notes\n- the first rewrite\n"), "")
	first := w.newest().ID
	c.wants("a rewrite", c.save("$WORK/MEMORY.md", "# Notes\n- a second one of it\n"), "")
	second := w.newest().ID
	if got := w.revoke(first)[first]; !strings.Contains(got.Warning, "hearsay diff") {
		t.Errorf("%+v: want to be told what was not put back", got)
	}
	w.revoke(second)
	if got := w.read("$WORK/MEMORY.md"); got != "# Notes\n" {
		t.Errorf("MEMORY.md is %q", got)
	}
	if v, err := w.history("$WORK/MEMORY.md").State(0); err != nil || string(v.Data) != owners {
		t.Errorf("the first state is %v, %v", v, err)
	}
	w.verify()
}

// Where the place changed since, what was dropped is not put back by guess: it is told,
// and kept.
func TestMC106PlaceChangedSince(t *testing.T) {
	w := newWorld(t, "claude")
	w.file("MEMORY.md", "# Notes\n- alpha of the owner\n- beta\n- omega\n")
	c := w.chat("s1")
	c.look("$WORK/MEMORY.md")
	c.wants("a rewrite", c.save("$WORK/MEMORY.md", "# Notes\n- gamma\n- delta\n- omega\n"), "")
	id := w.newest().ID
	w.file("MEMORY.md", "# Notes\n- gamma, says the owner\n- omega\n")
	got := w.revoke(id)[id]
	if !strings.Contains(got.Warning, "2 lines that the write replaced were not put back") {
		t.Errorf("%+v", got)
	}
	if got := w.read("$WORK/MEMORY.md"); got != "# Notes\n- gamma, says the owner\n- omega\n" {
		t.Errorf("MEMORY.md is %q", got)
	}
	h := w.history("$WORK/MEMORY.md")
	n, _ := h.Of(id)
	if v, err := h.State(n - 1); err != nil || !strings.Contains(string(v.Data), "alpha") {
		t.Errorf("the file before it is %v, %v", v, err)
	}
	// Where somebody put it back by hand it is not put there twice.
	w = newWorld(t, "claude")
	w.file("MEMORY.md", "# Notes\n- alpha of the owner\n- omega\n")
	c = w.chat("s1")
	c.look("$WORK/MEMORY.md")
	c.wants("a rewrite", c.save("$WORK/MEMORY.md", "# Notes\n- gamma\n- omega\n"), "")
	id = w.newest().ID
	w.file("MEMORY.md", "# Notes\n- gamma\n- omega\n- alpha of the owner\n")
	if got := w.revoke(id)[id]; got.Warning != "" {
		t.Errorf("%+v", got)
	}
	if got := w.read("$WORK/MEMORY.md"); got != "# Notes\n- omega\n- alpha of the owner\n" {
		t.Errorf("MEMORY.md is %q", got)
	}
	w.verify()
}

// What changed without a recorded write is in the history too.
func TestMC106DriftIsKept(t *testing.T) {
	w := newWorld(t, "claude")
	states := []string{"# Notes\n- one\n", "# Notes\n- two\n", "", "# Notes\n- three\n- two\n"}
	c := w.chat("s1")
	for _, text := range states {
		w.file("MEMORY.md", text)
		c.run("ls")
	}
	h := w.history("$WORK/MEMORY.md")
	for i, want := range states {
		if v, err := h.State(i); err != nil || string(v.Data) != want {
			t.Errorf("state %d: %v, %v, want %q", i, v, err, want)
		}
	}
	if _, err := h.State(-1); err == nil {
		t.Error("what was there before the first look is known")
	}
}
