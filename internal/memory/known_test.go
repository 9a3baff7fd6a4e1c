package memory_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/guard"
	"github.com/hearsay-memory/hearsay/internal/memory"
	"github.com/hearsay-memory/hearsay/internal/reviewer"
)

// imports is a memory of another program.
func imports(text string) memory.New {
	n := agents(text)
	n.Source = hearsay.Source{Type: "import", Ref: "/notes/a.md"}
	return n
}

func TestWhatIsImportedIsUnverified(t *testing.T) {
	w := newWorld(t)
	n := imports("The office opens at nine")
	n.Claims = hearsay.Claims{Salience: 1, Confidence: 1, Pin: true, Stable: true}
	d, err := w.Remember(t.Context(), w.session("ana", "session-1"), n)
	if err != nil {
		t.Fatal(err)
	}
	want := hearsay.Label{Origin: hearsay.Unverified, Taint: hearsay.Untainted}
	if d.Verdict.Label != want || !d.Standing.Visible() || len(d.Verdict.Clamps) != 4 {
		t.Errorf("%s as %s, %v", d.Standing, d.Verdict.Label, d.Verdict.Clamps)
	}
	tainted := w.session("ana", "session-2")
	w.read(tainted)
	w.remember(tainted, imports("The office opens at ten"), hearsay.Held)
}

// What is known is known whatever became of it, to its principal alone.
func TestKnown(t *testing.T) {
	w := newWorld(t)
	c := w.session("ana", "session-1")
	known := func(text string) []memory.Knowing {
		t.Helper()
		d := imports(text).Doc
		got, err := w.Known(t.Context(), &d)
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	const text = "The office opens at nine"
	if got := known(text); len(got) != 0 {
		t.Fatalf("known before: %v", got)
	}
	first := w.remember(c, imports(text), hearsay.Allowed)
	if got := known(text); len(got) != 1 || got[0].Record.ID != first || !got[0].Served {
		t.Errorf("served: %v", got)
	}
	titled := imports(text)
	titled.Title = "Opening hours"
	if got, err := w.Known(t.Context(), &titled.Doc); err != nil || len(got) != 0 {
		t.Errorf("another title is known: %v, %v", got, err)
	}
	mine, err := w.Adopt(t.Context(), hearsay.Caller{Principal: "ana", Surface: hearsay.SurfaceCLI}, first, w.sign)
	if err != nil {
		t.Fatal(err)
	}
	if got := known(text); len(got) != 2 || got[0].Served || !got[1].Served || got[1].Record.ID != mine.ID {
		t.Errorf("adopted: %v", got)
	}
	if _, err := w.Drop(t.Context(), hearsay.Caller{Principal: "ana", Surface: hearsay.SurfaceCLI}, memory.Forgetting{IDs: []hearsay.RecordID{mine.ID}}, w.sign); err != nil {
		t.Fatal(err)
	}
	for _, k := range known(text) {
		if k.Served {
			t.Errorf("%s is served, and it was forgotten", k.Record.ID)
		}
	}
	held := w.session("ana", "session-2")
	w.read(held)
	id := w.remember(held, imports("Held words"), hearsay.Held)
	w.review(reviewer.Reject, id)
	if got := known("Held words"); len(got) != 1 || got[0].Served || got[0].Record.Standing != hearsay.Rejected {
		t.Errorf("rejected: %v", got)
	}
	bo := w.memoryOf("bo")
	defer bo.Close()
	d := imports(text).Doc
	if got, err := bo.Known(t.Context(), &d); err != nil || len(got) != 0 {
		t.Errorf("another principal knows it: %v, %v", got, err)
	}
}

// A person adopts the exact words, with what the memory claimed and where it belongs.
func TestAdopt(t *testing.T) {
	w := newWorld(t)
	c := w.session("ana", "session-1")
	c.Project = "/src/shop"
	n := imports("Use the mirror")
	n.Title, n.Tags, n.Subject, n.Claims.Salience = "Mirror", []string{"net"}, "shop", .3
	id := w.remember(c, n, hearsay.Allowed)
	me := hearsay.Caller{Principal: "ana", Surface: hearsay.SurfaceCLI}
	r, err := w.Adopt(t.Context(), me, id, w.sign)
	if err != nil {
		t.Fatal(err)
	}
	got, err := w.Get(t.Context(), c, r.ID)
	if err != nil {
		t.Fatal(err)
	}
	if got.Label != hearsay.LabelIdentity || got.Text != n.Text || got.Title != n.Title || got.Subject != n.Subject || got.Project != c.Project ||
		got.Claims.Salience != .3 || got.Claims.Pin || len(got.Replaces) != 1 || got.Replaces[0] != id {
		t.Errorf("adopted: %+v", got.Memory)
	}
	if _, err := w.Get(t.Context(), c, id); !errors.Is(err, guard.ErrNotFound) {
		t.Errorf("the old one is served: %v", err)
	}
	for name, bad := range map[string]struct {
		id   hearsay.RecordID
		c    hearsay.Caller
		want string
	}{
		"again":           {id, me, "stands in the place of"},
		"one's own":       {r.ID, me, "your own word already"},
		"of nobody":       {hearsay.RecordID{6: 0x70, 8: 0x80}, me, "not found"},
		"somebody else's": {id, hearsay.Caller{Principal: "bo", Surface: hearsay.SurfaceCLI}, "another principal"},
	} {
		if _, err := w.Adopt(t.Context(), bad.c, bad.id, w.sign); err == nil || !strings.Contains(err.Error(), bad.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	tainted := w.session("ana", "session-2")
	w.read(tainted)
	held := w.remember(tainted, imports("Held words"), hearsay.Held)
	if _, err := w.Adopt(t.Context(), me, held, w.sign); !errors.Is(err, guard.ErrRefused) || strings.Contains(err.Error(), "Held words") {
		t.Errorf("held: %v", err)
	}
	w.review(reviewer.Revoke, r.ID)
	if _, err := w.Get(t.Context(), c, id); err != nil {
		t.Errorf("revoking the adoption did not bring it back: %v", err)
	}
}
