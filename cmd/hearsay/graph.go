package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/event"
	"github.com/hearsay-memory/hearsay/guard"
	"github.com/hearsay-memory/hearsay/internal/instance"
	"github.com/hearsay-memory/hearsay/internal/strictjson"
)

// graphItems takes a call of a memory server that keeps a knowledge graph apart: the
// tool, and the things that it makes or takes out, named and split as the proxy names
// and splits them. It is false for everything else, which is shown as it is: a call
// with a part that is not understood must not be shown as less than it is.
func graphItems(content []byte) (tool string, items []guard.Item, ok bool) {
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

// graphDiff says what a call would change, against what is known to have landed in its
// store. What somebody put there past hearsay is not known.
func graphDiff(ctx context.Context, in *instance.Instance, rec *event.Record, tool string, items []guard.Item) ([]diffLine, error) {
	there, err := landedItems(ctx, in, rec.Store, items, rec.ID)
	if err != nil {
		return nil, err
	}
	known := make(map[string]bool) // entities of the call that are there
	for i, it := range items {
		if it.Kind == "entity" && there[i] {
			known[it.Parts[0]] = true
		}
	}
	var lines []diffLine
	for i, it := range items {
		l := diffLine{Sign: "+", Kind: it.Kind, Parts: it.Parts}
		switch {
		case strings.HasPrefix(tool, "delete_"): // whatever the surface took it for
			l.Sign = "-"
			if !there[i] {
				l.Note = "not known to be there"
			}
		case tool == "create_entities" && it.Kind != "entity" && known[it.Parts[0]]:
			// The server leaves an entity that it has as it is, whatever is said of it.
			l.Sign, l.Note = "=", "its entity is there already, and is left as it is"
		case there[i]:
			l.Sign, l.Note = "=", "there already"
		}
		lines = append(lines, l)
	}
	if tool != "delete_entities" {
		return lines, nil
	}
	hang, err := hanging(ctx, in, rec, items)
	return append(lines, hang...), err
}

// landedItems tells for each item whether some record, but for one, was seen to put it
// in the store and none to take it out.
func landedItems(ctx context.Context, in *instance.Instance, store string, items []guard.Item, but hearsay.RecordID) ([]bool, error) {
	keys := make([][32]byte, len(items))
	for i, it := range items {
		keys[i] = in.Guard.ItemKey(store, it)
	}
	known, err := in.Store.Items(ctx, keys)
	if err != nil {
		return nil, err
	}
	there := make([]bool, len(items))
	for i, k := range keys {
		there[i] = slices.ContainsFunc(known[k], func(it guard.StoredItem) bool { return it.State == guard.ItemLanded && it.Record != but })
	}
	return there, nil
}

// hanging lists what goes with deleted entities: the observations and relations that
// are known to have landed on them.
func hanging(ctx context.Context, in *instance.Instance, rec *event.Record, gone []guard.Item) ([]diffLine, error) {
	names := make(map[string]bool, len(gone))
	for _, it := range gone {
		names[it.Parts[0]] = true
	}
	same := func(r *event.Record) bool {
		return r.Store == rec.Store && r.Principal == rec.Principal && r.Op != event.Delete &&
			r.Standing.Visible() && r.Delivery == hearsay.Applied
	}
	var lines []diffLine
	told := make(map[string]bool)
	for r, err := range in.Guard.List(ctx, guard.Query{Match: same}) {
		if err != nil {
			return nil, err
		}
		shown, err := in.Guard.Show(ctx, r.ID)
		if err != nil {
			return nil, err
		}
		_, items, ok := graphItems(shown.Side.Content)
		if !ok {
			continue // its words were erased, or it came from another kind of server
		}
		there, err := landedItems(ctx, in, rec.Store, items, hearsay.RecordID{})
		if err != nil {
			return nil, err
		}
		for i, it := range items {
			hangs := it.Kind == "observation" && names[it.Parts[0]] || it.Kind == "relation" && (names[it.Parts[0]] || names[it.Parts[1]])
			key := fmt.Sprintf("%q", append([]string{it.Kind}, it.Parts...))
			if hangs && there[i] && !told[key] {
				told[key] = true
				lines = append(lines, diffLine{Sign: "-", Kind: it.Kind, Parts: it.Parts, Note: "goes with its entity"})
			}
		}
	}
	return lines, nil
}
