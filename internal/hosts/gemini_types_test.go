package hosts

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

// geminiDeclarations reads a file of @google/gemini-cli-core, where it is installed.
func geminiDeclarations(t *testing.T, name string) string {
	t.Helper()
	dir := os.Getenv("HEARSAY_NPM_DIR")
	if dir == "" {
		t.Skip("HEARSAY_NPM_DIR is not set; `make test` installs @google/gemini-cli-core and sets it")
	}
	b, err := os.ReadFile(filepath.Join(dir, "@google/gemini-cli-core/dist/src", filepath.FromSlash(name)))
	if err != nil {
		t.Skipf("@google/gemini-cli-core is not in HEARSAY_NPM_DIR: %v", err)
	}
	return string(b)
}

// geminiInterface returns the declaration of an interface.
func geminiInterface(t *testing.T, d, name string) string {
	t.Helper()
	_, rest, ok := strings.Cut(d, "export interface "+name+" ")
	in, _, closed := strings.Cut(rest, "\n}\n")
	if !ok || !closed {
		t.Fatalf("%s is not declared", name)
	}
	return in
}

// TestGeminiEventsAreDeclared: every event that we read is one of the host's, and so is
// every field that a golden of it has.
func TestGeminiEventsAreDeclared(t *testing.T) {
	d := geminiDeclarations(t, "hooks/types.d.ts")
	for _, ev := range gemini.events {
		if !strings.Contains(d, ev.name+` = "`+ev.name+`"`) {
			t.Errorf("%s is not an event", ev.name)
		}
	}
	base, context := geminiInterface(t, d, "HookInput"), geminiInterface(t, d, "McpToolContext")
	eachGolden(t, "gemini", func(path string, a *txtar.Archive, i int) {
		name := filepath.Base(path)
		e, err := gemini.decode(a.Files[i].Data)
		if err != nil || e.Kind == Other || name == "unknown.txtar" {
			return
		}
		block := geminiInterface(t, d, e.Name+"Input")
		v, err := limits.Parse(mend(a.Files[i].Data))
		if err != nil {
			t.Fatal(err)
		}
		for key, in := range v.Members() {
			if !has(base, key) && !has(block, key) {
				t.Errorf("%s: %s: %s has no field %s", name, a.Files[i].Name, e.Name, key)
			}
			for inner := range in.Members() {
				if key == "mcp_context" && !has(context, inner) {
					t.Errorf("%s: %s: mcp_context has no %s", name, a.Files[i].Name, inner)
				}
			}
		}
	})
}

// TestGeminiAnswersAreDeclared: every property and word of every answer in a golden is
// one that the host declares for the event.
func TestGeminiAnswersAreDeclared(t *testing.T) {
	d := geminiDeclarations(t, "hooks/types.d.ts")
	seen := make(map[string]bool)
	eachGolden(t, "gemini", func(_ string, a *txtar.Archive, i int) {
		e, err := gemini.decode(a.Files[i].Data)
		if err != nil {
			return
		}
		for _, answer := range answers() {
			r := gemini.encode(e, answer)
			if len(r.Stdout) == 0 {
				continue
			}
			block := geminiInterface(t, d, "HookOutput")
			// SessionEnd has no answer of its own, PreCompress one that extends nothing.
			if e.Kind != SessionEnd {
				own := geminiInterface(t, d, e.Name+"Output")
				if strings.HasPrefix(own, "extends") {
					block += own
				} else {
					block = own
				}
			}
			v, err := limits.Parse(r.Stdout)
			if err != nil {
				t.Fatal(err)
			}
			for key, in := range v.Members() {
				seen[e.Name+" "+key] = true
				if !has(block, key) {
					t.Errorf("%s: its answer has no %s", e.Name, key)
				}
				for inner := range in.Members() {
					seen[e.Name+" "+inner] = true
					if !has(block, inner) {
						t.Errorf("%s: its %s has no %s", e.Name, key, inner)
					}
				}
			}
			if w := get(t, r, "hookSpecificOutput", "hookEventName"); w != "" && !strings.Contains(block, "hookEventName: '"+w+"'") {
				t.Errorf("%s: hookEventName cannot be %s", e.Name, w)
			}
			if w := get(t, r, "decision"); w != "" && !regexp.MustCompile(`HookDecision = [^;]*'`+w+`'`).MatchString(d) {
				t.Errorf("%s: cannot decide %s", e.Name, w)
			}
		}
	})
	for _, want := range []string{"BeforeTool decision", "BeforeTool reason", "AfterTool decision", "AfterTool additionalContext", "BeforeAgent additionalContext", "SessionStart additionalContext", "PreCompress systemMessage"} {
		if !seen[want] {
			t.Errorf("no golden says %s", want)
		}
	}
}

// TestGeminiToolsAreClassified: every built-in tool that the host lists has a class, by a
// name and with arguments that it has.
func TestGeminiToolsAreClassified(t *testing.T) {
	constants := geminiDeclarations(t, "tools/definitions/base-declarations.d.ts")
	values := make(map[string]string)
	for _, m := range regexp.MustCompile(`export declare const (\w+) = "([^"]*)";`).FindAllStringSubmatch(constants, -1) {
		values[m[1]] = m[2]
	}
	names := geminiDeclarations(t, "tools/tool-names.js")
	for _, m := range regexp.MustCompile(`export const (\w+) = '([^']*)';`).FindAllStringSubmatch(names, -1) {
		values[m[1]] = m[2]
	}
	_, rest, _ := strings.Cut(names, "ALL_BUILTIN_TOOL_NAMES = [")
	list, _, ok := strings.Cut(rest, "]")
	if !ok || len(values) < 50 {
		t.Fatalf("the host's tools are not found: %d names", len(values))
	}
	n := 0
	for word := range strings.FieldsFuncSeq(list, func(r rune) bool { return r == ',' || r == ' ' || r == '\n' }) {
		name := values[word]
		if n++; !slices.ContainsFunc(gemini.tools, func(tl tool) bool { return tl.name == name }) {
			t.Errorf("%s (%s) has no class", name, word)
		}
	}
	if n < 20 {
		t.Errorf("only %d tools are listed", n)
	}
	// What the goldens call an argument is one of some tool; those of MCP and of tools
	// that the host calls otherwise are their own.
	params := make(map[string]bool)
	for name, value := range values {
		if strings.Contains(name, "PARAM") {
			params[value] = true
		}
	}
	for _, own := range []string{"url", "uri", "fact", "agent_name", "prompt", "encoding", "mode", "pid", "lines"} {
		params[own] = true
	}
	eachGolden(t, "gemini", func(path string, a *txtar.Archive, i int) {
		e, err := gemini.decode(a.Files[i].Data)
		if err != nil || e.Tool.Class == MCP || e.Tool.Class == UnknownTool {
			return
		}
		args, err := limits.Parse(e.Tool.Args)
		if err != nil {
			t.Fatal(err)
		}
		for key := range args.Members() {
			if !params[key] {
				t.Errorf("%s: %s: no tool takes %s", filepath.Base(path), a.Files[i].Name, key)
			}
		}
	})
}

// TestGeminiRunsHooksAsWeSay reads in the host's code what its types do not say: the unit
// of a timeout, which exit codes deny, and what it puts behind a prompt.
func TestGeminiRunsHooksAsWeSay(t *testing.T) {
	runner := geminiDeclarations(t, "hooks/hookRunner.js")
	for _, want := range []string{"const DEFAULT_HOOK_TIMEOUT = 60000;", "All other non-zero exit codes (including 2) are blocking", "stdout.trim() || stderr.trim()"} {
		if !strings.Contains(runner, want) {
			t.Errorf("the host's code does not say %q any more", want)
		}
	}
	if !strings.Contains(geminiDeclarations(t, "utils/constants.js"), "'"+geminiFiles+"'") {
		t.Errorf("the host begins files behind a prompt otherwise")
	}
	if !strings.Contains(geminiDeclarations(t, "hooks/types.d.ts"), "mcp_context?: McpToolContext") {
		t.Error("the host does not name the server of a call")
	}
}
