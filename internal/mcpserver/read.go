package mcpserver

import (
	"context"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/internal/memory"
	"github.com/hearsay-memory/hearsay/recall"
)

// Bounds of arguments, as in tools.json.
const (
	mostQuery   = 4096
	mostKinds   = 9
	mostContext = 32
	mostWord    = 200
	mostListed  = 200
	usualListed = 50
)

// shown is one memory as an agent may see it.
type shown struct {
	ID       string   `json:"id"`
	Receipt  string   `json:"receipt,omitempty"`
	Text     string   `json:"text,omitempty"`
	Title    string   `json:"title,omitempty"`
	Kind     string   `json:"kind"`
	Form     string   `json:"form"`
	Origin   string   `json:"origin"`
	LowTrust bool     `json:"low_trust,omitempty"`
	Pending  bool     `json:"pending,omitempty"`
	Pinned   bool     `json:"pinned,omitempty"`
	Stable   bool     `json:"stable,omitempty"`
	Tags     []string `json:"tags,omitempty"`
	Links    []string `json:"links,omitempty"`
	Subject  string   `json:"subject,omitempty"`
	Created  string   `json:"created"`
	Score    float64  `json:"score,omitempty"`
}

// session is what flowed into the session that reads.
type session struct {
	Tainted bool     `json:"tainted"`
	Taint   []string `json:"taint,omitempty"`
}

func sessionOf(l hearsay.Label) session {
	return session{Tainted: l.Tainted(), Taint: l.Taint.Tags()}
}

// found is the answer to memory_search.
type found struct {
	Memories []shown  `json:"memories"`
	Omitted  []string `json:"omitted"`
	Withheld int      `json:"withheld"`
	Session  session  `json:"session"`
}

// search is memory_search.
func search(ctx context.Context, s *Server, c *call) (any, error) {
	a := c.args
	ask := memory.Ask{
		Query: a.needed("query", mostQuery), K: a.whole("k", 1, 100, 0), Kinds: kindsOf(a),
		Tags:    a.texts("tags", memory.MaxTags, memory.MaxTag),
		Context: a.texts("context", mostContext, mostWord), Budget: a.whole("max_bytes", 256, 256<<10, 0),
		Namespace: s.Namespace, Project: c.caller.Project,
	}
	if err := a.done(); err != nil {
		return nil, err
	}
	got, err := s.Memory.Recall(ctx, c.reader(ctx, s), ask)
	if err != nil {
		return nil, err
	}
	out := found{Memories: make([]shown, len(got.Results)), Omitted: texts(got.Omitted), Withheld: got.Withheld, Session: sessionOf(got.Label)}
	for i := range got.Results {
		out.Memories[i] = shownOf(&got.Results[i])
		out.Memories[i].Score = got.Results[i].Score
	}
	return out, nil
}

// get is memory_get.
func get(ctx context.Context, s *Server, c *call) (any, error) {
	id := c.args.id("id")
	if id.IsZero() {
		c.args.fault("id is missing")
	}
	if err := c.args.done(); err != nil {
		return nil, err
	}
	if err := s.within(ctx, c, id); err != nil {
		return nil, err
	}
	got, err := s.Memory.Get(ctx, c.reader(ctx, s), id)
	if err != nil {
		return nil, err
	}
	return shownOf(&got), nil
}

// listed is the answer to memory_list.
type listed struct {
	Memories []shown `json:"memories"`
	After    string  `json:"after,omitempty"`
}

// list is memory_list. It takes nothing into the session, so there are no texts in it, and
// no words of what is not trusted: a title says as much as a text.
func list(ctx context.Context, s *Server, c *call) (any, error) {
	a := c.args
	f := memory.Filter{
		Kinds: kindsOf(a), Tags: a.texts("tags", memory.MaxTags, memory.MaxTag), Pinned: a.flag("pinned"),
		Limit: a.whole("limit", 1, mostListed, usualListed), After: a.id("after"), Namespace: s.Namespace,
	}
	if err := a.done(); err != nil {
		return nil, err
	}
	got, err := s.Memory.List(ctx, c.reader(ctx, s), f)
	if err != nil {
		return nil, err
	}
	out := listed{Memories: make([]shown, 0, len(got))}
	for i := range got {
		if foreign(c, got[i].Project) {
			continue
		}
		m := shownOf(&got[i])
		m.Receipt, m.Links = "", nil // they are for what was read
		out.Memories = append(out.Memories, m)
	}
	if len(got) == f.Limit {
		out.After = got[len(got)-1].ID.String()
	}
	return out, nil
}

// shownOf is a memory as an agent may see it. What bears words of whoever wrote it comes
// marked.
func shownOf(r *memory.Result) shown {
	out := shown{
		ID: r.ID.String(), Receipt: r.Receipt, Text: r.Text, Title: r.Title, Kind: r.Kind.String(), Form: r.Form.String(),
		Origin: r.Flags.Origin.String(), LowTrust: r.Flags.LowTrust, Pending: r.Flags.Pending, Pinned: r.Claims.Pin, Stable: r.Claims.Stable,
		Tags: r.Tags, Subject: r.Subject, Created: stamp(r.Created),
	}
	if len(r.Links) > 0 {
		out.Links = texts(r.Links)
	}
	return out
}

// kindsOf reads the kinds to which an answer is bound.
func kindsOf(a *arguments) []recall.Kind {
	var out []recall.Kind
	for _, name := range a.texts("kinds", mostKinds, mostWord) {
		out = append(out, kindOf(a, name))
	}
	return out
}

func texts(ids []hearsay.RecordID) []string {
	out := make([]string, len(ids))
	for i, id := range ids {
		out[i] = id.String()
	}
	return out
}
