package doctor

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

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
	const long = 2 * time.Minute // where nothing is to be cut short, and a busy machine decides nothing
	for name, c := range map[string]struct {
		script string
		within bounds
		want   versionNumber
		says   string
	}{
		"answers":  {"echo 2.1.300 x", bounds{long, long}, versionNumber{2, 1, 300}, ""},
		"fails":    {"echo 1.2.3; exit 1", bounds{long, long}, versionNumber{1, 2, 3}, ""},
		"silent":   {"exit 3", bounds{long, long}, versionNumber{}, "exit status 3"},
		"nonsense": {"echo none", bounds{long, long}, versionNumber{}, "names none"},
		"talks":    {"echo 0.1.2; while :; do echo xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx || exit; done", bounds{5 * time.Second, long}, versionNumber{0, 1, 2}, ""},
		"child":    {"sleep 900 & echo $! >pid; echo 4.5.6", bounds{long, 5 * time.Second}, versionNumber{4, 5, 6}, ""},
		"hangs":    {"exec sleep 900", bounds{time.Second / 10, long}, versionNumber{}, "took longer"},
	} {
		t.Run(name, func(t *testing.T) {
			path, dir := filepath.Join(t.TempDir(), "host"), t.TempDir()
			if err := os.WriteFile(path, []byte("#!/bin/sh\n"+c.script+"\n"), 0o700); err != nil {
				t.Fatal(err)
			}
			// Not before: while one starts a program, another's that is written is open in it,
			// and cannot be run.
			t.Parallel()
			got, err := c.within.askVersion(t.Context(), path, dir)
			if got != c.want || (err == nil) != (c.says == "") || err != nil && !strings.Contains(err.Error(), c.says) {
				t.Errorf("%v, %v", got, err)
			}
			if data, err := os.ReadFile(filepath.Join(dir, "pid")); err == nil {
				pid, err := strconv.Atoi(strings.TrimSpace(string(data)))
				if err != nil {
					t.Fatal(err)
				}
				if child, err := os.FindProcess(pid); err == nil {
					_ = child.Kill()
				}
			}
		})
	}
}
