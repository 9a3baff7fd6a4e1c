package install

import (
	"bytes"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/tailscale/hujson"
)

const (
	bom      = "\xEF\xBB\xBF"
	maxDepth = 256 // of brackets in a settings file

	adviceFix = "correct it and run the command again; nothing was written"
)

// document is one JSON settings file, with or without comments.
type document struct {
	name   string
	bom    string
	root   hujson.Value // of an object
	blank  bool         // there is nothing in the file
	exists bool
	layout layout
	made   map[hujson.ValueTrimmed]bool // objects and arrays made in this run
	gone   bool                         // nothing is left in what we made
}

// parse reads a settings file. Data is nil for one that does not exist.
func parse(name string, data []byte) (*document, error) {
	d := &document{name: name, exists: data != nil, made: make(map[hujson.ValueTrimmed]bool)}
	if err := checkText(name, data); err != nil {
		return nil, err
	}
	d.bom, data = cutBOM(data)
	d.layout = guessLayout(data)
	if len(bytes.TrimLeft(data, " \t\r\n")) == 0 {
		d.blank = true
		obj := &hujson.Object{}
		d.made[obj] = true
		d.root = hujson.Value{BeforeExtra: data, Value: obj}
		return d, nil
	}
	if at, ok := tooDeep(data); ok {
		return nil, d.errorAt(data, at, fmt.Sprintf("there are more than %d brackets in each other", maxDepth))
	}
	root, err := hujson.Parse(data)
	if err != nil {
		return nil, d.syntaxError(err)
	}
	d.root = root
	if _, ok := root.Value.(*hujson.Object); !ok {
		return nil, d.errorAt(data, root.StartOffset, "the file does not hold a JSON object")
	}
	for v := range d.root.All() {
		obj, ok := v.Value.(*hujson.Object)
		if !ok {
			continue
		}
		seen := make(map[string]bool, len(obj.Members))
		for i := range obj.Members {
			name := &obj.Members[i].Name
			key := text(name.Value)
			if seen[key] {
				return nil, d.errorAt(data, name.StartOffset, fmt.Sprintf("the key %s is there twice", quote(key)))
			}
			seen[key] = true
		}
	}
	return d, nil
}

func (d *document) object() *hujson.Object { return d.root.Value.(*hujson.Object) }

// pack returns the bytes of the file; nil means that it should not be there.
func (d *document) pack() []byte {
	before, _ := splitBlank(d.root.BeforeExtra)
	after, _ := splitBlank(d.root.AfterExtra)
	if d.gone && len(before)+len(after) == 0 {
		if strings.HasPrefix(string(d.object().AfterExtra), markBlank) {
			return append([]byte(d.bom), d.root.BeforeExtra...)
		}
		return nil
	}
	b := d.root.Pack()
	if d.blank {
		b = append(b, d.layout.newline...)
	}
	return append([]byte(d.bom), b...)
}

// errorAt is a refusal. Offsets of parsed values are those in data as long as nothing
// was edited; a file is always checked before its first edit, or the edit is dropped.
func (d *document) errorAt(data []byte, at int, problem string) error {
	return textError(d.name, data, at, problem)
}

// wrongType is a refusal of a value that is not what it must be to be edited.
func (d *document) wrongType(v *hujson.Value, what, want string) error {
	return d.errorAt(d.root.Pack(), v.StartOffset, fmt.Sprintf("%s is not %s", what, want))
}

func textError(name string, data []byte, at int, problem string) error {
	at = min(at, len(data))
	line := 1 + bytes.Count(data[:at], []byte("\n"))
	return &Error{File: name, Line: line, Column: at - bytes.LastIndexByte(data[:at], '\n'), Problem: problem, Advice: adviceFix}
}

// syntaxError takes the place out of a message of the parser, and what the file holds
// out of the rest: a file's own words must not steer a terminal.
func (d *document) syntaxError(err error) error {
	e := &Error{File: d.name, Problem: "this is not JSON", Advice: adviceFix}
	if _, scanErr := fmt.Sscanf(err.Error(), "hujson: line %d, column %d", &e.Line, &e.Column); scanErr != nil {
		e.Line, e.Column = 1, 1
	}
	if _, why, ok := strings.Cut(err.Error(), ": invalid character "); ok {
		e.Problem += ": invalid character " + clean(why)
	}
	return e
}

// checkText refuses what no settings file is.
func checkText(name string, data []byte) error {
	if len(data) > MaxFile {
		return &Error{File: name, Problem: fmt.Sprintf("it has more than %d bytes", MaxFile), Advice: "make it smaller and run the command again; nothing was written"}
	}
	for i := 0; i < len(data); {
		r, size := utf8.DecodeRune(data[i:])
		if r == utf8.RuneError && size == 1 {
			return textError(name, data, i, "this is not UTF-8")
		}
		i += size
	}
	return nil
}

func cutBOM(data []byte) (string, []byte) {
	if rest, ok := bytes.CutPrefix(data, []byte(bom)); ok {
		return bom, rest
	}
	return "", data
}

// tooDeep finds the bracket that is one too deep, before a parser that recurses sees
// it. Up to the first error of syntax it reads strings and comments as the parser does.
func tooDeep(data []byte) (at int, found bool) {
	depth := 0
	for i := 0; i < len(data); i++ {
		switch data[i] {
		case '"':
			for i++; i < len(data) && data[i] != '"'; i++ {
				if data[i] == '\\' {
					i++
				}
			}
		case '/':
			end := "*/"
			if bytes.HasPrefix(data[i:], []byte("//")) {
				end = "\n"
			} else if !bytes.HasPrefix(data[i:], []byte("/*")) {
				continue
			}
			n := bytes.Index(data[i+2:], []byte(end))
			if n < 0 {
				return 0, false
			}
			i += 2 + n + len(end) - 1
		case '{', '[':
			if depth++; depth > maxDepth {
				return i, true
			}
		case '}', ']':
			depth--
		}
	}
	return 0, false
}

// member returns the value of a key, or nil.
func member(v *hujson.Value, key string) *hujson.Value {
	obj, ok := v.Value.(*hujson.Object)
	if !ok {
		return nil
	}
	if i := index(obj, key); i >= 0 {
		return &obj.Members[i].Value
	}
	return nil
}

func index(obj *hujson.Object, key string) int {
	for i := range obj.Members {
		if text(obj.Members[i].Name.Value) == key {
			return i
		}
	}
	return -1
}

// text returns a JSON string's value; "" for anything else.
func text(v hujson.ValueTrimmed) string {
	lit, ok := v.(hujson.Literal)
	switch {
	case !ok || lit.Kind() != '"':
		return ""
	case bytes.IndexByte(lit, '\\') < 0:
		return string(lit[1 : len(lit)-1])
	}
	return lit.String()
}

func isText(v hujson.ValueTrimmed) bool { return v != nil && v.Kind() == '"' }

// texts returns the strings of a JSON array, and whether it is one of strings only.
func texts(v *hujson.Value) ([]string, bool) {
	if v == nil {
		return nil, false
	}
	arr, ok := v.Value.(*hujson.Array)
	if !ok {
		return nil, false
	}
	out := make([]string, 0, len(arr.Elements))
	for i := range arr.Elements {
		if !isText(arr.Elements[i].Value) {
			return nil, false
		}
		out = append(out, text(arr.Elements[i].Value))
	}
	return out, true
}

// quote shows a word of a file in a message.
func quote(s string) string { return `"` + clean(s) + `"` }

// clean makes text of a file harmless on a terminal and short.
func clean(s string) string {
	var b strings.Builder
	n := 0
	for _, r := range s {
		if n++; n > 80 {
			b.WriteString("…")
			break
		}
		writeClean(&b, r)
	}
	return b.String()
}

func writeClean(b *strings.Builder, r rune) {
	if unicode.IsPrint(r) {
		b.WriteRune(r)
		return
	}
	fmt.Fprintf(b, `\u{%x}`, r)
}
