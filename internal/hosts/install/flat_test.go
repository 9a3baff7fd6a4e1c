package install

import (
	"bytes"
	"encoding/json"
	"errors"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// flat makes a file in which events hold handlers.
func (m maker) flat() string {
	var events []string
	for _, e := range []string{"stop", "preToolUse", "sessionStart", "afterFileEdit"} {
		events = append(events, m.member(e, m.list("[", "]", m.IntN(3), func(int) string { return m.handler() })))
	}
	return m.extra() + m.object(m.some(m.member("version", m.pick("1", "2", "1")), m.member("hooks", m.object(m.some(events...)...)))...) + m.extra()
}

// whole makes a file that holds hooks in groups, servers and what turns hooks off.
func (m maker) whole() string {
	var events []string
	for _, e := range []string{"BeforeTool", "SessionStart", "AfterModel"} {
		events = append(events, m.member(e, m.list("[", "]", m.IntN(3), func(int) string { return m.group() })))
	}
	one := m.object(m.some(m.member("command", `"npx"`), m.member("args", m.list("[", "]", m.IntN(3), func(int) string { return `"a"` })), m.member("httpUrl", `"x"`))...)
	return m.extra() + m.object(m.some(m.member("mcpServers", m.object(m.member("a", one))), m.member("hooks", m.object(m.some(events...)...)), m.member("hooksConfig", `{"disabled":[]}`))...) + m.extra()
}

// TestRemoveUndoesInstallElsewhere is the promise of the package for hosts of other
// layouts.
func TestRemoveUndoesInstallElsewhere(t *testing.T) {
	for _, c := range []struct {
		h    Host
		make func(maker) memory
	}{
		{cursor, func(m maker) memory {
			return memory{testHome + "/.cursor/hooks.json": m.flat(), testHome + "/.cursor/mcp.json": m.servers()}
		}},
		{gemini, func(m maker) memory { return memory{testHome + "/.gemini/settings.json": m.whole()} }},
		{copilot, func(m maker) memory {
			return memory{testHome + "/.copilot/hooks/hearsay.json": m.flat(), testHome + "/.copilot/mcp-config.json": m.servers()}
		}},
		{windsurf, func(m maker) memory {
			return memory{testHome + "/.codeium/windsurf/hooks.json": m.flat(), testHome + "/.codeium/windsurf/mcp_config.json": m.servers()}
		}},
	} {
		installed := 0
		for seed := range uint64(400) {
			m := maker{Rand: rand.New(rand.NewPCG(seed, 7))}
			before := c.make(m)
			if _, err := c.h.Install(before.read, User, testHome, "", options(c.h.Name)); err != nil {
				continue // a made server that is none
			}
			installed++
			after, left := roundTrip(t, c.h, before, options(c.h.Name))
			if diff := cmp.Diff(before, left); diff != "" {
				t.Fatalf("%s, seed %d (-want +got):\n%s\nafter installing:\n%v", c.h.Name, seed, diff, after)
			}
			st, err := c.h.State(after.read, User, testHome, "", options(c.h.Name))
			if err != nil || len(st.Missing) > 0 || len(st.Doubled) > 0 || slices.ContainsFunc(st.Hooks, func(k Hook) bool { return k.Stale || k.Narrow || k.Gate != k.Blocks }) {
				t.Fatalf("%s, seed %d: %+v, %v", c.h.Name, seed, st, err)
			}
		}
		if installed < 100 {
			t.Errorf("%s: only %d of the made settings were valid", c.h.Name, installed)
		}
	}
}

// FuzzElsewhere is the property for files of any content.
func FuzzElsewhere(f *testing.F) {
	for seed := range uint64(10) {
		m := maker{Rand: rand.New(rand.NewPCG(seed, 8))}
		f.Add(m.flat(), m.servers(), m.whole())
	}
	f.Add(`{"version":1,"hooks":{"stop":[{"command":"hearsay-hook"}, // x`+"\n"+`]}}`, `{}`, `{"hooks":{"BeforeTool":[{"hooks":[{"type":"command","command":"& 'hearsay-hook'"}]}]}}`)
	f.Fuzz(func(t *testing.T, hooks, servers, settings string) {
		checkRoundTrip(t, cursor, memory{testHome + "/.cursor/hooks.json": hooks, testHome + "/.cursor/mcp.json": servers})
		checkRoundTrip(t, gemini, memory{testHome + "/.gemini/settings.json": settings})
		checkRoundTrip(t, copilot, memory{testHome + "/.copilot/hooks/hearsay.json": hooks, testHome + "/.copilot/mcp-config.json": servers})
		checkRoundTrip(t, windsurf, memory{testHome + "/.codeium/windsurf/hooks.json": hooks, testHome + "/.codeium/windsurf/mcp_config.json": servers})
	})
}

// TestRewrittenElsewhere: the host writes its file anew, without our white space.
func TestRewrittenElsewhere(t *testing.T) {
	for _, c := range []struct {
		h              Host
		file, in, want string
	}{
		{cursor, testHome + "/.cursor/hooks.json", `{"hooks":{"stop":[{"command":"x"}]}}`, `{"hooks":{"stop":[{"command":"x"}]}}`},
		{cursor, testHome + "/.cursor/hooks.json", `{"version":1,"hooks":{"stop":[{"command":"x"}]}}`, `{"version":1,"hooks":{"stop":[{"command":"x"}]}}`},
		{copilot, testHome + "/.copilot/hooks/hearsay.json", `{"hooks":{"agentStop":[{"bash":"x"}]}}`, `{"hooks":{"agentStop":[{"bash":"x"}]}}`},
		{copilot, testHome + "/.copilot/hooks/hearsay.json", `{"version":1,"hooks":{"agentStop":[{"bash":"x"}]}}`, `{"version":1,"hooks":{"agentStop":[{"bash":"x"}]}}`},
		{windsurf, testHome + "/.codeium/windsurf/hooks.json", `{"hooks":{"pre_run_command":[{"command":"x"}]}}`, `{"hooks":{"pre_run_command":[{"command":"x"}]}}`},
		{gemini, testHome + "/.gemini/settings.json", `{"theme":"x","mcpServers":{"a":{"command":"y"}}}`, `{"theme":"x","mcpServers":{"a":{"command":"y"}}}`},
	} {
		after, _ := roundTrip(t, c.h, memory{c.file: c.in}, options(c.h.Name))
		var b bytes.Buffer
		if err := json.Compact(&b, []byte(after[c.file])); err != nil {
			t.Fatal(err)
		}
		after[c.file] = b.String()
		undone, err := c.h.Remove(after.read, User, testHome, "")
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(meaning(t, c.want), meaning(t, after.with(t, undone)[c.file])); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.in, diff)
		}
	}
}

func TestMalformedElsewhere(t *testing.T) {
	for _, c := range []struct {
		h            Host
		in           string
		line, column int
		problem      string
	}{
		{cursor, `{"version": "1"}`, 1, 13, `"version" is not a number`},
		{cursor, `{"hooks": []}`, 1, 11, `"hooks" is not an object`},
		{cursor, `{"hooks": {"preToolUse": {"command": "x"}}}`, 1, 26, `"preToolUse" in "hooks" is not a list`},
		{cursor, `{"hooks": {"preToolUse": ["x"]}}`, 1, 27, `an entry of "preToolUse"`},
		{cursor, `{"version": 1, "version": 2}`, 1, 16, `the key "version" is there twice`},
		{gemini, `{"hooks": {"BeforeTool": {}}}`, 1, 26, `"BeforeTool" in "hooks" is not a list`},
		{gemini, `{"mcpServers": {"a": {"command": 7}}}`, 1, 34, `"command" of server "a" is not a string`},
		{gemini, "{\n", 2, 1, "not JSON"},
	} {
		m := memory{c.h.Files(User, testHome, "")[0]: c.in}
		changes, err := c.h.Install(m.read, User, testHome, "", options(c.h.Name))
		e, ok := errors.AsType[*Error](err)
		if !ok || changes != nil || e.Line != c.line || e.Column != c.column || !strings.Contains(e.Problem, c.problem) {
			t.Errorf("%s: %v, %v", c.in, changes, err)
		}
	}
}

// TestWhatTurnsHooksOff: each way in which a file makes the host run none of our hooks
// is told, and nothing else is.
func TestWhatTurnsHooksOff(t *testing.T) {
	const ours = `"hooks":{"preToolUse":[{"command":"/usr/lib/hearsay/hearsay-hook cursor"}]`
	for _, c := range []struct {
		h    Host
		in   string
		want []string
	}{
		{cursor, `{"version":1,` + ours + `}}`, nil},
		{cursor, `{` + ours + `}}`, []string{"version"}},
		{cursor, `{"version":0,` + ours + `}}`, []string{"version"}},
		{cursor, `{"version":1.5,` + ours + `}}`, []string{"version"}},
		{cursor, `{"version":1,` + ours + `,"beforeTeleport":[]}}`, []string{"hooks.beforeTeleport"}},
		{cursor, `{"version":1,` + ours + `,"stop":[{"command":"curl http://x"}]}}`, []string{"// in curl http://x"}},
		{cursor, `{"hooks":{"beforeTeleport":[]}}`, nil}, // not our file
		{gemini, `{}`, nil},
		{gemini, `{"hooksConfig":{"enabled":true,"disabled":["audit"]}}`, nil},
		{gemini, `{"hooksConfig":{"enabled":false}}`, []string{"hooksConfig.enabled"}},
		{gemini, `{"hooksConfig":{"disabled":["audit","'/usr/lib/hearsay/hearsay-hook' gemini --home '/h'"]}}`, []string{"hooksConfig.disabled"}},
		{gemini, `{"hooks":{"disabled":["& 'C:\\x\\hearsay-hook.exe' 'gemini'"]}}`, []string{"hooks.disabled"}},
		{gemini, `{"tools":{"enableHooks":false}}`, []string{"tools.enableHooks"}},
		{gemini, `{"hooksConfig":[],"hooks":1,"tools":null}`, nil},
	} {
		file := c.h.Files(User, testHome, "")[0]
		st, err := c.h.State(memory{file: c.in}.read, User, testHome, "", Options{})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, s := range st.Switches {
			got = append(got, s.Key)
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.in, diff)
		}
	}
	// A switch in a project's settings, and in those of all users, counts as well.
	st, err := gemini.State(memory{testProject + "/.gemini/settings.json": `{"hooksConfig":{"enabled":false}}`, "/etc/gemini-cli/settings.json": `{"hooks":{"enabled":false}}`}.read, User, testHome, testProject, Options{})
	if err != nil || len(st.Switches) != 2 {
		t.Errorf("%+v, %v", st.Switches, err)
	}
}

// TestUnits: each host is told the same patience in its own unit.
func TestUnits(t *testing.T) {
	for _, h := range hosts {
		want := hookSeconds
		if h.Name == "gemini" {
			want *= 1000
		}
		for _, e := range h.events {
			fields := h.handler(options(h.Name), e)
			i := slices.IndexFunc(fields, func(f field) bool { return isTimeout(f.name) })
			if h.Name == "windsurf" && i < 0 {
				continue // it cannot be told
			}
			if i < 0 || fields[i].value != want || (fields[i].name == "timeoutSec") != (h.Name == "copilot") {
				t.Errorf("%s %s: %v", h.Name, e.name, fields)
			}
		}
	}
}

// TestMC112 runs the command line of a gating event of Gemini CLI, as bash runs it.
func TestMC112GeminiFailsClosed(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no bash")
	}
	o := Options{Binary: filepath.Join(t.TempDir(), `it's`, "hearsay-hook"), Args: []string{"gemini", "--home", "/x y"}}
	line := gemini.handler(o, event{gate: true})[1].value.(string)
	run := func() (string, string, int) {
		c := exec.Command("bash", "-c", line)
		var out, errs bytes.Buffer
		c.Stdout, c.Stderr = &out, &errs
		_ = c.Run()
		return out.String(), errs.String(), c.ProcessState.ExitCode()
	}
	if out, errs, code := run(); code != 2 || out != "" || !strings.Contains(errs, "hearsay: the hook failed") {
		t.Errorf("absent: %d, %q, %q", code, out, errs)
	}
	if err := os.Mkdir(filepath.Dir(o.Binary), 0o700); err != nil {
		t.Fatal(err)
	}
	for script, want := range map[string]int{"echo '{}'": 0, "exit 1": 2, "exit 3": 2, "kill -9 $$": 2} {
		if err := os.WriteFile(o.Binary, []byte("#!/bin/sh\n"+script+"\n"), 0o700); err != nil {
			t.Fatal(err)
		}
		if _, errs, code := run(); code != want || (code == 2) != strings.Contains(errs, "hearsay: the hook failed") {
			t.Errorf("%s: %d, %q", script, code, errs)
		}
	}
	if got := firstWord(line); got != o.Binary {
		t.Errorf("its program is read as %q", got)
	}
}

func TestPowerLine(t *testing.T) {
	o := Options{Binary: `C:\Users\Ana B\it’s\hearsay-hook.exe`, Args: []string{"gemini", "--home", `C:\h 'x'`}}
	want := `& 'C:\Users\Ana B\it’’s\hearsay-hook.exe' 'gemini' '--home' 'C:\h ''x'''`
	if got := gemini.handler(o, event{})[1].value; got != want {
		t.Errorf("got %s", got)
	}
	if got := gemini.handler(o, event{gate: true})[1].value; got != want+powerBlock {
		t.Errorf("gating: got %s", got)
	}
	plain := gemini.handler(Options{Binary: `C:\x\hearsay-hook.exe`, Args: []string{"gemini", "--home", "C:/h"}}, event{gate: true})[1].value.(string)
	if !isProgram(firstWord(plain), hookProgram) || !slices.Equal(restWords(plain), []string{"gemini", "--home", "C:/h"}) {
		t.Errorf("%s is read as %q, %q", plain, firstWord(plain), restWords(plain))
	}
}

// TestCursorSeesNoComment: the host cuts comments out of strings too.
func TestCursorSeesNoComment(t *testing.T) {
	for _, home := range []string{"/a//b", "///", "/x/http://y//", "//"} {
		o := Options{Binary: "/usr/lib/hearsay/hearsay-hook", Args: []string{"cursor", "--home", home}}
		line := cursor.handler(o, event{})[0].value.(string)
		if strings.Contains(line, "//") {
			t.Errorf("%s", line)
		}
		if runtime.GOOS != "windows" {
			out, err := exec.Command("sh", "-c", "printf '%s|' "+line).Output()
			if want := o.Binary + "|cursor|--home|" + home + "|"; err != nil || string(out) != want {
				t.Errorf("a shell reads %q, %v; want %q", out, err, want)
			}
		}
		if got := restWords(line); !slices.Equal(got, o.Args) {
			t.Errorf("%s is read as %q", line, got)
		}
	}
}
