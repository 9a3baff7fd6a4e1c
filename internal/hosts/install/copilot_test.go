package install

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"
)

// TestMC112CopilotAnswersForTheHook runs the command line of gating events: where the
// hook is missing, fails or says nothing at its end, the line gives the denial itself,
// as one object, and ends well; where it answers, its answer stands alone.
func TestMC112CopilotAnswersForTheHook(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no sh")
	}
	dir := filepath.Join(t.TempDir(), `it's "a" $HOME`)
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	o := Options{Binary: filepath.Join(dir, "hearsay-hook"), Args: []string{"copilot", "--home", `/x y/$(false)'`}}
	for event, field := range map[string]string{"preToolUse": "permissionDecision", "userPromptSubmitted": "decision"} {
		line := copilot.handler(o, eventOf(t, copilot, event))[1].value.(string)
		for _, script := range []string{"", "exit 1", "exit 2", "kill -9 $$", "exit 0", `echo '{"a":"b"}'`} {
			if script != "" {
				if err := os.WriteFile(o.Binary, []byte("#!/bin/sh\n"+script+"\n"), 0o700); err != nil {
					t.Fatal(err)
				}
			}
			for _, shell := range []string{"sh", "bash"} {
				c := exec.Command(shell, "-c", line)
				out, err := c.Output()
				if err != nil {
					t.Errorf("%s, %q: %v", event, script, err)
				}
				var got map[string]string
				if len(bytes.TrimSpace(out)) > 0 && json.Unmarshal(out, &got) != nil {
					t.Errorf("%s, %q: not one object: %s", event, script, out)
				}
				switch script {
				case "exit 0":
					if len(out) > 0 {
						t.Errorf("%s: silence became %s", event, out)
					}
				case `echo '{"a":"b"}'`:
					if got["a"] != "b" || len(got) != 1 {
						t.Errorf("%s: the answer became %s", event, out)
					}
				default:
					if got[field] != "deny" && got[field] != "block" {
						t.Errorf("%s, %q: %s", event, script, out)
					}
				}
			}
		}
		if err := os.Remove(o.Binary); err != nil {
			t.Fatal(err)
		}
	}
}

func eventOf(t *testing.T, h Host, name string) event {
	t.Helper()
	for _, e := range h.events {
		if e.name == name {
			return e
		}
	}
	t.Fatalf("%s has no event %s", h.Name, name)
	return event{}
}

// TestTwoHostsNameOneHook: an entry of one host's in a file that another reads too is
// that host's to upgrade, and each removal takes only its own file's entries.
func TestTwoHostsNameOneHook(t *testing.T) {
	claudeFile, copilotFile := testProject+"/.claude/settings.json", testProject+"/.github/hooks/hearsay.json"
	m := memory{}
	for _, h := range []Host{claude, copilot} {
		changes, err := h.Install(m.read, Project, testHome, testProject, options(h.Name))
		if err != nil {
			t.Fatal(err)
		}
		m = m.with(t, changes)
	}
	for _, h := range []Host{claude, copilot} {
		st, err := h.State(m.read, Project, testHome, testProject, options(h.Name))
		if err != nil || !st.Covered() || len(st.Doubled) > 0 {
			t.Errorf("%s: %+v, %v", h.Name, st, err)
		}
	}
	changes, err := copilot.Remove(m.read, Project, testHome, testProject)
	if err != nil {
		t.Fatal(err)
	}
	m = m.with(t, changes)
	if _, there := m[copilotFile]; there || m[claudeFile] == "" {
		t.Errorf("left are %v", m)
	}
}
