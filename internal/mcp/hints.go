package mcp

import (
	"strings"
	"sync"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/internal/strictjson"
	"github.com/hearsay-memory/hearsay/mark"
)

// hints are what a server says of its own tools and results. They are believed where
// they lower trust and nowhere else: a server that an operator trusts can say that a
// tool reads the open world, or that a result is not to be trusted.
type hints struct {
	mu   sync.Mutex
	open map[string]bool // tools with openWorldHint: true
}

// learn takes in an answer to tools/list.
func (h *hints) learn(f strictjson.Frame) {
	result, err := limits.Parse(f.Result)
	if err != nil {
		return
	}
	list, _ := result.Get("tools")
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, t := range list.Elements() {
		name, _ := t.Get("name")
		notes, _ := t.Get("annotations")
		if open, ok := notes.Get("openWorldHint"); ok && isTrue(open) {
			if h.open == nil {
				h.open = make(map[string]bool)
			}
			h.open[strings.Clone(name.String())] = true // a later list takes nothing back
		}
	}
}

func (h *hints) isOpen(tool string) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.open[tool]
}

// lowered reports whether a result counts as external although the server's results as
// such do not: by its markers, by the server's word on the tool, or by a label of
// information flow that says anything but trusted. What cannot be read is lowered.
// Where the server is external already, as by default, nothing need be read for that.
func (p *proxy) lowered(tool string, f strictjson.Frame) bool {
	class := p.Guard.Policy().SourceTable().Classify(p.source(""))
	if class.Origin == hearsay.External && class.Reach == hearsay.ReachSession {
		return false
	}
	return p.hints.isOpen(tool) || untrustedFlow(f) || mark.HasMarkers(string(f.Raw))
}

// untrustedFlow reads the label of information flow in a result's _meta.
func untrustedFlow(f strictjson.Frame) bool {
	if f.Result == nil {
		return false
	}
	result, err := limits.Parse(f.Result)
	if err != nil {
		return true
	}
	meta, _ := result.Get("_meta")
	label, ok := meta.Get("ifc")
	if !ok {
		return false
	}
	integrity, ok := label.Get("integrity")
	return !ok || integrity.Kind() != strictjson.KindString || integrity.String() != "trusted"
}

func isTrue(v strictjson.Value) bool { return string(strictjson.AppendValue(nil, v)) == "true" }
