package hosts

import (
	"encoding/json"
	"errors"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hearsay-memory/hearsay/internal/strictjson"
)

// TestLargeResults: ten megabytes are read, a bounded part of their texts is kept, and
// the rest is counted.
func TestLargeResults(t *testing.T) {
	page := strings.Repeat("zero width \u200b and more. ", 400_000)
	e := decoded(t, claude.dialect(), payload(t, "PostToolUse", map[string]any{"tool_name": "WebFetch", "tool_input": map[string]any{"url": "u"},
		"tool_response": []string{page, "short", page, page, page, page}}))
	total := 0
	for _, s := range e.Text {
		total += len(s)
		if len(s) > mostText || !strings.HasPrefix(page, s) && s != "short" {
			t.Errorf("a text of %d bytes", len(s))
		}
	}
	if total > mostTotal || total < mostTotal-8 || !e.Truncated || total+e.Omitted < 5*len(page) {
		t.Errorf("kept %d, omitted %d, truncated %t", total, e.Omitted, e.Truncated)
	}
	if e.Text[1] != "short" {
		t.Error("a long text pushes a short one out")
	}
	e = decoded(t, claude.dialect(), payload(t, "PostToolUse", map[string]any{"tool_name": "T", "tool_input": 1,
		"tool_response": slices.Repeat([]string{"ab"}, mostTexts+3)}))
	if len(e.Text) != mostTexts || e.Omitted != 6 || !e.Truncated {
		t.Errorf("%d texts, omitted %d", len(e.Text), e.Omitted)
	}
	e = decoded(t, claude.dialect(), payload(t, "UserPromptSubmit", map[string]any{"prompt": page}))
	if len(e.Prompt) > mostTotal || !e.Truncated || e.Omitted+len(e.Prompt) != len(page) {
		t.Errorf("a prompt of %d bytes, omitted %d", len(e.Prompt), e.Omitted)
	}
}

// TestEveryFieldIsStrict changes each field that a golden's payload has, in each way
// that a reader could stumble over. What is read then is the same event as before, or
// nothing: never another tool, command or file.
func TestEveryFieldIsStrict(t *testing.T) {
	rubbish := []any{nil, 7, 1.5, true, []any{}, map[string]any{}, "", "\x00", strings.Repeat("a", 20_000)}
	for _, c := range []struct {
		d     Dialect
		event string
		extra map[string]any
	}{
		{claude.dialect(), "PreToolUse", map[string]any{"tool_name": "Write", "tool_input": map[string]any{"file_path": "/a", "content": "x"}}},
		{codex.dialect(), "PreToolUse", map[string]any{"tool_name": "Bash", "tool_input": map[string]any{"command": "make"}, "turn_id": "t"}},
		{claude.dialect(), "PermissionRequest", map[string]any{"tool_name": "Bash", "tool_input": map[string]any{"command": "make"}}},
	} {
		var fields map[string]any
		if err := json.Unmarshal(payload(t, c.event, c.extra), &fields); err != nil {
			t.Fatal(err)
		}
		want := decoded(t, c.d, payload(t, c.event, c.extra))
		for key := range fields {
			for _, bad := range rubbish {
				m := maps.Clone(fields)
				m[key] = bad
				b, err := json.Marshal(m)
				if err != nil {
					t.Fatal(err)
				}
				e, err := c.d.Decode(b)
				if err == nil && (key == "session_id" || key == "cwd" || key == "tool_input" || e.Tool.Class != want.Tool.Class && e.Tool.Class != UnknownTool) {
					t.Errorf("%s: %s = %v is read", c.event, key, bad)
				}
				checkFault(t, e, err)
			}
			// The same key in another case, beside it and alone.
			loud := strings.ToUpper(key)
			m := maps.Clone(fields)
			m[loud] = "x"
			beside, _ := json.Marshal(m)
			delete(m, key)
			alone, _ := json.Marshal(m)
			_, err1 := c.d.Decode(beside)
			_, err2 := c.d.Decode(alone)
			if err1 == nil || err2 == nil && !(key == "prompt_id" && want.Host == "codex") {
				t.Errorf("%s: %s beside %s: %v, alone: %v", c.event, loud, key, err1, err2)
			}
		}
	}
}

// checkFault checks what holds for everything that cannot be read.
func checkFault(t *testing.T, e Event, err error) {
	t.Helper()
	if err == nil {
		return
	}
	fault, ok := errors.AsType[*DecodeError](err)
	if !ok {
		t.Fatalf("error is %T", err)
	}
	if !fault.Known && (!fault.Gating() || fault.Name != "" || e.Name != "") {
		t.Errorf("an unknown event does not gate: %+v", fault)
	}
	rest := e
	rest.Host, rest.Name, rest.Kind, rest.Session, rest.Agent = "", "", 0, "", ""
	if summary(rest) != summary(Event{}) || rest.response != (strictjson.Value{}) {
		t.Errorf("more is known than was read for sure: %s", summary(rest))
	}
	if fault.Kind != e.Kind || fault.Name != e.Name {
		t.Errorf("fault of %q %s in event %q %s", fault.Name, fault.Kind, e.Name, e.Kind)
	}
}

func TestCanonical(t *testing.T) {
	for in, want := range map[string]string{
		`{"b":1,"a":{"d":[],"c":null}}`:           `{"a":{"c":null,"d":[]},"b":1}`,
		` [ 1.0 , 1 , 1e2 , -0 ] `:                `[1.0,1,1e2,-0]`,
		`"\u0061\/\n\ud83c\udfc4"`:                `"a/\n🏄"`,
		`{"\u0062":1,"a":2}`:                      `{"a":2,"b":1}`,
		`{"é":1,"z":2,"":3}`:                      `{"":3,"z":2,"é":1}`,
		"true":                                    "true",
		"123456789012345678901234567890.12345678": "123456789012345678901234567890.12345678",
	} {
		v, err := limits.Parse([]byte(in))
		if err != nil {
			t.Fatal(err)
		}
		if got := string(strictjson.AppendCanonical(nil, v)); got != want {
			t.Errorf("%s: %s, want %s", in, got, want)
		}
	}
}

// shuffled returns the value with the members of every object in another order.
func shuffled(r *rand.Rand, v strictjson.Value) strictjson.Value {
	out, _ := strictjson.Rewrite(v, func(_ strictjson.Path, v strictjson.Value) (strictjson.Value, bool) {
		if v.Kind() != strictjson.KindObject {
			return v, true
		}
		var members []strictjson.Member
		for k, e := range v.Members() {
			members = append(members, strictjson.Member{Key: k, Value: e})
		}
		r.Shuffle(len(members), func(i, j int) { members[i], members[j] = members[j], members[i] })
		return strictjson.Object(members...), true
	})
	return out
}

func TestSplitMCP(t *testing.T) {
	for _, c := range [][4]string{
		{"mcp__a__b", "", "a", "b"},
		{"mcp__a", "", "a", ""},
		{"mcp____b", "", "", "b"},
		{"mcp__a__b__c", "a__b", "a__b", "c"},
		{"mcp__a__b__c", "x", "a", "b__c"},
		{"mcp__my_srv__t", "my srv", "my_srv", "t"},
		{"mcp__my_srv__t", "my srv__t", "my_srv", "t"},
	} {
		server, tool, ok := splitMCP(c[0], c[1])
		if diff := cmp.Diff(c[2:], []string{server, tool}); diff != "" || !ok {
			t.Errorf("%s of %q (-want +got):\n%s", c[0], c[1], diff)
		}
	}
	if _, _, ok := splitMCP("mcp_a__b", ""); ok {
		t.Error("a tool that is not of a server")
	}
}

func TestMend(t *testing.T) {
	for in, want := range map[string]string{
		`"\ud83d"`:                `"\ufffd"`,
		`"\udfc4\ud83c"`:          `"\ufffd\ufffd"`,
		`"\ud83c\udfc4"`:          `"\ud83c\udfc4"`,
		`"\ud83c\ud83c\udfc4"`:    `"\ufffd\ud83c\udfc4"`,
		`"\\ud83d"`:               `"\\ud83d"`,
		`"\\\uD83D x \\\n\u00e9"`: `"\\\ufffd x \\\n\u00e9"`,
		`\u12`:                    `\u12`,
		`\`:                       `\`,
	} {
		if got := string(mend([]byte(in))); got != want {
			t.Errorf("%s: %s, want %s", in, got, want)
		}
	}
}

// TestToolsWithTwoUses: a tool that is harmless in one use has no class in another.
func TestToolsWithTwoUses(t *testing.T) {
	d, _ := Find("copilot")
	for args, want := range map[string]Class{
		`{"query":"INSERT INTO todos VALUES ('x')","description":"x"}`: Plan,
		`{"query":"SELECT 1","database":"session"}`:                    Plan,
		`{"query":"SELECT * FROM turns","database":"session_store"}`:   UnknownTool,
		`{"query":"attach database 'memory/a.md' as m"}`:               UnknownTool,
		`{"query":"VACUUM main INTO 'CLAUDE.md'"}`:                     UnknownTool,
	} {
		e, err := d.Decode([]byte(`{"sessionId":"s","timestamp":1,"cwd":"/w","toolName":"sql","toolArgs":` + args + `}`))
		if err != nil || e.Tool.Class != want {
			t.Errorf("%s: %s, %v", args, e.Tool.Class, err)
		}
	}
	d, _ = Find("gemini")
	for dir, want := range map[string]string{`"dir_path":"a"`: "cd a\nls", `"directory":"a"`: "cd a\nls", `"dir_path":null`: "ls"} {
		e, err := d.Decode([]byte(`{"session_id":"s","timestamp":"x","cwd":"/w","hook_event_name":"BeforeTool","tool_name":"run_shell_command","tool_input":{"command":"ls",` + dir + `}}`))
		if err != nil || e.Tool.Command != want {
			t.Errorf("%s: %q, %v", dir, e.Tool.Command, err)
		}
	}
}

// TestAttachmentWithoutAFile: what is beside a prompt and is no file is not all known.
func TestAttachmentWithoutAFile(t *testing.T) {
	d, _ := Find("cursor")
	e, err := d.Decode([]byte(`{"conversation_id":"s","generation_id":"g","workspace_roots":["/w"],"hook_event_name":"beforeSubmitPrompt","prompt":"x","attachments":[{"type":"url","url":"https://a.example.test"},{"type":"file","file_path":"/w/a"}]}`))
	if err != nil || !e.Truncated || len(e.Attached) != 1 {
		t.Errorf("%+v, %v", e, err)
	}
}
