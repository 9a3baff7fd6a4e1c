package portable

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/hearsay-memory/hearsay/internal/memory"
	"github.com/hearsay-memory/hearsay/internal/strictjson"
	"github.com/hearsay-memory/hearsay/recall"
)

// readServerMemory reads the file of the MCP reference memory server: one JSON object a
// line, an entity with its observations or a relation. A file that is one JSON document
// {"entities": […], "relations": […]}, as older exports are, is read too.
func readServerMemory(name string, data []byte) ([]Item, error) {
	left := room{name: name}
	if v, err := (strictjson.Limits{}).Parse(data); err == nil {
		if entities, ok := v.Get("entities"); ok {
			relations, _ := v.Get("relations")
			return graph(&left, entities, relations)
		}
	}
	var items []Item
	n := 0
	for line := range bytes.Lines(data) {
		n++
		if line = bytes.TrimSpace(line); len(line) == 0 {
			continue
		}
		ref := fmt.Sprintf("%s:%d", name, n)
		v, err := (strictjson.Limits{}).Parse(line)
		if err != nil {
			return nil, fmt.Errorf("%s: %w; mend the line or take it out", ref, err)
		}
		more, err := graphItem(&left, ref, v)
		if err != nil {
			return nil, err
		}
		items = append(items, more...)
	}
	return items, nil
}

func graph(left *room, entities, relations strictjson.Value) ([]Item, error) {
	var items []Item
	for _, part := range [...]struct {
		kind string
		list strictjson.Value
	}{{"entity", entities}, {"relation", relations}} {
		for i, v := range part.list.Elements() {
			more, err := graphItem(left, fmt.Sprintf("%s %s %d", left.name, part.kind, i+1), v.With("type", strictjson.String(part.kind)))
			if err != nil {
				return nil, err
			}
			items = append(items, more...)
		}
	}
	return items, nil
}

// graphItem makes memories of one line: one an observation, one a relation. An entity
// without observations says its type.
func graphItem(left *room, ref string, v strictjson.Value) ([]Item, error) {
	switch kind := text(v, "type"); kind {
	case "entity":
		name, of := text(v, "name"), text(v, "entityType")
		if name == "" {
			return nil, fmt.Errorf("%s: an entity without a name", ref)
		}
		base := Item{Ref: ref, Doc: memory.Doc{Kind: recall.Observation, Subject: name}}
		if of != "" {
			base.Tags = []string{of}
		}
		var items []Item
		observations, _ := v.Get("observations")
		for i, o := range observations.Elements() {
			if o.Kind() != strictjson.KindString {
				return nil, fmt.Errorf("%s: observation %d of %.40q is no text", ref, i, name)
			}
			said := o.String()
			if err := left.take(len(name) + len(said) + len(of)); err != nil {
				return nil, err
			}
			it := base
			it.Text = name + ": " + said
			items = append(items, it)
		}
		if len(items) == 0 {
			if err := left.take(len(name) + len(of)); err != nil {
				return nil, err
			}
			base.Text = name + " is a " + of
			items = append(items, base)
		}
		return items, nil
	case "relation":
		from, to, how := text(v, "from"), text(v, "to"), text(v, "relationType")
		if from == "" || to == "" {
			return nil, fmt.Errorf("%s: a relation without both ends", ref)
		}
		if err := left.take(len(from) + len(how) + len(to)); err != nil {
			return nil, err
		}
		return []Item{{Ref: ref, Doc: memory.Doc{Kind: recall.Relationship, Text: strings.Join([]string{from, how, to}, " "), Subject: from}}}, nil
	default:
		return nil, fmt.Errorf("%s: type %.40q is neither entity nor relation", ref, kind)
	}
}

// room is how much of a file became memories: each observation repeats the name and the
// type of its entity.
type room struct {
	name         string // of the file
	items, bytes int
}

// take takes the room of one more memory, and is an error where there is none.
func (r *room) take(bytes int) error {
	r.items, r.bytes = r.items+1, r.bytes+bytes
	if err := tooLong(r.name, r.bytes); err != nil {
		return err
	}
	return tooMany(r.name, r.items)
}

// text returns a member that is a string; empty where it is not.
func text(v strictjson.Value, key string) string {
	if m, ok := v.Get(key); ok && m.Kind() == strictjson.KindString {
		return m.String()
	}
	return ""
}
