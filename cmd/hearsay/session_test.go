package main

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/event"
	"github.com/hearsay-memory/hearsay/guard"
	"github.com/hearsay-memory/hearsay/internal/hometest"
	"github.com/hearsay-memory/hearsay/internal/term"
)

// TestRefOf: an address is shown as it was sealed or not at all.
func TestRefOf(t *testing.T) {
	in := hometest.Held(t)
	refs := func() (list []string, tampered int) {
		for entry, err := range in.Store.Log(t.Context(), 0) {
			if err != nil {
				t.Fatal(err)
			}
			e, err := event.Decode(entry.Body)
			if err != nil {
				t.Fatal(err)
			}
			ref, err := refOf(t.Context(), in, e)
			switch {
			case errors.Is(err, guard.ErrTampered):
				tampered++
			case err != nil:
				t.Fatal(err)
			case ref != "":
				list = append(list, ref)
			}
		}
		return list, tampered
	}
	if list, tampered := refs(); len(list) != 1 || list[0] != "https://evil.example" || tampered != 0 {
		t.Errorf("%q and %d changed, want the page", list, tampered)
	}
	if err := hometest.Change(in.Home.Dir(), "UPDATE side SET blob = CAST(replace(CAST(blob AS TEXT), 'evil', 'good') AS BLOB)"); err != nil {
		t.Fatal(err)
	}
	if list, tampered := refs(); len(list) != 0 || tampered != 1 {
		t.Errorf("%q and %d changed, want none and 1", list, tampered)
	}
	if err := hometest.Change(in.Home.Dir(), "DELETE FROM side"); err != nil {
		t.Fatal(err)
	}
	if list, tampered := refs(); len(list) != 0 || tampered != 0 {
		t.Errorf("%q and %d changed, want what was erased to be empty", list, tampered)
	}
}

// TestExplainOnTerminal: a person is told where the read that sank a session came from,
// and no control character of it reaches the terminal.
func TestExplainOnTerminal(t *testing.T) {
	in := hometest.Held(t)
	if _, err := hometest.Plant(t.Context(), in.Home.Dir(), "s1", "mcp:mail", "m\x1b[2J7", "three"); err != nil {
		t.Fatal(err)
	}
	for _, refs := range []bool{true, false} {
		story, err := sessionStory(t.Context(), in, "session-s1", refs)
		if err != nil {
			t.Fatal(err)
		}
		x, err := explain(t.Context(), in, guard.SessionKey{Principal: "ana", ID: "session-s1"}, story, nowMS())
		if err != nil {
			t.Fatal(err)
		}
		if len(x.Sank) != 2 || len(x.Records) != 3 || !x.Live {
			t.Errorf("%+v", x)
		}
		var out bytes.Buffer
		x.print(term.New(&out, func(string) string { return "" }))
		for _, ref := range []string{"session.observe web https://evil.example →", `session.observe mcp:mail m\x1b[2J7 →`} {
			if strings.Contains(out.String(), ref) != refs {
				t.Errorf("with refs %v, %q:\n%s", refs, ref, out.String())
			}
		}
		if strings.Contains(out.String(), "\x1b") {
			t.Error("a control character reaches the terminal")
		}
	}
}

// TestMeaningWithoutPolicy: without a policy everything is held and asked about.
func TestMeaningWithoutPolicy(t *testing.T) {
	x := &explained{Label: hearsay.Label{}}
	x.meaning(nil)
	all := strings.Join(append(x.Writes, x.Actions...), "\n")
	for _, want := range []string{"A write to the root is held for a person, by rule builtin-no-policy", "All other actions ask a person", "project.delete, database.drop are denied"} {
		if !strings.Contains(all, want) {
			t.Errorf("no word of %q:\n%s", want, all)
		}
	}
}
