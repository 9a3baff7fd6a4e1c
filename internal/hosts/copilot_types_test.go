package hosts

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/hearsay-memory/hearsay/internal/strictjson"
)

// copilotTypes reads types.d.ts of Copilot's SDK, the host's own description of its
// hooks, where the tests' npm packages are installed.
func copilotTypes(t *testing.T) declarations {
	t.Helper()
	dir := os.Getenv("HEARSAY_NPM_DIR")
	if dir == "" {
		t.Skip("HEARSAY_NPM_DIR is not set; `make test` installs @github/copilot-sdk and sets it")
	}
	b, err := os.ReadFile(filepath.Join(dir, "@github", "copilot-sdk", "dist", "types.d.ts"))
	if err != nil {
		t.Skipf("@github/copilot-sdk is not in HEARSAY_NPM_DIR: %v", err)
	}
	return declarations(b)
}

// face returns the declaration of an exported interface.
func (d declarations) face(t *testing.T, name string) string {
	t.Helper()
	_, rest, ok := strings.Cut(string(d), "export interface "+name+" ")
	in, _, closed := strings.Cut(rest, "\n}")
	if !ok || !closed {
		t.Fatalf("%s is not declared", name)
	}
	return in
}

// copilotFaces are what the SDK calls the events in its own form that it declares.
var copilotFaces = map[string]string{
	"sessionStart": "SessionStart", "userPromptSubmitted": "UserPromptSubmitted", "preToolUse": "PreToolUse", "postToolUse": "PostToolUse",
	"postToolUseFailure": "PostToolUseFailure", "agentStop": "AgentStop", "sessionEnd": "SessionEnd",
}

// onTheWire are fields that hook programs get and that the SDK does not declare, or
// declares under another name: seen from the command line 1.0.102.
var onTheWire = map[string]bool{"cwd": true, "agentId": true, "agentType": true, "parentAgentId": true, "stop_hook_active": true}

// TestCopilotEventsAreDeclared: every field that a golden of an event in the host's own
// form has is one that the host declares, or that was seen.
func TestCopilotEventsAreDeclared(t *testing.T) {
	d := copilotTypes(t)
	base := d.face(t, "BaseHookInput")
	seen := make(map[string]bool)
	eachGolden(t, "copilot", func(path string, a *txtar.Archive, i int) {
		name := filepath.Base(path)
		e, err := copilot.decode(a.Files[i].Data)
		face := copilotFaces[e.Name]
		if err != nil || face == "" || a.Files[i].Name == "unknown-fields.json" {
			return
		}
		seen[e.Name] = true
		block := d.face(t, face+"HookInput")
		v, err := limits.Parse(mend(a.Files[i].Data))
		if err != nil {
			t.Fatal(err)
		}
		for key := range v.Members() {
			if !has(base, key) && !has(block, key) && !onTheWire[key] {
				t.Errorf("%s: %s: %s has no field %s", name, a.Files[i].Name, e.Name, key)
			}
		}
	})
	for name := range copilotFaces {
		if !seen[name] {
			t.Errorf("no golden of %s is compared", name)
		}
	}
	for _, source := range []string{"startup", "resume", "new"} {
		if !strings.Contains(d.face(t, "SessionStartHookInput"), `"`+source+`"`) {
			t.Errorf("no session starts by %s", source)
		}
	}
}

// TestCopilotAnswersAreDeclared: every property and word of every answer is one that the
// host declares for the event.
func TestCopilotAnswersAreDeclared(t *testing.T) {
	d := copilotTypes(t)
	seen := make(map[string]bool)
	for _, ev := range copilot.events {
		face := copilotFaces[ev.name]
		if face == "" {
			continue
		}
		block := d.face(t, face+"HookOutput")
		for _, answer := range answers() {
			result := strictjson.Object(strictjson.Member{Key: "textResultForLlm", Value: strictjson.String("x")})
			r := copilot.encode(Event{Name: ev.name, Kind: ev.kind, response: result}, answer)
			if len(r.Stdout) == 0 {
				continue
			}
			v, err := limits.Parse(r.Stdout)
			if err != nil {
				t.Fatal(err)
			}
			for key, in := range v.Members() {
				seen[ev.name+" "+key] = true
				// A prompt is blocked by 1.0.102, and the types do not say so.
				if !has(block, key) && !(ev.name == "userPromptSubmitted" && (key == "decision" || key == "reason")) {
					t.Errorf("%s: no answer has %s", ev.name, key)
				}
				for inner := range in.Members() {
					if key == "modifiedResult" && !strings.Contains(d.result(t), inner) {
						t.Errorf("%s: no result has %s", ev.name, inner)
					}
				}
			}
			if w := get(t, r, "permissionDecision"); w != "" && !strings.Contains(block, `"`+w+`"`) {
				t.Errorf("%s: cannot decide %s", ev.name, w)
			}
		}
	}
	for _, want := range []string{"preToolUse permissionDecision", "preToolUse permissionDecisionReason", "postToolUse modifiedResult", "sessionStart additionalContext"} {
		if !seen[want] {
			t.Errorf("no answer says %s", want)
		}
	}
}

// result is what the host declares a tool's result to be.
func (d declarations) result(t *testing.T) string {
	t.Helper()
	_, rest, ok := strings.Cut(string(d), "export type ToolResultObject = ")
	in, _, closed := strings.Cut(rest, "\n};")
	if !ok || !closed {
		return d.face(t, "ToolResultObject")
	}
	return in
}
