package effect

import (
	"github.com/hearsay-memory/hearsay/guard"
	"github.com/hearsay-memory/hearsay/internal/strictjson"
)

// GraphItems takes a call of a memory server that keeps a knowledge graph apart: the
// tool, and the things that it makes or takes out, named and split as the proxy names
// and splits them. It is false for everything else, which is shown as it is: a call
// with a part that is not understood must not be shown as less than it is.
func GraphItems(content []byte) (tool string, items []guard.Item, ok bool) {
	v, err := strictjson.Limits{}.Parse(content)
	if err != nil {
		return "", nil, false
	}
	var r graphReader
	call := r.object(v, "name", "arguments")
	if r.odd {
		return "", nil, false
	}
	args := call["arguments"]
	switch tool = r.text(call["name"]); tool {
	case "create_entities":
		for _, e := range r.objects(args, "entities", "name", "entityType", "observations") {
			name := r.text(e["name"])
			r.add("entity", name)
			r.add("type", name, r.text(e["entityType"]))
			r.observations(name, e["observations"])
		}
	case "add_observations":
		for _, e := range r.objects(args, "observations", "entityName", "contents") {
			r.observations(r.text(e["entityName"]), e["contents"])
		}
	case "delete_observations":
		for _, e := range r.objects(args, "deletions", "entityName", "observations") {
			r.observations(r.text(e["entityName"]), e["observations"])
		}
	case "create_relations", "delete_relations":
		for _, e := range r.objects(args, "relations", "from", "to", "relationType") {
			r.add("relation", r.text(e["from"]), r.text(e["to"]), r.text(e["relationType"]))
		}
	case "delete_entities":
		for _, el := range r.elements(r.object(args, "entityNames")["entityNames"]) {
			r.add("entity", r.text(el))
		}
	default:
		return "", nil, false
	}
	return tool, r.items, !r.odd
}

// graphReader reads a call. Once something is not as it should be it is odd for good.
type graphReader struct {
	items []guard.Item
	odd   bool
}

func (r *graphReader) add(kind string, parts ...string) {
	r.items = append(r.items, guard.Item{Kind: kind, Parts: parts})
}

// observations adds every text of an array.
func (r *graphReader) observations(name string, list strictjson.Value) {
	for _, el := range r.elements(list) {
		r.add("observation", name, r.text(el))
	}
}

// object returns the members of an object that has exactly these. Once odd it returns
// members without a value.
func (r *graphReader) object(v strictjson.Value, names ...string) map[string]strictjson.Value {
	m := make(map[string]strictjson.Value, len(names))
	if r.odd || v.Kind() != strictjson.KindObject || v.Len() != len(names) {
		r.odd = true
		return m
	}
	for _, name := range names {
		var ok bool
		if m[name], ok = v.Get(name); !ok {
			r.odd = true
		}
	}
	return m
}

// objects returns the members of every object in the array that is v's only member.
func (r *graphReader) objects(v strictjson.Value, list string, names ...string) []map[string]strictjson.Value {
	var out []map[string]strictjson.Value
	for _, el := range r.elements(r.object(v, list)[list]) {
		m := r.object(el, names...)
		if r.odd {
			return nil
		}
		out = append(out, m)
	}
	return out
}

// elements returns the elements of an array.
func (r *graphReader) elements(v strictjson.Value) []strictjson.Value {
	if r.odd || v.Kind() != strictjson.KindArray {
		r.odd = true
		return nil
	}
	var out []strictjson.Value
	for _, el := range v.Elements() {
		out = append(out, el)
	}
	return out
}

func (r *graphReader) text(v strictjson.Value) string {
	if r.odd || v.Kind() != strictjson.KindString {
		r.odd = true
		return ""
	}
	return v.String()
}
