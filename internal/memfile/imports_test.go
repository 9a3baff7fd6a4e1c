package memfile

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestImports(t *testing.T) {
	for name, tt := range map[string]struct {
		text string
		want string
	}{
		"a line":                  {"@AGENTS.md", "AGENTS.md"},
		"in a sentence":           {"See @docs/a.md and @~/b.md.", "docs/a.md ~/b.md. ~/b.md"},
		"an absolute one":         {"- @/srv/x", "/srv/x"},
		"with spaces":             {`@my\ notes.md x`, "my_notes.md"},
		"with a heading":          {"@a.md#rules", "a.md"},
		"bold":                    {"**@a.md**", "a.md** a.md"},
		"a link":                  {"[@a.md](x)", "a.md](x) a.md](x a.md"},
		"an address":              {"ana@example.test", ""},
		"a person":                {"ask @ana, please", "ana, ana"},
		"a code span":             {"run `@a.md` or ``x ` @b.md``, not @c.md", "c.md"},
		"a span without an end":   {"a ` @a.md", "a.md"},
		"spans over lines":        {"a `\n@a.md `", "a.md"},
		"spans that could shift":  {"a `\nb ` @a.md ` c", "a.md"},
		"an escaped backtick":     {"\\` @a.md `", "a.md"},
		"the next paragraph":      {"a `\n\n`@a.md`", ""},
		"fenced":                  {"```\n@a.md\n```\n@b.md", "b.md"},
		"fenced by tildes":        {"~~~~ md\n@a.md\n~~~\n```\n~~~~\n@b.md", "b.md"},
		"a fence without an end":  {"```\n@a.md", "a.md"},
		"a fence in a comment":    {"<!--\n```\n-->\n@a.md\n```\n", "a.md"},
		"a fence in a list":       {"- x\n\n  ```\n@a.md\n  ```\n@b.md\n", "a.md b.md"},
		"a fence that one closes": {"```\nx\n```~~\n@a.md\n```\n", "a.md"},
		"no fence":                {"    ```\n@a.md\n", "a.md"},
		"a span like a fence":     {"```x``` @a.md", "a.md"},
		"line ends of old":        {"```\rx\r```\r@a.md", "a.md"},
		"CRLF":                    {"@a.md\r\n```\r\n@b.md\r\n```\r\n", "a.md"},
		"front matter":            {"---\npaths: x\n---\n@a.md", "a.md"},
		"nothing":                 {"@ @. @.. @/ @~/ @#x a @\x00b", ""},
		"a scope":                 {"the package @types/node", "types/node"},
		"other bytes":             {"@\xff\xfe.md", "\xff\xfe.md"},
	} {
		got := Imports([]byte(tt.text))
		for i := range got {
			got[i] = strings.ReplaceAll(got[i], " ", "_")
		}
		if diff := cmp.Diff(strings.Fields(tt.want), got); diff != "" && len(tt.want)+len(got) > 0 {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

func TestImportsAreBounded(t *testing.T) {
	var b strings.Builder
	for i := range 20_000 {
		fmt.Fprintf(&b, "@f%d.md ` ", i)
	}
	if n := len(Imports([]byte(b.String()))); n != maxNames {
		t.Errorf("%d names", n)
	}
	if got := Imports([]byte("@" + strings.Repeat("a", 1<<20))); len(got) != 0 {
		t.Errorf("%d names of a long one", len(got))
	}
}

// FuzzImports: a name that stands on a line of its own, after a blank one and with no mark of code
// before it, is found whatever follows it.
func FuzzImports(f *testing.F) {
	for _, s := range []string{"", "```\n@a\n```", "`@a`", "<x>\n```", "~~~\r~~~", "- ```\n  @a", "@a\\ b@c*d"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got := Imports([]byte("x\n\n@first.md\n\n" + s))
		if !slices.Contains(got, "first.md") {
			t.Errorf("not found before %q: %q", s, got)
		}
		if len(got) > maxNames {
			t.Errorf("%d names", len(got))
		}
		for _, n := range got {
			if n == "" || len(n) > maxLongName || strings.ContainsRune(n, 0) {
				t.Errorf("%q", n)
			}
		}
	})
}

func BenchmarkImports(b *testing.B) {
	text := []byte(strings.Repeat("- Always run `make test` before a commit, see @docs/rules.md for more.\n", 400))
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		Imports(text)
	}
}
