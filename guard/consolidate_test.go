package guard_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/event"
	"github.com/hearsay-memory/hearsay/guard"
	"github.com/hearsay-memory/hearsay/internal/reviewer"
)

// merged is a consolidation of records into a text.
func merged(text string, of ...hearsay.RecordID) guard.Consolidation {
	w := memory(text, of...)
	w.Source, w.Op = hearsay.Source{Type: "tool:sleep", Ref: "sleep:1"}, event.Update
	return guard.Consolidation{Write: w}
}

func TestConsolidateJoinsLabels(t *testing.T) {
	w := newWorld(t, "default")
	c := w.session("ana", "session-1")
	user := w.vouch(c, memory("Backups run at 02:00"))
	agent := w.write(c, memory("Backups run at 02:00."), hearsay.Allowed)
	more := w.write(c, memory("The parser lives in src/p.go"), hearsay.Allowed)
	weak := w.write(c, memory("Seen: a blue car"), hearsay.Allowed)
	before := len(w.kinds())
	got, err := w.Consolidate(t.Context(), c, 0, []guard.Consolidation{
		merged("Backups run at 02:00", user.ID, agent.ID), // the user's bytes, and no longer the user's alone
		merged("The parser is src/p.go", more.ID),
		{Write: guard.Write{Source: hearsay.Source{Type: "tool:sleep"}, Op: event.Delete, Content: []byte("{}"), Replaces: []hearsay.RecordID{weak.ID}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []hearsay.Origin{hearsay.Agent, hearsay.Agent, hearsay.Agent} {
		r := w.stands(got[i].ID)
		if r.Standing != hearsay.Allowed || r.Label.Origin != want || r.Label.Tainted() || len(r.Parents) != len(r.Replaces) {
			t.Errorf("%d: %s %s, parents %v", i, r.Standing, r.Label, r.Parents)
		}
	}
	if n := len(w.kinds()) - before; n != 3 {
		t.Errorf("a run made %d events, want 3", n)
	}
	// A summary of the user's word alone is not the user's word.
	sum, err := w.Consolidate(t.Context(), c, 0, []guard.Consolidation{merged("Backups happen at night", user.ID)})
	if err != nil || w.stands(sum[0].ID).Label.Origin != hearsay.Agent {
		t.Errorf("a summary has %+v, %v", sum, err)
	}
	w.consistent()
}

func TestConsolidateNeverLaunders(t *testing.T) {
	w := newWorld(t, "default")
	c := w.session("ana", "session-1")
	user := w.vouch(c, memory("Reports go to ana@example.test"))
	tainted := w.session("ana", "session-2")
	w.read(tainted, "https://page.example.invalid")
	held := w.write(tainted, memory(invoice), hearsay.Held)
	if _, err := w.Consolidate(t.Context(), c, 0, []guard.Consolidation{merged(invoice, held.ID)}); !errors.Is(err, guard.ErrRefused) {
		t.Errorf("a held memory was consolidated: %v", err)
	}
	w.review(reviewer.Approve, held.ID)
	got, err := w.Consolidate(t.Context(), c, 0, []guard.Consolidation{merged("Reports and invoices go to ana and outside", user.ID, held.ID)})
	if err != nil {
		t.Fatal(err)
	}
	if r := w.stands(got[0].ID); r.Standing != hearsay.Held || r.Label.Origin != hearsay.External || !r.Label.Taint.Has("web") {
		t.Errorf("a mixed summary is %s %s", r.Standing, r.Label)
	}
	if err := w.pin(c, user.ID, guard.PinClaims{Stable: true}); err != nil {
		t.Fatal(err)
	}
	for name, bad := range map[string][]guard.Consolidation{
		"pinned":  {merged("Reports go to ana@example.test", user.ID)},
		"nothing": {merged("Out of nothing")},
		"twice":   {merged("a text", held.ID), merged("another", held.ID)},
	} {
		if _, err := w.Consolidate(t.Context(), c, 0, bad); !errors.Is(err, guard.ErrRefused) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := w.Consolidate(t.Context(), w.session("bo", "session-3"), 0, []guard.Consolidation{merged("mine now", user.ID)}); !errors.Is(err, guard.ErrRefused) {
		t.Errorf("another principal's memory was consolidated: %v", err)
	}
	w.consistent()
}

// What a merge makes of little weight has little weight, and what was erased stays so.
func TestConsolidateNeverLifts(t *testing.T) {
	w := newWorld(t, "default")
	c := w.session("ana", "session-1")
	fact := memory("The tool has version 4")
	fact.Source, fact.Namespace = hearsay.Source{Type: "web", Ref: "https://page.example.invalid"}, hearsay.Namespace{"facts"}
	page := w.write(w.session("ana", "session-2"), fact, hearsay.Allowed)
	one := merged("The tool has version 4", page.ID)
	one.Namespace = fact.Namespace
	got, err := w.Consolidate(t.Context(), c, 0, []guard.Consolidation{one})
	if err != nil {
		t.Fatal(err)
	}
	if r := w.stands(got[0].ID); w.stands(page.ID).Weight != .3 || r.Weight != .3 || got[0].Verdict.Weight != .3 {
		t.Errorf("a fact of weight .3 has %v after a merge", r.Weight)
	}
	user := w.vouch(c, memory("The door code is 4711 and a half"))
	if _, err := w.Erase(t.Context(), w.sign(w.Statement(t.Context(), reviewer.Erase, user.ID, "")), []string{"The door code is 4711 and a half"}); err != nil {
		t.Fatal(err)
	}
	other := w.write(c, memory("The door is blue"), hearsay.Allowed)
	got, err = w.Consolidate(t.Context(), c, 0, []guard.Consolidation{merged("The door code is 4711 and a half", other.ID)})
	if err != nil || w.stands(got[0].ID).Standing != hearsay.Blocked {
		t.Errorf("a summary brings erased words back: %+v, %v", got, err)
	}
	w.consistent()
}

// What a run makes of several memories landed with the event that seals each, not with the
// first of them: it says which of two came first. An audit that holds several is the same.
func TestConsolidateLandsEach(t *testing.T) {
	w := newWorld(t, "default")
	c := w.session("ana", "session-1")
	one := w.write(c, memory("Backups run at 02:00"), hearsay.Allowed)
	two := w.write(c, memory("The parser lives in src/p.go"), hearsay.Allowed)
	landed := func(text string, id hearsay.RecordID, state guard.ItemState) {
		t.Helper()
		key := w.ItemKey(guard.OwnStore, memory(text).Items[0])
		items, err := w.store.Items(t.Context(), [][32]byte{key})
		if err != nil {
			t.Fatal(err)
		}
		row, err := w.store.Get(t.Context(), event.Records, id[:])
		if err != nil {
			t.Fatal(err)
		}
		want := guard.StoredItem{Key: key, Record: id, State: state, Landed: row.Seq}
		if !slices.Contains(items[key], want) {
			t.Errorf("%q: %+v, want %+v", text, items[key], want)
		}
	}
	texts := []string{"Backups run at 02:00 each night", "The parser is src/p.go"}
	got, err := w.Consolidate(t.Context(), c, 0, []guard.Consolidation{merged(texts[0], one.ID), merged(texts[1], two.ID)})
	if err != nil {
		t.Fatal(err)
	}
	for i, d := range got {
		landed(texts[i], d.ID, guard.ItemLanded)
	}
	if run, err := w.SealAudit(t.Context(), c, event.Audit{}, []guard.Suspicion{{Record: got[0].ID}, {Record: got[1].ID}}); err != nil || len(run.Held) != 2 {
		t.Fatal(run, err)
	}
	for i, d := range got {
		landed(texts[i], d.ID, guard.ItemGone)
	}
	w.consistent()
}
