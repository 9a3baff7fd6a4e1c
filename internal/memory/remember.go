package memory

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/event"
	"github.com/hearsay-memory/hearsay/guard"
	"github.com/hearsay-memory/hearsay/internal/reviewer"
	"github.com/hearsay-memory/hearsay/mark"
)

// New is a memory to be written. Who speaks is the surface's to say; what a payload says
// of itself goes into Claimed, where it can only tighten.
type New struct {
	Doc
	Claims    hearsay.Claims     // each number in 0 … 1; bounded by the origin's ceilings
	Namespace hearsay.Namespace  // from the surface's configuration; nil: [DefaultNamespace]
	Replaces  []hearsay.RecordID // memories that are not served while this one is
	Parents   []hearsay.RecordID // records that it was derived from

	Source  hearsay.Source // who speaks, as the surface knows
	Assumed bool           // see [guard.Write]
	Host    string         // see [guard.Write]
	Call    *guard.Call    // see [guard.Write]
	Claimed guard.Claimed
	Tool    string // the tool or command that was called
}

// DefaultNamespace is where memories lie if a surface is not told otherwise.
var DefaultNamespace = hearsay.Namespace{"memory"}

// Remember decides a memory that an agent or a program wants to keep, and seals the
// decision in one durable commit. A held one is nowhere until a person approves it. That
// its file cannot be written, or the index not be brought up to date, is said to the log
// and is no error: what is sealed is remembered.
func (s *Store) Remember(ctx context.Context, c hearsay.Caller, n New) (guard.Decision, error) {
	w, err := n.write()
	if err != nil {
		return guard.Decision{}, err
	}
	if mark.HasMarkers(strings.Join(w.Texts, "\n")) {
		// A stranger's words that were shown as such, whatever else is said of them.
		w.Claimed.Also = append(slices.Clip(w.Claimed.Also), hearsay.Source{Type: "external_marked"})
	}
	d, err := s.decide(ctx, c, w)
	if err == nil && d.Standing.Visible() {
		s.confirm(ctx, &n.Doc, d.Verdict.Label, d.ID, time.Now())
	}
	return d, err
}

// decide asks the guard about a write, and lets the pictures follow.
func (s *Store) decide(ctx context.Context, c hearsay.Caller, w guard.Write) (guard.Decision, error) {
	if err := s.ours(c); err != nil {
		return guard.Decision{}, err
	}
	d, err := s.guard.Write(ctx, c, w)
	if err != nil {
		return d, err
	}
	if d.ID.IsZero() {
		return d, fmt.Errorf("nothing was kept: the mode is off for this agent, so nothing is recorded, and this memory is its records: %w", guard.ErrRefused)
	}
	s.follow(ctx)
	return d, nil
}

// Signing signs a statement as the person at the terminal.
type Signing func(reviewer.Statement) (reviewer.Signed, error)

// Say seals a memory as the user's own word, which a person signs for. It may be pinned
// and stable from the start.
func (s *Store) Say(ctx context.Context, c hearsay.Caller, n New, sign Signing) (*event.Record, error) {
	w, err := n.write()
	if err != nil {
		return nil, err
	}
	w.Kind = n.Kind.String() // a person's word, not a payload's
	r, err := s.vouch(ctx, c, w, sign)
	if err == nil {
		s.confirm(ctx, &n.Doc, r.Label, r.ID, time.Now())
	}
	return r, err
}

func (s *Store) vouch(ctx context.Context, c hearsay.Caller, w guard.Write, sign Signing) (*event.Record, error) {
	if err := s.ours(c); err != nil {
		return nil, err
	}
	_, st, err := s.guard.Vouching(ctx, w)
	if err != nil {
		return nil, err
	}
	signed, err := sign(st)
	if err != nil {
		return nil, err
	}
	r, err := s.guard.Vouch(ctx, c, w, signed)
	if err != nil {
		return nil, err
	}
	s.follow(ctx)
	return r, nil
}

// write is what the guard is asked.
func (n *New) write() (guard.Write, error) {
	content, err := n.Encode()
	if err != nil {
		return guard.Write{}, fmt.Errorf("remember: %w", err)
	}
	for name, v := range map[string]float64{"salience": n.Claims.Salience, "confidence": n.Claims.Confidence} {
		if math.IsNaN(v) || v < 0 || v > 1 {
			return guard.Write{}, fmt.Errorf("remember: %s is %v: want 0 to 1", name, v)
		}
	}
	w := guard.Write{
		Store: guard.OwnStore, Source: n.Source, Assumed: n.Assumed, Host: n.Host, Call: n.Call, Parents: n.Parents, Replaces: n.Replaces,
		Namespace: n.Namespace, Op: event.Create, Tool: n.Tool, Claims: n.Claims, Claimed: n.Claimed,
		Texts: n.Texts(), Content: content, Items: []guard.Item{n.item()},
	}
	if w.Namespace == nil {
		w.Namespace = DefaultNamespace
	}
	if w.Claimed.Kind == "" {
		w.Claimed.Kind = n.Kind.String()
	}
	if len(n.Replaces) > 0 {
		w.Op, w.Takes = event.Update, true
	}
	return w, nil
}
