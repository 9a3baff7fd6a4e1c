package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/guard"
	"github.com/hearsay-memory/hearsay/internal/hostproc"
	"github.com/hearsay-memory/hearsay/internal/hosts/install"
	"github.com/hearsay-memory/hearsay/internal/instance"
)

// idle stands in for the hook program, which lies beside hearsay.
func idle() {}

// beat plays a hook at work, for scripts: `beat HOME HOST [SESSION]` leaves its heartbeat
// and, with a session, opens that under the host process of the script.
func beat() {
	where, err := pulse(context.Background(), os.Args[1], os.Args[2], os.Args[3:])
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Println(where)
}

func pulse(ctx context.Context, dir, host string, session []string) (string, error) {
	in, err := instance.Open(ctx, dir, instance.Options{})
	if err != nil {
		return "", err
	}
	defer in.Close()
	if err := in.Guard.Heartbeat(ctx, host); err != nil {
		return "", err
	}
	if len(session) == 0 {
		return "", nil
	}
	proc, err := hostproc.Current()
	if err != nil {
		return "", err
	}
	c := in.Caller(hearsay.SurfaceHook)
	c.Session = host + ":" + session[0]
	if _, err := in.Guard.Open(ctx, c, guard.Start{Host: proc.ID}); err != nil {
		return "", err
	}
	if proc.Joined {
		return "joined", nil
	}
	return "alone", nil
}

func TestHostThatIsNone(t *testing.T) {
	for _, in := range []string{"", "Claude", "claude code", "vscode", "codex\x00"} {
		hosts, err := (&hostFlags{names: []string{in}}).hosts(&cobra.Command{})
		if e, ok := errors.AsType[*exitError](err); !ok || e.code != exitUsage || hosts != nil {
			t.Errorf("%q: %v, %v", in, hosts, err)
		}
	}
}

func TestServerKind(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	gateway := func(flags ...string) []string { return append(append([]string{self, "mcp"}, flags...), "--") }
	for want, v := range map[string]install.Server{
		"remote":     {Remote: true},
		"memory":     {Memory: true},
		"bare":       {},
		"absent":     {Gateway: []string{"/nowhere/hearsay", "mcp", "--"}},
		"home":       {Gateway: gateway("--home", "/other")},
		"hidden":     {Gateway: gateway("--home", "/own"), Hidden: true},
		"stale":      {Gateway: gateway("--home", "/own"), Stale: true},
		"wrapped":    {Gateway: gateway("--home", "/own"), Memory: true},
		"own":        {Own: true},
		"own hidden": {Own: true, Hidden: true},
	} {
		if got := serverKind(v, "/own"); got != want {
			t.Errorf("%+v is %s, want %s", v, got, want)
		}
	}
	if got := serverKind(install.Server{Gateway: gateway("--home=/other")}, "/own"); got != "home" {
		t.Errorf("a gateway of another home, in one word, is %s", got)
	}
}

func TestParseVersion(t *testing.T) {
	for text, want := range map[string]versionNumber{
		"2.1.332 (Claude Code)\n": {2, 1, 332},
		"codex-cli 0.171.0":       {0, 171, 0},
		"v1.2.3-beta.4":           {1, 2, 3},
		"a 1.2 then 1.2.3.4":      {1, 2, 3},
	} {
		if got, ok := parseVersion(text); !ok || got != want {
			t.Errorf("%q: %v, %v", text, got, ok)
		}
	}
	for _, text := range []string{"", "1.2", "1.2.x", "-1.2.3", "99999999999.1.1", "1..2", "..."} {
		if got, ok := parseVersion(text); ok || got.known() {
			t.Errorf("%q: %v", text, got)
		}
	}
	a, b := versionNumber{2, 1, 294}, versionNumber{2, 1, 295}
	if !a.before(b) || b.before(a) || a.before(a) || !a.before(versionNumber{3}) || a.String() != "2.1.294" {
		t.Error("the order of versions is wrong")
	}
}

func FuzzParseVersion(f *testing.F) {
	f.Add("2.1.332 (Claude Code)")
	f.Add("1.2.\xff")
	f.Fuzz(func(t *testing.T, text string) {
		v, ok := parseVersion(text)
		if !ok && v.known() {
			t.Errorf("%q is no version, and is %v", text, v)
		}
		for _, n := range v {
			if n < 0 {
				t.Errorf("%q is %v", text, v)
			}
		}
	})
}

// A host's program may hang, talk for ever, or leave a child with its output open.
func TestAskVersionIsBounded(t *testing.T) {
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip("no sh")
	}
	for name, c := range map[string]struct {
		script string
		want   versionNumber
		says   string
	}{
		"answers":  {"echo 2.1.300 x", versionNumber{2, 1, 300}, ""},
		"fails":    {"echo 1.2.3; exit 1", versionNumber{1, 2, 3}, ""},
		"silent":   {"exit 3", versionNumber{}, "exit status 3"},
		"nonsense": {"echo none", versionNumber{}, "names none"},
		"talks":    {"echo 0.1.2; while :; do echo xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx || exit; done", versionNumber{0, 1, 2}, ""},
		"child":    {"sleep 20 & echo 4.5.6", versionNumber{4, 5, 6}, ""},
		"hangs":    {"exec sleep 20", versionNumber{}, "took longer"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "host")
			if err := os.WriteFile(path, []byte("#!/bin/sh\n"+c.script+"\n"), 0o700); err != nil {
				t.Fatal(err)
			}
			begun := time.Now()
			got, err := askVersion(t.Context(), path, t.TempDir())
			if got != c.want || (err == nil) != (c.says == "") || err != nil && !strings.Contains(err.Error(), c.says) {
				t.Errorf("%v, %v", got, err)
			}
			if took := time.Since(begun); took > versionPatience+3*time.Second {
				t.Errorf("it took %s", took)
			}
		})
	}
}
