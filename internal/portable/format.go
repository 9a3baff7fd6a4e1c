package portable

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/hearsay-memory/hearsay/internal/strictjson"
)

// Format names a form of memories that can be read.
type Format string

// The formats.
const (
	Markdown     Format = "markdown"      // a folder of Markdown files, or one file
	ServerMemory Format = "server-memory" // the JSON lines of the MCP reference memory server
	Mem0         Format = "mem0"          // what Mem0's get_all or export gives, as JSON
	Hearsay      Format = "hearsay"       // the JSON lines of an export of ours
)

// ParseFormat returns the format of that name; anything else is an error.
func ParseFormat(s string) (Format, error) {
	switch f := Format(s); f {
	case Markdown, ServerMemory, Mem0, Hearsay:
		return f, nil
	}
	return "", fmt.Errorf("unknown format %.40q: want one of %s, %s, %s, %s", s, Markdown, ServerMemory, Mem0, Hearsay)
}

// IsMarkdown reports whether a file is Markdown by its name.
func IsMarkdown(name string) bool {
	name = strings.ToLower(name)
	return strings.HasSuffix(name, ".md") || strings.HasSuffix(name, ".markdown")
}

// Guess tells the format of a file by what is in it, and Markdown by its name; false where
// neither says it. What it guesses wrongly, [Read] refuses.
func Guess(name string, data []byte) (Format, bool) {
	if IsMarkdown(name) {
		return Markdown, true
	}
	data = bytes.TrimSpace(data)
	if len(data) > MaxFile || len(data) == 0 {
		return "", false
	}
	if data[0] == '[' {
		return Mem0, true
	}
	first, _, _ := bytes.Cut(data, []byte("\n"))
	v, err := (strictjson.Limits{}).Parse(first)
	if err != nil { // a document of several lines
		if v, err = (strictjson.Limits{}).Parse(data); err != nil {
			return "", false
		}
	}
	has := func(key string) bool {
		_, ok := v.Get(key)
		return ok
	}
	switch {
	case has("content_sha256"):
		return Hearsay, true
	case has("entities"), text(v, "type") == "entity", text(v, "type") == "relation":
		return ServerMemory, true
	case has("results"), has("memories"):
		return Mem0, true
	}
	return "", false
}
