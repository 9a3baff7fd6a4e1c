package memtool

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/hearsay-memory/hearsay/internal/strictjson"
)

// Bounds of an input, in bytes. Escapes can make JSON six times as long as its text.
const (
	MaxText  = 1 << 20
	MaxInput = 8 << 20
)

var limits = strictjson.Limits{MaxBytes: MaxInput, MaxDepth: 2}

// input is one command, with what it was given.
type input struct {
	command      string
	path, to     name // to: of rename
	text, old    string
	line         int
	from, until  int // of view, counted from 1; until -1: to the end
	ranged       bool
	spelt, other string // path and to, as they were given
	canonical    []byte // all of it
}

// field is what a command takes under a key.
type field struct {
	key      string
	optional bool
	read     func(*input, strictjson.Value) error
}

var (
	pathField = field{key: "path", read: func(in *input, v strictjson.Value) (err error) {
		in.spelt = v.String()
		in.path, err = parseName(v)
		return err
	}}
	oldPathField = field{key: "old_path", read: pathField.read}
	newPathField = field{key: "new_path", read: func(in *input, v strictjson.Value) (err error) {
		in.other = v.String()
		in.to, err = parseName(v)
		return err
	}}
	rangeField = field{key: "view_range", optional: true, read: func(in *input, v strictjson.Value) (err error) {
		if v.Kind() == strictjson.KindNull {
			return nil // how some clients leave it out
		}
		if v.Kind() != strictjson.KindArray || v.Len() != 2 {
			return faultf("view_range: want two line numbers, such as [1, 20]; [5, -1] is from line 5 to the end")
		}
		in.ranged = true
		if in.from, err = number("view_range", v.Index(0)); err != nil {
			return err
		}
		in.until, err = number("view_range", v.Index(1))
		return err
	}}
	lineField = field{key: "insert_line", read: func(in *input, v strictjson.Value) (err error) {
		in.line, err = number("insert_line", v)
		return err
	}}
)

// textField is a text that goes into a file or is looked for in one.
func textField(key string, to func(*input) *string) field {
	return field{key: key, read: func(in *input, v strictjson.Value) error {
		if v.Kind() != strictjson.KindString {
			return faultf("%s: want a string", key)
		}
		text := v.String()
		if len(text) > MaxText {
			return faultf("%s has %d bytes, and at most %d are taken: split it into several files", key, len(text), MaxText)
		}
		*to(in) = text
		return nil
	}}
}

// commands are the fields that each command takes, apart from the command itself.
var commands = map[string][]field{
	"view":        {pathField, rangeField},
	"create":      {pathField, textField("file_text", func(in *input) *string { return &in.text })},
	"str_replace": {pathField, textField("old_str", func(in *input) *string { return &in.old }), textField("new_str", func(in *input) *string { return &in.text })},
	"insert":      {pathField, lineField, textField("insert_text", func(in *input) *string { return &in.text })},
	"delete":      {pathField},
	"rename":      {oldPathField, newPathField},
}

// commandNames is for replies.
const commandNames = "view, create, str_replace, insert, delete or rename"

// parse reads an input. Its faults never repeat what was given.
func parse(data []byte) (*input, error) {
	v, err := limits.Parse(data)
	if err != nil {
		return nil, faultf("The input cannot be read: %v", err)
	}
	if v.Kind() != strictjson.KindObject {
		return nil, faultf("The input has to be a JSON object with a command: %s", commandNames)
	}
	command, _ := v.Get("command")
	in := &input{command: command.String(), canonical: strictjson.AppendCanonical(nil, v)}
	fields, known := commands[in.command]
	if command.Kind() != strictjson.KindString || !known {
		return nil, faultf("command: want %s", commandNames)
	}
	given := 1
	for _, f := range fields {
		val, ok := v.Get(f.key)
		switch {
		case ok:
			given++
			if err := f.read(in, val); err != nil {
				return nil, err
			}
		case !f.optional:
			return nil, faultf("%s is missing: %s", f.key, usage(in.command))
		}
	}
	if given != v.Len() {
		return nil, faultf("There are fields that the command does not have: %s", usage(in.command))
	}
	return in, nil
}

// usage lists what a command takes.
func usage(command string) string {
	keys := []string{"command"}
	for _, f := range commands[command] {
		keys = append(keys, f.key)
	}
	return fmt.Sprintf("%s takes %s", command, strings.Join(keys, ", "))
}

// maxDigits bounds a line number: no file has as many lines.
const maxDigits = 9

// number reads a whole number as it is written: 3.0 and 3e0 are numbers that other
// readers refuse.
func number(key string, v strictjson.Value) (int, error) {
	raw := string(v.Raw())
	if v.Kind() == strictjson.KindNumber && len(raw) <= maxDigits {
		if n, err := strconv.Atoi(raw); err == nil {
			return n, nil
		}
	}
	return 0, faultf("%s: want a whole number of at most %d digits", key, maxDigits)
}
