package guard_test

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/event"
	"github.com/hearsay-memory/hearsay/guard"
	"github.com/hearsay-memory/hearsay/internal/reviewer"
)

// deploy is a consequential action.
func deploy(target string) guard.Action {
	return guard.Action{Names: []string{"shell.execute", "deploy.run"}, Tool: "Bash", Target: target, Dir: "/srv/app", Args: []byte(target), Call: "call-" + target}
}

// check wants an answer.
func (w *world) check(c hearsay.Caller, a guard.Action, want hearsay.ActionVerdict) guard.ActionAnswer {
	w.t.Helper()
	got, err := w.Check(w.t.Context(), c, a)
	if err != nil {
		w.t.Fatal(err)
	}
	if got.Verdict != want {
		w.t.Fatalf("%v of a session %s: %s (%s), want %s", a.Names, got.Label, got.Verdict, got.Reason, want)
	}
	return got
}

// decide decides a question as the reviewer.
func (w *world) decide(d reviewer.Decision, id hearsay.RecordID, scope, note string) error {
	w.t.Helper()
	_, err := w.DecideAction(w.t.Context(), w.sign(w.ActionStatement(w.t.Context(), d, id, scope, note)), note)
	return err
}

func (w *world) consistent() {
	w.t.Helper()
	if rep := w.verify(); !rep.Consistent {
		w.t.Errorf("verify: %v", rep.Fault)
	}
}

func (w *world) size() int64 {
	w.t.Helper()
	head, err := w.store.Head(w.t.Context())
	if err != nil {
		w.t.Fatal(err)
	}
	return head.Frontier.Size()
}

func TestCleanSessionsAreNotAsked(t *testing.T) {
	w := newWorld(t, "default")
	c := w.session("ana", "session-1")
	before := w.size()
	for _, names := range [][]string{{"shell.execute"}, {"file.write"}, {"file.read"}} {
		w.check(c, guard.Action{Names: names, Target: "x"}, hearsay.AllowAction)
	}
	if after := w.size(); after != before {
		t.Errorf("harmless actions of a clean session made %d events", after-before)
	}
	w.check(c, deploy("helm upgrade"), hearsay.AllowAction)
	if after := w.size(); after != before+1 {
		t.Errorf("a privileged action made %d events, want 1", after-before)
	}
	w.check(c, guard.Action{Names: []string{"database.drop"}, Target: "main"}, hearsay.Ask)
	w.consistent()
}

func TestTaintedSessionsAreAsked(t *testing.T) {
	w := newWorld(t, "default")
	c := w.session("ana", "session-1")
	w.read(c, "https://news.example.test/a")
	w.check(c, guard.Action{Names: []string{"shell.execute"}, Target: "go test ./..."}, hearsay.AllowAction)
	got := w.check(c, deploy("helm upgrade"), hearsay.Ask)
	if got.State != event.ActionWaiting || got.Pattern != "deploy.*" || strings.Contains(got.Reason, "helm") {
		t.Errorf("%+v", got)
	}
	again := w.check(c, deploy("helm upgrade"), hearsay.Ask)
	if again.ID != got.ID {
		t.Error("the same question was asked twice")
	}
	if other := w.check(c, deploy("helm install"), hearsay.Ask); other.ID == got.ID {
		t.Error("two questions became one")
	}
	shown, err := w.ShowAction(t.Context(), got.ID)
	if err != nil || shown.Target != "helm upgrade" || shown.Dir != "/srv/app" {
		t.Errorf("%+v, %v", shown, err)
	}
	for _, name := range []string{"project.delete", "database.drop"} {
		d := w.check(c, guard.Action{Names: []string{name}, Target: "x"}, hearsay.Deny)
		if !d.Absolute {
			t.Errorf("%s is not denied for good", name)
		}
		for _, decision := range []reviewer.Decision{reviewer.ApproveAction, reviewer.Override} {
			if err := w.decide(decision, d.ID, event.ScopeOnce, "I want it"); err == nil {
				t.Errorf("%s lifted the denial of %s", decision, name)
			}
		}
	}
	w.consistent()
}

func TestApprovalIsSpentOnce(t *testing.T) {
	w := newWorld(t, "default")
	c := w.session("ana", "session-1")
	w.read(c, "https://news.example.test/a")
	q := w.check(c, deploy("helm upgrade"), hearsay.Ask)
	if err := w.decide(reviewer.ApproveAction, q.ID, event.ScopeOnce, ""); err != nil {
		t.Fatal(err)
	}
	if err := w.decide(reviewer.ApproveAction, q.ID, event.ScopeOnce, ""); err == nil {
		t.Error("an approved question was approved again")
	}
	w.check(c, deploy("helm rollback"), hearsay.Ask) // other arguments
	other := hearsay.Caller{Principal: "ben", Session: "session-1", Surface: c.Surface}
	w.read(other, "https://news.example.test/a")
	w.check(other, deploy("helm upgrade"), hearsay.Ask) // another principal
	agent := c
	agent.Agent = "nightly"
	w.check(agent, deploy("helm upgrade"), hearsay.Ask) // another agent

	got := make([]hearsay.ActionVerdict, 8)
	var wg sync.WaitGroup
	for i := range got {
		wg.Go(func() {
			a, err := w.Check(t.Context(), c, deploy("helm upgrade"))
			if err != nil {
				t.Error(err)
			}
			got[i] = a.Verdict
		})
	}
	wg.Wait()
	if n := len(slices.DeleteFunc(got, func(v hearsay.ActionVerdict) bool { return v != hearsay.AllowAction })); n != 1 {
		t.Errorf("one approval let %d of 8 calls go on", n)
	}
	w.consistent()
}

func TestApprovalOfADirectory(t *testing.T) {
	w := newWorld(t, "default")
	c := w.session("ana", "session-1")
	w.read(c, "https://news.example.test/a")
	q := w.check(c, deploy("helm upgrade"), hearsay.Ask)
	if err := w.decide(reviewer.ApproveAction, q.ID, event.ScopeDirectory, ""); err != nil {
		t.Fatal(err)
	}
	for i := range 3 {
		w.check(c, deploy(fmt.Sprintf("helm upgrade %d", i)), hearsay.AllowAction)
	}
	elsewhere := deploy("helm upgrade")
	elsewhere.Dir = "/srv/other"
	w.check(c, elsewhere, hearsay.Ask)
	more := deploy("helm upgrade")
	more.Names = append(more.Names, "shell.network")
	w.check(c, more, hearsay.Ask)
	w.consistent()
}

// An approval that was given while the session was clean, or had read less, is not
// spent by one that has read more.
func TestApprovalIsBoundToTheLabel(t *testing.T) {
	w := newWorld(t, "default")
	c := w.session("ana", "session-1")
	drop := guard.Action{Names: []string{"deploy.prod"}, Target: "x"}
	w.read(c, "https://news.example.test/a")
	q := w.check(c, drop, hearsay.Ask)
	if err := w.decide(reviewer.ApproveAction, q.ID, event.ScopeOnce, ""); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Observe(t.Context(), c, guard.Observation{Source: hearsay.Source{Type: "mcp:mail", Ref: "m1"}}); err != nil {
		t.Fatal(err)
	}
	w.check(c, drop, hearsay.Ask)

	clean := w.session("ana", "session-2")
	ask := guard.Action{Names: []string{"database.drop"}, Target: "scratch"}
	q = w.check(clean, ask, hearsay.Ask)
	if err := w.decide(reviewer.ApproveAction, q.ID, event.ScopeOnce, ""); err != nil {
		t.Fatal(err)
	}
	w.read(clean, "https://news.example.test/b")
	w.check(clean, ask, hearsay.Deny)
	w.consistent()
}

func TestWaitingQuestionsAreBounded(t *testing.T) {
	w := newWorld(t, "default")
	c := w.session("ana", "session-1")
	w.read(c, "https://news.example.test/a")
	var first guard.ActionAnswer
	for i := range 10 {
		a := w.check(c, deploy(fmt.Sprint(i)), hearsay.Ask)
		if i == 0 {
			first = a
		}
	}
	w.check(c, deploy("one too many"), hearsay.Deny)
	n := 0
	for _, err := range w.Waiting(t.Context(), "ana") {
		if err != nil {
			t.Fatal(err)
		}
		n++
	}
	if n != 10 {
		t.Errorf("%d questions wait, want 10", n)
	}
	if err := w.decide(reviewer.Reject, first.ID, "", ""); err != nil {
		t.Fatal(err)
	}
	w.check(c, deploy("now there is room"), hearsay.Ask)
	w.consistent()
}

func TestNobodyCanBeAsked(t *testing.T) {
	w := newWorld(t, "default")
	c := w.session("ana", "session-1")
	w.read(c, "https://news.example.test/a")
	a := deploy("helm upgrade")
	a.Unattended = true
	got := w.check(c, a, hearsay.Deny)
	if !got.Unanswered || got.State != event.ActionUnanswered {
		t.Errorf("%+v", got)
	}
	if err := w.decide(reviewer.ApproveAction, got.ID, event.ScopeOnce, ""); err == nil {
		t.Error("what nobody was asked about was approved")
	}
	w.consistent()
}

func TestOverrideNeedsAReason(t *testing.T) {
	w := newWorld(t, "default")
	c := w.session("ana", "session-1")
	w.read(c, "https://news.example.test/a")
	q := w.check(c, deploy("helm upgrade"), hearsay.Ask)
	if err := w.decide(reviewer.Override, q.ID, event.ScopeOnce, ""); err == nil {
		t.Error("an override without a reason was accepted")
	}
	if err := w.decide(reviewer.Override, q.ID, event.ScopeOnce, "production is down"); err != nil {
		t.Fatal(err)
	}
	w.check(c, deploy("helm upgrade"), hearsay.AllowAction)
	w.consistent()
}

// The host asked the person and let the call go on: the question does not wait any more.
func TestHostWentOn(t *testing.T) {
	w := newWorld(t, "default")
	c := w.session("ana", "session-1")
	w.read(c, "https://news.example.test/a")
	w.check(c, deploy("helm upgrade"), hearsay.Ask)
	if err := w.Went(t.Context(), c, "call-helm upgrade"); err != nil {
		t.Fatal(err)
	}
	for a := range w.Waiting(t.Context(), "ana") {
		t.Errorf("%s still waits", a.ID)
	}
	w.check(c, deploy("helm upgrade"), hearsay.Ask) // that yes was for one call
	w.consistent()
}

func TestBadQuestions(t *testing.T) {
	w := newWorld(t, "default")
	c := w.session("ana", "session-1")
	for name, a := range map[string]guard.Action{
		"no name":   {},
		"bad name":  {Names: []string{"rm -rf"}},
		"many":      {Names: slices.Repeat([]string{"a.b"}, 65)},
		"too large": {Names: []string{"shell.execute"}, Target: strings.Repeat("x", 1<<20)},
	} {
		if got, err := w.Check(t.Context(), c, a); err == nil || got.Verdict == hearsay.AllowAction {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
	// Malformed sources taint; they never vanish.
	got := w.check(c, guard.Action{Names: []string{"deploy.run"}, Target: "x", Sources: []hearsay.Source{{Type: "\x00"}}}, hearsay.Ask)
	if !got.Label.Taint.Has(hearsay.UnknownTag) {
		t.Errorf("label %s", got.Label)
	}
}

// What a session above took in counts, and so does one that is not there any more.
func TestSessionsAboveCount(t *testing.T) {
	w := newWorld(t, "default")
	c, above := w.session("ana", "session-1"), w.session("ana", "session-2")
	a := deploy("helm upgrade")
	a.Above = []guard.SessionKey{{Principal: "ana", ID: "session-2"}}
	w.check(c, a, hearsay.AllowAction)
	w.read(above, "https://news.example.test/a")
	if got := w.check(c, a, hearsay.Ask); !got.Label.Taint.Has("web") {
		t.Errorf("label %s", got.Label)
	}
	w.check(c, deploy("helm upgrade"), hearsay.AllowAction)
	a.Above = []guard.SessionKey{{Principal: "ana", ID: "nobody's"}}
	w.check(c, a, hearsay.Ask)
	w.consistent()
}

// Every question is listed once, whatever became of it, and one that nobody answered
// in time is unanswered.
func TestQuestionsAreListed(t *testing.T) {
	w := newWorld(t, "default")
	c := w.session("ana", "session-1")
	w.check(c, deploy("clean"), hearsay.AllowAction)
	w.read(c, "https://news.example.test/a")
	waits := w.check(c, deploy("one"), hearsay.Ask)
	refused := w.check(c, deploy("two"), hearsay.Ask)
	if err := w.decide(reviewer.Reject, refused.ID, "", ""); err != nil {
		t.Fatal(err)
	}
	denied := w.check(c, guard.Action{Names: []string{"database.drop"}, Target: "x"}, hearsay.Deny)
	got := make(map[hearsay.RecordID]*event.Action)
	for a, err := range w.Questions(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		if got[a.ID] != nil {
			t.Errorf("%s is listed twice", a.ID)
		}
		got[a.ID] = a
	}
	for id, state := range map[hearsay.RecordID]event.ActionState{waits.ID: event.ActionWaiting, refused.ID: event.ActionRefused, denied.ID: event.ActionRefused} {
		if a := got[id]; a == nil || guard.StateAt(a, a.Asked) != state {
			t.Errorf("%s: %+v, want %s", id, a, state)
		}
	}
	if len(got) != 3 {
		t.Errorf("%d questions, want 3", len(got))
	}
	if a := got[waits.ID]; a == nil || guard.StateAt(a, a.Expires) != event.ActionUnanswered {
		t.Errorf("a question whose time is up: %+v", a)
	}
}
