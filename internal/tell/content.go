package tell

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/hearsay-memory/hearsay/internal/term"
)

// Bar stands before each line of a record's content, so that foreign text
// cannot pass for what Hearsay says.
const Bar = "  │ "

// Content shows to a person what a write would store. JSON is shown as one line
// a value with its path, strings decoded: an escape such as \u0069 would hide a word
// from whoever reads the raw bytes. Every value is shown, those under a repeated key
// too. What is not JSON is shown as it is.
func Content(p *term.Printer, content []byte) {
	lines, err := Values(content)
	if err != nil {
		p.Text(Bar, string(content))
		return
	}
	for _, l := range lines {
		if l.Path == "" || strings.ContainsRune(l.Text, '\n') {
			if l.Path != "" {
				p.Text(Bar, l.Path+":")
			}
			p.Text(Bar+strings.Repeat("  ", min(len(l.Path), 1)), l.Text)
			continue
		}
		p.Text(Bar, l.Path+": "+l.Text)
	}
}

// Value is one value of a JSON text and where it stands.
type Value struct{ Path, Text string }

// Bounds of what is taken apart. Beyond them the raw text is shown: deep nesting and
// long keys must not cost more than they cost to send.
const (
	maxDepth = 64
	maxPath  = 512 // bytes
)

// Values takes one JSON text apart, in the order of its bytes.
func Values(data []byte) ([]Value, error) {
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	var lines []Value
	if err := appendValue(dec, "", 0, &lines); err != nil {
		return nil, err
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("text after the value")
	}
	return lines, nil
}

// appendValue reads one value at path.
func appendValue(dec *json.Decoder, path string, depth int, lines *[]Value) error {
	if depth > maxDepth || len(path) > maxPath {
		return errors.New("nested too deep or too wide to be read as lines")
	}
	tok, err := dec.Token()
	if err != nil {
		return err
	}
	delim, ok := tok.(json.Delim)
	if !ok {
		value := "null"
		if tok != nil {
			value = fmt.Sprint(tok)
		}
		*lines = append(*lines, Value{path, value})
		return nil
	}
	n := 0
	for ; dec.More(); n++ {
		at := fmt.Sprintf("%s[%d]", path, n)
		if delim == '{' {
			key, err := dec.Token()
			if err != nil {
				return err
			}
			at = strings.TrimPrefix(fmt.Sprintf("%s.%v", path, key), ".")
		}
		if err := appendValue(dec, at, depth+1, lines); err != nil {
			return err
		}
	}
	end, err := dec.Token()
	if err != nil {
		return err
	}
	if n == 0 {
		*lines = append(*lines, Value{path, fmt.Sprintf("%v%v", delim, end)})
	}
	return nil
}
