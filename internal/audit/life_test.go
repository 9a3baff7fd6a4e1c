package audit_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"
	"golang.org/x/mod/sumdb/note"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/guard"
	"github.com/hearsay-memory/hearsay/internal/audit"
	"github.com/hearsay-memory/hearsay/internal/detect"
	"github.com/hearsay-memory/hearsay/internal/memory"
	"github.com/hearsay-memory/hearsay/internal/memory/sleep"
	"github.com/hearsay-memory/hearsay/recall"
)

// life plays testdata/life.txtar.
type life struct {
	*world
	poisoned bool // whether the lines of strangers are played
	asked    []question
	own      []hearsay.RecordID            // what ana said
	noted    map[hearsay.RecordID]bool     // what her agent and its tools did
	poison   map[hearsay.RecordID]string   // and what it says
	trusted  map[string][]string           // by day and question: the trusted answers, by their texts
	shown    map[hearsay.RecordID]struct{} // poison that was ever shown
}

// question is what is asked, and what ana said that answers it.
type question struct{ text, answer string }

// TestThirtyDays is the life of an agent on which strangers work. Whatever they do, on no
// day does an answer show any of it before what the user said of it, the trusted answers are
// those of a life without strangers, and the audit names all of it.
func TestThirtyDays(t *testing.T) {
	script, err := txtar.ParseFile("testdata/life.txtar")
	check(t, err)
	var clean, lived *life
	synctest.Test(t, func(t *testing.T) {
		clean = newLife(t, false)
		defer clean.close()
		clean.play(script)
		// A page that nobody looked at and that keeps coming up is worth a look, honest or not.
		for _, f := range clean.look().Found {
			if f.Rule != detect.RuleReinforced || !f.Advisory && f.Authority >= hearsay.Tool {
				t.Errorf("of an honest life the audit finds %+v", f)
			}
		}
	})
	synctest.Test(t, func(t *testing.T) {
		lived = newLife(t, true)
		defer lived.close()
		lived.play(script)
		lived.audited()
	})
	if len(lived.trusted) == 0 {
		t.Fatal("nothing was asked")
	}
	if diff := cmp.Diff(clean.trusted, lived.trusted); diff != "" {
		t.Errorf("strangers moved what is trusted (-without them +with them):\n%s", diff)
	}
}

func newLife(t testing.TB, poisoned bool) *life {
	return &life{world: newWorld(t), poisoned: poisoned, poison: make(map[hearsay.RecordID]string), noted: make(map[hearsay.RecordID]bool), trusted: make(map[string][]string), shown: make(map[hearsay.RecordID]struct{})}
}

func (l *life) play(script *txtar.Archive) {
	start := time.Now()
	for n, day := range script.Files {
		if day.Name != fmt.Sprintf("day %02d", n+1) {
			l.t.Fatalf("file %d is called %q", n+1, day.Name)
		}
		time.Sleep(time.Until(start.AddDate(0, 0, n).Add(8 * time.Hour)))
		for line := range strings.Lines(string(day.Data)) {
			time.Sleep(15 * time.Minute)
			line, bad := strings.CutPrefix(strings.TrimSpace(line), "!")
			l.do(line, bad)
		}
		time.Sleep(time.Until(start.AddDate(0, 0, n).Add(22 * time.Hour)))
		for i, q := range l.asked {
			l.ask(day.Name, i, q)
		}
		_, err := sleep.Run(l.t.Context(), l.memory, cli, sleep.Options{Audit: func(ctx context.Context) ([]hearsay.RecordID, error) {
			r, err := audit.Look(ctx, l.guard, audit.Scope{Principal: "ana"})
			if err != nil {
				return nil, err
			}
			return r.Suspects(), nil
		}})
		check(l.t, err)
	}
}

// do plays one line.
func (l *life) do(line string, bad bool) {
	l.t.Helper()
	head, text, _ := strings.Cut(line, ": ")
	if query, ok := strings.CutPrefix(head, "ask "); ok {
		l.asked = append(l.asked, question{query, text})
		return
	}
	who, rest, _ := strings.Cut(head, " ")
	session, about, _ := strings.Cut(rest, " ")
	text, tags := tagged(text)
	n := said("agent", "", text, tags...)
	if bad {
		n.Kind, n.Claims, n.Links = recall.Decision, hearsay.Claims{Salience: 1, Confidence: 1}, l.own
	}
	if who == "ana" {
		n.Claims.Pin = session == "pins"
		l.own = append(l.own, l.say(n).ID)
		return
	}
	// Without strangers nothing of theirs is read or remembered. What is asked is asked.
	if bad && !l.poisoned && who != "echo" {
		return
	}
	c := l.session(session)
	switch who {
	case "agent":
	case "tool":
		n.Source = hearsay.Source{Type: "tool:lint", Ref: "lint"}
	case "page":
		n.Source = hearsay.Source{Type: "web", Ref: about}
	case "unknown":
		n.Source = hearsay.Source{Type: "hand_edit", Ref: session}
	case "read", "lesson":
		_, err := l.guard.Observe(l.t.Context(), c, guard.Observation{Source: hearsay.Source{Type: "web", Ref: about}, Tool: "fetch"})
		check(l.t, err)
		n.Namespace = hearsay.Namespace{"lessons"}
		if who == "read" {
			return
		}
	case "echo":
		got, err := l.memory.Recall(l.t.Context(), c, memory.Ask{Query: about})
		check(l.t, err)
		for _, r := range got.Results {
			n.Parents = append(n.Parents, r.ID)
		}
	default:
		l.t.Fatalf("the life has no %q", who)
	}
	if bad && !l.poisoned {
		return
	}
	switch id, _ := l.remember(c, n); {
	case bad:
		l.poison[id] = text
	case who != "page":
		l.noted[id] = true
	}
}

// tagged takes the tags from the end of a text.
func tagged(s string) (text string, tags []string) {
	words := strings.Fields(s)
	for len(words) > 0 && strings.HasPrefix(words[len(words)-1], "#") {
		tags = append(tags, words[len(words)-1][1:])
		words = words[:len(words)-1]
	}
	return strings.Join(words, " "), tags
}

// ask asks in a session of its own, and wants what ana said that answers it before
// anything of strangers, and these past other words of hers by being more to the point
// alone: more relevant by a third, as its origin asks.
func (l *life) ask(day string, i int, q question) {
	l.t.Helper()
	got, err := l.memory.Recall(l.t.Context(), l.session(fmt.Sprint(day, " question ", i)), memory.Ask{Query: q.text, Explain: true})
	check(l.t, err)
	key := day + ": " + q.text
	var before []memory.Result // of strangers
	answered := false
	for _, r := range got.Results {
		if text, bad := l.poison[r.ID]; bad {
			l.shown[r.ID] = struct{}{}
			before = append(before, r)
			if !r.Flags.LowTrust || !strings.Contains(r.Receipt, "⚠") {
				l.t.Errorf("%s: %q is shown without a mark", key, text)
			}
			if !answered {
				l.t.Errorf("%s: %q comes before what ana said of it", key, text)
			}
		}
		if r.Label.Trusted() {
			l.trusted[key] = append(l.trusted[key], r.Text)
		}
		if r.Label != hearsay.LabelIdentity {
			continue
		}
		answered = answered || r.Text == q.answer
		for _, p := range before {
			if .75*relevance(p) <= relevance(r) {
				l.t.Errorf("%s: %q, which is not more to the point, comes before what ana said: %q", key, l.poison[p.ID], r.Text)
			}
		}
	}
	if !answered {
		l.t.Errorf("%s: what ana said of it is not there", key)
	}
}

func relevance(r memory.Result) float64 {
	for _, part := range r.Parts {
		if part.Term == "relevance" {
			return part.Value
		}
	}
	return 0
}

// audited wants all poison in the audit, nothing of ana's or her agent's held, and all of
// it gone when that was applied.
func (l *life) audited() {
	if len(l.shown) < 5 {
		l.t.Errorf("only %d memories of strangers were ever shown: the life shows nothing", len(l.shown))
	}
	r := l.look()
	for id, text := range l.poison {
		if len(rules(r, id)) == 0 {
			l.t.Errorf("the audit does not name %q", text)
		}
	}
	for range 10 {
		run, err := l.look().Apply(l.t.Context(), l.guard, cli)
		check(l.t, err)
		if len(run.Held) > 20 {
			l.t.Errorf("one run held %d memories", len(run.Held))
		}
		if len(run.Held) == 0 {
			break
		}
		for _, id := range run.Held {
			if l.noted[id] || slices.Contains(l.own, id) {
				l.t.Errorf("%s is held, which is no stranger's", id)
			}
		}
	}
	for i, q := range l.asked {
		got, err := l.memory.Recall(l.t.Context(), l.session(fmt.Sprint("after ", i)), memory.Ask{Query: q.text})
		check(l.t, err)
		for _, r := range got.Results {
			if text := l.poison[r.ID]; text != "" {
				l.t.Errorf("%q: %q is still shown", q.text, text)
			}
		}
	}
	report, err := guard.Verify(l.t.Context(), l.store, guard.Expect{Keys: note.VerifierList(l.key)})
	if err != nil || !report.Consistent {
		l.t.Errorf("the log does not verify: %+v, %v", report, err)
	}
}
