package demo

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// entity is one node of the built-in memory, shaped as the reference server's.
type entity struct {
	Name         string   `json:"name"`
	EntityType   string   `json:"entityType"`
	Observations []string `json:"observations"`
}

// relation is an edge from one entity to another.
type relation struct {
	From         string `json:"from"`
	To           string `json:"to"`
	RelationType string `json:"relationType"`
}

// graph is what the memory remembers. Its lists are never nil, so that they are never
// null in JSON.
type graph struct {
	Entities  []entity   `json:"entities"`
	Relations []relation `json:"relations"`
}

// clone returns a graph that shares nothing with g that could be changed.
func (g *graph) clone() graph {
	out := graph{Entities: append([]entity{}, g.Entities...), Relations: append([]relation{}, g.Relations...)}
	for i := range out.Entities {
		out.Entities[i].Observations = append([]string{}, out.Entities[i].Observations...)
	}
	return out
}

// find returns the entity of that name, or nil.
func (g *graph) find(name string) *entity {
	i := slices.IndexFunc(g.Entities, func(e entity) bool { return e.Name == name })
	if i < 0 {
		return nil
	}
	return &g.Entities[i]
}

// choose returns the chosen entities and every relation that one of them is part of.
func (g *graph) choose(chosen func(*entity) bool) graph {
	out := graph{Entities: []entity{}, Relations: []relation{}}
	names := make(map[string]bool)
	for _, e := range g.Entities {
		if chosen(&e) {
			out.Entities = append(out.Entities, e)
			names[e.Name] = true
		}
	}
	for _, r := range g.Relations {
		if names[r.From] || names[r.To] {
			out.Relations = append(out.Relations, r)
		}
	}
	return out
}

// mentions reports whether the entity has the text, in any case of its letters.
func (e *entity) mentions(text string) bool {
	has := func(s string) bool { return strings.Contains(strings.ToLower(s), strings.ToLower(text)) }
	return has(e.Name) || has(e.EntityType) || slices.ContainsFunc(e.Observations, has)
}

// stored is one line of a memory's file.
type stored struct {
	Type string `json:"type"` // "entity" or "relation"
	*entity
	*relation
}

// load reads a memory's file. One that is not there yet is an empty memory.
func load(path string) (graph, error) {
	g := graph{Entities: []entity{}, Relations: []relation{}}
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return g, nil
	}
	if err != nil {
		return g, fmt.Errorf("read the memory: %w", err)
	}
	n := 0
	for line := range bytes.Lines(data) {
		n++
		if line = bytes.TrimSpace(line); len(line) == 0 {
			continue
		}
		s := stored{entity: new(entity), relation: new(relation)}
		if err := json.Unmarshal(line, &s); err != nil {
			return g, fmt.Errorf("read the memory: %s:%d: %w", path, n, err)
		}
		switch s.Type {
		case "entity":
			g.Entities = append(g.Entities, *s.entity)
		case "relation":
			g.Relations = append(g.Relations, *s.relation)
		}
	}
	return g.clone(), nil
}

// save replaces a memory's file as a whole.
func (g *graph) save(path string) (err error) {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	for _, e := range g.Entities {
		err = errors.Join(err, enc.Encode(stored{Type: "entity", entity: &e}))
	}
	for _, r := range g.Relations {
		err = errors.Join(err, enc.Encode(stored{Type: "relation", relation: &r}))
	}
	if err != nil {
		return fmt.Errorf("keep the memory: %w", err)
	}
	f, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*.tmp") // made with mode 0600
	if err != nil {
		return fmt.Errorf("keep the memory: %w", err)
	}
	_, err = f.Write(buf.Bytes())
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		return fmt.Errorf("keep the memory: %w", errors.Join(err, os.Remove(f.Name())))
	}
	return nil
}
