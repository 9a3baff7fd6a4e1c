package portable_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/internal/memory"
	"github.com/hearsay-memory/hearsay/internal/portable"
	"github.com/hearsay-memory/hearsay/recall"
)

func read(t *testing.T, f portable.Format, data string) []portable.Item {
	t.Helper()
	items, err := portable.Read(f, "in", []byte(data))
	if err != nil {
		t.Fatal(err)
	}
	return items
}

func TestMarkdown(t *testing.T) {
	const file = "\ufeff---\r\ntitle: \"Ship: on Fridays\"\r\nkind: decision\r\ntags:\r\n  - release\r\n  - 'it''s'\r\n---\r\nShip on Fridays.\r\n"
	want := []portable.Item{{Ref: "in", Doc: memory.Doc{
		Kind: recall.Decision, Title: "Ship: on Fridays", Tags: []string{"release", "it's"}, Text: "Ship on Fridays.",
	}}}
	if diff := cmp.Diff(want, read(t, portable.Markdown, file)); diff != "" {
		t.Error(diff)
	}
	for name, c := range map[string]struct{ in, want string }{
		"no front matter":     {"# Notes\n\nOne line", "# Notes\n\nOne line"},
		"a rule":              {"---\nis not front matter", "---\nis not front matter"},
		"unknown key is kept": {"---\naliases: [a, b]\n---\nBody", "---\naliases: [a, b]\n---\nBody"},
		"nested is kept":      {"---\ntitle: t\nx:\n  y: 1\n---\nBody", "---\ntitle: t\nx:\n  y: 1\n---\nBody"},
	} {
		if got := read(t, portable.Markdown, c.in); len(got) != 1 || got[0].Text != c.want {
			t.Errorf("%s: %+v", name, got)
		}
	}
	if got := read(t, portable.Markdown, "---\ntitle: nothing\n---\n \n"); len(got) != 0 {
		t.Errorf("an empty note became %+v", got)
	}
}

func TestLongMarkdownIsTakenApartAtHeadings(t *testing.T) {
	var b strings.Builder
	for i := range 40 {
		fmt.Fprintf(&b, "## Part %d\n\n%s\n```\n# not a heading %d\n```\n", i, strings.Repeat("words and words ", 60), i)
	}
	items := read(t, portable.Markdown, b.String())
	if len(items) < 10 {
		t.Fatalf("%d parts", len(items))
	}
	var joined strings.Builder
	for i, it := range items {
		if !strings.HasPrefix(it.Text, "## Part ") || it.Ref != fmt.Sprintf("in#%d", i+1) {
			t.Errorf("part %d begins %.20q, ref %s", i, it.Text, it.Ref)
		}
		joined.WriteString(it.Text)
	}
	squash := func(s string) string { return strings.Join(strings.Fields(s), "") }
	if squash(joined.String()) != squash(b.String()) {
		t.Error("some of the text is lost")
	}
	one := read(t, portable.Markdown, strings.Repeat("é", memory.MaxText))
	if len(one) < 2 || strings.Count(one[0].Text+one[1].Text, "é")+strings.Count(one[len(one)-1].Text, "é") < memory.MaxText {
		t.Errorf("one long line became %d parts", len(one))
	}
}

// What a file says of itself lowers and never raises.
func TestMarkdownClaims(t *testing.T) {
	for in, want := range map[string]hearsay.Source{
		"origin: user\ntaint: []":              {},
		"origin: agent":                        {},
		"origin: external\ntaint: [\"web\"]":   {Type: "web"},
		"origin: external":                     {Type: hearsay.UnknownTag},
		"origin: unverified\ntaint: [\"web\"]": {Type: "web"},
		"origin: user\ntaint: [\"a b\"]":       {Type: hearsay.UnknownTag},
		"origin: external\ntaint: [user]":      {Type: hearsay.UnknownTag},
		"origin: external\ntaint: [web, mail]": {Type: hearsay.UnknownTag},
	} {
		if got := read(t, portable.Markdown, "---\n"+in+"\n---\nText"); got[0].Says != want {
			t.Errorf("%q says %+v, want %+v", in, got[0].Says, want)
		}
	}
	for _, bad := range []string{"kind: belief", "form: vague", "origin: root"} {
		if _, err := portable.Read(portable.Markdown, "in", []byte("---\n"+bad+"\n---\nText")); err == nil || !strings.HasPrefix(err.Error(), "in: ") {
			t.Errorf("%q: %v", bad, err)
		}
	}
}

func TestServerMemory(t *testing.T) {
	const lines = `{"type":"entity","name":"billing","entityType":"service","observations":["uses port 8080","owned by ana"]}

{"type":"entity","name":"ana","entityType":"person","observations":[]}
{"type":"relation","from":"ana","to":"billing","relationType":"owns"}
`
	var got []string
	for _, it := range read(t, portable.ServerMemory, lines) {
		got = append(got, fmt.Sprint(it.Ref, " ", it.Kind, " ", it.Tags, " ", it.Subject, ": ", it.Text))
	}
	want := []string{
		"in:1 observation [service] billing: billing: uses port 8080", "in:1 observation [service] billing: billing: owned by ana",
		"in:3 observation [person] ana: ana is a person", "in:4 relationship [] ana: ana owns billing",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	whole := read(t, portable.ServerMemory, `{"entities":[{"name":"a","entityType":"x","observations":["o"]}],"relations":[{"from":"a","to":"b","relationType":"r"}]}`)
	if len(whole) != 2 || whole[1].Text != "a r b" {
		t.Errorf("one document: %+v", whole)
	}
	for name, bad := range map[string]string{
		"half a line":   `{"type":"entity","name":"a"`,
		"another type":  `{"type":"codegraph","name":"a"}`,
		"no name":       `{"type":"entity","observations":["o"]}`,
		"no text":       `{"type":"entity","name":"a","observations":[1]}`,
		"twice a key":   `{"type":"entity","name":"a","name":"b","observations":["o"]}`,
		"no other end":  `{"type":"relation","from":"a"}`,
		"not an object": `[]`,
	} {
		if _, err := portable.Read(portable.ServerMemory, "in", []byte(bad)); err == nil || !strings.HasPrefix(err.Error(), "in") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestMem0(t *testing.T) {
	const file = `{"results":[{"id":"m1","memory":"Prefers tea","metadata":{"source":"user"},"categories":["food"],"hash":"x"},{"memory":"Lives in Bonn"}]}`
	want := []portable.Item{
		{Ref: "in m1", Doc: memory.Doc{Kind: recall.Learning, Text: "Prefers tea", Tags: []string{"food"}}},
		{Ref: "in[1]", Doc: memory.Doc{Kind: recall.Learning, Text: "Lives in Bonn"}},
	}
	if diff := cmp.Diff(want, read(t, portable.Mem0, file)); diff != "" {
		t.Error(diff)
	}
	if got := read(t, portable.Mem0, `[{"memory":"Prefers tea"}]`); len(got) != 1 {
		t.Errorf("a bare list: %+v", got)
	}
	for _, bad := range []string{`{}`, `{"results":1}`, `[{"text":"x"}]`, `[`} {
		if _, err := portable.Read(portable.Mem0, "in", []byte(bad)); err == nil {
			t.Errorf("%s was read", bad)
		}
	}
}

func TestTooMuchIsRefused(t *testing.T) {
	if _, err := portable.Read(portable.Markdown, "in", make([]byte, portable.MaxFile+1)); err == nil {
		t.Error("a file without bounds was read")
	}
	if _, err := portable.Read("toml", "in", nil); err == nil {
		t.Error("an unknown format was read")
	}
	tags := make([]string, 0, 40)
	for i := range 40 {
		tags = append(tags, fmt.Sprintf("t%d", i))
	}
	got := read(t, portable.Markdown, "---\ntags: ["+strings.Join(tags, ", ")+"]\n---\nText")
	if len(got[0].Tags) != memory.MaxTags || !strings.Contains(got[0].Text, "t39") || len(got[0].Notes) != 1 || !strings.HasPrefix(got[0].Notes[0], "28 of its tags") {
		t.Errorf("many tags: %+v", got[0])
	}
}

// Nothing that is read panics, and what comes out passes the memory's own check.
func FuzzRead(f *testing.F) {
	for _, s := range []string{"---\ntitle: a\ntags: [\"b, c\", d]\n---\nx", `{"type":"entity","name":"a","observations":["o"]}`, `[{"memory":"m"}]`, "---\n- a\n---", "---\nk: \"\n---\n", string(line(f, exported()))} {
		for _, format := range []string{"markdown", "server-memory", "mem0", "hearsay"} {
			f.Add(format, []byte(s))
		}
	}
	f.Fuzz(func(t *testing.T, format string, data []byte) {
		portable.Guess("in", data)
		items, err := portable.Read(portable.Format(format), "in", data)
		if err != nil {
			return
		}
		for _, it := range items {
			if err := it.Check(); err != nil {
				t.Error(err)
			}
		}
	})
}
