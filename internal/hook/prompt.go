package hook

import (
	"context"
	"strings"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/guard"
	"github.com/hearsay-memory/hearsay/internal/hosts"
	"github.com/hearsay-memory/hearsay/mark"
)

// prompt takes in a turn. Only what a person typed is the user's word; where the host
// says nothing of who did, it is taken for that.
func (h *Handler) prompt(ctx context.Context, e hosts.Event) error {
	if mark.HasMarkers(e.Prompt) {
		// A frame around foreign text, or what pretends to be one.
		return h.observe(ctx, guard.Observation{Source: hearsay.Source{Type: "external_marked", Ref: "prompt"}, Marked: true, Texts: []string{e.Prompt}})
	}
	switch e.PromptBy {
	case hosts.Prefilled, hosts.ByEvent, hosts.Unrecognised:
		return h.observe(ctx, guard.Observation{Source: hearsay.Source{Type: hearsay.UnknownTag, Ref: "prompt: " + e.PromptBy.String()}, Texts: []string{e.Prompt}})
	}
	if err := h.mentions(ctx, e); err != nil {
		return err
	}
	if e.Kind != hosts.Prompt || e.Truncated || e.PromptBy != hosts.Typed && e.PromptBy != hosts.Unattested {
		return nil
	}
	if started, err := h.Guard.Noted(ctx, h.caller, startedNote); err != nil || started {
		return err
	}
	return h.Guard.Said(ctx, h.caller, e.Prompt)
}

// maxMentions bounds the files that one prompt pulls in.
const maxMentions = 64

// mentions observes the files that a prompt pulls in by "@path": no tool reads them.
func (h *Handler) mentions(ctx context.Context, e hosts.Event) error {
	n := 0
	for field := range strings.FieldsSeq(e.Prompt) {
		_, name, ok := strings.Cut(field, "@")
		name, _, _ = strings.Cut(name, "#") // lines of it
		name = strings.Trim(name, "\"'`.,;:!?()[]{}<>")
		if !ok || name == "" {
			continue
		}
		var source hearsay.Source
		switch server, _, resource := strings.Cut(name, ":"); {
		case h.Files.Exists(e.Dir, name):
			source = h.source(ctx, h.Files.Resolve(e.Dir, name))
		case resource && strings.Contains(name, "://"):
			source = mcpSource(server) // a resource of an MCP server
		default:
			continue // a name of somebody, or an address
		}
		if n++; n > maxMentions {
			source = hearsay.Source{Type: hearsay.UnknownTag, Ref: "prompt: mentions"}
		}
		if err := h.observe(ctx, guard.Observation{Source: source, Tool: "mention"}); err != nil || n > maxMentions {
			return err
		}
	}
	return nil
}

// instructions observes a file of instructions that the host loaded by itself.
func (h *Handler) instructions(ctx context.Context, e hosts.Event) error {
	if e.MemoryType == "User" || e.MemoryType == "Managed" {
		return nil // the user's own, or their administrator's
	}
	return h.observe(ctx, guard.Observation{Source: h.source(ctx, h.Files.Resolve(e.Dir, e.File)), Tool: e.Name})
}
