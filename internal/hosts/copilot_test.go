package hosts

import (
	"encoding/json"
	"maps"
	"strings"
	"testing"
)

func marshal(t testing.TB, v any) []byte {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// TestCopilotFormsAreOneCall: both forms of payload, and arguments as an object and as
// one in a string, are the same call: where two settings files name the hook, it is
// decided once.
func TestCopilotFormsAreOneCall(t *testing.T) {
	for native, shared := range copilotShared {
		args := map[string]any{"path": "a", "file_text": "b", "old_str": "c", "new_str": "d", "command": "", "pattern": "e", "url": "f", "query": "g", "prompt": "h"}
		switch native {
		case "apply_patch":
			args = map[string]any{"input": "*** Begin Patch\n*** Delete File: a\n*** End Patch"}
		case "bash", "powershell":
			args["command"] = "ls"
		}
		own := map[string]any{"sessionId": "s", "timestamp": 1, "cwd": "/w", "toolName": native, "toolArgs": args}
		inString := map[string]any{"sessionId": "s", "timestamp": 1, "cwd": "/w", "toolName": native, "toolArgs": string(marshal(t, args))}
		claudes := map[string]any{"session_id": "s", "timestamp": "t", "cwd": "/w", "hook_event_name": "PreToolUse", "tool_name": shared, "tool_input": args}
		if native == "apply_patch" {
			claudes["tool_input"], own["toolArgs"], inString["toolArgs"] = args["input"], args["input"], args["input"]
		}
		want := decoded(t, copilot.dialect(), marshal(t, own))
		for _, in := range []map[string]any{inString, claudes} {
			e := decoded(t, copilot.dialect(), marshal(t, in))
			if e.CallID != want.CallID || e.Tool.Name != want.Tool.Name || e.Session != want.Session || e.Kind != want.Kind {
				t.Errorf("%s: %s %s and %s %s", native, want.Tool.Name, want.CallID, e.Tool.Name, e.CallID)
			}
			if e.Tool.Class != want.Tool.Class {
				t.Errorf("%s: %s and %s", native, want.Tool.Class, e.Tool.Class)
			}
		}
		result := decoded(t, copilot.dialect(), marshal(t, map[string]any{"sessionId": "s", "timestamp": 2, "cwd": "/w", "toolName": native, "toolArgs": own["toolArgs"],
			"toolResult": map[string]any{"resultType": "success", "textResultForLlm": "x"}}))
		if result.CallID != want.CallID || result.Kind != AfterTool {
			t.Errorf("%s: the result is of another call", native)
		}
	}
}

// TestCopilotShapes: an event of the form without names is told by its fields, and what
// could be a tool that is about to run is one.
func TestCopilotShapes(t *testing.T) {
	base := map[string]any{"sessionId": "s", "timestamp": 1, "cwd": "/w", "toolName": "view", "toolArgs": map[string]any{"path": "a"}}
	for _, extra := range []string{"", "prompt", "source", "reason", "trigger", "agentName", "stopReason", "response", "hook_event_name2", "tool_result", "Error_"} {
		m := map[string]any{extra: "x"}
		maps.Copy(m, base)
		if e := decoded(t, copilot.dialect(), marshal(t, m)); e.Kind != BeforeTool {
			t.Errorf("with %q it is %s", extra, e.Kind)
		}
	}
	for _, gone := range []string{"toolName", "toolArgs"} {
		m := map[string]any{}
		maps.Copy(m, base)
		delete(m, gone)
		e, err := copilot.decode(marshal(t, m))
		checkFault(t, e, err)
		if err == nil || e.Kind != BeforeTool {
			t.Errorf("without %s: %s, %v", gone, e.Kind, err)
		}
	}
}

// TestCopilotSubagents: what a sub-agent does is its parent's, as far as the host tells
// whose it is; where it cannot be followed further its words are a stranger's.
func TestCopilotSubagents(t *testing.T) {
	task := func(agent bool) Event {
		m := map[string]any{"sessionId": "own", "timestamp": 1, "cwd": "/w", "toolName": "task", "toolArgs": map[string]any{"prompt": "x"}}
		if agent {
			m["agentId"], m["agentType"], m["parentAgentId"] = "own", "explore", "root"
		}
		return decoded(t, copilot.dialect(), marshal(t, m))
	}
	if e := task(false); e.Session != "own" || e.Tool.Class != SubAgent {
		t.Errorf("the main agent: %s, %s", e.Session, e.Tool.Class)
	}
	if e := task(true); e.Session != "root" || e.Agent != "own" || e.Tool.Class != UnknownTool {
		t.Errorf("a sub-agent: %s, %s, %s", e.Session, e.Agent, e.Tool.Class)
	}
	// One that cannot be read taints the parent too.
	bad := `{"sessionId":"own","agentId":"own","parentAgentId":"root","cwd":"/w","toolName":"view","toolArgs":{"path":"a","path":"b"},"toolResult":{}}`
	e, err := copilot.decode([]byte(bad))
	checkFault(t, e, err)
	if err == nil || e.Session != "root" || e.Kind != AfterTool {
		t.Errorf("unreadable: %s %s, %v", e.Session, e.Kind, err)
	}
}

// TestCopilotServersEnd: only a name with one hyphen tells where the server ends: any
// other could be the name of a tool of another server.
func TestCopilotServersEnd(t *testing.T) {
	for name, want := range map[string][2]string{
		"memory-create_entities": {"memory", "create_entities"},
		"my_mem-create":          {"my_mem", "create"},
		"my-memory-create":       {"", "my-memory-create"},
		"memory-x-create":        {"", "memory-x-create"},
		"memory-":                {"memory", ""},
		"-create":                {"", "create"},
	} {
		e := decoded(t, copilot.dialect(), toolEvent(t, copilot.dialect(), name, map[string]any{}, nil))
		if e.Tool.Class != MCP || e.Tool.Server != want[0] || e.Tool.ServerTool != want[1] {
			t.Errorf("%s: %s, server %q, tool %q", name, e.Tool.Class, e.Tool.Server, e.Tool.ServerTool)
		}
	}
}

// TestWindsurfSaysNothingElse: whatever is said, Windsurf gets an exit code and words,
// and never output, which it would show and not read.
func TestWindsurfSaysNothingElse(t *testing.T) {
	for _, ev := range windsurf.events {
		for _, a := range answers() {
			r := windsurf.encode(Event{Name: ev.name, Kind: ev.kind}, a)
			if len(r.Stdout) > 0 || (r.Exit == 2) != (ev.deny != cannot && (a.Verdict == Ask || a.Verdict == Deny)) || strings.Count(string(r.Stderr), "\n") > 1 {
				t.Errorf("%s, %s: %s", ev.name, a.Verdict, said(r))
			}
			if a.Verdict == Ask && r.Exit == 2 && !strings.Contains(string(r.Stderr), "To approve, a person runs: hearsay review approve q-01") {
				t.Errorf("%s: an ask does not say how to approve: %s", ev.name, said(r))
			}
		}
	}
}
