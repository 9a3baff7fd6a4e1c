package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/hearsay-memory/hearsay/internal/term"
)

// contentBar stands before each line of a record's content, so that foreign text
// cannot pass for what Hearsay says.
const contentBar = "  │ "

// printContent shows to a person what a write would store. JSON is shown as one line
// a value with its path, strings decoded: an escape such as \u0069 would hide a word
// from whoever reads the raw bytes. Every value is shown, those under a repeated key
// too. What is not JSON is shown as it is.
func printContent(p *term.Printer, content []byte) {
	lines, err := jsonLines(content)
	if err != nil {
		p.Text(contentBar, string(content))
		return
	}
	for _, l := range lines {
		if l.path == "" || strings.ContainsRune(l.value, '\n') {
			if l.path != "" {
				p.Text(contentBar, l.path+":")
			}
			p.Text(contentBar+strings.Repeat("  ", min(len(l.path), 1)), l.value)
			continue
		}
		p.Text(contentBar, l.path+": "+l.value)
	}
}

// jsonLine is one value of a JSON text and where it stands.
type jsonLine struct{ path, value string }

// Bounds of what is taken apart. Beyond them the raw text is shown: deep nesting and
// long keys must not cost more than they cost to send.
const (
	maxJSONDepth = 64
	maxJSONPath  = 512 // bytes
)

// jsonLines takes one JSON text apart, in the order of its bytes.
func jsonLines(data []byte) ([]jsonLine, error) {
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	var lines []jsonLine
	if err := jsonValue(dec, "", 0, &lines); err != nil {
		return nil, err
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("text after the value")
	}
	return lines, nil
}

// jsonValue reads one value at path.
func jsonValue(dec *json.Decoder, path string, depth int, lines *[]jsonLine) error {
	if depth > maxJSONDepth || len(path) > maxJSONPath {
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
		*lines = append(*lines, jsonLine{path, value})
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
		if err := jsonValue(dec, at, depth+1, lines); err != nil {
			return err
		}
	}
	end, err := dec.Token()
	if err != nil {
		return err
	}
	if n == 0 {
		*lines = append(*lines, jsonLine{path, fmt.Sprintf("%v%v", delim, end)})
	}
	return nil
}
