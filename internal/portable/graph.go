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
	if v, err := (strictjson.Limits{}).Parse(data); err == nil {
		if entities, ok := v.Get("entities"); ok {
			relations, _ := v.Get("relations")
			return graph(name, entities, relations)
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
		more, err := graphItem(ref, v)
		if err != nil {
			return nil, err
		}
		items = append(items, more...)
		if err := tooMany(name, len(items)); err != nil {
			return nil, err
		}
	}
	return items, nil
}

func graph(name string, entities, relations strictjson.Value) ([]Item, error) {
	var items []Item
	for _, part := range [...]struct {
		kind string
		list strictjson.Value
	}{{"entity", entities}, {"relation", relations}} {
		for i, v := range part.list.Elements() {
			more, err := graphItem(fmt.Sprintf("%s %s %d", name, part.kind, i+1), v.With("type", strictjson.String(part.kind)))
			if err != nil {
				return nil, err
			}
			items = append(items, more...)
			if err := tooMany(name, len(items)); err != nil {
				return nil, err
			}
		}
	}
	return items, nil
}

// graphItem makes memories of one line: one an observation, one a relation. An entity
// without observations says its type.
func graphItem(ref string, v strictjson.Value) ([]Item, error) {
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
			it := base
			it.Text = name + ": " + o.String()
			items = append(items, it)
			if err := tooMany(ref, len(items)); err != nil {
				return nil, err
			}
		}
		if len(items) == 0 {
			base.Text = name + " is a " + of
			items = append(items, base)
		}
		return items, nil
	case "relation":
		from, to, how := text(v, "from"), text(v, "to"), text(v, "relationType")
		if from == "" || to == "" {
			return nil, fmt.Errorf("%s: a relation without both ends", ref)
		}
		return []Item{{Ref: ref, Doc: memory.Doc{Kind: recall.Relationship, Text: strings.Join([]string{from, how, to}, " "), Subject: from}}}, nil
	default:
		return nil, fmt.Errorf("%s: type %.40q is neither entity nor relation", ref, kind)
	}
}

// text returns a member that is a string; empty where it is not.
func text(v strictjson.Value, key string) string {
	if m, ok := v.Get(key); ok && m.Kind() == strictjson.KindString {
		return m.String()
	}
	return ""
}
