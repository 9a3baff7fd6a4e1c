package story

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/internal/hometest"
	"github.com/hearsay-memory/hearsay/internal/term"
)

// TestExplainOnTerminal: a person is told where the read that sank a session came from,
// and no control character of it reaches the terminal.
func TestExplainOnTerminal(t *testing.T) {
	in := hometest.Held(t)
	if _, err := hometest.Plant(t.Context(), in.Home.Dir(), "s1", "mcp:mail", "m\x1b[2J7", "three"); err != nil {
		t.Fatal(err)
	}
	for _, refs := range []bool{true, false} {
		all, err := Explain(t.Context(), in, "session-s1", refs, time.Now().UnixMilli())
		if err != nil || len(all) != 1 {
			t.Fatal(all, err)
		}
		x := all[0]
		if len(x.Sank) != 2 || len(x.Records) != 3 || !x.Live {
			t.Errorf("%+v", x)
		}
		var out bytes.Buffer
		x.Print(term.New(&out, func(string) string { return "" }))
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
	x := &Explained{Label: hearsay.Label{}}
	x.meaning(nil)
	all := strings.Join(append(x.Writes, x.Actions...), "\n")
	for _, want := range []string{"A write to the root is held for a person, by rule builtin-no-policy", "All other actions ask a person", "project.delete, database.drop are denied"} {
		if !strings.Contains(all, want) {
			t.Errorf("no word of %q:\n%s", want, all)
		}
	}
}
