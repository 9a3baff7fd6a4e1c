package mcp

import (
	"iter"
	"maps"
	"slices"
	"strings"

	"github.com/hearsay-memory/hearsay/guard"
	"github.com/hearsay-memory/hearsay/internal/strictjson"
)

// place is an item where it stands.
type place struct {
	item guard.Item
	expr *Expr  // nil: no expression names it
	key  bool   // it is the key of the member at path
	path string // of the value, see joinPath
	over string // of the object around it
}

// find yields the items that the expressions name in v, in the order of the
// expressions and of the value.
func find(v strictjson.Value, exprs []Expr) iter.Seq[place] {
	return func(yield func(place) bool) {
		for i := range exprs {
			e := &exprs[i]
			w := walker{expr: e, yield: yield}
			if !w.walk(v, strings.Split(e.At, "."), strictjson.Value{}, "", "") {
				return
			}
		}
	}
}

type walker struct {
	expr  *Expr
	yield func(place) bool
}

// walk follows the steps. around is the object that the value stands in.
func (w *walker) walk(v strictjson.Value, steps []string, around strictjson.Value, path, over string) bool {
	if len(steps) == 0 {
		parts, ok := w.parts(v, around)
		return !ok || w.yield(place{item: guard.Item{Kind: w.expr.Kind, Parts: parts}, expr: w.expr, path: path, over: over})
	}
	name, each := strings.CutSuffix(steps[0], "[]")
	if v.Kind() != strictjson.KindObject {
		return true
	}
	next, ok := v.Get(name)
	if !ok {
		return true
	}
	at := joinPath(path, name)
	if !each {
		return w.walk(next, steps[1:], v, at, path)
	}
	if next.Kind() != strictjson.KindArray {
		return true
	}
	for i, el := range next.Elements() {
		if !w.walk(el, steps[1:], v, joinIndex(at, i), path) {
			return false
		}
	}
	return true
}

// parts gives the texts that make up an item; false where one is no text.
func (w *walker) parts(v, around strictjson.Value) ([]string, bool) {
	parts := make([]string, len(w.expr.Parts))
	for i, p := range w.expr.Parts {
		from, name := v, p
		if outer, ok := strings.CutPrefix(p, "^"); ok {
			from, name = around, outer
		}
		if name != "." {
			if from.Kind() != strictjson.KindObject {
				return nil, false
			}
			var ok bool
			if from, ok = from.Get(name); !ok {
				return nil, false
			}
		}
		if from.Kind() != strictjson.KindString {
			return nil, false
		}
		parts[i] = from.String()
	}
	return parts, true
}

// substitute puts an item's parts for $0, $1 … in a template, and makes it JSON.
func substitute(t any, parts []string) strictjson.Value {
	switch t := t.(type) {
	case map[string]any:
		var members []strictjson.Member
		for _, k := range slices.Sorted(maps.Keys(t)) {
			members = append(members, strictjson.Member{Key: k, Value: substitute(t[k], parts)})
		}
		return strictjson.Object(members...)
	case []any:
		var els []strictjson.Value
		for _, el := range t {
			els = append(els, substitute(el, parts))
		}
		return strictjson.Array(els...)
	case string:
		if len(t) == 2 && t[0] == '$' && int(t[1]-'0') < len(parts) {
			return strictjson.String(parts[t[1]-'0'])
		}
		return strictjson.String(t)
	case bool:
		return strictjson.Bool(t)
	case uint64:
		return strictjson.Int(int64(t))
	case int64:
		return strictjson.Int(t)
	}
	return strictjson.Null()
}
