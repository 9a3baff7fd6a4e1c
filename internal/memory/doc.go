// Package memory is Hearsay's own memory, for agents that have none or want one with
// provenance built in.
//
// A memory is a record of the guard's own store: to be sealed is to have landed, and what
// is recalled is the sealed bytes. The Markdown files of the vault and the search index
// are pictures of the log. They are made after the commit and again whenever they are
// missing or stale, and nobody's word is taken from them; see docs/memory.md and
// docs/decisions/0013-own-memory.md.
//
// Every door goes through [Store]: the command line, the MCP server, the memory tool.
package memory

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/recall"
)

// Bounds of one memory. A longer text is a document: keep it elsewhere and remember what
// matters of it.
const (
	MaxText  = 256 << 10 // bytes
	MaxTitle = 200       // bytes
	MaxTags  = recall.MaxTags
	MaxTag   = 64 // bytes
	MaxLinks = 64
)

// docVersion is the version of the encoding.
const docVersion = 1

// Doc is one memory as somebody said it: the content of its record, and what its Markdown
// file shows. It says nothing of trust; that is the record's.
type Doc struct {
	Kind    recall.Kind
	Form    recall.Form
	Title   string // one line; empty: the beginning of Text, see [Doc.Heading]
	Text    string
	Tags    []string           // as they were given, without repetition
	Links   []hearsay.RecordID // memories that it points to
	Subject string             // whom or what it is about, for forgetting; empty: not said
}

// encoded is a Doc as it is sealed. The bytes are pinned by a test.
type encoded struct {
	V       int                `json:"v"`
	Kind    recall.Kind        `json:"kind"`
	Form    recall.Form        `json:"form"`
	Title   string             `json:"title,omitempty"`
	Text    string             `json:"text"`
	Tags    []string           `json:"tags,omitempty"`
	Links   []hearsay.RecordID `json:"links,omitempty"`
	Subject string             `json:"subject,omitempty"`
}

// Encode returns the bytes that are sealed. A Doc that [Doc.Check] refuses has none.
func (d *Doc) Encode() ([]byte, error) {
	if err := d.Check(); err != nil {
		return nil, err
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(encoded{docVersion, d.Kind, d.Form, d.Title, d.Text, d.Tags, d.Links, d.Subject})
	if err != nil {
		return nil, fmt.Errorf("encode a memory: %w", err)
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

// DecodeDoc reads what [Doc.Encode] writes and nothing else.
func DecodeDoc(b []byte) (Doc, error) {
	var e encoded
	dec := json.NewDecoder(bytes.NewReader(b))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&e); err != nil {
		return Doc{}, fmt.Errorf("decode a memory: %w", err)
	}
	if _, err := dec.Token(); err != io.EOF {
		return Doc{}, errors.New("decode a memory: trailing data")
	}
	if e.V != docVersion {
		return Doc{}, fmt.Errorf("decode a memory: version %d, this program knows %d", e.V, docVersion)
	}
	d := Doc{e.Kind, e.Form, e.Title, e.Text, e.Tags, e.Links, e.Subject}
	again, err := d.Encode()
	if err != nil {
		return Doc{}, err
	}
	if !bytes.Equal(again, b) {
		return Doc{}, errors.New("decode a memory: the bytes are not in canonical form")
	}
	return d, nil
}

// Check returns what is wrong with a memory, in words for whoever gave it.
func (d *Doc) Check() error {
	switch {
	case !known(d.Kind):
		return fmt.Errorf("kind %d is not one: see docs/memory.md", d.Kind)
	case d.Form > recall.Procedural:
		return fmt.Errorf("form %d is not one: see docs/memory.md", d.Form)
	case strings.TrimSpace(d.Text) == "":
		return errors.New("the text is empty: say what is to be remembered")
	case len(d.Text) > MaxText:
		return fmt.Errorf("the text has %d bytes: at most %d; keep a document elsewhere and remember what matters of it", len(d.Text), MaxText)
	case len(d.Title) > MaxTitle:
		return fmt.Errorf("the title has %d bytes: at most %d", len(d.Title), MaxTitle)
	case len(d.Tags) > MaxTags:
		return fmt.Errorf("%d tags: at most %d", len(d.Tags), MaxTags)
	case len(d.Links) > MaxLinks:
		return fmt.Errorf("%d links: at most %d", len(d.Links), MaxLinks)
	case len(d.Subject) > MaxTitle:
		return fmt.Errorf("the subject has %d bytes: at most %d", len(d.Subject), MaxTitle)
	case !utf8.ValidString(d.Text):
		return errors.New("the text is not valid UTF-8: convert it first")
	case !oneLine(d.Title):
		return errors.New("the title is more than one line of printable text")
	case !oneLine(d.Subject):
		return errors.New("the subject is more than one line of printable text")
	}
	for i, t := range d.Tags {
		switch {
		case t == "" || len(t) > MaxTag || !oneLine(t) || strings.TrimSpace(t) != t:
			return fmt.Errorf("tag %d: want 1 to %d bytes on one line, without space around", i+1, MaxTag)
		case slices.Contains(d.Tags[:i], t):
			return fmt.Errorf("tag %d is there twice", i+1)
		}
	}
	for i, id := range d.Links {
		if id.IsZero() {
			return fmt.Errorf("link %d is no id", i+1)
		}
		if slices.Contains(d.Links[:i], id) {
			return fmt.Errorf("link %s is there twice", id)
		}
	}
	return nil
}

// known reports whether a kind is one: a value outside the range would be sealed as another.
func known(k recall.Kind) bool { return k <= recall.Insight }

// oneLine reports whether s is valid UTF-8 without control characters or line ends.
func oneLine(s string) bool {
	return utf8.ValidString(s) && !strings.ContainsFunc(s, func(r rune) bool {
		return unicode.IsControl(r) || r == '\u2028' || r == '\u2029'
	})
}

// Texts returns every text of the memory that could ever be read again.
func (d *Doc) Texts() []string {
	texts := []string{d.Text}
	for _, s := range append([]string{d.Title, d.Subject}, d.Tags...) {
		if s != "" {
			texts = append(texts, s)
		}
	}
	return texts
}

// headingRunes bounds a heading that is taken from the text.
const headingRunes = 80

// Heading is the title, or the first line of the text that has something in it, cut.
func (d *Doc) Heading() string {
	if d.Title != "" {
		return d.Title
	}
	for line := range strings.Lines(d.Text) {
		line = strings.Map(printable, strings.TrimLeft(line, "#-*> \t"))
		if line = strings.TrimSpace(line); line != "" {
			return cut(line, headingRunes)
		}
	}
	return "memory"
}

// printable makes a space of what does not belong into one line.
func printable(r rune) rune {
	if unicode.IsControl(r) || r == '\u2028' || r == '\u2029' {
		return ' '
	}
	return r
}

// cut returns the first n runes of s, with an ellipsis where there are more.
func cut(s string, n int) string {
	for i := range s {
		if n == 0 {
			return s[:i] + "…"
		}
		n--
	}
	return s
}
