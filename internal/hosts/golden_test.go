package hosts

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"
)

var update = flag.Bool("update", false, "write what the code says into the goldens")

// answers are what each golden is answered with. They hold everything that an
// answer can, so that a golden shows what its host takes of it.
func answers() []Answer {
	mark := func(key, text string) string {
		switch key {
		case "content", "text", "stdout", "textResultForLlm", "text_result_for_llm", "":
			return "[hearsay external n1] " + text
		}
		return text
	}
	var out []Answer
	for _, v := range []Verdict{None, Allow, Ask, Deny} {
		out = append(out, Answer{Verdict: v, Reason: "held as q-01: the session read web (external)", Approve: "hearsay review approve q-01",
			Context: "2 entries are unverified", Notice: "1 write is held", Watch: []string{"/home/ana/m/MEMORY.md"}})
	}
	return append(out, Answer{Output: mark})
}

// said shows a reply on one line.
func said(r Reply) string {
	text := "exit " + strconv.Itoa(r.Exit)
	if len(r.Stdout) > 0 {
		text += " stdout " + strings.TrimSuffix(string(r.Stdout), "\n")
	}
	if len(r.Stderr) > 0 {
		text += " stderr " + strings.TrimSuffix(string(r.Stderr), "\n")
	}
	return text + "\n"
}

// summary shows what of an event is set.
func summary(e Event) string {
	var b strings.Builder
	show := func(name string, v any) {
		if s := fmt.Sprint(v); s != "" && s != "0" && s != "false" {
			fmt.Fprintf(&b, "%s: %s\n", name, s)
		}
	}
	quoted := func(name, v string) {
		if v != "" {
			fmt.Fprintf(&b, "%s: %q\n", name, v)
		}
	}
	show("event", e.Host+" "+e.Name+" "+e.Kind.String())
	show("session", e.Session)
	show("turn", e.Turn)
	show("call", e.CallID)
	show("agent", strings.TrimSpace(e.Agent+" "+e.AgentType))
	show("dir", e.Dir)
	show("mode", e.Mode)
	show("transcript", e.Transcript)
	if e.Kind == SessionStart {
		show("start", e.Start)
	}
	quoted("prompt", e.Prompt)
	if e.Kind == Prompt || e.Kind == Expansion {
		show("prompt by", e.PromptBy)
	}
	if t := e.Tool; t.Name != "" {
		show("tool", t.Name+" "+t.Class.String())
		for _, p := range t.Paths {
			quoted("path", p)
		}
		for _, d := range t.Edits {
			fmt.Fprintf(&b, "edit: %q old=%q new=%q all=%t whole=%t delete=%t move=%q cell=%q\n", d.Path, d.Old, d.New, d.All, d.Whole, d.Delete, d.MoveTo, d.Cell)
		}
		quoted("command", t.Command)
		if t.Class == Shell {
			show("shell", t.Shell)
		}
		quoted("url", t.URL)
		quoted("query", t.Query)
		quoted("message", t.Message)
		quoted("tool server", t.Server)
		quoted("server tool", t.ServerTool)
		show("args", string(t.Args))
	}
	quoted("server", e.Server.Name)
	quoted("server source", e.Server.Source)
	for _, s := range e.Text {
		quoted("text", s)
	}
	show("truncated", e.Truncated)
	show("omitted", e.Omitted)
	quoted("file", e.File)
	show("file event", e.FileEvent)
	show("memory type", e.MemoryType)
	show("load reason", e.LoadReason)
	show("trigger", e.Trigger)
	show("staged", e.Staged)
	show("user modified", e.UserModified)
	return b.String()
}

// readOnly in an archive's comment says that its goldens show what was read, and not
// what is said to it.
const readOnly = "What is said to them stands in other files."

// golden returns what the dialect makes of an input: what it read, and what it says
// to each answer, or what it says where it could not read.
func golden(d Dialect, input []byte, answered bool) string {
	var b strings.Builder
	e, err := d.Decode(input)
	b.WriteString(summary(e))
	if err != nil {
		fault, _ := errors.AsType[*DecodeError](err)
		fmt.Fprintf(&b, "error: %v\ngating: %t\n", err, fault.Gating())
		fmt.Fprintf(&b, "fail: %s", said(d.Fail(e, fault.Gating(), "the payload cannot be read")))
		return b.String()
	}
	fmt.Fprintf(&b, "asks: %t edits: %t\n", d.Asks(e), d.Edits(e))
	if !answered {
		return b.String()
	}
	for _, a := range answers() {
		name := a.Verdict.String()
		if a.Output != nil {
			name = "output"
		}
		fmt.Fprintf(&b, "%s: %s", name, said(d.Encode(e, a)))
	}
	fmt.Fprintf(&b, "fail: %s", said(d.Fail(e, e.Kind.Gating(), "the store is locked")))
	return b.String()
}

// eachGolden calls f with every input of a host's goldens.
func eachGolden(t testing.TB, host string, f func(path string, a *txtar.Archive, i int)) {
	t.Helper()
	paths, err := filepath.Glob("testdata/" + host + "/*.txtar")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no goldens of %s: %v", host, err)
	}
	for _, path := range paths {
		a, err := txtar.ParseFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for i, file := range a.Files {
			if strings.HasSuffix(file.Name, ".json") {
				f(path, a, i)
			}
		}
	}
}

func TestGoldens(t *testing.T) {
	for _, host := range Names() {
		d, _ := Find(host)
		changed := make(map[string]*txtar.Archive)
		eachGolden(t, host, func(path string, a *txtar.Archive, i int) {
			in := a.Files[i]
			got := []byte(golden(d, in.Data, !strings.Contains(string(a.Comment), readOnly)))
			want := strings.TrimSuffix(in.Name, ".json") + ".want"
			at := slices.IndexFunc(a.Files, func(f txtar.File) bool { return f.Name == want })
			if *update {
				if changed[path] == nil {
					changed[path] = &txtar.Archive{Comment: a.Comment}
				}
				changed[path].Files = append(changed[path].Files, in, txtar.File{Name: want, Data: got})
				return
			}
			if at < 0 {
				t.Errorf("%s: %s is missing; run go test -update", path, want)
			} else if diff := cmp.Diff(string(a.Files[at].Data), string(got)); diff != "" {
				t.Errorf("%s: %s (-want +got):\n%s", path, want, diff)
			}
		})
		for path, a := range changed {
			if err := os.WriteFile(path, txtar.Format(a), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// TestGoldensCoverAll keeps an event or class from having no golden.
func TestGoldensCoverAll(t *testing.T) {
	for _, f := range families() {
		events, classes := make(map[string]bool), make(map[Class]bool)
		eachGolden(t, f.name, func(_ string, a *txtar.Archive, i int) {
			if e, err := f.decode(a.Files[i].Data); err == nil {
				events[e.Name] = true
				classes[e.Tool.Class] = true
			}
		})
		for _, ev := range f.events {
			if !events[ev.name] {
				t.Errorf("%s: no golden of %s", f.name, ev.name)
			}
		}
		for _, tl := range append(slices.Clone(f.tools), tool{class: MCP}, tool{class: UnknownTool}) {
			if !classes[tl.class] {
				t.Errorf("%s: no golden of a tool of class %s", f.name, tl.class)
			}
		}
	}
}

// TestDetectNamesTheGoldens: each golden is recognised as what it is, or left to the
// command line.
func TestDetectNamesTheGoldens(t *testing.T) {
	for _, host := range Names() {
		eachGolden(t, host, func(path string, a *txtar.Archive, i int) {
			d, err := Detect(a.Files[i].Data, nil, host)
			if err != nil || d.Name() != host {
				t.Errorf("%s: %s: detected as %q, %v", path, a.Files[i].Name, d.Name(), err)
			}
		})
	}
}

// families are the dialects of that form.
func families() []*family { return []*family{claude, codex, gemini, cursor, copilot, windsurf} }

// isOneObject reports whether a reply's output is one line with one JSON object, or
// what the host wants where nothing is said.
func isOneObject(t *testing.T, d Dialect, out []byte) {
	t.Helper()
	if string(out) == d.quiet {
		return
	}
	v, err := limits.Parse(out)
	if err != nil || v.Len() == 0 || bytes.Count(out, []byte("\n")) != 1 {
		t.Errorf("output is not one object on one line: %q", out)
	}
}
