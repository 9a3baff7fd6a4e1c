package memory

import (
	"bytes"
	"path"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/mark"
)

// Vault is the folder of Markdown files that shows what is remembered: one file a served
// memory, for people and for agents to read. Only this package writes it. Whoever changes
// a file changes a picture: what is recalled stays as it was sealed, and the change is
// found by [Store.Compare].
type Vault struct{ Dir string }

// Name is where a memory's file lies, slash separated and below the vault. It is a
// function of the memory alone. A stranger's has none of its words: who lists a folder sees
// no marks.
func (m *Memory) Name() string {
	day, heading := time.UnixMilli(m.Created).UTC().Format(time.DateOnly), m.Heading()
	if m.Label.Origin == hearsay.External {
		heading = m.Label.Origin.String()
	}
	return path.Join(m.Kind.String(), strings.Join([]string{day, slug(heading), nameEnd(m.ID)}, "-")+".md")
}

// nameEnd is how a file's name ends: by the random part of the memory's id.
func nameEnd(id hearsay.RecordID) string {
	s := id.String()
	return s[len(s)-12:]
}

// slugRunes bounds the words in a file's name.
const slugRunes = 40

// slug makes a part of a file's name of a heading: letters and digits of any script, lower
// case, joined by single hyphens.
func slug(heading string) string {
	var b strings.Builder
	n, gap := 0, false
	for _, r := range strings.ToLower(heading) {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			gap = true
			continue
		}
		if n == slugRunes {
			break
		}
		if gap && b.Len() > 0 {
			b.WriteByte('-')
		}
		b.WriteRune(r)
		n, gap = n+1, false
	}
	if b.Len() == 0 {
		return "memory"
	}
	return b.String()
}

// Render is the file of a memory: front matter, and the text as an agent may see it. The
// record's id is the nonce of the marks around a stranger's text, and before a stranger's
// title and tags: it was made after the text was, so the text cannot hold it.
func (m *Memory) Render() []byte {
	var b bytes.Buffer
	nonce := strings.ReplaceAll(m.ID.String(), "-", "")
	b.Grow(len(m.Text) + 512)
	field := func(name, value string) {
		for _, s := range [...]string{name, ": ", value, "\n"} {
			b.WriteString(s)
		}
	}
	quoted := func(list []string) string {
		for i, s := range list {
			list[i] = strconv.Quote(s)
		}
		return "[" + strings.Join(list, ", ") + "]"
	}
	b.WriteString("---\n")
	field("id", m.ID.String())
	field("kind", m.Kind.String())
	field("form", m.Form.String())
	if m.Title != "" {
		field("title", strconv.Quote(m.safe(nonce, m.Title)))
	}
	if len(m.Tags) > 0 {
		tags := make([]string, len(m.Tags))
		for i, t := range m.Tags {
			tags[i] = m.safe(nonce, t)
		}
		field("tags", quoted(tags))
	}
	if len(m.Links) > 0 {
		links := make([]string, len(m.Links))
		for i, id := range m.Links {
			links[i] = id.String()
		}
		field("links", "["+strings.Join(links, ", ")+"]")
	}
	field("origin", m.Label.Origin.String())
	if m.Label.Tainted() {
		field("taint", quoted(m.Label.Taint.Tags()))
	}
	if m.Label.Origin.LowTrust() {
		field("low_trust", "true")
	}
	if m.Claims.Pin {
		field("pinned", "true")
	}
	if m.Claims.Stable {
		field("stable", "true")
	}
	field("created", time.UnixMilli(m.Created).UTC().Format(time.RFC3339))
	b.WriteString("---\n")
	b.WriteString(mark.Text(nonce, m.Label.Origin, m.Text))
	b.WriteByte('\n')
	return b.Bytes()
}
