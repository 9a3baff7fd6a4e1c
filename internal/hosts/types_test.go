package hosts

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

// declarations is the text of sdk.d.ts, Claude Code's own description of its hooks.
type declarations string

// sdkTypes reads them where the tests' npm packages are installed.
func sdkTypes(t *testing.T) declarations {
	t.Helper()
	dir := os.Getenv("HEARSAY_NPM_DIR")
	if dir == "" {
		t.Skip("HEARSAY_NPM_DIR is not set; `make test` installs @anthropic-ai/claude-agent-sdk and sets it")
	}
	b, err := os.ReadFile(filepath.Join(dir, "@anthropic-ai", "claude-agent-sdk", "sdk.d.ts"))
	if err != nil {
		t.Skipf("@anthropic-ai/claude-agent-sdk is not in HEARSAY_NPM_DIR: %v", err)
	}
	return declarations(b)
}

// list returns the strings of a declared tuple.
func (d declarations) list(t *testing.T, name string) []string {
	t.Helper()
	_, rest, ok := strings.Cut(string(d), "declare const "+name+": readonly [")
	in, _, closed := strings.Cut(rest, "]")
	if !ok || !closed {
		t.Fatalf("%s is not declared", name)
	}
	var out []string
	for s := range strings.SplitSeq(in, ",") {
		out = append(out, strings.Trim(strings.TrimSpace(s), "'"))
	}
	return out
}

// block returns the declaration of a type, and false where there is none.
func (d declarations) block(name string) (string, bool) {
	_, rest, ok := strings.Cut(string(d), "declare type "+name+" = ")
	if !ok {
		return "", false
	}
	in, _, ok := strings.Cut(rest, "\n};")
	return in, ok
}

// has reports whether a declaration has a property, at any depth.
func has(block, property string) bool {
	for l := range strings.SplitSeq(block, "\n") {
		l = strings.TrimSpace(l)
		if strings.HasPrefix(l, property+":") || strings.HasPrefix(l, property+"?:") {
			return true
		}
	}
	return false
}

// TestClaudeEventsAreDeclared: every event that we read is one of the host's, and so
// is every field that a golden of it has.
func TestClaudeEventsAreDeclared(t *testing.T) {
	d := sdkTypes(t)
	events := d.list(t, "HOOK_EVENTS")
	for _, ev := range claude.events {
		if !slices.Contains(events, ev.name) {
			t.Errorf("%s is not an event", ev.name)
		}
	}
	base, ok := d.block("BaseHookInput")
	if !ok {
		t.Fatal("BaseHookInput is not declared")
	}
	eachGolden(t, "claude", func(path string, a *txtar.Archive, i int) {
		name := filepath.Base(path)
		e, err := claude.decode(a.Files[i].Data)
		if err != nil || e.Kind == Other || name == "unknown.txtar" {
			return
		}
		block, ok := d.block(e.Name + "HookInput")
		if !ok {
			t.Fatalf("%sHookInput is not declared", e.Name)
		}
		v, err := limits.Parse(mend(a.Files[i].Data))
		if err != nil {
			t.Fatal(err)
		}
		for key := range v.Members() {
			if !has(base, key) && !has(block, key) {
				t.Errorf("%s: %s: %s has no field %s", name, a.Files[i].Name, e.Name, key)
			}
		}
	})
}

// TestClaudeAnswersAreDeclared: every property and word of every answer in a golden is
// one that the host declares for the event.
func TestClaudeAnswersAreDeclared(t *testing.T) {
	d := sdkTypes(t)
	top, ok := d.block("SyncHookJSONOutput")
	if !ok {
		t.Fatal("SyncHookJSONOutput is not declared")
	}
	seen := make(map[string]bool)
	eachGolden(t, "claude", func(_ string, a *txtar.Archive, i int) {
		e, err := claude.decode(a.Files[i].Data)
		if err != nil {
			return
		}
		for _, answer := range answers() {
			r := claude.encode(e, answer)
			if len(r.Stdout) == 0 {
				continue
			}
			v, err := limits.Parse(r.Stdout)
			if err != nil {
				t.Fatal(err)
			}
			for key := range v.Members() {
				if !has(top, key) {
					t.Errorf("%s: no answer has %s", e.Name, key)
				}
			}
			specific, ok := v.Get("hookSpecificOutput")
			if !ok {
				continue
			}
			block, ok := d.block(e.Name + "HookSpecificOutput")
			if !ok {
				t.Fatalf("%s has no answer of its own", e.Name)
			}
			for key, in := range specific.Members() {
				seen[e.Name+" "+key] = true
				if !has(block, key) {
					t.Errorf("%s: its answer has no %s", e.Name, key)
				}
				for inner := range in.Members() {
					if key == "decision" && !has(block, inner) {
						t.Errorf("%s: its %s has no %s", e.Name, key, inner)
					}
				}
			}
			for _, word := range []string{"hookEventName", "action"} {
				if w := get(t, r, "hookSpecificOutput", word); w != "" && !strings.Contains(block, "'"+w+"'") {
					t.Errorf("%s: %s cannot be %s", e.Name, word, w)
				}
			}
			if w := get(t, r, "hookSpecificOutput", "permissionDecision"); w != "" && !strings.Contains(string(d), "HookPermissionDecision = 'allow' | 'deny' | 'ask'") {
				t.Errorf("%s: cannot decide %s", e.Name, w)
			}
			if w := get(t, r, "hookSpecificOutput", "decision", "behavior"); w != "" && !strings.Contains(block, "behavior: '"+w+"'") {
				t.Errorf("%s: behavior cannot be %s", e.Name, w)
			}
		}
	})
	for _, want := range []string{"PreToolUse permissionDecision", "PreToolUse additionalContext", "PostToolUse updatedToolOutput",
		"SessionStart watchPaths", "PermissionRequest decision", "Elicitation action"} {
		if !seen[want] {
			t.Errorf("no golden says %s", want)
		}
	}
}

// TestClaudeToolsAreClassified: every built-in tool that the host lists has a class, or
// is unknown to us on purpose.
func TestClaudeToolsAreClassified(t *testing.T) {
	d := sdkTypes(t)
	onPurpose := []string{"Artifact", "ClaudeDesign", "ExitWorktree", "Projects", "propose_skills", "ReadNotifications", "SetGoal"}
	for _, name := range d.list(t, "BUILTIN_TOOL_NAMES") {
		known := slices.ContainsFunc(claude.tools, func(tl tool) bool { return tl.name == name })
		if known == slices.Contains(onPurpose, name) {
			t.Errorf("%s: has a class %t", name, known)
		}
	}
	for _, mode := range claude.askIn {
		if mode != "" && !strings.Contains(string(d), "'"+mode+"'") {
			t.Errorf("%s is no permission mode", mode)
		}
	}
}
