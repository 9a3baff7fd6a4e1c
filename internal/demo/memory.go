package demo

import (
	"encoding/json"
	"fmt"
	"slices"
	"sync"
)

// Memory is a memory server with the tools and shapes of the knowledge graph server of
// the Model Context Protocol project: entities, their observations, and relations
// between them. It is safe for concurrent use.
type Memory struct {
	file string // where the graph is kept; empty: nowhere

	mu    sync.Mutex
	graph graph
}

// NewMemory makes a memory. With a file it goes on from what is kept there, one JSON
// object a line as in the reference server's, and keeps every change; with an empty
// name it forgets everything when it ends.
func NewMemory(file string) (*Memory, error) {
	m := &Memory{file: file, graph: graph{Entities: []entity{}, Relations: []relation{}}}
	if file == "" {
		return m, nil
	}
	var err error
	m.graph, err = load(file)
	return m, err
}

// has reports whether some observation is exactly text.
func (m *Memory) has(text string) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.ContainsFunc(m.graph.Entities, func(e entity) bool { return slices.Contains(e.Observations, text) })
}

// Server is the server of the memory.
func (m *Memory) Server() *Server {
	const text, texts = `{"type":"string"}`, `{"type":"array","items":{"type":"string"}}`
	relations := object(`"relations":` + array(object(`"from":`+text+`,"to":`+text+`,"relationType":`+text)))
	return &Server{name: "memory", tools: map[string]tool{
		"create_entities":     {"Remember new entities", object(`"entities":` + array(object(`"name":`+text+`,"entityType":`+text+`,"observations":`+texts))), changing(m, createEntities)},
		"create_relations":    {"Remember new relations between entities", relations, changing(m, createRelations)},
		"add_observations":    {"Remember more of known entities", object(`"observations":` + array(object(`"entityName":`+text+`,"contents":`+texts))), changing(m, addObservations)},
		"delete_entities":     {"Forget entities and their relations", object(`"entityNames":` + texts), changing(m, deleteEntities)},
		"delete_observations": {"Forget observations", object(`"deletions":` + array(object(`"entityName":`+text+`,"observations":`+texts))), changing(m, deleteObservations)},
		"delete_relations":    {"Forget relations", relations, changing(m, deleteRelations)},
		"read_graph":          {"Recall everything", object(""), reading(m, func(g *graph, _ struct{}) graph { return *g })},
		"search_nodes": {"Recall what mentions a text", object(`"query":` + text), reading(m, func(g *graph, in struct{ Query string }) graph {
			return g.choose(func(e *entity) bool { return e.mentions(in.Query) })
		})},
		"open_nodes": {"Recall entities by their names", object(`"names":` + texts), reading(m, func(g *graph, in struct{ Names []string }) graph {
			return g.choose(func(e *entity) bool { return slices.Contains(in.Names, e.Name) })
		})},
	}}
}

// object is the JSON Schema of an object with these members.
func object(members string) string { return `{"type":"object","properties":{` + members + `}}` }

// array is the JSON Schema of an array.
func array(items string) string { return `{"type":"array","items":` + items + `}` }

// reading makes a tool's call of a function that only looks.
func reading[In any](m *Memory, f func(*graph, In) graph) func(json.RawMessage) (any, error) {
	return typed(func(in In) (any, error) {
		m.mu.Lock()
		defer m.mu.Unlock()
		return f(&m.graph, in), nil // a graph that was handed out is never changed, see changing
	})
}

// changing makes a tool's call of a function that changes the graph. It changes a copy,
// which takes the place of the graph only once it is kept.
func changing[In any](m *Memory, f func(*graph, In) (any, error)) func(json.RawMessage) (any, error) {
	return typed(func(in In) (any, error) {
		m.mu.Lock()
		defer m.mu.Unlock()
		next := m.graph.clone()
		result, err := f(&next, in)
		if err == nil && m.file != "" {
			err = next.save(m.file)
		}
		if err != nil {
			return nil, err
		}
		m.graph = next
		return result, nil
	})
}

func createEntities(g *graph, in struct{ Entities []entity }) (any, error) {
	made := []entity{}
	for _, e := range in.Entities {
		if g.find(e.Name) == nil {
			e.Observations = append([]string{}, e.Observations...) // never null
			g.Entities, made = append(g.Entities, e), append(made, e)
		}
	}
	return map[string]any{"entities": made}, nil
}

func createRelations(g *graph, in struct{ Relations []relation }) (any, error) {
	made := []relation{}
	for _, r := range in.Relations {
		if !slices.Contains(g.Relations, r) {
			g.Relations, made = append(g.Relations, r), append(made, r)
		}
	}
	return map[string]any{"relations": made}, nil
}

// added is what add_observations says of one entity.
type added struct {
	EntityName        string   `json:"entityName"`
	AddedObservations []string `json:"addedObservations"`
}

func addObservations(g *graph, in struct {
	Observations []struct {
		EntityName string
		Contents   []string
	}
}) (any, error) {
	results := []added{}
	for _, o := range in.Observations {
		e := g.find(o.EntityName)
		if e == nil {
			return nil, fmt.Errorf("no entity %q: create it first", o.EntityName)
		}
		fresh := []string{}
		for _, text := range o.Contents {
			if !slices.Contains(e.Observations, text) {
				e.Observations, fresh = append(e.Observations, text), append(fresh, text)
			}
		}
		results = append(results, added{e.Name, fresh})
	}
	return map[string]any{"results": results}, nil
}

func deleteEntities(g *graph, in struct{ EntityNames []string }) (any, error) {
	gone := func(name string) bool { return slices.Contains(in.EntityNames, name) }
	g.Entities = slices.DeleteFunc(g.Entities, func(e entity) bool { return gone(e.Name) })
	g.Relations = slices.DeleteFunc(g.Relations, func(r relation) bool { return gone(r.From) || gone(r.To) })
	return forgotten("entities"), nil
}

func deleteObservations(g *graph, in struct {
	Deletions []struct {
		EntityName   string
		Observations []string
	}
}) (any, error) {
	for _, d := range in.Deletions {
		if e := g.find(d.EntityName); e != nil {
			e.Observations = slices.DeleteFunc(e.Observations, func(o string) bool { return slices.Contains(d.Observations, o) })
		}
	}
	return forgotten("observations"), nil
}

func deleteRelations(g *graph, in struct{ Relations []relation }) (any, error) {
	g.Relations = slices.DeleteFunc(g.Relations, func(r relation) bool { return slices.Contains(in.Relations, r) })
	return forgotten("relations"), nil
}

// forgotten is the answer to a deletion, of nothing too.
func forgotten(what string) any {
	return map[string]any{"success": true, "message": what + " deleted"}
}
