package hook

import (
	"context"
	"strings"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/guard"
	"github.com/hearsay-memory/hearsay/internal/hosts"
	"github.com/hearsay-memory/hearsay/internal/memfile/segment"
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
	if h.Files.Forges(e.Host) || e.Kind != hosts.Prompt || e.Truncated || e.PromptBy != hosts.Typed && e.PromptBy != hosts.Unattested {
		return nil
	}
	if started, err := h.Guard.Noted(ctx, h.caller, startedNote); err != nil || started {
		return err
	}
	return h.Guard.Said(ctx, h.caller, e.Prompt)
}

// mentions observes the files that a prompt pulls in by "@path", and those that the host
// puts beside it: no tool reads them.
func (h *Handler) mentions(ctx context.Context, e hosts.Event) error {
	for _, name := range e.Attached {
		if err := h.pulledIn(ctx, e, name, lineRange{0, readLines}); err != nil {
			return err
		}
	}
	n, more := 0, e.Truncated
	all, complete := mentioned(e.Prompt)
	for _, m := range all {
		source := hearsay.Source{}
		switch server, _, resource := strings.Cut(m.name, ":"); {
		case h.Files.Exists(e.Dir, m.name):
		case resource && strings.Contains(m.name, "://"):
			source = mcpSource(server) // a resource of an MCP server
		default:
			continue // a name of somebody, or an address
		}
		if n++; n > maxMentions {
			more = true
			break
		}
		var err error
		if source.Type == "" {
			err = h.pulledIn(ctx, e, m.name, mentionedRange(m.lines))
		} else {
			err = h.observe(ctx, guard.Observation{Source: source, Tool: "mention"})
		}
		if err != nil {
			return err
		}
	}
	if more || !complete {
		return h.observe(ctx, guard.Observation{Source: hearsay.Source{Type: hearsay.UnknownTag, Ref: "prompt: mentions"}, Tool: "mention"})
	}
	return nil
}

// pulledIn takes in a file that the host reads by itself for a prompt.
func (h *Handler) pulledIn(ctx context.Context, e hosts.Event, name string, lines lineRange) error {
	name = h.Files.Resolve(e.Dir, name)
	h.sawRange(ctx, e, name, lines)
	if err := h.observe(ctx, guard.Observation{Source: h.source(ctx, name), Tool: "mention"}); err != nil {
		return err
	}
	return h.takeIn(ctx, name)
}

// instructions observes a file of instructions that the host loaded by itself.
func (h *Handler) instructions(ctx context.Context, e hosts.Event) error {
	if e.MemoryType == "User" || e.MemoryType == "Managed" {
		return nil // the user's own, or their administrator's
	}
	name := h.Files.Resolve(e.Dir, e.File)
	h.sawRange(ctx, e, name, lineRange{0, segment.MaxLines})
	if err := h.observe(ctx, guard.Observation{Source: h.source(ctx, name), Tool: e.Name}); err != nil {
		return err
	}
	return h.takeIn(ctx, name)
}
