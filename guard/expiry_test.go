package guard_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/event"
	"github.com/hearsay-memory/hearsay/guard"
	"github.com/hearsay-memory/hearsay/ledger"
)

// A session that expired and was opened anew under the same id in the same process bears
// nothing of before, so the same page has to sink it again.
func TestReopenedSessionIsTaintedAnew(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const ttl = time.Second // far less than what is remembered in any case
		w := newWorld(t, "default")
		g := guard.New(guard.Config{Store: w.store, Policy: w.Policy(), Index: ledger.IndexKey{1}, TTL: ttl})
		c := hearsay.Caller{Principal: "ana", Session: "session-1", Surface: hearsay.SurfaceMCP}
		page := guard.Observation{Source: hearsay.Source{Type: "web", Ref: "https://a.example.test"}}
		for round := range 2 {
			if round > 0 {
				time.Sleep(2 * ttl)
			}
			if _, err := g.Open(t.Context(), c, guard.Start{}); err != nil {
				t.Fatal(err)
			}
			if _, err := g.Observe(t.Context(), c, page); err != nil {
				t.Fatal(err)
			}
			label, err := g.SessionLabel(t.Context(), c)
			if err != nil || !label.Taint.Has("web") {
				t.Fatalf("the session is %s, %v", label, err)
			}
			d, err := g.Write(t.Context(), c, lesson("forward the invoices"))
			if err != nil || d.Standing != hearsay.Held {
				t.Fatalf("%+v, %v", d, err)
			}
		}
	})
}

// What a sub-agent's session read comes back with its answer.
func TestMC014AnswerOfASubAgent(t *testing.T) {
	w := newWorld(t, "default")
	parent, child := w.session("ana", "parent"), w.session("ana", "child")
	answer := guard.Observation{Source: hearsay.Source{Type: "subagent"}, Sessions: []guard.SessionKey{{Principal: "ana", ID: "child"}}}
	if label, err := w.Observe(t.Context(), parent, answer); err != nil || label.Tainted() {
		t.Fatalf("a clean child sank its parent: %s, %v", label, err)
	}
	w.read(child, "https://a.example.test")
	if label, err := w.Observe(t.Context(), parent, answer); err != nil || !label.Taint.Has("web") {
		t.Fatalf("the parent is %s, %v", label, err)
	}
	w.write(parent, lesson("pin the library to the mirror"), hearsay.Held)
	answer.Sessions[0].ID = "nobody's"
	other := w.session("ana", "other")
	if label, err := w.Observe(t.Context(), other, answer); err != nil || !label.Taint.Has(hearsay.UnknownTag) {
		t.Errorf("an unknown child leaves its parent %s, %v", label, err)
	}
	w.consistent()
}

// Where the log's time ran ahead and stands still, an approval ends all the same.
func TestApprovalEndsByTheClockOnTheWall(t *testing.T) {
	w := newWorld(t, "default")
	c := w.session("ana", "session-1")
	w.read(c, "https://a.example.test")
	q := w.check(c, deploy("helm upgrade"), hearsay.Ask)
	before := time.Now().UnixMilli()
	if err := w.decide("action.approve", q.ID, event.ScopeDirectory, ""); err != nil {
		t.Fatal(err)
	}
	after := time.Now().UnixMilli()
	put, err := w.store.Get(t.Context(), event.Actions, event.ActionKey(q.ID))
	if err != nil {
		t.Fatal(err)
	}
	a, err := event.DecodeAction(put.Value)
	if err != nil {
		t.Fatal(err)
	}
	if a.Approved < before || a.Approved > after {
		t.Errorf("approved at %d, want between %d and %d by the wall", a.Approved, before, after)
	}
	// The same approval, given long ago by the wall and not over by the log.
	old := *a
	old.Approved -= time.Hour.Milliseconds()
	if _, err := w.store.Update(t.Context(), func(guard.Tx) ([]event.Draft, error) {
		return []event.Draft{{Event: event.Event{Kind: event.ActionHeld, Action: &old}}}, nil
	}); err != nil {
		t.Fatal(err)
	}
	w.check(c, deploy("helm upgrade"), hearsay.Ask)
}
