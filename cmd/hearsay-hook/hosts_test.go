package main

import (
	"bytes"
	"encoding/json"
	"maps"
	"os"
	"strings"
	"testing"
)

// heard runs the hook on an event of a host, by the entry of a settings file that names
// one.
func (f *fixture) heard(host, named, event string, fields map[string]any) (code int, stdout, stderr string) {
	f.t.Helper()
	e := map[string]any{"session_id": "s-1", "transcript_path": "/t", "cwd": f.work, "hook_event_name": event, "timestamp": "2026-11-30T09:00:00Z"}
	if host == "cursor" {
		e = map[string]any{"conversation_id": "c-1", "generation_id": "g", "workspace_roots": []string{f.work}, "hook_event_name": event, "cursor_version": "2026.09.18-9a7762b", "transcript_path": nil}
	}
	maps.Copy(e, fields)
	data, err := json.Marshal(e)
	if err != nil {
		f.t.Fatal(err)
	}
	var out, diag bytes.Buffer
	code = run([]string{named, "--home", f.home}, streams{bytes.NewReader(data), &out, &diag}, func(string) string { return "" }, f.within)
	return code, out.String(), diag.String()
}

// hostCalls are a write to memory, a read, a deployment and a tool that nobody knows, in
// the words of a host.
func (f *fixture) hostCalls(host string) (event string, calls map[string]map[string]any) {
	call := func(name string, args map[string]any) map[string]any {
		return map[string]any{"tool_name": name, "tool_input": args}
	}
	if host == "cursor" {
		return "preToolUse", map[string]map[string]any{
			"memory":  call("Write", map[string]any{"path": f.work + "/MEMORY.md", "contents": "- x\n"}),
			"rule":    call("Write", map[string]any{"path": f.work + "/.cursor/rules/a.mdc", "contents": "x"}),
			"read":    call("Read", map[string]any{"path": f.work + "/a.go"}),
			"deploy":  call("Shell", map[string]any{"command": "kubectl apply -f prod.yaml"}),
			"unknown": call("Teleport", map[string]any{}),
		}
	}
	return "BeforeTool", map[string]map[string]any{
		"memory":  call("write_file", map[string]any{"file_path": f.work + "/MEMORY.md", "content": "- x\n"}),
		"rule":    call("write_file", map[string]any{"file_path": f.work + "/GEMINI.md", "content": "x"}),
		"read":    call("read_file", map[string]any{"file_path": f.work + "/a.go"}),
		"deploy":  call("run_shell_command", map[string]any{"command": "kubectl apply -f prod.yaml"}),
		"unknown": call("teleport", map[string]any{}),
	}
}

// MC-112: on each host a hook that cannot reach its home stops what is grave by the exit
// code that the host obeys, and lets go on what is not in the way that the host takes
// for an answer: an entry of Cursor's that fails closed takes silence for a failure.
func TestMC112EachHostsWay(t *testing.T) {
	for host, quiet := range map[string]string{"gemini": "", "cursor": "{}\n"} {
		f := newFixture(t)
		if err := os.RemoveAll(f.home); err != nil {
			t.Fatal(err)
		}
		event, calls := f.hostCalls(host)
		for name, fields := range calls {
			want, out := failed, ""
			if name == "read" {
				want, out = 0, quiet
			}
			if code, got, diag := f.heard(host, host, event, fields); code != want || got != out || code != 0 && diag == "" {
				t.Errorf("%s, %s: exit %d, %q, %q", host, name, code, got, diag)
			}
		}
		prompt := map[string]string{"gemini": "BeforeAgent", "cursor": "beforeSubmitPrompt"}[host]
		if code, got, _ := f.heard(host, host, prompt, map[string]any{"prompt": "hello"}); code != 0 || got != quiet {
			t.Errorf("%s, a prompt: exit %d, %q", host, code, got)
		}
		if code, got, diag := f.heard(host, host, event, map[string]any{"tool_name": 7}); code != failed || got != "" || diag == "" {
			t.Errorf("%s, unreadable: exit %d, %q, %q", host, code, got, diag)
		}
	}
}

// TestEachHostIsAnswered: with a home, what may go on goes on and what may not is
// denied with exit code 0, whichever settings file named the hook. What a slow machine
// makes of a memory write, that it goes on or is held, is said in the host's form too.
func TestEachHostIsAnswered(t *testing.T) {
	for _, c := range []struct{ host, named, quiet, deny string }{
		{"gemini", "gemini", "", `"decision":"deny"`},
		{"gemini", "claude", "", `"decision":"deny"`},
		{"cursor", "cursor", "{}\n", `"permission":"deny"`},
		{"cursor", "claude", "{}\n", `"permission":"deny"`},
	} {
		f := newFixture(t)
		event, calls := f.hostCalls(c.host)
		start := map[string]string{"gemini": "SessionStart", "cursor": "sessionStart"}[c.host]
		if code, _, diag := f.heard(c.host, c.host, start, map[string]any{"source": "startup"}); code != 0 {
			t.Fatalf("%s: exit %d, %s", c.host, code, diag)
		}
		for _, name := range []string{"memory", "read", "rule"} {
			code, out, diag := f.heard(c.host, c.named, event, calls[name])
			denied := strings.Contains(out, c.deny)
			if code != 0 || denied == (out == c.quiet) || name == "read" && denied || name == "rule" && c.host == "gemini" && !denied {
				t.Errorf("%s by %s, %s: exit %d, %q, %q", c.host, c.named, name, code, out, diag)
			}
		}
		if code, out, _ := f.heard(c.host, c.named, event, map[string]any{"tool_name": "MCP:x", "tool_input": map[string]any{}}); c.host == "cursor" && c.named == "cursor" && (code != 0 || out != c.quiet) {
			t.Errorf("a call that is told again: exit %d, %q", code, out)
		}
		later := "laterEvent"
		if c.host == "gemini" {
			later = "BeforeModel"
		}
		if code, out, diag := f.heard(c.host, c.named, later, nil); code != 0 || out != c.quiet || diag != "" {
			t.Errorf("%s, an unknown event: exit %d, %q, %q", c.host, code, out, diag)
		}
	}
}
