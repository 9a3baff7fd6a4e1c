package install

import (
	"bytes"
	"slices"
	"strings"
)

// tomlValue is a value and where it stands.
type tomlValue struct {
	start, end int
	kind       byte        // '"' a string, '[' an array, '{' an inline table, 'x' anything else
	text       string      // of a string, decoded; of anything else, its bytes
	items      []tomlValue // of an array
}

// tomlEntry is a key with its value.
type tomlEntry struct {
	path      []string // from the root, cut after maxPath parts; below an array it begins with ""
	key, last int      // where the key begins, and its last part
	value     tomlValue
	inline    bool // it stands in an inline table
}

// toml is a TOML file of which the entries were located. It reads the whole grammar of
// strings, keys, tables, arrays and comments; numbers and dates are taken as they are.
type toml struct {
	name    string
	data    []byte
	at      int
	depth   int
	entries []tomlEntry // those that are sought
	nodes   []tomlNode  // what each path is; the first is the root
	below   map[tomlStep]int
}

// tomlNode is what a path is.
type tomlNode struct {
	kind   tomlKind
	latest int // the node of the last table, if it is an array of tables
}

// tomlStep is a key in a node.
type tomlStep struct {
	node int
	part string
}

type tomlKind uint8

const (
	tomlNone   tomlKind = iota
	tomlLeaf            // a value
	tomlHeader          // [a.b]
	tomlArray           // [[a.b]]
	tomlDotted          // a of a.b = 1
)

// sought are the first keys of entries that matter to us.
var sought = map[string]bool{"mcp_servers": true, "features": true, "memories": true, "allow_managed_hooks_only": true}

const (
	maxKeyParts = 32
	maxPath     = 4 // one more than anything that we look for
)

// parseTOML locates the entries of a file.
func parseTOML(name string, data []byte) (t *toml, err error) {
	if err := checkText(name, data); err != nil {
		return nil, err
	}
	t = &toml{name: name, data: data, nodes: make([]tomlNode, 1), below: make(map[tomlStep]int)}
	if bytes.HasPrefix(data, []byte(bom)) {
		t.at = len(bom)
	}
	if err := t.file(); err != nil {
		return nil, err
	}
	return t, nil
}

// literal returns the bytes of a value that is no string, table or array; "" where the
// path has none.
func (t *toml) literal(path ...string) string {
	for _, e := range t.entries {
		if slices.Equal(e.path, path) && e.value.kind == 'x' {
			return e.value.text
		}
	}
	return ""
}

func (t *toml) fail(at int, problem string) error { return textError(t.name, t.data, at, problem) }

func (t *toml) peek() byte {
	if t.at < len(t.data) {
		return t.data[t.at]
	}
	return 0
}

func (t *toml) has(s string) bool { return bytes.HasPrefix(t.data[t.at:], []byte(s)) }

func (t *toml) blanks() {
	for t.peek() == ' ' || t.peek() == '\t' {
		t.at++
	}
}

// comment reads a comment up to the end of its line.
func (t *toml) comment() error {
	if t.peek() != '#' {
		return nil
	}
	for t.at < len(t.data) && t.data[t.at] != '\n' {
		if c := t.data[t.at]; c < ' ' && c != '\t' && !t.has("\r\n") || c == 0x7f {
			return t.fail(t.at, "a control character in a comment")
		}
		t.at++
	}
	return nil
}

// endOfLine reads what may follow an entry on its line.
func (t *toml) endOfLine() error {
	t.blanks()
	if err := t.comment(); err != nil {
		return err
	}
	switch {
	case t.at == len(t.data):
	case t.peek() == '\n':
		t.at++
	case t.has("\r\n"):
		t.at += 2
	default:
		return t.fail(t.at, "something else follows on the line")
	}
	return nil
}

// space reads white space, comments and ends of lines.
func (t *toml) space() error {
	for {
		t.blanks()
		switch {
		case t.peek() == '#':
			if err := t.comment(); err != nil {
				return err
			}
		case t.peek() == '\n':
			t.at++
		case t.has("\r\n"):
			t.at += 2
		default:
			return nil
		}
	}
}

func (t *toml) file() error {
	var table []string // the path of the table that entries belong to
	node := 0
	for {
		if err := t.space(); err != nil {
			return err
		}
		if t.at >= len(t.data) {
			return nil
		}
		var err error
		if t.peek() == '[' {
			table, node, err = t.header()
		} else {
			err = t.entry(table, node, false)
		}
		if err != nil {
			return err
		}
		if err := t.endOfLine(); err != nil {
			return err
		}
	}
}

// child returns the node of a key in a node.
func (t *toml) child(node int, part string) int {
	step := tomlStep{node, part}
	n, ok := t.below[step]
	if !ok {
		n = t.node()
		t.below[step] = n
	}
	return n
}

func (t *toml) node() int {
	t.nodes = append(t.nodes, tomlNode{})
	return len(t.nodes) - 1
}

// header reads [a.b] or [[a.b]].
func (t *toml) header() (table []string, node int, err error) {
	start := t.at
	open, end := "[", "]"
	if t.has("[[") {
		open, end = "[[", "]]"
	}
	t.at += len(open)
	t.blanks()
	parts, _, err := t.key()
	if err != nil {
		return nil, 0, err
	}
	if !t.has(end) {
		return nil, 0, t.fail(t.at, "a table's name does not end with "+end)
	}
	t.at += len(end)
	inArray := false
	for i, part := range parts {
		node = t.child(node, part)
		n := &t.nodes[node]
		last := i == len(parts)-1
		switch {
		case last && open == "[" && n.kind == tomlNone:
			n.kind = tomlHeader
		case last && open == "[[" && (n.kind == tomlNone || n.kind == tomlArray):
			latest := t.node()
			t.nodes[node] = tomlNode{tomlArray, latest}
			node, inArray = latest, true
		case last || n.kind == tomlLeaf:
			return nil, 0, t.fail(start, "the table "+quote(strings.Join(parts, "."))+" is there twice, or lies in a value")
		case n.kind == tomlArray:
			node, inArray = n.latest, true
		}
	}
	if inArray {
		return []string{""}, node, nil
	}
	return parts, node, nil
}

// entry reads a key and its value.
func (t *toml) entry(table []string, node int, inline bool) error {
	e := tomlEntry{key: t.at, inline: inline}
	parts, last, err := t.key()
	if err != nil {
		return err
	}
	e.last = last
	e.path = append(append(make([]string, 0, maxPath+1), table[:min(len(table), maxPath)]...), parts...)
	e.path = e.path[:min(len(e.path), maxPath)]
	for i, part := range parts {
		node = t.child(node, part)
		n := &t.nodes[node]
		switch {
		case i < len(parts)-1 && (n.kind == tomlNone || n.kind == tomlDotted):
			n.kind = tomlDotted
		case i == len(parts)-1 && n.kind == tomlNone:
			n.kind = tomlLeaf
		default:
			return t.fail(e.key, "the key "+quote(strings.Join(parts, "."))+" is there twice")
		}
	}
	if t.peek() != '=' {
		return t.fail(t.at, "a key without =")
	}
	t.at++
	t.blanks()
	if e.value, err = t.value(e.path, node); err != nil {
		return err
	}
	if sought[e.path[0]] {
		t.entries = append(t.entries, e)
	}
	return nil
}
