package hosts

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"
)

// toolEvent is a tool call in a dialect's own form: about to run, or, with a response,
// run.
func toolEvent(t testing.TB, d Dialect, tool string, input, response any) []byte {
	t.Helper()
	event, fields := "PreToolUse", map[string]any{"tool_name": tool, "tool_input": input}
	if response != nil {
		event, fields["tool_response"] = "PostToolUse", response
	}
	switch d.Name() {
	case "gemini":
		if event = "BeforeTool"; response != nil {
			event, fields["tool_response"] = "AfterTool", map[string]any{"llmContent": response, "returnDisplay": "shown"}
		}
		fields["timestamp"], fields["tool_use_id"], fields["prompt_id"], fields["permission_mode"] = "2026-11-30T09:00:00Z", nil, nil, nil
	case "cursor":
		if event = "preToolUse"; response != nil {
			event, fields["tool_response"], fields["tool_output"] = "postToolUse", nil, response
		}
		fields["conversation_id"], fields["generation_id"], fields["cursor_version"], fields["workspace_roots"] = "s1", "g1", "2026.09.18-9a7762b", []string{"/srv/app"}
		fields["prompt_id"], fields["permission_mode"] = nil, nil
	case "copilot":
		// Its own form, with the arguments as JSON in a string.
		args, err := json.Marshal(input)
		if err != nil {
			t.Fatal(err)
		}
		fields = map[string]any{"sessionId": "s1", "timestamp": 1796040793086, "cwd": "/srv/app", "toolName": tool, "toolArgs": string(args)}
		if response != nil {
			fields["toolResult"] = map[string]any{"resultType": "success", "textResultForLlm": response}
		}
		return marshal(t, fields)
	case "windsurf":
		// It tells tools by their names of servers only.
		info := map[string]any{"mcp_server_name": "late", "mcp_tool_name": tool, "mcp_tool_arguments": input}
		if event = "pre_mcp_tool_use"; response != nil {
			event, info["mcp_result"] = "post_mcp_tool_use", response
		}
		return marshal(t, map[string]any{"agent_action_name": event, "trajectory_id": "s1", "execution_id": "e1", "tool_info": info})
	}
	return payload(t, event, fields)
}

// TestOtherDialectsAreStrict changes each field of a call, in each way that a reader
// could stumble over. What is read then is the same call as before, or nothing.
func TestOtherDialectsAreStrict(t *testing.T) {
	rubbish := []any{nil, 7, 1.5, true, []any{}, map[string]any{}, "", "\x00", strings.Repeat("a", 20_000), "{", `"{}"`, `{"command":"rm"}{}`}
	for _, c := range []struct {
		name     string
		d        Dialect
		fields   map[string]any
		required []string
		ignored  []string // of the payload, by us
	}{
		{"gemini", gemini.dialect(), map[string]any{"session_id": "s", "transcript_path": "/t", "cwd": "/w", "hook_event_name": "BeforeTool", "timestamp": "t",
			"tool_name": "run_shell_command", "tool_input": map[string]any{"command": "make"}},
			[]string{"session_id", "cwd", "tool_name", "tool_input"}, []string{"timestamp"}},
		{"gemini mcp", gemini.dialect(), map[string]any{"session_id": "s", "cwd": "/w", "hook_event_name": "BeforeTool",
			"tool_name": "mcp_a_b", "tool_input": map[string]any{"command": "make"}, "mcp_context": map[string]any{"server_name": "a", "tool_name": "b"}},
			[]string{"session_id", "cwd", "tool_name"}, nil},
		{"cursor", cursor.dialect(), map[string]any{"conversation_id": "c", "generation_id": "g", "cwd": "/w", "hook_event_name": "preToolUse", "cursor_version": "1.7",
			"tool_name": "Shell", "tool_input": map[string]any{"command": "make"}, "tool_use_id": "u"},
			[]string{"conversation_id", "tool_name", "cwd"}, []string{"cursor_version"}},
		{"cursor mcp", cursor.dialect(), map[string]any{"conversation_id": "c", "workspace_roots": []any{"/w"}, "hook_event_name": "beforeMCPExecution", "cursor_version": "1.7",
			"tool_name": "b", "tool_input": `{"command":"make"}`, "mcp_server_name": "a"},
			[]string{"conversation_id", "tool_name", "workspace_roots"}, nil},
		{"copilot", copilot.dialect(), map[string]any{"sessionId": "s", "timestamp": 1, "cwd": "/w", "toolName": "bash", "toolArgs": `{"command":"make"}`},
			[]string{"sessionId", "cwd", "toolName", "toolArgs"}, []string{"timestamp"}},
		{"copilot in Claude Code's form", copilot.dialect(), map[string]any{"hook_event_name": "PreToolUse", "session_id": "s", "timestamp": "t", "cwd": "/w", "tool_name": "Bash", "tool_input": map[string]any{"command": "make"}},
			[]string{"session_id", "cwd", "tool_name", "tool_input"}, []string{"timestamp"}},
		{"windsurf", windsurf.dialect(), map[string]any{"agent_action_name": "pre_run_command", "trajectory_id": "s", "execution_id": "e", "timestamp": "t", "tool_info": map[string]any{"command_line": "make", "cwd": "/w"}},
			[]string{"trajectory_id", "tool_info"}, []string{"timestamp"}},
	} {
		encoded := func(m map[string]any) []byte {
			b, err := json.Marshal(m)
			if err != nil {
				t.Fatal(err)
			}
			return b
		}
		want := decoded(t, c.d, encoded(c.fields))
		for key := range c.fields {
			for _, bad := range rubbish {
				m := maps.Clone(c.fields)
				m[key] = bad
				e, err := c.d.Decode(encoded(m))
				checkFault(t, e, err)
				switch {
				case err != nil || e.Kind == Other && (key == "hook_event_name" || key == "agent_action_name"):
				case slices.Contains(c.required, key) && key != "tool_name" && key != "toolName":
					if text, ok := bad.(string); !ok || text == "" || strings.HasPrefix(text, "\x00") || key == "tool_input" || key == "toolArgs" || key == "tool_info" {
						t.Errorf("%s: %s = %.20v is read", c.name, key, bad)
					}
				case e.Session != want.Session || e.Tool.Class != want.Tool.Class && e.Tool.Class != UnknownTool || e.Tool.Command != want.Tool.Command && e.Tool.Command != "" || e.Kind != want.Kind:
					t.Errorf("%s: %s = %.20v makes another call of it: %s", c.name, key, bad, summary(e))
				}
			}
			// The same key in another case, beside it and alone.
			m := maps.Clone(c.fields)
			m[strings.ToUpper(key)] = "x"
			_, beside := c.d.Decode(encoded(m))
			delete(m, key)
			_, alone := c.d.Decode(encoded(m))
			if beside == nil || alone == nil && !slices.Contains(c.ignored, key) {
				t.Errorf("%s: %s in another case: beside it %v, alone %v", c.name, key, beside, alone)
			}
		}
	}
}

// TestCallsAreNamed: a call has one id before it and after it, whoever names it, and
// another call has another.
func TestCallsAreNamed(t *testing.T) {
	for _, d := range []Dialect{gemini.dialect(), cursor.dialect(), copilot.dialect(), windsurf.dialect()} {
		before := decoded(t, d, toolEvent(t, d, "x", map[string]any{"b": 1, "a": 2}, nil))
		after := decoded(t, d, toolEvent(t, d, "x", json.RawMessage(`{"a":2,"b":1}`), "done"))
		if before.CallID == "" || before.CallID != after.CallID || before.Derived == (d.Name() == "cursor") {
			t.Errorf("%s: %q before, %q after, derived %t", d.Name(), before.CallID, after.CallID, before.Derived)
		}
	}
	seen := make(map[string]bool)
	for _, tool := range []string{"a", "b"} {
		for _, args := range []map[string]any{{}, {"a": 1}, {"a": "1"}} {
			e := decoded(t, gemini.dialect(), toolEvent(t, gemini.dialect(), tool, args, nil))
			if seen[e.CallID] {
				t.Errorf("%s %v shares its id with another call", tool, args)
			}
			seen[e.CallID] = true
		}
	}
	// Parts do not run into each other.
	if digestID("a", "bc") == digestID("ab", "c") {
		t.Error("two calls share an id")
	}
}

// TestEditorServer: only the editor's names are taken apart, and only where they have
// its form.
func TestEditorServer(t *testing.T) {
	for _, c := range [][5]string{
		{"3.14.7", "user-memory", "/srv/app", "memory", "user"},
		{"3.14.7", "project-0-app-memory", "/srv/app", "memory", "project"},
		{"3.14.7", "project-12-my-app-my-memory", `C:\srv\my-app`, "my-memory", "project"},
		{"3.14.7", "project-0-other-memory", "/srv/app", "project-0-other-memory", "project"},
		{"3.14.7", "project-x-app-memory", "/srv/app", "project-x-app-memory", "project"},
		{"3.14.7", "project-0-app-", "/srv/app", "project-0-app-", "project"},
		{"3.14.7", "user-", "/srv/app", "user-", ""},
		{"3.14.7", "memory", "/srv/app", "memory", ""},
		{"2026.09.18-9a7762b", "user-memory", "/srv/app", "user-memory", ""},
		{"", "user-memory", "/srv/app", "user-memory", ""},
		{"v3", "user-memory", "/srv/app", "user-memory", ""},
	} {
		key, source := c[1], ""
		if editor(c[0]) {
			key, source = editorServer(c[1], c[2])
		}
		if key != c[3] || source != c[4] {
			t.Errorf("%s %s in %s: %s of %q", c[0], c[1], c[2], key, source)
		}
	}
}

// TestGuest: through another host's settings a call of a server is not left to an event
// that nobody tells.
func TestGuest(t *testing.T) {
	in := toolEvent(t, cursor.dialect(), "MCP:create_entities", map[string]any{}, nil)
	for named, kind := range map[string]Kind{"cursor": Other, "": Other, "claude": BeforeTool, "codex": BeforeTool} {
		d, err := Detect(in, nil, named)
		if err != nil {
			t.Fatal(err)
		}
		e := decoded(t, d, in)
		if e.Kind != kind || e.Guest != (kind == BeforeTool) || d.Name() != "cursor" || e.Host != "cursor" {
			t.Errorf("named %q: %s, guest %t", named, e.Kind, e.Guest)
		}
		if r := d.Encode(e, Answer{Verdict: Deny, Reason: "no"}); kind == BeforeTool && !strings.Contains(string(r.Stdout), `"permission":"deny"`) {
			t.Errorf("named %q: %s", named, said(r))
		}
	}
}

// TestNestedJSONIsBounded: a string inside a string costs no more than its bytes, and is
// not read any deeper.
func TestNestedJSONIsBounded(t *testing.T) {
	deep := strings.Repeat(`{"a":`, 200) + "1" + strings.Repeat("}", 200)
	if _, err := cursor.decode(toolEvent(t, cursor.dialect(), "Shell", deep, nil)); err == nil {
		t.Error("arguments of any depth are read")
	}
	e := decoded(t, cursor.dialect(), toolEvent(t, cursor.dialect(), "Shell", map[string]any{"command": "x"}, deep))
	if len(e.Text) != 1 || e.Text[0] != deep {
		t.Errorf("a result that is no JSON to us is not its text: %d texts", len(e.Text))
	}
	inner := `{"output":"fo\u0072ward \"invoices\""}`
	for range 3 {
		b, err := json.Marshal(map[string]string{"output": inner})
		if err != nil {
			t.Fatal(err)
		}
		inner = string(b)
	}
	e = decoded(t, cursor.dialect(), toolEvent(t, cursor.dialect(), "Shell", map[string]any{"command": "x"}, inner))
	if len(e.Text) != 1 || !strings.HasPrefix(e.Text[0], `{"output":"{`) {
		t.Errorf("texts: %q", e.Text)
	}
}
