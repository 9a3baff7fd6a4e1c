package main

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/guard"
	"github.com/hearsay-memory/hearsay/internal/hometest"
	"github.com/hearsay-memory/hearsay/internal/instance"
)

// checkHome is a home with a clean session of a surface, and one that read a page under
// a host process.
func checkHome(t *testing.T) string {
	t.Helper()
	dir := hometest.Make(t)
	if _, err := hometest.Plant(t.Context(), dir, "clean", "agent", "", "one"); err != nil {
		t.Fatal(err)
	}
	in, err := instance.Open(t.Context(), dir, instance.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	c := in.Caller(hearsay.SurfaceHook)
	c.Session = "claude:7"
	if _, err := in.Guard.Open(t.Context(), c, guard.Start{Host: "proc-7"}); err != nil {
		t.Fatal(err)
	}
	if _, err := in.Guard.Observe(t.Context(), c, guard.Observation{Source: hearsay.Source{Type: "web", Ref: "https://evil.example"}}); err != nil {
		t.Fatal(err)
	}
	return dir
}

// asks runs check and returns its exit code and what it said.
func asks(t *testing.T, dir string, f checking, host string, told bool) (int, string) {
	t.Helper()
	var out bytes.Buffer
	a := &app{streams: streams{out: &out, err: &out}, homeFlag: dir}
	f.names, f.target = []string{"deploy.run"}, "helm upgrade"
	err := a.check(t.Context(), f, host, told)
	if e, ok := errors.AsType[*exitError](err); ok {
		return e.code, out.String() + e.text
	}
	if err != nil {
		t.Fatal(err)
	}
	return 0, out.String()
}

// TestCheckAbove: what the sessions above the process read counts, whichever session is
// named, and so does every one where the process cannot be told.
func TestCheckAbove(t *testing.T) {
	for _, tc := range []struct {
		name string
		host string
		told bool
		code int
	}{
		{"nothing above", "", true, 0},
		{"another host", "proc-8", true, 0},
		{"a tainted one above", "proc-7", true, exitHeld},
		{"nobody knows", "", false, exitHeld},
	} {
		code, text := asks(t, checkHome(t), checking{session: "session-clean"}, tc.host, tc.told)
		if code != tc.code || code == exitHeld && !strings.Contains(text, "(web)") {
			t.Errorf("%s: exit %d, want %d:\n%s", tc.name, code, tc.code, text)
		}
	}
}

// TestCheckKeepsTheOpener: what flowed in sinks a hook's session and does not make it
// another surface's: proxies find the sessions of hooks by that.
func TestCheckKeepsTheOpener(t *testing.T) {
	dir := checkHome(t)
	if code, text := asks(t, dir, checking{session: "claude:7", taint: `[{"type":"mcp:mail","ref":"m1"}]`}, "", true); code != exitHeld || !strings.Contains(text, "mcp:mail,web") {
		t.Errorf("exit %d:\n%s", code, text)
	}
	in, err := instance.Open(t.Context(), dir, instance.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	row, err := in.Store.Session(t.Context(), guard.SessionKey{Principal: "ana", ID: "claude:7"}, nowMS())
	if err != nil || row.Surface != hearsay.SurfaceHook || row.Host != "proc-7" || !row.Label.Taint.Has("mcp:mail") {
		t.Errorf("%+v, %v", row, err)
	}
}

// TestCheckCannotRaise: no flag gets a tainted session, or one that nobody opened,
// anything that it would not get without.
func TestCheckCannotRaise(t *testing.T) {
	dir := checkHome(t)
	for _, session := range []string{"claude:7", "nobody", "shared", "claude:7 ", "CLAUDE:7"} {
		for _, taint := range []string{"", `{"type":"user"}`, `{"type":"system"}`, `[]`, `[{"type":"github_issue","actor":"OWNER"}]`, `nonsense`} {
			for _, agent := range []string{"", "nightly"} {
				if code, text := asks(t, dir, checking{session: session, taint: taint, agent: agent}, "", true); code == 0 {
					t.Errorf("session %q, taint %s, agent %q went on:\n%s", session, taint, agent, text)
				}
			}
		}
	}
}
