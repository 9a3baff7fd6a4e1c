package policy

import (
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"
)

var update = flag.Bool("update", false, "rewrite the golden messages")

// TestMistakes reads every archive in testdata/mistakes: each file in it is a
// policy, and the file after it, with .want added to its name, the messages.
func TestMistakes(t *testing.T) {
	archives, err := filepath.Glob("testdata/mistakes/*.txtar")
	if err != nil || len(archives) == 0 {
		t.Fatalf("no archives: %v", err)
	}
	for _, path := range archives {
		archive, err := txtar.ParseFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for i := 0; i+1 < len(archive.Files); i += 2 {
			in, want := archive.Files[i], &archive.Files[i+1]
			if want.Name != in.Name+".want" {
				t.Fatalf("%s: %s is followed by %s", path, in.Name, want.Name)
			}
			t.Run(strings.TrimSuffix(filepath.Base(path), ".txtar")+"/"+in.Name, func(t *testing.T) {
				p, err := Parse(in.Name, in.Data)
				got := "ok\n"
				if err != nil {
					got = err.Error() + "\n"
					if list, ok := errors.AsType[Errors](err); !ok || len(list) == 0 {
						t.Errorf("error is %T, want Errors", err)
					}
					if p != nil {
						t.Error("a policy came with the error")
					}
				}
				if *update {
					want.Data = []byte(got)
				} else if diff := cmp.Diff(string(want.Data), got); diff != "" {
					t.Errorf("(-want +got):\n%s", diff)
				}
			})
		}
		if *update {
			if err := os.WriteFile(path, txtar.Format(archive), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
}

func TestUnreadable(t *testing.T) {
	deep := strings.Repeat("[", 100_000)
	for name, tt := range map[string]struct{ in, want string }{
		"empty":       {"", "the file is empty"},
		"comment":     {"# nothing\n", "the file is empty"},
		"not UTF-8":   {"version: 1 # \xff\n", "not UTF-8"},
		"nul":         {"version: \x001\n", "U+0000"},
		"bidi mark":   {"version: 1 # \ufeff\n", "U+FEFF"},
		"private":     {"version: 1 # \ue000\n", "U+E000"},
		"tab":         {"rules:\n\t- a\n", "a tab indents"},
		"lone CR":     {"version: 1\rmode: off\n", "U+000D"},
		"lines":       {strings.Repeat("#\n", maxLines+1), "lines"},
		"large":       {"# " + strings.Repeat("x", maxFile), "at most"},
		"brackets":    {"rules: " + deep, "deep"},
		"braces":      {"rules: " + strings.Repeat("{a: ", 10_000), "deep"},
		"dashes":      {"rules:\n" + strings.Repeat("- ", 10_000) + "a\n", "deep"},
		"indent":      {strings.Repeat(" ", 200) + "version: 1\n", "indented"},
		"anchor":      {"version: &a 1\n", "anchors and aliases"},
		"alias bomb":  {"a: &a [x, x]\nb: &b [*a, *a]\nc: [*b, *b]\n", "anchors and aliases"},
		"merge":       {"version: 1\n<<: {mode: off}\n", "merge keys"},
		"tag":         {"version: !!int 1\n", "tags are not read"},
		"two":         {"version: 1\n---\nversion: 1\n", "a second document"},
		"quote":       {"version: \"1\n", "not YAML"},
		"list":        {"- a\n", "the policy is a list: want a mapping"},
		"text":        {"hello\n", "the policy is text: want a mapping"},
		"empty flow":  {"{}\n", "the policy has no version"},
		"single rule": {"version: 1\nrules: text\n", "a rule is text"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Parse("p.yaml", []byte(tt.in))
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error is %v, want one with %q", err, tt.want)
			}
		})
	}
}

func TestReadable(t *testing.T) {
	for name, in := range map[string]string{
		"byte-order mark": "\ufeffversion: 1\n",
		"CRLF":            "version: 1\r\nmode: warn\r\n",
		"JSON":            `{"version": 1, "rules": [{"id": "a", "when": {"source_kind": "mcp:x"}, "action": "block"}]}`,
		"end marker":      "---\nversion: 1\n...\n",
	} {
		if _, err := Parse("p.yaml", []byte(in)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestColons shows that a colon within a name is part of it, quoted or not,
// inside braces and outside.
func TestColons(t *testing.T) {
	p := mustParse(t, "p.yaml", `
version: 1 # a:b
trust: {tool:browser: untrusted, "channel:x": inherit}
rules:
  - {id: a, when: {taint_any: [tool:email_read, mcp:*], kind: "x:y"}, action: block}
`)
	if diff := cmp.Diff([]string{"tool:email_read", "mcp:*"}, p.rules[0].when.any); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"x:y"}, p.rules[0].when.kinds); diff != "" {
		t.Error(diff)
	}
	if got := p.own[0].Type + " " + p.own[1].Type; got != "tool:browser channel:x" {
		t.Errorf("trust names %s", got)
	}
}

func TestNearest(t *testing.T) {
	names := []string{"quarantine", "allow", "block"}
	for got, want := range map[string]string{
		"quarantin": `did you mean "quarantine"?`,
		"BLOCK":     `did you mean "block"?`,
		"alolw":     `did you mean "allow"?`,
		"deny":      "want one of quarantine, allow, block",
	} {
		if s := nearest(got, names); s != want {
			t.Errorf("nearest(%q) is %s, want %s", got, s, want)
		}
	}
}
