package main

import (
	"bytes"
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/hearsay-memory/hearsay/internal/home"
	"github.com/hearsay-memory/hearsay/internal/people"
)

// fixture is a home and a workspace for runs of the hook in this process.
type fixture struct {
	t          *testing.T
	home, work string
	within     time.Duration // of one event; a minute, so that a busy machine decides nothing
}

func newFixture(t *testing.T) *fixture {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("HOME", filepath.Join(dir, "user")) // whose memory files are no part of a test
	f := &fixture{t, filepath.Join(dir, "hs"), filepath.Join(dir, "work"), time.Minute}
	if err := os.Mkdir(f.work, 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := people.Create(t.Context(), people.Setup{Dir: f.home, Principal: "ana", Reviewer: "ana", Unprotected: true, WorkFactor: 10}); err != nil {
		t.Fatal(err)
	}
	return f
}

// raw runs the hook on a payload.
func (f *fixture) raw(payload string) (code int, stdout, stderr string) {
	f.t.Helper()
	var out, diag bytes.Buffer
	code = run([]string{"claude", "--home", f.home}, streams{strings.NewReader(payload), &out, &diag}, func(string) string { return "" }, f.within)
	return code, out.String(), diag.String()
}

func (f *fixture) event(name string, fields map[string]any) (code int, stdout, stderr string) {
	f.t.Helper()
	e := map[string]any{"session_id": "s-1", "transcript_path": "/t.jsonl", "cwd": f.work, "hook_event_name": name, "permission_mode": "default"}
	maps.Copy(e, fields)
	data, err := json.Marshal(e)
	if err != nil {
		f.t.Fatal(err)
	}
	return f.raw(string(data))
}

func (f *fixture) memory() map[string]any {
	return map[string]any{"tool_name": "Write", "tool_use_id": "w", "tool_input": map[string]any{"file_path": f.work + "/MEMORY.md", "content": "- The parser lives in src/p.go\n"}}
}

func (f *fixture) read() map[string]any {
	return map[string]any{"tool_name": "Read", "tool_use_id": "r", "tool_input": map[string]any{"file_path": f.work + "/a.go"}}
}

func bash(command string) map[string]any {
	return map[string]any{"tool_name": "Bash", "tool_use_id": "b", "tool_input": map[string]any{"command": command}}
}

func TestUnreadableEvents(t *testing.T) {
	f := newFixture(t)
	for name, payload := range map[string]string{
		"nothing":       ``,
		"no object":     `[]`,
		"cut off":       `{"session_id":"s-1","hook_event_name":"PreToolUse","tool_na`,
		"twice":         `{"session_id":"s-1","session_id":"s-2","cwd":"/","hook_event_name":"PreToolUse","tool_name":"Read","tool_input":{}}`,
		"other case":    `{"session_id":"s-1","Session_id":"s-2","cwd":"/","hook_event_name":"PreToolUse","tool_name":"Read","tool_input":{}}`,
		"a wrong type":  `{"session_id":7,"transcript_path":"/t","cwd":"/","hook_event_name":"PreToolUse","tool_name":"Read","tool_input":{}}`,
		"no tool":       `{"session_id":"s-1","transcript_path":"/t","cwd":"/","hook_event_name":"PreToolUse","tool_input":{}}`,
		"a path as id":  `{"session_id":"../x","transcript_path":"/t","cwd":"/","hook_event_name":"PreToolUse","tool_name":"Read","tool_input":{}}`,
		"control in id": `{"session_id":"a\u001b[2J","transcript_path":"/t","cwd":"/","hook_event_name":"PreToolUse","tool_name":"Read","tool_input":{}}`,
	} {
		code, out, diag := f.raw(payload)
		if code != failed || out != "" || diag == "" || strings.Contains(diag, "\x1b") {
			t.Errorf("%s: exit %d, %q, %q", name, code, out, diag)
		}
	}
	if code, out, diag := f.raw(`{"session_id":"s-1","transcript_path":"/t","cwd":"/","hook_event_name":"SomethingNew"}`); code != 0 || out+diag != "" {
		t.Errorf("an unknown event: exit %d, %q, %q", code, out, diag)
	}
}

func TestUsage(t *testing.T) {
	for _, args := range [][]string{nil, {"--home"}, {"claude", "codex"}, {"claude", "--what"}, {"klaude", "--home", "/nowhere"}} {
		var diag bytes.Buffer
		code := run(args, streams{strings.NewReader(`{}`), &bytes.Buffer{}, &diag}, func(string) string { return "" }, deadline)
		if code != failed || diag.Len() == 0 {
			t.Errorf("%q: exit %d, %q", args, code, diag.String())
		}
	}
}

// MC-112: a hook that cannot reach its store stops writes to memory and privileged
// actions, lets the rest go on, and remembers that it did.
func TestMC112LockedStore(t *testing.T) {
	f := newFixture(t)
	if code, _, diag := f.event("SessionStart", map[string]any{"source": "startup"}); code != 0 {
		t.Fatalf("exit %d, %s", code, diag)
	}
	h, err := home.Open(f.home)
	if err != nil {
		t.Fatal(err)
	}
	unlock, err := h.Lock(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	f.within = deadline
	code, out, diag := f.event("PreToolUse", f.memory())
	if code != failed || out != "" || !strings.Contains(diag, "hearsay doctor") {
		t.Errorf("a memory write: exit %d, %q, %q", code, out, diag)
	}
	page := map[string]any{"tool_name": "WebFetch", "tool_use_id": "p", "tool_input": map[string]any{"url": "https://example.test", "prompt": "x"}}
	if code, out, diag := f.event("PreToolUse", page); code != 0 || out != "" {
		t.Errorf("a read: exit %d, %q, %q", code, out, diag)
	}
	if err := unlock(); err != nil {
		t.Fatal(err)
	}
	f.within = time.Minute
	if _, out, _ := f.event("PreToolUse", f.memory()); !strings.Contains(out, "held for review") {
		t.Errorf("after a read that nobody sealed a memory write is answered %q", out)
	}
}

func TestMC112MissingHome(t *testing.T) {
	f := newFixture(t)
	if err := os.RemoveAll(f.home); err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct {
		fields map[string]any
		want   int
	}{
		"memory":       {f.memory(), failed},
		"instructions": {map[string]any{"tool_name": "Write", "tool_use_id": "w", "tool_input": map[string]any{"file_path": f.work + "/CLAUDE.md", "content": "x"}}, failed},
		"deploy":       {bash("kubectl apply -f prod.yaml"), failed},
		"redirect":     {bash("echo x >> MEMORY.md"), failed},
		"unknown tool": {map[string]any{"tool_name": "Mystery", "tool_use_id": "m", "tool_input": map[string]any{}}, failed},
		"read":         {f.read(), 0},
		"shell":        {bash("git status"), 0},
	} {
		if code, out, diag := f.event("PreToolUse", tt.fields); code != tt.want || out != "" || code != 0 && diag == "" {
			t.Errorf("%s: exit %d, %q, %q", name, code, out, diag)
		}
	}
	if _, err := os.Stat(f.home); err == nil {
		t.Error("the hook made a home of its own")
	}
	if code, _, diag := f.event("UserPromptSubmit", map[string]any{"prompt": "hello", "source": "user"}); code != 0 {
		t.Errorf("a prompt: exit %d, %s", code, diag)
	}
}

func TestLargeResult(t *testing.T) {
	f := newFixture(t)
	if code, _, diag := f.event("SessionStart", map[string]any{"source": "startup"}); code != 0 {
		t.Fatalf("exit %d, %s", code, diag)
	}
	big := f.read()
	big["tool_response"] = map[string]any{"type": "text", "file": map[string]any{"filePath": f.work + "/a.go", "content": strings.Repeat("a line of code that says nothing\n", 10<<20/33), "numLines": 1, "startLine": 1, "totalLines": 1}}
	if code, out, diag := f.event("PostToolUse", big); code != 0 || out != "" {
		t.Errorf("exit %d, %.80q, %q", code, out, diag)
	}
}
