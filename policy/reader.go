package policy

import (
	"fmt"
	"math"
	"strings"

	"github.com/goccy/go-yaml/ast"

	"github.com/hearsay-memory/hearsay"
)

// The bounds of what is told: problems of one file, and bytes of a key.
const (
	maxProblems = 100
	maxKey      = 128
)

// reader turns nodes into values and collects everything that is wrong on the
// way. Each method returns the safe zero value for what it cannot read, so that
// reading goes on and the next mistake is found as well.
type reader struct {
	file     string
	problems []Problem
}

// errorf adds a problem at a node.
func (r *reader) errorf(at ast.Node, suggestion, format string, args ...any) {
	line, column := position(at)
	r.problemAt(line, column, suggestion, fmt.Sprintf(format, args...))
}

// problemAt adds a problem at a place.
func (r *reader) problemAt(line, column int, suggestion, message string) {
	if len(r.problems) < maxProblems {
		r.problems = append(r.problems, Problem{File: r.file, Line: line, Column: column, Message: message, Suggestion: suggestion})
	}
}

// err returns the problems as an error, or nil.
func (r *reader) err() error {
	if len(r.problems) == 0 {
		return nil
	}
	sortProblems(r.problems)
	return Errors(r.problems)
}

// pair is one key of a mapping with its value.
type pair struct {
	key   string
	at    ast.Node // the key
	value ast.Node
}

// pairs returns the keys of a mapping in order. A key that is not text or stands
// there twice is a problem and left out; its first value counts.
func (r *reader) pairs(n ast.Node, what string) []pair {
	var values []*ast.MappingValueNode
	switch n := n.(type) {
	case *ast.MappingNode:
		values = n.Values
	case *ast.MappingValueNode:
		values = []*ast.MappingValueNode{n}
	default:
		r.mapping(n, what)
		return nil
	}
	seen := make(map[string]int)
	pairs := make([]pair, 0, len(values))
	for _, v := range values {
		key, ok := plain(v.Key)
		if !ok || key == "" {
			r.errorf(v.Key, "", "a key of %s is %s: want text", what, kindOf(v.Key))
			continue
		}
		if len(key) > maxKey {
			r.errorf(v.Key, "", "a key of %s has %d bytes: at most %d", what, len(key), maxKey)
			continue
		}
		if line, twice := seen[key]; twice {
			r.errorf(v.Key, "remove one of them", "%s has the key %q twice, first on line %d", what, key, line)
			continue
		}
		seen[key], _ = position(v.Key)
		pairs = append(pairs, pair{key, v.Key, v.Value})
	}
	return pairs
}

// mapping reports whether the node is a mapping, and a problem where it is not.
func (r *reader) mapping(n ast.Node, what string) bool {
	switch n.(type) {
	case *ast.MappingNode, *ast.MappingValueNode:
		return true
	}
	r.errorf(n, "write it as key: value", "%s is %s: want a mapping", what, kindOf(n))
	return false
}

// field is one key that a mapping may have, and what reads its value.
type field struct {
	name string
	read func(ast.Node)
}

// object reads a mapping whose keys are known.
func (r *reader) object(n ast.Node, what string, fields ...field) {
	for _, p := range r.pairs(n, what) {
		f := fieldOf(fields, p.key)
		if f == nil {
			names := make([]string, len(fields))
			for i := range fields {
				names[i] = fields[i].name
			}
			r.errorf(p.at, nearest(p.key, names), "%s has the unknown key %q", what, p.key)
			continue
		}
		if _, null := p.value.(*ast.NullNode); null || p.value == nil {
			r.errorf(p.at, "give it one or remove the key", "%s has no value for %q", what, p.key)
			continue
		}
		f.read(p.value)
	}
}

func fieldOf(fields []field, name string) *field {
	for i := range fields {
		if fields[i].name == name {
			return &fields[i]
		}
	}
	return nil
}

// list returns the elements of a list. A lone scalar is a list of one.
func (r *reader) list(n ast.Node, what string) []ast.Node {
	switch n := n.(type) {
	case *ast.SequenceNode:
		return n.Values
	case *ast.MappingNode, *ast.MappingValueNode, *ast.NullNode, nil:
		r.errorf(n, "write it as [a, b]", "%s is %s: want a list", what, kindOf(n))
		return nil
	}
	return []ast.Node{n}
}

// text reads a text of 1 to most bytes.
func (r *reader) text(n ast.Node, what string, most int) string {
	s, ok := plain(n)
	switch {
	case !ok:
		r.errorf(n, "put it in quotes", "%s is %s: want text", what, kindOf(n))
		return ""
	case s == "":
		r.errorf(n, "", "%s is empty", what)
	case len(s) > most:
		r.errorf(n, "", "%s has %d bytes: at most %d", what, len(s), most)
		return ""
	}
	return s
}

// texts reads a list of different texts; empty says whether it may have none. Each
// text is shown to check, which reports what is wrong with it.
func (r *reader) texts(n ast.Node, what string, most int, empty bool, check func(at ast.Node, s string)) []string {
	nodes := r.list(n, what)
	if seq, ok := n.(*ast.SequenceNode); ok && len(seq.Values) == 0 && !empty {
		r.errorf(n, "name one, or remove the key", "%s is an empty list", what)
	}
	list := []string{}
	for _, e := range nodes {
		s := r.text(e, what, most)
		for _, have := range list {
			if have == s && s != "" {
				r.errorf(e, "remove one of them", "%s names %q twice", what, s)
			}
		}
		if s != "" {
			check(e, s)
			list = append(list, s)
		}
	}
	return list
}

// anyText is the check of texts that may be anything.
func anyText(ast.Node, string) {}

// boolean reads true or false.
func (r *reader) boolean(n ast.Node, what string) bool {
	b, ok := n.(*ast.BoolNode)
	if !ok {
		r.errorf(n, "", "%s is %s: want true or false", what, kindOf(n))
		return false
	}
	return b.Value
}

// number reads a number within low … high.
func (r *reader) number(n ast.Node, what string, low, high float64) float64 {
	v, ok := 0.0, true
	switch n := n.(type) {
	case *ast.FloatNode:
		v = n.Value
	case *ast.IntegerNode:
		v, ok = integer(n)
	default:
		ok = false
	}
	if !ok || math.IsNaN(v) {
		r.errorf(n, "", "%s is %s: want a number", what, kindOf(n))
		return low
	}
	if v < low || v > high {
		r.errorf(n, "", "%s is %v: want %v to %v", what, v, low, high)
		return low
	}
	return v
}

// whole reads a whole number within low … high.
func (r *reader) whole(n ast.Node, what string, low, high int) int {
	if _, ok := n.(*ast.IntegerNode); !ok {
		r.errorf(n, "", "%s is %s: want a whole number", what, kindOf(n))
		return low
	}
	return int(r.number(n, what, float64(low), float64(high)))
}

// integer returns the value of an integer node.
func integer(n *ast.IntegerNode) (float64, bool) {
	switch v := n.Value.(type) {
	case int64:
		return float64(v), true
	case uint64:
		return float64(v), true
	}
	return 0, false
}

// named reads a text that must be one of the names that parse knows.
func named[T any](r *reader, n ast.Node, what string, names []string, parse func(string) (T, error)) T {
	s, ok := plain(n)
	if !ok {
		r.errorf(n, nearest("", names), "%s is %s", what, kindOf(n))
	}
	v, err := parse(s)
	if err != nil && ok {
		r.errorf(n, nearest(s, names), "%s is %q", what, cut(s))
	}
	return v
}

// cut shortens a text of the file for a message.
func cut(s string) string {
	if len(s) > maxName {
		return strings.ToValidUTF8(s[:maxName], "") + "…"
	}
	return s
}

// The names that a mistyped value is compared with.
var (
	originNames  = namesOf(hearsay.External, hearsay.User)
	reachNames   = namesOf(hearsay.ReachSession, hearsay.ReachNone)
	modeNames    = namesOf(hearsay.Enforce, hearsay.Off)
	verdictNames = namesOf(hearsay.Quarantine, hearsay.Block)
	actionNames  = namesOf(hearsay.Ask, hearsay.Deny)
)

// namesOf returns the names of a row of constants.
func namesOf[T interface {
	~uint8
	fmt.Stringer
}](first, last T) []string {
	var names []string
	for v := first; v <= last; v++ {
		names = append(names, v.String())
	}
	return names
}

// plain returns the text of a node, and whether it is text.
func plain(n ast.Node) (string, bool) {
	switch n := n.(type) {
	case *ast.StringNode:
		return showColons(n.Value), true
	case *ast.LiteralNode:
		if n.Value != nil {
			return showColons(n.Value.Value), true
		}
	}
	return "", false
}

// kindOf names what a node is, for people.
func kindOf(n ast.Node) string {
	switch n.(type) {
	case nil, *ast.NullNode:
		return "nothing"
	case *ast.StringNode, *ast.LiteralNode:
		return "text"
	case *ast.BoolNode:
		return "true or false"
	case *ast.IntegerNode, *ast.FloatNode, *ast.InfinityNode, *ast.NanNode:
		return "a number"
	case *ast.SequenceNode:
		return "a list"
	case *ast.MappingNode, *ast.MappingValueNode:
		return "a mapping"
	}
	return "something else"
}
