package memfile

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestTopics(t *testing.T) {
	for text, want := range map[string][]string{
		"":                                     nil,
		"- [deploys](deploys.md): how we ship": {"deploys.md"},
		"- [a](./a.md) and [b](b.md#part) and [c](<c d.md>)": {"a.md", "b.md", "c d.md"},
		"[a](a.md \"title\") [b]( b.MD)":                     {"a.md", "b.MD"},
		"[a](a%20b.md) [c](c%zz.md)":                         {"a b.md", "c%zz.md"},
		"@topic.md\n  @other.md.\n(@third.md)":               {"other.md", "third.md", "topic.md"},
		"ana@example.md, x@y.md":                             nil,
		"[a](sub/a.md) [b](../b.md) [c](/c.md) @d/e.md [f](https://f.example/g.md) [h](h:i.md) [j](..\\j.md)": nil,
		"[a](a.txt) [b]() [c](.md) [d](#d.md) [e](":                                                           nil,
		"[a](a.md) [a](a.md) @a.md":                                                                           {"a.md"},
		"[a](" + strings.Repeat("x", 300) + ".md)":                                                            nil,
		"[[a](a.md)](b.md)\r\n":                                                                               {"a.md", "b.md"},
	} {
		if diff := cmp.Diff(want, Topics([]byte(text))); diff != "" {
			t.Errorf("%q: %s", text, diff)
		}
	}
}

func FuzzTopics(f *testing.F) {
	f.Add("- [deploys](deploys.md)\n@topic.md")
	f.Add("](](](@@@ <(")
	f.Fuzz(func(t *testing.T, text string) {
		got := Topics([]byte(text))
		if !slices.IsSorted(got) || len(slices.Compact(slices.Clone(got))) != len(got) {
			t.Errorf("%q: %q", text, got)
		}
		for _, name := range got {
			if strings.ContainsAny(name, "/\\") || len(name) > maxTopic || len(name) <= 3 {
				t.Errorf("%q: %q is no file beside it", text, name)
			}
		}
	})
}

// Much that only begins a link stays cheap.
func BenchmarkTopics(b *testing.B) {
	for name, text := range map[string]string{
		"index":   strings.Repeat("- [topic](topic.md): what it is about\n", 2000),
		"openers": strings.Repeat("](", 1<<19),
		"ats":     strings.Repeat(" @", 1<<19),
	} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				Topics([]byte(text))
			}
		})
	}
}
