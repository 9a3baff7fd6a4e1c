package mcpserver

import (
	"context"
	"fmt"
	"time"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/guard"
	"github.com/hearsay-memory/hearsay/internal/memory"
	"github.com/hearsay-memory/hearsay/recall"
)

// Bounds of arguments, in bytes and in entries; tools.json says them to clients.
const (
	mostReplaced = 64
	mostSource   = 128
	mostWhy      = 1024
	mostDeleted  = 100
)

// decided is the answer to a write or a deletion.
type decided struct {
	Outcome string          `json:"outcome"`
	Message string          `json:"message"`
	ID      string          `json:"id,omitempty"`
	Rule    string          `json:"rule,omitempty"`
	Reasons []string        `json:"reasons,omitempty"`
	Origin  string          `json:"origin,omitempty"`
	Flagged bool            `json:"flagged,omitempty"`
	Clamps  []hearsay.Clamp `json:"clamps,omitempty"`
	Waiting int             `json:"waiting,omitempty"`
	Oldest  string          `json:"oldest_waiting,omitempty"`
}

// write is memory_write.
func write(ctx context.Context, s *Server, c *call) (any, error) {
	a := c.args
	n := memory.New{
		Doc: memory.Doc{
			Text: a.needed("text", memory.MaxText), Title: a.text("title", memory.MaxTitle),
			Kind: kindOf(a, a.needed("kind", mostSource)), Form: formOf(a, a.text("form", mostSource)),
			Tags: a.texts("tags", memory.MaxTags, memory.MaxTag), Links: a.ids("links", memory.MaxLinks),
			Subject: a.text("subject", memory.MaxTitle),
		},
		Claims: hearsay.Claims{
			Salience: a.number("salience"), Confidence: a.number("confidence"), Pin: a.flag("pin"), Stable: a.flag("stable"),
		},
		Replaces: a.ids("replaces", mostReplaced), Namespace: s.Namespace, Parents: c.meta.parents,
		Host: s.Host, Call: &c.guard, Tool: c.tool,
	}
	n.Claimed.Source.Type = a.text("source", mostSource)
	if err := a.done(); err != nil {
		return nil, err
	}
	if err := n.Doc.Check(); err != nil {
		return nil, &argumentError{err.Error()}
	}
	switch claim := &n.Claimed.Source.Type; {
	case *claim == "":
		*claim = c.meta.source
	case c.meta.source != "" && c.meta.source != *claim:
		*claim = hearsay.UnknownTag // two sources are said, and it has one
	}
	if err := s.within(ctx, c, n.Replaces...); err != nil {
		return nil, err
	}
	n.Source, n.Assumed = s.speaker()
	d, err := s.Memory.Remember(ctx, c.caller, n)
	return s.decided(ctx, c, d, err, "stored")
}

// remove is memory_delete.
func remove(ctx context.Context, s *Server, c *call) (any, error) {
	f := memory.Forgetting{IDs: c.args.ids("ids", mostDeleted), Why: c.args.text("why", mostWhy), Host: s.Host, Call: &c.guard, Tool: c.tool}
	if len(f.IDs) == 0 {
		c.args.fault("ids: name the memories, memory_list shows them")
	}
	if err := c.args.done(); err != nil {
		return nil, err
	}
	if err := s.within(ctx, c, f.IDs...); err != nil {
		return nil, err
	}
	f.Source, f.Assumed = s.speaker()
	d, err := s.Memory.Forget(ctx, c.caller, f)
	return s.decided(ctx, c, d, err, "forgotten")
}

// decided says what was decided, with numbers, ids and fixed phrases.
func (s *Server) decided(ctx context.Context, c *call, d guard.Decision, err error, done string) (any, error) {
	if err != nil {
		return nil, err
	}
	out := decided{ID: d.ID.String(), Origin: d.Verdict.Label.Origin.String(), Flagged: d.Verdict.Flagged, Clamps: d.Verdict.Clamps}
	q, err := s.queue(ctx, c.caller)
	if err != nil {
		s.Log.Warn("what waits could not be counted", "error", err)
		q.waiting = d.Waiting
	}
	out.Waiting, out.Oldest = q.waiting, q.since()
	switch d.Standing {
	case hearsay.Allowed, hearsay.Released:
		out.Outcome, out.Message = done, fmt.Sprintf("It is %s as %s.", done, d.ID)
		if len(out.Clamps) > 0 {
			out.Message += " It claimed more than its origin may: see clamps."
		}
		if note := q.note(); note != "" {
			out.Message += " " + note
		}
	case hearsay.Held:
		out.Outcome, out.Rule, out.Reasons = "held", d.Verdict.Rule.ID, d.Verdict.Reasons
		out.Message = fmt.Sprintf("Not %s: it is held as %s (%s). The user decides with `hearsay review`; do not retry another way, that is held as well.", done, d.ID, q.count())
	default:
		out.Outcome, out.Rule, out.Reasons = "blocked", d.Verdict.Rule.ID, d.Verdict.Reasons
		out.Message = fmt.Sprintf("Not %s: it is refused by rule %s (record %s). No review releases it.", done, d.Verdict.Rule.ID, d.ID)
	}
	return out, nil
}

// kindOf reads a kind; a name that is none is a fault, never a kind by default.
func kindOf(a *arguments, name string) recall.Kind {
	k, err := recall.ParseKind(name)
	if err != nil {
		a.fault("kind is none of those that tools/list names")
	}
	return k
}

func formOf(a *arguments, name string) recall.Form {
	if name == "" {
		return recall.Semantic
	}
	f, err := recall.ParseForm(name)
	if err != nil {
		a.fault("form: want semantic, episodic or procedural")
	}
	return f
}

// stamp writes a time in UTC milliseconds.
func stamp(ms int64) string { return time.UnixMilli(ms).UTC().Format(time.RFC3339) }
