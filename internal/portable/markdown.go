package portable

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/internal/memory"
	"github.com/hearsay-memory/hearsay/mark"
	"github.com/hearsay-memory/hearsay/recall"
)

// wholeFile is up to which size a Markdown file is one memory; a longer one is taken apart
// at its headings, so that a recall does not bring all of it.
const wholeFile = 8 << 10

// known are the keys of a front matter that a memory takes in, or that say what it will
// find out anew. A file with others keeps its front matter as text: nothing is lost.
var known = []string{"id", "kind", "form", "title", "tags", "links", "origin", "taint", "low_trust", "pinned", "stable", "created", "subject"}

func readMarkdown(name string, data []byte) ([]Item, error) {
	text := strings.TrimPrefix(string(data), "\ufeff")
	if !utf8.ValidString(text) {
		return nil, fmt.Errorf("%s is not valid UTF-8: convert it first", name)
	}
	m, block, body := splitMatter(text)
	m.unmark()
	base, err := m.item(name)
	if err != nil {
		return nil, err
	}
	if block != "" && (m.rest || m.others()) {
		body = block + body
	} else {
		body = m.unframe(body)
	}
	if len(body) <= wholeFile {
		if base.Text = strings.TrimSpace(body); base.Text == "" {
			return nil, nil // an empty note says nothing
		}
		return []Item{base}, nil
	}
	var items []Item
	for i, part := range sections(body) {
		it := base
		it.Text, it.Ref = part, fmt.Sprintf("%s#%d", name, i+1)
		it.Title = ""
		items = append(items, it)
	}
	return items, nil
}

// item is what a front matter says of a memory.
func (m *matter) item(name string) (Item, error) {
	it := Item{Doc: memory.Doc{Kind: usualKind, Title: m.one("title"), Subject: m.one("subject")}, Ref: name}
	var err error
	if k := m.one("kind"); k != "" {
		if it.Kind, err = recall.ParseKind(shown(k)); err != nil {
			return it, fmt.Errorf("%s: %w", name, err)
		}
	}
	if f := m.one("form"); f != "" {
		if it.Form, err = recall.ParseForm(shown(f)); err != nil {
			return it, fmt.Errorf("%s: %w", name, err)
		}
	}
	it.Tags = m.values["tags"]
	if o := m.one("origin"); o != "" {
		origin, err := hearsay.ParseOrigin(shown(o))
		if err != nil {
			return it, fmt.Errorf("%s: %w", name, err)
		}
		it.Says = saysLabel(origin, m.values["taint"])
	}
	if n := len(m.values["links"]); n > 0 {
		it.note("%d links were left out: they lead to memories of the home that they come from", n)
	}
	return it, nil
}

// shown bounds a word that an error repeats; no name that there is is as long.
func shown(word string) string { return word[:min(len(word), 40)] }

// frameSlot stands for a text while its frame is looked for.
const frameSlot = "\ue000"

// unframe takes off what [memory.Memory.Render] puts around a text of low trust, so that a
// picture of ours that comes back holds the text alone. What it takes off says no more than
// the origin in the front matter, which is believed where it lowers.
func (m *matter) unframe(body string) string {
	id, err := hearsay.ParseRecordID(m.one("id"))
	if err != nil {
		return body
	}
	origin, err := hearsay.ParseOrigin(m.one("origin"))
	if err != nil {
		return body
	}
	before, after, _ := strings.Cut(mark.Text(strings.ReplaceAll(id.String(), "-", ""), origin, frameSlot), frameSlot)
	inner, ok := strings.CutPrefix(body, before)
	if !ok {
		return body
	}
	if inner, ok = strings.CutSuffix(strings.TrimSuffix(inner, "\n"), after); !ok {
		return body
	}
	return inner
}

// unmark takes off what [memory.Memory.Render] puts before the title and the tags of a
// stranger's memory. As with [matter.unframe] the origin says it.
func (m *matter) unmark() {
	id, err := hearsay.ParseRecordID(m.one("id"))
	if err != nil || m.one("origin") != hearsay.External.String() {
		return
	}
	for _, key := range [...]string{"title", "tags"} {
		for i, s := range m.values[key] {
			m.values[key][i], _ = mark.StripInline(strings.ReplaceAll(id.String(), "-", ""), s)
		}
	}
}

func (m *matter) others() bool {
	for key := range m.values {
		if !slices.Contains(known, key) {
			return true
		}
	}
	return false
}

// sections takes a text apart before each heading, outside of code fences, and joins
// neighbours as long as they stay short. A section that is too long for a memory is cut
// at a line end.
func sections(text string) []string {
	var parts []string
	var part strings.Builder
	flush := func() {
		if s := strings.TrimSpace(part.String()); s != "" {
			parts = append(parts, s)
		}
		part.Reset()
	}
	fence := ""
	for line := range strings.Lines(text) {
		trimmed := strings.TrimLeft(line, " ")
		if mark := cmp.Or(prefix(trimmed, "```"), prefix(trimmed, "~~~")); mark != "" {
			if fence == "" {
				fence = mark
			} else if fence == mark {
				fence = ""
			}
		}
		heading := fence == "" && strings.HasPrefix(line, "#")
		if heading && part.Len() > wholeFile/8 || part.Len()+len(line) > memory.MaxText {
			flush()
		}
		for len(line) > memory.MaxText { // one line of that length is no prose
			n := memory.MaxText
			for !utf8.RuneStart(line[n]) {
				n--
			}
			part.WriteString(line[:n])
			line = line[n:]
			flush()
		}
		part.WriteString(line)
	}
	flush()
	return parts
}

func prefix(s, mark string) string {
	if strings.HasPrefix(s, mark) {
		return mark
	}
	return ""
}
