package hook

import (
	"context"
	"strconv"
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

// maxMentions bounds the files that one prompt pulls in.
const maxMentions = 64

// mentions observes the files that a prompt pulls in by "@path", and those that the host
// puts beside it: no tool reads them.
func (h *Handler) mentions(ctx context.Context, e hosts.Event) error {
	for _, name := range e.Attached {
		name = h.Files.Resolve(e.Dir, name)
		h.sawRange(ctx, e, name, lineRange{0, readLines})
		if err := h.observe(ctx, guard.Observation{Source: h.source(ctx, name), Tool: "mention"}); err != nil {
			return err
		}
		if err := h.takeIn(ctx, name); err != nil {
			return err
		}
	}
	n := 0
	for field := range strings.FieldsSeq(e.Prompt) {
		_, name, ok := strings.Cut(field, "@")
		name, lines, _ := strings.Cut(name, "#")
		name = strings.Trim(name, "\"'`.,;:!?()[]{}<>")
		if !ok || name == "" {
			continue
		}
		var source hearsay.Source
		switch server, _, resource := strings.Cut(name, ":"); {
		case h.Files.Exists(e.Dir, name):
			source = h.source(ctx, h.Files.Resolve(e.Dir, name))
			h.sawRange(ctx, e, h.Files.Resolve(e.Dir, name), mentionedRange(lines))
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

// mentionedRange reads the lines that a mention asks for, as in L10-20; all where it does
// not say, none where that cannot be read.
func mentionedRange(lines string) lineRange {
	first, last, isRange := strings.Cut(strings.Trim(lines, "\"'`.,;:!?()[]{}<>"), "-")
	if first == "" {
		return lineRange{0, readLines}
	}
	if !isRange {
		last = first
	}
	from, err1 := strconv.Atoi(strings.TrimPrefix(first, "L"))
	to, err2 := strconv.Atoi(strings.TrimPrefix(last, "L"))
	if err1 != nil || err2 != nil {
		return lineRange{}
	}
	return lineRange{from - 1, min(to, from-1+readLines)}
}

// instructions observes a file of instructions that the host loaded by itself.
func (h *Handler) instructions(ctx context.Context, e hosts.Event) error {
	if e.MemoryType == "User" || e.MemoryType == "Managed" {
		return nil // the user's own, or their administrator's
	}
	name := h.Files.Resolve(e.Dir, e.File)
	h.sawRange(ctx, e, name, lineRange{0, segment.MaxLines})
	return h.observe(ctx, guard.Observation{Source: h.source(ctx, name), Tool: e.Name})
}
