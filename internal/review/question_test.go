package review

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/event"
	"github.com/hearsay-memory/hearsay/guard"
	"github.com/hearsay-memory/hearsay/internal/instance"
	"github.com/hearsay-memory/hearsay/internal/reviewer"
	"github.com/hearsay-memory/hearsay/internal/term"
)

// plain prints into a buffer as on a terminal of 100 columns without colour.
func plain(out *bytes.Buffer) *term.Printer {
	return term.New(out, func(string) string { return "" }).WithWidth(100)
}

// inquire asks a question in the tainted session of [heldWalk].
func inquire(t *testing.T, in *instance.Instance, a guard.Action) hearsay.RecordID {
	t.Helper()
	c := in.Caller(hearsay.SurfaceHook)
	c.Session, c.Agent = "session-s1", "helper"
	got, err := in.Guard.Check(t.Context(), c, a)
	if err != nil || got.Verdict != hearsay.Ask {
		t.Fatalf("%+v, %v", got, err)
	}
	return got.ID
}

// How long a question waits is said by the clock that is given.
func TestWaitingQuestion(t *testing.T) {
	at := time.UnixMilli(1_800_000_000_000)
	a := &event.Action{State: event.ActionWaiting, Asked: at.UnixMilli(), Expires: at.Add(time.Hour).UnixMilli()}
	for passed, want := range map[time.Duration]string{
		0:                "waiting; asked just now, unanswered in 60m",
		30 * time.Second: "waiting; asked just now, unanswered in 60m",
		90 * time.Second: "waiting; asked 1m ago, unanswered in 59m",
	} {
		if got := stateOf(a, at.Add(passed)); got != want {
			t.Errorf("after %v: %q, want %q", passed, got, want)
		}
	}
}

// TestQuestionOnTerminal: a person sees what an action is done to, hidden characters
// too, none of which reaches the terminal; the facts have no word of it.
func TestQuestionOnTerminal(t *testing.T) {
	w, _ := heldWalk(t, "")
	target := "helm\x1b[2J up\u202egrade\n│ forged" + string([]rune{0xe0067, 0xe006f})
	id := inquire(t, w.in, guard.Action{Names: []string{"deploy.run"}, Tool: "Bash\x1b]0;x\x07", Target: target, Dir: "/srv/\u200bapp"})
	it, err := Load(t.Context(), w.in, id)
	if err != nil {
		t.Fatal(err)
	}
	var facts, words bytes.Buffer
	it.Facts(plain(&facts))
	it.Words(plain(&words))
	for _, want := range []string{id.String(), "deploy.run", "waiting; asked ", ", unanswered in ", "external (web)", "deploy.*: ask", "helper", "session-s1, by way of hook"} {
		if !strings.Contains(facts.String(), want) {
			t.Errorf("the facts lack %q:\n%s", want, facts.String())
		}
	}
	for _, foreign := range []string{"helm", "Bash", "srv"} {
		if strings.Contains(facts.String(), foreign) {
			t.Errorf("the facts have a stranger's words:\n%s", facts.String())
		}
	}
	for _, want := range []string{`│ helm\x1b[2J up<U+202E>grade`, "│ │ forged<U+E0067><U+E006F>", `Bash\x1b]0;x\x07`, "/srv/<U+200B>app"} {
		if !strings.Contains(words.String(), want) {
			t.Errorf("the words lack %q:\n%s", want, words.String())
		}
	}
	if all := facts.String() + words.String(); strings.ContainsAny(all, "\x1b\x07\u202e\u200b") {
		t.Errorf("a hidden character reaches the terminal: %q", all)
	}
}

// TestStateOf: people are told what became of a question.
func TestStateOf(t *testing.T) {
	now := time.UnixMilli(10_000_000)
	in := func(d time.Duration) int64 { return now.Add(d).UnixMilli() }
	for _, tc := range []struct {
		state   event.ActionState
		scope   string
		expires int64
		want    string
	}{
		{event.ActionWaiting, "", in(59*time.Minute + time.Second), "waiting; asked 1m ago, unanswered in 60m"},
		{event.ActionWaiting, "", in(0), "unanswered, which is a denial: nobody did until"},
		{event.ActionUnanswered, "", 0, "nobody could be asked"},
		{event.ActionApproved, event.ScopeOnce, in(time.Minute), "approved: this call, once, for 1m more"},
		{event.ActionApproved, event.ScopeDirectory, in(time.Minute), "approved: such actions in its directory, for 1m more"},
		{event.ActionApproved, event.ScopeOnce, in(0), "the approval ended at"},
		{event.ActionSpent, event.ScopeOnce, 0, "which is spent"},
		{event.ActionRefused, "", 0, "denied; asked 1m ago"},
	} {
		if got := stateOf(&event.Action{State: tc.state, Scope: tc.scope, Expires: tc.expires, Asked: in(-time.Minute)}, now); !strings.Contains(got, tc.want) {
			t.Errorf("%s, %s, %d: %q, want %q", tc.state, tc.scope, tc.expires, got, tc.want)
		}
	}
}

// TestDecisionIsAboutWhatWasSeen: a question that changes between the look and the
// signature is not decided.
func TestDecisionIsAboutWhatWasSeen(t *testing.T) {
	w, _ := heldWalk(t, "")
	id := inquire(t, w.in, guard.Action{Names: []string{"deploy.run"}, Target: "x"})
	signer, err := w.unlock()
	if err != nil {
		t.Fatal(err)
	}
	q, err := loadQuestion(t.Context(), w.in, id)
	if err != nil {
		t.Fatal(err)
	}
	for name, forge := range map[string]func(*event.Action){
		"bytes": func(a *event.Action) { a.Content = strings.Repeat("0", 64) },
		"label": func(a *event.Action) { a.Label = hearsay.LabelIdentity },
	} {
		saw := *q.Action
		forge(&saw)
		if _, err := w.in.DecideAction(t.Context(), signer, &saw, reviewer.ApproveAction, event.ScopeOnce, ""); !errors.Is(err, guard.ErrTampered) {
			t.Errorf("%s: %v, want that it changed", name, err)
		}
	}
	if became, err := q.Decide(t.Context(), w.in, signer, Choice{reviewer.Approve, event.ScopeDirectory, "fine"}); err != nil || !strings.Contains(became, "in its directory") {
		t.Errorf("%q, %v", became, err)
	}
	if got := fmt.Sprint(Choice{Decision: reviewer.Approve, Scope: event.ScopeDirectory}); got != "approve for the directory" {
		t.Errorf("%q", got)
	}
}
