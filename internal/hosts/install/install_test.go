package install

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestHosts(t *testing.T) {
	if diff := cmp.Diff([]string{"claude", "codex", "gemini", "cursor", "copilot", "windsurf"}, Names()); diff != "" {
		t.Error(diff)
	}
	for _, name := range []string{"", "Claude", "claude ", "vscode"} {
		if h, ok := Find(name); ok {
			t.Errorf("%q is %q", name, h.Name)
		}
	}
	for _, c := range []struct {
		host  string
		scope Scope
		want  []string
	}{
		{"claude", User, []string{"/h/.claude/settings.json", "/h/.claude.json"}},
		{"claude", Project, []string{"/p/.claude/settings.json", "/p/.mcp.json"}},
		{"codex", User, []string{"/h/.codex/hooks.json", "/h/.codex/config.toml"}},
		{"codex", Project, []string{"/p/.codex/hooks.json", "/p/.codex/config.toml"}},
		{"gemini", User, []string{"/h/.gemini/settings.json", "/h/.gemini/settings.json"}},
		{"gemini", Project, []string{"/p/.gemini/settings.json", "/p/.gemini/settings.json"}},
		{"cursor", User, []string{"/h/.cursor/hooks.json", "/h/.cursor/mcp.json"}},
		{"cursor", Project, []string{"/p/.cursor/hooks.json", "/p/.cursor/mcp.json"}},
		{"copilot", User, []string{"/h/.copilot/hooks/hearsay.json", "/h/.copilot/mcp-config.json"}},
		{"copilot", Project, []string{"/p/.github/hooks/hearsay.json", "/p/.mcp.json"}},
		{"windsurf", User, []string{"/h/.codeium/windsurf/hooks.json", "/h/.codeium/windsurf/mcp_config.json"}},
		{"windsurf", Project, []string{"/p/.windsurf/hooks.json", "/p/.windsurf/hooks.json"}},
	} {
		h, _ := Find(c.host)
		var got []string
		for _, f := range h.Files(c.scope, "/h", "/p") {
			got = append(got, filepath.ToSlash(f))
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s %d: %s", c.host, c.scope, diff)
		}
	}
}

func TestRefusedOptions(t *testing.T) {
	none := memory{}
	for name, change := range map[string]func(o *Options){
		"nothing":           func(o *Options) { *o = Options{} },
		"relative":          func(o *Options) { o.Binary = "hearsay-hook" },
		"another program":   func(o *Options) { o.Binary = "/usr/bin/hearsay" },
		"control character": func(o *Options) { o.Args = []string{"a\nb"} },
		"not UTF-8":         func(o *Options) { o.Args = []string{"\xff"} },
		"long":              func(o *Options) { o.Args = []string{strings.Repeat("x", maxArg+1)} },
		"many":              func(o *Options) { o.Args = make([]string, maxArgs+1) },
		"empty gateway":     func(o *Options) { o.Gateway = []string{} },
		"open gateway":      func(o *Options) { o.Gateway = []string{"/usr/bin/hearsay", "mcp", "x"} },
		"other gateway":     func(o *Options) { o.Gateway = []string{"/usr/bin/env", "mcp", "--"} },
		"relative gateway":  func(o *Options) { o.Gateway = []string{"hearsay", "mcp", "--"} },
		"gateway in two":    func(o *Options) { o.Gateway = []string{"/usr/bin/hearsay", "mcp", "--", "x", "--"} },
		"unknown server":    func(o *Options) { o.Only = []string{"x"} },
	} {
		o := options("claude")
		change(&o)
		if changes, err := claude.Install(none.read, User, testHome, "", o); err == nil || changes != nil {
			t.Errorf("%s: %v, %v", name, changes, err)
		}
	}
	o := options("claude")
	if _, err := claude.Install(none.read, User, "home", "", o); err == nil {
		t.Error("a relative home was taken")
	}
	if _, err := claude.Install(none.read, Project, testHome, "", o); err == nil {
		t.Error("no project was taken")
	}
	if _, err := claude.Install(none.read, 7, testHome, testProject, o); err == nil {
		t.Error("an unknown scope was taken")
	}
	if _, err := (Host{}).Install(none.read, User, testHome, "", o); err == nil {
		t.Error("no host was taken")
	}
	if _, err := (Host{}).State(none.read, User, testHome, "", o); err == nil {
		t.Error("no host has a state")
	}
	denied := func(string) ([]byte, error) { return nil, fs.ErrPermission }
	if _, err := claude.Install(denied, User, testHome, "", o); !errors.Is(err, fs.ErrPermission) {
		t.Errorf("got %v", err)
	}
	if _, err := claude.Remove(denied, User, testHome, ""); !errors.Is(err, fs.ErrPermission) {
		t.Errorf("got %v", err)
	}
	if changes, err := claude.Remove(none.read, User, testHome, ""); err != nil || len(changes) > 0 {
		t.Errorf("removing from nothing: %v, %v", changes, err)
	}
}

// Without a gateway the servers are not even read.
func TestServersAreLeftAlone(t *testing.T) {
	o := options("claude")
	o.Gateway = nil
	m := memory{testHome + "/.claude.json": "rubbish"}
	changes, err := claude.Install(m.read, User, testHome, "", o)
	if err != nil || len(changes) != 1 {
		t.Errorf("%v, %v", changes, err)
	}
}

func TestNotes(t *testing.T) {
	m := memory{testHome + "/.claude.json": `{"mcpServers":{"r\u001b":{"type":"sse","url":"x"}}}`}
	o := options("claude")
	changes, err := claude.Install(m.read, User, testHome, "", o)
	if err != nil || len(changes) != 2 || changes[1].Changed() || !strings.Contains(Diff(changes[1]), `server "r\\u{1b}" is reached`) && !strings.Contains(Diff(changes[1]), `server "r\u{1b}" is reached`) {
		t.Errorf("%+v, %v", changes, err)
	}
}

func TestState(t *testing.T) {
	m := memory{
		testHome + "/.claude/settings.json": `{
			"disableAllHooks": true, "env": {"CLAUDE_CODE_DISABLE_FILE_MENTIONS": "1"},
			"hooks": {
				"Stop": [{"hooks": [{"type": "command", "command": "/old/hearsay-hook claude"}, {"type": "command", "command": "/old/hearsay-hook", "args": ["x"], "onFailure": "block"}]}],
				"PreToolUse": [{"matcher": "Write", "hooks": [{"type": "command", "command": "/old/hearsay-hook"}]}]
			}}`,
		testHome + "/.claude.json": `{"mcpServers": {"a": {"command": "x", "args": ["y"]}, "b": {"url": "z"}},
			"projects": {"/p": {"mcpServers": {"c": {"command": "/old/hearsay", "args": ["mcp", "--", "c", "d"]}}}}}`,
		testProject + "/.claude/settings.local.json": `{"disableAllHooks": 1}`,
		"/etc/claude-code/managed-settings.json":     `{"allowManagedHooksOnly": true, "disableAllHooks": false}`,
	}
	st, err := claude.State(m.read, User, testHome, testProject, options("claude"))
	if err != nil {
		t.Fatal(err)
	}
	settings, servers := testHome+"/.claude/settings.json", testHome+"/.claude.json"
	want := State{
		Hooks: []Hook{
			{File: settings, Event: "Stop", Command: "/old/hearsay-hook claude", Args: []string{"claude"}, Program: "/old/hearsay-hook", Stale: true},
			{File: settings, Event: "Stop", Command: "/old/hearsay-hook", Args: []string{"x"}, Program: "/old/hearsay-hook", ExecForm: true, Blocks: true, Stale: true},
			{File: settings, Event: "PreToolUse", Matcher: "Write", Command: "/old/hearsay-hook", Program: "/old/hearsay-hook", Gate: true, Narrow: true, Stale: true},
		},
		Doubled:  []string{"Stop"},
		Switches: []Switch{{settings, "disableAllHooks"}, {testProject + "/.claude/settings.local.json", "disableAllHooks"}, {"/etc/claude-code/managed-settings.json", "allowManagedHooksOnly"}},
		Servers: []Server{
			{File: servers, Name: "a", Command: []string{"x", "y"}},
			{File: servers, Name: "b", Remote: true, Command: nil},
			{File: servers, Name: "c", Project: "/p", Gateway: []string{"/old/hearsay", "mcp", "--"}, Stale: true, Command: []string{"c", "d"}},
		},
		Variable: "1",
	}
	for _, e := range claude.events {
		if e.name != "Stop" {
			want.Missing = append(want.Missing, e.name)
		}
	}
	if diff := cmp.Diff(want, st); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if st.Covered() || (State{}).Covered() {
		t.Error("it is said to be covered")
	}
	codexFiles := memory{testHome + "/.codex/config.toml": "features.hooks = false\n", testProject + "/.codex/config.toml": "features = { hooks = false }\n", "/etc/codex/requirements.toml": "allow_managed_hooks_only = true\n"}
	st, err = codex.State(codexFiles.read, User, testHome, testProject, Options{})
	if err != nil || len(st.Switches) != 3 || st.Switches[2].Key != "allow_managed_hooks_only" {
		t.Errorf("%+v, %v", st, err)
	}
	for config, want := range map[string]bool{
		"":                              false,
		"[features]\nmemories = true\n": true,
		"features.memories = true\nmemories = { disable_on_external_context = false }\n": true,
		"features.memories = true\nmemories = { disable_on_external_context = true }\n":  false,
		"features.memories = true\n[memories]\ngenerate_memories = false\n":              false,
		"features.memories = false\n": false,
		"features.memories = true\n[memories]\ndisable_on_external_context = \"true\" # a string\n": true,
	} {
		st, err := codex.State(memory{testHome + "/.codex/config.toml": config}.read, User, testHome, "", Options{})
		if err != nil || st.Memories != want {
			t.Errorf("%q: %v, %v", config, st.Memories, err)
		}
	}
	// One bad file does not hide the other.
	m[servers] = "{"
	st, err = claude.State(m.read, User, testHome, testProject, Options{})
	if err == nil || len(st.Hooks) != 3 || st.Hooks[0].Stale {
		t.Errorf("%+v, %v", st, err)
	}
}

// TestMC112 runs the command line of a gating event: a hook that is not there, or that
// fails, blocks with words on stderr; one that answers is heard.
func TestMC112CommandLineFailsClosed(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no sh")
	}
	dir := filepath.Join(t.TempDir(), `it's "a" $HOME \d`)
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	o := Options{Binary: filepath.Join(dir, "hearsay-hook"), Args: []string{"codex", "--home", `/x y/$(false)'`}}
	fields := codex.handler(o, event{gate: true})
	line := fields[1].value.(string)
	for _, shell := range []string{"sh", "bash", "zsh", "fish", "dash", "ksh"} {
		path, err := exec.LookPath(shell)
		if err != nil {
			continue
		}
		run := func() (string, string, int) {
			c := exec.Command(path, "-c", line)
			var out, errs bytes.Buffer
			c.Stdout, c.Stderr = &out, &errs
			_ = c.Run()
			return out.String(), errs.String(), c.ProcessState.ExitCode()
		}
		if _, errs, code := run(); code != 2 || !strings.Contains(errs, "hearsay: the hook failed") {
			t.Errorf("%s, absent: %d, %q", shell, code, errs)
		}
		for script, want := range map[string]int{
			"exit 0": 0, "exit 1": 2, "exit 2": 2, "kill -9 $$": 2,
		} {
			if err := os.WriteFile(o.Binary, []byte("#!/bin/sh\nprintf '%s|' \"$@\"\n"+script+"\n"), 0o700); err != nil {
				t.Fatal(err)
			}
			out, errs, code := run()
			if code != want || (code == 2) != strings.Contains(errs, "hearsay: the hook failed") || out != "codex|--home|"+o.Args[2]+"|" {
				t.Errorf("%s, %s: %d, %q, %q", shell, script, code, out, errs)
			}
		}
		if err := os.Remove(o.Binary); err != nil {
			t.Fatal(err)
		}
	}
	if got := firstWord(line); got != o.Binary {
		t.Errorf("its program is read as %q", got)
	}
}

func TestFirstWord(t *testing.T) {
	for in, want := range map[string]string{
		"":                             "",
		"  x y":                        "x",
		`'a b'/c d`:                    "a b/c",
		`"a \"b" c`:                    `a "b`,
		`a\ b c`:                       "a b",
		`C:\x\hearsay-hook.exe claude`: `C:\x\hearsay-hook.exe`,
		"A=1 B='2 3' x":                "x",
		"A=1":                          "A=1",
		"x;y":                          "x",
		"x||y":                         "x",
		"'open":                        "open",
		`x\`:                           `x\`,
	} {
		if got := firstWord(in); got != want {
			t.Errorf("%q: got %q, want %q", in, got, want)
		}
	}
}

func TestCmdLine(t *testing.T) {
	for want, argv := range map[string][]string{
		`C:\x\hearsay-hook.exe codex`:             {`C:\x\hearsay-hook.exe`, "codex"},
		`"C:\Users\Ana B\hearsay-hook.exe" "a&b"`: {`C:\Users\Ana B\hearsay-hook.exe`, "a&b"},
		`hearsay-hook-cannot-be-quoted`:           {`C:\hearsay-hook.exe`, `%PATH%`},
	} {
		if got := cmdLine(argv); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

func TestIsProgram(t *testing.T) {
	for path, want := range map[string]bool{
		"hearsay-hook": true, "/a/hearsay-hook": true, `C:\a\Hearsay-Hook.EXE`: true, "./hearsay-hook.exe": true,
		"/a/hearsay-hook/": false, "Hearsay-Hook": false, "xhearsay-hook": false, "": false,
	} {
		if got := isProgram(path, hookProgram); got != want {
			t.Errorf("%q: %v", path, got)
		}
	}
}

func TestDiff(t *testing.T) {
	c := Change{File: "/x/a\x1bb", Exists: true, Notes: []string{"a\nnote"},
		Before: []byte("1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12\n\x1b[31m\n\u202e"),
		After:  []byte("0\n1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n13\n\x1b[31m\n\u202e\n")}
	want := `# a\u{a}note
--- /x/a\u{1b}b
+++ /x/a\u{1b}b
@@ -1,3 +1,4 @@
+0
 1
 2
 3
@@ -9,6 +10,6 @@
 9
 10
 11
-12
+13
 \u{1b}[31m
-\u{202e}
\ No newline at end of file
+\u{202e}
`
	if diff := cmp.Diff(want, Diff(c)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got := Diff(Change{File: "x", After: []byte("a\n")}); got != "--- /dev/null\n+++ x\n@@ -0,0 +1 @@\n+a\n" {
		t.Errorf("a new file: %q", got)
	}
	if got := Diff(Change{File: "x", Exists: true, Before: []byte("a\n")}); got != "--- x\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n" {
		t.Errorf("a file that goes: %q", got)
	}
	// Far too many lines are shown as replaced, in good time.
	x, y := strings.Repeat("a\nb\n", 20000), strings.Repeat("b\nc\n", 20000)
	if got := Diff(Change{File: "x", Exists: true, Before: []byte(x), After: []byte(y)}); strings.Count(got, "\n") != 80003 {
		t.Errorf("%d lines", strings.Count(got, "\n"))
	}
}

// FuzzDiff rebuilds both files from a diff's own steps.
func FuzzDiff(f *testing.F) {
	f.Add("a\nb\n", "b\nc")
	f.Add("", "\r\n")
	f.Fuzz(func(t *testing.T, x, y string) {
		var before, after []string
		for _, s := range compare(lines([]byte(x)), lines([]byte(y))) {
			if s.kind != '+' {
				before = append(before, s.line)
			}
			if s.kind != '-' {
				after = append(after, s.line)
			}
		}
		if !slices.Equal(before, lines([]byte(x))) || !slices.Equal(after, lines([]byte(y))) {
			t.Errorf("%q and %q became %q and %q", x, y, before, after)
		}
		got := Diff(Change{File: "x", Exists: true, Before: []byte(x), After: []byte(y)})
		if (x == y) != (got == "") {
			t.Errorf("the diff is %q", got)
		}
		for _, r := range got {
			if r < ' ' && r != '\n' && r != '\t' {
				t.Errorf("%q in the diff", r)
			}
		}
	})
}

func BenchmarkInstall(b *testing.B) {
	for _, n := range []int{1, 1000, 8000} {
		var s, toml strings.Builder
		s.WriteString("{\n  \"mcpServers\": {\n")
		for i := range n {
			if i > 0 {
				s.WriteString(",\n")
			}
			fmt.Fprintf(&s, "    \"s%d\": {\"command\": \"npx\", \"args\": [\"-y\", \"x\"]}", i)
			fmt.Fprintf(&toml, "[mcp_servers.s%d]\ncommand = \"npx\"\nargs = [\"-y\", \"x\"]\n", i)
		}
		s.WriteString("\n  }\n}\n")
		m := memory{testHome + "/.claude.json": s.String(), testHome + "/.codex/config.toml": toml.String()}
		for _, h := range hosts {
			b.Run(fmt.Sprintf("%s/servers-%d", h.Name, n), func(b *testing.B) {
				b.SetBytes(int64(s.Len()))
				for b.Loop() {
					if _, err := h.Install(m.read, User, testHome, "", options(h.Name)); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
	// Many entries of ours, as somebody hostile would leave them.
	many := memory{testHome + "/.claude/settings.json": `{"hooks":{"Stop":[` + strings.Repeat(`{"hooks":[{"command":"hearsay-hook"},{"command":"x"}]},{"hooks":[{"command":"hearsay-hook"}]},`, 20000) + `{}]}}`}
	b.Run("claude/planted-40000", func(b *testing.B) {
		for b.Loop() {
			if _, err := claude.Remove(many.read, User, testHome, ""); err != nil {
				b.Fatal(err)
			}
		}
	})
}
