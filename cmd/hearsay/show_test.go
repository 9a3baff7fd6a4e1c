package main

import (
	"bytes"
	"strings"
	"testing"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/internal/hometest"
	"github.com/hearsay-memory/hearsay/internal/term"
)

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
	c, err := loadCard(t.Context(), w.in, id)
	if err != nil {
		t.Fatal(err)
	}
	action, err := decided(t.Context(), w.in, c.Record)
	if err != nil || action != hearsay.Quarantine {
		t.Errorf("action %s, %v", action, err)
	}
	var facts, words bytes.Buffer
	p := term.New(&facts, func(string) string { return "" }).WithWidth(100)
	p.Table(nil, c.provenance(p, action))
	c.words(term.New(&words, func(string) string { return "" }).WithWidth(100))
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
