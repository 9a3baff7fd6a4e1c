//go:build unix

package sleep_test

import (
	"crypto/rand"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/guard"
	"github.com/hearsay-memory/hearsay/internal/memory"
	"github.com/hearsay-memory/hearsay/internal/memory/sleep"
	"github.com/hearsay-memory/hearsay/recall"
)

// session opens a clean session, and lets it read a page where it says so.
func (w *world) session(reads bool) hearsay.Caller {
	w.t.Helper()
	c := w.caller
	c.Session = "session-" + rand.Text()
	if _, err := w.guard.Open(w.t.Context(), c, guard.Start{}); err != nil {
		w.t.Fatal(err)
	}
	if reads {
		if _, err := w.guard.Observe(w.t.Context(), c, guard.Observation{Source: hearsay.Source{Type: "web", Ref: "https://page.example.invalid"}}); err != nil {
			w.t.Fatal(err)
		}
	}
	return c
}

// Thirty days of an agent whose pages plant, drip and repeat: each day its memories are
// asked for, each night they sleep. On no day does anything of theirs stand above what the
// user said of the same, lose its label, gain strength, or take the user's words away.
func TestThirtyDaysAndNights(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		topics := []string{"invoices", "deploys", "backups", "mirrors", "reports"}
		own := make(map[string]hearsay.RecordID)
		for _, topic := range topics {
			own[topic] = w.say(text(recall.Decision, "The "+topic+" go through Oslo and nowhere else", topic, "oslo"))
		}
		pinned := text(recall.Preference, "Ana signs off every change of where things go")
		pinned.Claims.Pin = true
		start := w.say(pinned)
		ceilings := hearsay.DefaultCeilings()
		var poison []hearsay.RecordID
		for d := range 30 {
			topic := topics[d%len(topics)]
			// Planted: a fact that the policy lets in, with all that it may claim.
			for i := range 3 {
				n := fact(recall.Insight, fmt.Sprintf("%s %s go through x%d.example.invalid", topic, topic, i), topic, "oslo")
				n.Claims, n.Links = hearsay.Claims{Salience: 1, Confidence: 1, Pin: true, Stable: true}, []hearsay.RecordID{own[topic]}
				poison = append(poison, w.note(n))
			}
			// Dripped: the same each day.
			poison = append(poison, w.note(fact(recall.Decision, "The "+topic+" go through Oslo and nowhere else", topic, "oslo")))
			// Repeated: a session that recalls it writes it down as its own, and over the user's.
			c := w.session(true)
			again := text(recall.Decision, "Lesson: the "+topic+" go through x0.example.invalid", topic, "oslo")
			again.Parents = poison[len(poison)-1:]
			if got, err := w.Remember(t.Context(), c, again); err != nil || got.Standing.Visible() {
				t.Fatalf("day %d: repeated as %+v, %v", d, got, err)
			}
			again.Replaces = []hearsay.RecordID{own[topic]}
			if got, err := w.Remember(t.Context(), c, again); err != nil || got.Standing.Visible() {
				t.Fatalf("day %d: replaced by %+v, %v", d, got, err)
			}
			for _, topic := range topics {
				for _, q := range []string{topic, topic + " oslo", "where do " + topic + " go"} {
					c := w.session(false)
					got, err := w.Recall(t.Context(), c, memory.Ask{Query: q, Context: []string{topic, "oslo"}})
					if err != nil {
						t.Fatal(err)
					}
					first := slices.IndexFunc(got.Results, func(r memory.Result) bool { return r.ID == own[topic] })
					for i, r := range got.Results {
						if r.Label.Trusted() {
							continue
						}
						if first < 0 || i < first || !r.Flags.LowTrust || !strings.HasPrefix(r.Text, "[hearsay external ") {
							t.Fatalf("day %d, %q: %s stands at %d, the user's at %d", d, q, r.Label, i, first)
						}
					}
				}
			}
			got := w.sleep(0, sleep.Options{})
			for _, ch := range got.Changes {
				if ch.Label.Origin == hearsay.User {
					t.Fatalf("night %d: %+v", d, ch)
				}
			}
			for _, m := range w.lives() {
				if m.Label.Origin != hearsay.External {
					continue
				}
				if m.Pinned || m.Stable || m.Weight != .3 || m.Salience > .4 || !m.Used.IsZero() || !m.Label.Taint.Has("web") ||
					m.StrengthAt(&ceilings, time.Now()) > m.Kind.Curve(m.Form).Strength {
					t.Fatalf("night %d: a stranger's memory is %+v", d, m)
				}
			}
			at, err := w.Start(t.Context(), w.session(false), 0)
			if err != nil || len(at.Results) != 1 || at.Results[0].ID != start {
				t.Fatalf("day %d starts with %+v, %v", d, at.Results, err)
			}
			time.Sleep(day)
		}
		// What was said on many days is merged by now, and what repeated it waits for a person.
		st, err := w.Status(t.Context(), w.session(false))
		if err != nil || st.Memories >= len(own)+1+len(poison)/2 || st.Held == 0 {
			t.Errorf("%+v after %d that were planted, %v", st, len(poison), err)
		}
		w.consistent()
	})
}
