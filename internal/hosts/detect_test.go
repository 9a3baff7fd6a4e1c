package hosts

import (
	"errors"
	"strings"
	"testing"
)

func TestDetect(t *testing.T) {
	none := func(string) string { return "" }
	env := func(pairs ...string) func(string) string {
		return func(name string) string {
			for i := 0; i < len(pairs); i += 2 {
				if pairs[i] == name {
					return pairs[i+1]
				}
			}
			return ""
		}
	}
	const (
		neutral = `{"session_id":"s","transcript_path":"/t","cwd":"/","hook_event_name":"SessionStart","source":"startup"}`
		claudes = `{"session_id":"s","transcript_path":"/t","cwd":"/","prompt_id":"p","hook_event_name":"PreToolUse"}`
		codexs  = `{"session_id":"s","turn_id":"t","transcript_path":null,"cwd":"/","model":"m","hook_event_name":"PreToolUse"}`
		geminis = `{"session_id":"s","transcript_path":"/t","cwd":"/","hook_event_name":"SessionStart","timestamp":"2026-11-30T09:00:00Z","source":"startup"}`
		cursors = `{"conversation_id":"c1","generation_id":"g7","session_id":"c1","model":"…","hook_event_name":"beforeMCPExecution","cursor_version":"2026.09.18","tool_input":"{}"}`
	)
	for _, c := range []struct {
		name, in, named string
		env             func(string) string
		want            string // "" for unsupported
		says            string
	}{
		{"named", neutral, "claude", none, "claude", ""},
		{"named codex", neutral, "codex", none, "codex", ""},
		{"its own fields", claudes, "", none, "claude", ""},
		{"codex's own fields", codexs, "", none, "codex", ""},
		{"fields over the name", codexs, "claude", none, "codex", ""},
		{"fields over the name, back", claudes, "codex", none, "claude", ""},
		{"name over the environment", neutral, "codex", env("CLAUDECODE", "1"), "codex", ""},
		{"an inherited environment", codexs, "", env("CLAUDECODE", "1"), "codex", ""},
		{"the environment", neutral, "", env("CLAUDE_PROJECT_DIR", "/p"), "claude", ""},
		{"nothing", neutral, "", none, "", "name the host"},
		{"nothing at all", neutral, "", nil, "", "name the host"},
		{"cursor", cursors, "cursor", none, "cursor", ""},
		{"cursor by another host's settings", cursors, "claude", none, "cursor", ""},
		{"cursor with Claude Code's names", strings.Replace(claudes, `"cwd"`, `"cursor_version":"1","cwd"`, 1), "claude", none, "cursor", ""},
		{"cursor by the environment", neutral, "", env("CURSOR_VERSION", "1", "CLAUDE_PROJECT_DIR", "/p"), "cursor", ""},
		{"copilot", `{"sessionId":"s1","timestamp":1796000000000,"cwd":"/srv/app","toolName":"edit","toolArgs":"{}"}`, "claude", none, "copilot", ""},
		{"copilot with Claude Code's names", `{"session_id":"s","timestamp":"2026-11-30T09:00:00Z","cwd":"/","hook_event_name":"PreToolUse","tool_name":"edit","tool_input":{}}`, "claude", none, "copilot", ""},
		{"vscode", `{"timestamp":"t","cwd":"/","sessionId":"s","hookEventName":"PreToolUse","tool_name":"editFiles"}`, "claude", none, "", "vscode"},
		{"windsurf", `{"agent_action_name":"pre_write_code","trajectory_id":"tr1","tool_info":{}}`, "claude", none, "windsurf", ""},
		{"gemini", `{"session_id":"s","cwd":"/","hook_event_name":"BeforeTool","timestamp":"t"}`, "claude", none, "gemini", ""},
		{"gemini's start", geminis, "gemini", none, "gemini", ""},
		{"gemini's start, told to another", geminis, "claude", none, "copilot", ""},
		{"gemini's start, nobody named", geminis, "", env("GEMINI_SESSION_ID", "s"), "copilot", ""},
		{"copilot by the environment", neutral, "", env("COPILOT_CLI", "1", "CLAUDE_PROJECT_DIR", "/p"), "copilot", ""},
		{"a name of windsurf", neutral, "windsurf", none, "windsurf", ""},
		{"a start of Claude Code, told to gemini", strings.Replace(claudes, "PreToolUse", "SessionStart", 1), "gemini", none, "claude", ""},
		{"gemini by the environment", neutral, "", env("GEMINI_SESSION_ID", "s"), "gemini", ""},
		{"a name that we do not know", neutral, "emacs", none, "", "command line"},
		{"a name that we do not speak yet", neutral, "vscode", none, "", "vscode"},
		{"a name in another case", neutral, "Claude", none, "", "command line"},
		{"traces inside values", `{"session_id":"s","cwd":"/","hook_event_name":"PreToolUse","prompt_id":"p","tool_input":{"cursor_version":"1","turn_id":"t"},"x":"\",\"cursor_version\":1,\""}`, "", none, "claude", ""},
		{"not JSON", "hello", "claude", none, "claude", ""},
		{"empty", "", "", none, "", "name the host"},
	} {
		d, err := Detect([]byte(c.in), c.env, c.named)
		if d.Name() != c.want || (err == nil) != (c.want != "") {
			t.Errorf("%s: %q, %v", c.name, d.Name(), err)
		}
		if err != nil && (!errors.Is(err, ErrUnsupported) || !strings.Contains(err.Error(), c.says) || strings.Contains(err.Error(), "emacs")) {
			t.Errorf("%s: %v", c.name, err)
		}
		if c.want == "" {
			if r := d.Fail(Event{}, true, err.Error()); r.Exit != 2 || len(r.Stderr) == 0 {
				t.Errorf("%s: %s", c.name, said(r))
			}
		}
	}
}
