package hook

import (
	"context"
	"slices"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/guard"
	"github.com/hearsay-memory/hearsay/internal/hosts"
	"github.com/hearsay-memory/hearsay/internal/memfile"
	"github.com/hearsay-memory/hearsay/internal/shell"
	"github.com/hearsay-memory/hearsay/mark"
)

// after takes in what a tool returned, before the agent reads it, and seals what came
// of what was decided before the tool ran.
func (h *Handler) after(ctx context.Context, e hosts.Event) error {
	p, err := h.plan(ctx, e)
	if err != nil {
		return err
	}
	if err := h.tookIn(ctx, e, p); err != nil {
		return err
	}
	if err := h.landed(ctx, e); err != nil {
		return err
	}
	return h.done(ctx, e, p)
}

// tookIn seals what the result of a tool brings into the session.
func (h *Handler) tookIn(ctx context.Context, e hosts.Event, p plan) error {
	marked := false
	for _, text := range e.Text {
		marked = marked || mark.HasMarkers(text)
	}
	switch {
	case p.served:
		unspent, err := h.Guard.Unspent(ctx, h.caller, announced(e))
		if err != nil {
			return err
		}
		if unspent {
			// The call did not come through a proxy of ours after all.
			p.sources = append(p.sources, mcpSource(e.Tool.Server))
		}
	case marked:
		p.sources = append(p.sources, hearsay.Source{Type: "external_marked", Ref: e.Tool.Name})
	}
	for _, s := range p.sources {
		if err := h.observe(ctx, guard.Observation{Source: s, Tool: e.Tool.Name, Texts: e.Text}); err != nil {
			return err
		}
	}
	if e.Kind == hosts.AfterTool {
		names := p.reads
		for _, edit := range p.memory {
			names = append(names, edit.Path) // a result can show what was written
		}
		h.sawResult(ctx, e, names)
	}
	return nil
}

// done follows what a tool did beside memory files.
func (h *Handler) done(ctx context.Context, e hosts.Event, p plan) error {
	if !e.Derived {
		if err := h.Guard.Went(ctx, h.caller, e.CallID); err != nil {
			return err
		}
	}
	if !isShell(e) {
		if p.loose {
			return h.afterShell(ctx, e, shell.Effects{})
		}
		var names []string
		for _, edit := range e.Tool.Edits {
			names = append(names, h.Files.Resolve(e.Dir, edit.Path))
			if edit.MoveTo != "" {
				names = append(names, h.Files.Resolve(e.Dir, edit.MoveTo))
			}
		}
		return h.written(ctx, names)
	}
	if !p.loose {
		return nil
	}
	if len(e.Tool.Command) > maxCommand {
		return h.afterShell(ctx, e, shell.Effects{}) // it ran all the same
	}
	effects := shell.Analyze(e.Tool.Command, h.shellContext(e, e.Tool.Shell == hosts.PowerShell))
	var trees []string
	for _, name := range effects.Fetched {
		// What is unpacked into the workspace itself does not make all of it somebody else's.
		if real := h.Files.Real(name); !beneath(h.Files.Workspace, real) {
			trees = append(trees, real)
		}
	}
	if err := h.Guard.RememberTrees(ctx, h.caller.Principal, trees); err != nil {
		return err
	}
	var names []string
	for _, name := range effects.Writes {
		names = append(names, h.Files.Real(name))
	}
	if err := h.written(ctx, names); err != nil {
		return err
	}
	return h.afterShell(ctx, e, effects)
}

// written remembers the ordinary files that a tainted session wrote. Whoever reads them
// later does not read the user's own tree alone.
func (h *Handler) written(ctx context.Context, names []string) error {
	label, err := h.Guard.SessionLabel(ctx, h.caller)
	if err != nil || !label.Tainted() {
		return err
	}
	names = slices.DeleteFunc(names, func(name string) bool {
		return !h.Files.inside(name) || h.Files.Class(name) != memfile.Ordinary
	})
	return h.Guard.RememberWritten(ctx, h.caller.Principal, names)
}
