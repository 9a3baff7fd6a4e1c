package review

import (
	"strings"
	"testing"

	"github.com/hearsay-memory/hearsay/guard"
	"github.com/hearsay-memory/hearsay/internal/hometest"
)

// TestWalkExpired: a question whose time is up, or that was changed, while a person
// walks is not decided, and the others are.
func TestWalkExpired(t *testing.T) {
	for name, change := range map[string]string{
		"time is up": `UPDATE row SET val = CAST(json_set(CAST(val AS TEXT), '$.expires', 1) AS BLOB) WHERE tbl = 'action'`,
		"changed":    `UPDATE row SET val = CAST(replace(CAST(val AS TEXT), 'deploy.run', 'file.read.') AS BLOB) WHERE tbl = 'action'`,
	} {
		w, screen := heldWalk(t, "rr ")
		id := inquire(t, w.in, guard.Action{Names: []string{"deploy.run"}, Target: "x"})
		w.queue = append(w.queue, id)
		if err := hometest.Change(w.in.Home.Dir(), change); err != nil {
			t.Fatal(err)
		}
		if err := w.run(t.Context()); err != nil {
			t.Fatal(err)
		}
		if w.sealed != 2 || w.failed.tampered != (name == "changed") {
			t.Errorf("%s: %d sealed, failures %+v", name, w.sealed, w.failed)
		}
		if want := map[string]string{"time is up": "its time is up", "changed": "cannot be shown:"}[name]; !strings.Contains(screen.String(), want) {
			t.Errorf("%s: the screen does not say %q:\n%s", name, want, screen)
		}
	}
}
