package guard_test

import (
	"fmt"
	"testing"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/guard"
)

// What one agent of one session saw of one file is that agent's alone.
func TestViews(t *testing.T) {
	w := newWorld(t, "default")
	c := hearsay.Caller{Principal: "ana", Session: "claude:s1"}
	see := func(c hearsay.Caller, agent, path string, lines ...string) {
		t.Helper()
		if err := w.Saw(t.Context(), c, agent, path, lines); err != nil {
			t.Fatal(err)
		}
	}
	has := func(c hearsay.Caller, agent, path, line string) bool {
		t.Helper()
		v, err := w.View(t.Context(), c, agent, path)
		if err != nil {
			t.Fatal(err)
		}
		return v.Has(line)
	}
	see(c, "", "/m", "- one", "- two")
	see(c, "", "/m", "- three")
	see(c, "", "/m")
	for _, line := range []string{"- one", "- two \t\r\n", "\ufeff- three"} {
		if !has(c, "", "/m", line) {
			t.Errorf("%q was seen", line)
		}
	}
	other, bob := c, c
	other.Session, bob.Principal = "claude:s2", "bob"
	for what, seen := range map[string]bool{
		"another line": has(c, "", "/m", "- four"), "another file": has(c, "", "/n", "- one"), "a sub-agent": has(c, "sub", "/m", "- one"),
		"another session": has(other, "", "/m", "- one"), "another person": has(bob, "", "/m", "- one"), "nobody": guard.View{}.Has("- one"),
	} {
		if seen {
			t.Errorf("%s saw it", what)
		}
	}
	// It is bounded: what was seen first goes.
	lines := make([]string, 1<<16)
	for i := range lines {
		lines[i] = fmt.Sprint("- line ", i)
	}
	see(c, "", "/m", lines...)
	if has(c, "", "/m", "- one") || !has(c, "", "/m", "- line 7") {
		t.Error("want the last lines that were seen, and no more")
	}
	w.consistent()
}
