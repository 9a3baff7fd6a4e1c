package review

import (
	"bytes"
	"strings"
	"testing"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/event"
	"github.com/hearsay-memory/hearsay/guard"
	"github.com/hearsay-memory/hearsay/internal/hometest"
	"github.com/hearsay-memory/hearsay/internal/term"
)

// TestSharedOnTerminal: the words that a record shares with what its session read stand
// beside the source, on a terminal and nowhere else.
func TestSharedOnTerminal(t *testing.T) {
	c := &Card{Shown: &guard.Shown{Record: &event.Record{Attributed: true}, Side: event.Side{Content: []byte("deploys of the frobnicator"), Shared: []event.Share{
		{Source: "web", Certainty: "known", Words: []string{"of the \u202efrobnicator", "deploys"}},
		{Source: "mcp:mail", Certainty: "unknown"},
	}}}, trace: &guard.Trace{}}
	var people, pipe, facts bytes.Buffer
	c.Words(plain(&people))
	c.Words(term.New(&pipe, func(string) string { return "" }))
	c.Facts(plain(&facts))
	for _, want := range []string{"of the <U+202E>frobnicator", "web (known)", "mcp:mail (unknown)", "which words cannot be told"} {
		if !strings.Contains(people.String(), want) {
			t.Errorf("people do not see %q:\n%s", want, people.String())
		}
		if strings.Contains(pipe.String(), want) {
			t.Errorf("a program sees %q:\n%s", want, pipe.String())
		}
	}
	if !strings.Contains(facts.String(), "attributed to the user's own words") {
		t.Errorf("the facts do not say whose words they are:\n%s", facts.String())
	}
}

// TestCardOnTerminal: a person sees the words of what is held, who they are from and
// what invisible characters spell, and no control character reaches the terminal; what
// is known of the record beside its words has none of them.
func TestCardOnTerminal(t *testing.T) {
	w, _ := heldWalk(t, "")
	hidden := "hello\x1b[2J" + string([]rune{0xe0067, 0xe006f})
	id, err := hometest.Plant(t.Context(), w.in.Home.Dir(), "s1", "web", "https://evil.example/\x1b[2J", hidden)
	if err != nil {
		t.Fatal(err)
	}
	c, err := LoadCard(t.Context(), w.in, id)
	if err != nil {
		t.Fatal(err)
	}
	action, err := Decided(t.Context(), w.in, c.Record)
	if err != nil || action != hearsay.Quarantine {
		t.Errorf("action %s, %v", action, err)
	}
	var facts, words bytes.Buffer
	p := term.New(&facts, func(string) string { return "" }).WithWidth(100)
	p.Table(nil, c.Provenance(p, action))
	c.Words(term.New(&words, func(string) string { return "" }).WithWidth(100))
	for _, want := range []string{id.String(), "external", "web", "session-s1", "helper", "found", "hidden", c.Record.PolicyHash} {
		if !strings.Contains(facts.String(), want) {
			t.Errorf("the facts lack %q:\n%s", want, facts.String())
		}
	}
	if strings.Contains(facts.String(), "evil") || strings.Contains(facts.String(), "hello") {
		t.Errorf("the facts have a stranger's words:\n%s", facts.String())
	}
	for _, want := range []string{`https://evil.example/\x1b[2J`, `hello\x1b[2J`, "spell:", "go"} {
		if !strings.Contains(words.String(), want) {
			t.Errorf("the words lack %q:\n%s", want, words.String())
		}
	}
	if strings.Contains(facts.String()+words.String(), "\x1b") {
		t.Error("a control character reaches the terminal")
	}
}
