package caller

import (
	"errors"
	"log/slog"
	"testing"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/guard"
	"github.com/hearsay-memory/hearsay/internal/hometest"
	"github.com/hearsay-memory/hearsay/internal/hostproc"
)

// TestOfSession: a session that a surface opened is that surface's and its agent's; one that
// nobody opened is the shared one, and a name gets nobody anything.
func TestOfSession(t *testing.T) {
	in := hometest.Held(t) // with session-s1 of the agent helper
	for _, tc := range []struct {
		session, agent string
		want           string // the session
		opener         hearsay.Surface
		misnamed       bool
	}{
		{"session-s1", "", "session-s1", hearsay.SurfaceMCP, false},
		{"session-s1", "helper", "session-s1", hearsay.SurfaceMCP, false},
		{"session-s1", "other", "", "", true},
		{"nobody", "", "", "", false},
		{"nobody", "helper", "", "", false},
		{"nobody", "two words", "", "", true},
	} {
		c, opener, err := OfSession(t.Context(), in, hearsay.SurfaceCLI, tc.session, tc.agent)
		if _, misnamed := errors.AsType[Misnamed](err); misnamed != tc.misnamed || err != nil && !misnamed {
			t.Errorf("%s, %s: %v", tc.session, tc.agent, err)
			continue
		}
		if !tc.misnamed && (c.Session != tc.want || opener != tc.opener || c.Surface != hearsay.SurfaceCLI || c.Principal != hometest.Principal) {
			t.Errorf("%s, %s: %+v, opened by %q", tc.session, tc.agent, c, opener)
		}
	}
}

// TestOfHost: where the host process is not known, the caller is the shared session.
func TestOfHost(t *testing.T) {
	in := hometest.Open(t, hometest.Make(t))
	log := slog.New(slog.DiscardHandler)
	for _, tc := range []struct {
		host    hostproc.Host
		unknown error
		want    string
	}{
		{hostproc.Host{ID: "proc-1", Joined: true}, nil, "proc-1"},
		{hostproc.Host{ID: "proc-1"}, nil, ""},
		{hostproc.Host{ID: "proc-1", Joined: true}, errors.New("no"), ""},
	} {
		c, err := OfHost(t.Context(), in, hearsay.SurfaceMCP, "helper", tc.host, tc.unknown, log)
		if err != nil || c.Session != tc.want || c.Agent != "helper" {
			t.Errorf("%+v: %+v, %v", tc.host, c, err)
		}
	}
	if keys, err := Above(t.Context(), in, "", true); err != nil || len(keys) != 0 {
		t.Errorf("nothing is above, and %v, %v", keys, err)
	}
	want := guard.SessionKey{Principal: hometest.Principal, ID: "proc-1"}
	for _, told := range []bool{true, false} {
		if keys, err := Above(t.Context(), in, "proc-1", told); err != nil || len(keys) != 1 || keys[0] != want {
			t.Errorf("told %v: %v, %v", told, keys, err)
		}
	}
}
