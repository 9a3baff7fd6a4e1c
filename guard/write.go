package guard

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/event"
	"github.com/hearsay-memory/hearsay/policy"
)

// Bounds of a write.
const (
	maxContent = 16 << 20 // bytes of content
	maxItems   = 10_000
	maxParents = 1_000
	maxIngests = 1_000
)

// Write is a memory write that a surface asks about.
type Write struct {
	Store     string             // id of the downstream store
	Owner     string             // principal whose memory it is; empty: the caller's
	Source    hearsay.Source     // who speaks, as the surface knows
	Assumed   bool               // Source is an assumption: void while a live session of the principal is tainted
	Host      string             // id of the host process, for Call; empty: not known
	Call      *Call              // the call that carries it, where a hook of the host may have announced it; nil: none
	Ingests   []hearsay.Source   // what the store takes in by itself at this write, such as a file: the words are theirs, whoever asked
	Parents   []hearsay.RecordID // records that it was derived from
	Replaces  []hearsay.RecordID // records that are not served while this one is, nor once it was erased: its principal's, of the same store
	Namespace hearsay.Namespace  // from the surface's configuration
	Kind      string             // from the surface's configuration
	Op        event.Op
	Tool      string         // the tool that was called
	Takes     bool           // it also takes away, moves or replaces what is there: never the user's by its words alone
	Hold      string         // id of a built-in rule by which it waits for a person where the policy would allow it; empty: none
	Claims    hearsay.Claims // what it claims for itself
	Claimed   Claimed        // what the payload says of itself; can only tighten
	Texts     []string       // every text of it that could ever be read again
	Content   []byte         // the exact bytes that a release applies
	Items     []Item         // the things that it makes in the store, or takes out
}

// Claimed is what a payload says of itself.
type Claimed struct {
	Source    hearsay.Source
	Also      []hearsay.Source // further ones
	Kind      string
	Namespace hearsay.Namespace
}

// Decision is the answer to a write. It is sealed before it is returned.
type Decision struct {
	ID       hearsay.RecordID // zero where the mode is off and nothing was recorded
	Standing hearsay.Standing
	Verdict  hearsay.Verdict
	Waiting  int // records of this principal that wait for a person, this one included; see [MostCounted]
}

// Write decides a memory write and seals the decision. Only a decision whose
// standing is allowed may be carried out; afterwards say what came of it with
// [Guard.Applied]. On an error the write must not be carried out.
//
// The same write asked again while it is held gives the same record.
func (g *Guard) Write(ctx context.Context, c hearsay.Caller, w Write) (Decision, error) {
	if err := w.check(); err != nil {
		return Decision{}, err
	}
	owner := w.Owner
	if owner == "" {
		owner = c.Principal
	}
	mode := g.policy.ModeFor(c.Agent)
	if mode == hearsay.Off && owner == c.Principal {
		return Decision{Standing: hearsay.Allowed, Verdict: hearsay.Verdict{Action: hearsay.Allow, Weight: 1, Reasons: []string{"the mode is off"}}}, nil
	}
	evidence := g.lintAll(w.Texts)
	keys := make([][32]byte, len(w.Items), len(w.Items)+1)
	for i, it := range w.Items {
		keys[i] = g.ItemKey(w.Store, it)
	}
	same := g.index.Digest("write", []byte(w.Store), []byte(c.Principal), []byte(w.Op), w.Content)
	keys = append(keys, same)

	var d Decision
	_, err := g.store.Update(ctx, func(tx Tx) ([]event.Draft, error) {
		c, w := c, w
		d = Decision{}
		if err := g.joinWrite(ctx, tx, &c, &w); err != nil {
			return nil, err
		}
		session, err := g.labelIn(ctx, tx, sessionKey(c), tx.Now())
		if err != nil {
			return nil, err
		}
		if w.Assumed {
			tainted, err := anyTainted(ctx, tx, c.Principal, tx.Now())
			if err != nil {
				return nil, err
			}
			if tainted {
				w.Source = hearsay.Source{Type: hearsay.UnknownTag, Ref: w.Source.Ref}
			}
		}
		label := g.speaker(&w).Join(session)
		found, label, err := g.owned(ctx, tx, c, &w, label)
		if err != nil {
			return nil, err
		}
		if w.Claimed.Source.Type != "" {
			label = label.Join(g.table.Classify(w.Claimed.Source).Label())
		}
		for _, s := range w.Claimed.Also {
			label = label.Join(g.table.Classify(s).Label())
		}
		known, err := listen(ctx, tx, keys, w.Store == OwnStore && w.Op != event.Delete)
		if err != nil {
			return nil, err
		}
		took, err := replaced(ctx, tx, c, &w)
		if err != nil {
			return nil, err
		}
		parents, label, err := joinParents(ctx, tx, c, w, known, label)
		if err != nil {
			return nil, err
		}
		claims, clamps := g.ceilings().Apply(claimant(label, found), w.Claims)
		if held := known.alreadyHeld(same, c.Principal, label, w, claims); held != nil {
			d = Decision{ID: held.ID, Standing: hearsay.Held, Verdict: hearsay.Verdict{
				Rule: hearsay.RuleRef{ID: held.Rule}, Label: held.Label, Reasons: []string{"the same write waits already"}}}
			return nil, nil
		}
		v := g.decide(c, w, label, session, owner != c.Principal || known.takesForeign(c.Principal, w), found.against(evidence), took.spaces, holdReplacing(w, label), mode)
		if took.pinned && v.Action == hearsay.Allow {
			// No mode softens that, as it is given up by a person's proof alone.
			v.Action, v.Flagged, v.Reasons = hearsay.Quarantine, false, append(slices.Clip(v.Reasons), "a person pinned what it would take the place of")
		}
		if again, err := g.fenced(ctx, tx, w.Texts); err != nil {
			return nil, err
		} else if again {
			v.Action, v.Flagged, v.Reasons = hearsay.Block, false, []string{"a person erased these words: the user can say them again with `hearsay remember`"}
			v.Rule = hearsay.RuleRef{ID: "builtin-erased"}
		} else if known.crowded && w.Op != event.Delete && label.Origin != hearsay.User {
			v.Action, v.Flagged, v.Reasons = hearsay.Block, false, []string{"too many sources that are not trusted have said this: the user can say it with `hearsay remember`"}
			v.Rule = hearsay.RuleRef{ID: "builtin-crowded"}
		}
		v.Label, v.Clamps = label, clamps
		rec := &event.Record{
			Label: label, Source: w.Source.BaseType(), Principal: owner, Project: g.projectToken(c.Project),
			Agent: c.Agent, Session: sessionKey(c).ID, Surface: c.Surface, Store: w.Store,
			Namespace: w.Namespace, Kind: w.Kind, Op: w.Op, Parents: parents, Replaces: w.Replaces, Exposure: tx.Seq(),
			Rule: v.Rule.ID, PolicyHash: g.policy.Hash(), Weight: v.Weight, Claims: claims, Clamps: clamps,
			Evidence: evidence.Kinds.Names(), Flagged: v.Flagged, Attributed: found.user,
		}
		kind := event.Hold
		switch v.Action {
		case hearsay.Allow:
			kind, rec.Standing, rec.Delivery = event.WriteAllowed, hearsay.Allowed, hearsay.Intent
			if v.Flagged {
				kind = event.WriteFlagged
			}
		case hearsay.Block:
			kind, rec.Standing = event.WriteRefused, hearsay.Blocked
		}
		if rec.ID, err = g.newID(tx.Now()); err != nil {
			return nil, err
		}
		for _, k := range keys {
			if err := tx.PutItem(StoredItem{Key: k, Record: rec.ID}); err != nil {
				return nil, err
			}
		}
		if err := g.settle(tx, rec, keys, tx.Seq()); err != nil {
			return nil, err
		}
		d = Decision{ID: rec.ID, Standing: rec.Standing, Verdict: v}
		return []event.Draft{{
			Event: event.Event{Kind: kind, Record: rec},
			Side:  w.side(c, keys, evidence, found),
		}}, nil
	})
	if err != nil {
		return Decision{}, fmt.Errorf("the write was not decided, so it must not be stored: %w", err)
	}
	if d.Standing == hearsay.Held {
		// How many wait is a courtesy; the decision stands without it.
		d.Waiting, _ = g.CountHeld(ctx, c.Principal)
	}
	return d, nil
}

// decide asks the policy. What the payload says of itself goes in apart, where it
// can only tighten the answer; so can the rules of the namespaces that it takes memories
// from, as what is taken away steers too. replacing, where it is not empty, says why a
// person has to look at what the policy lets in.
func (g *Guard) decide(c hearsay.Caller, w Write, label, session hearsay.Label, mismatch bool, found hearsay.Evidence, from []hearsay.Namespace, replacing string, mode hearsay.Mode) hearsay.Verdict {
	ask := policy.Write{
		Label: label, Source: w.Source.BaseType(), SessionTainted: session.Tainted(), PrincipalMismatch: mismatch,
		Namespace: w.Namespace, Kind: w.Kind, Agent: c.Agent, Surface: c.Surface, Tool: w.Tool,
		ClaimedNamespace: w.Claimed.Namespace, ClaimedKind: w.Claimed.Kind,
		Evidence: found, Text: []byte(strings.Join(w.Texts, "\n")),
	}
	v := g.policy.Decide(&ask)
	for _, space := range from {
		ask.ClaimedNamespace = space
		if there := g.policy.Decide(&ask); v.Action.Weaker(there.Action) {
			v = there
			v.Reasons = append(slices.Clip(v.Reasons), "it would take the place of what lies in another namespace")
		}
	}
	if v.Action == hearsay.Allow {
		switch {
		case w.Hold != "":
			v.Action, v.Rule, v.Reasons = hearsay.Quarantine, hearsay.RuleRef{ID: w.Hold}, []string{"the surface holds it"}
		case replacing != "":
			v.Action, v.Reasons = hearsay.Quarantine, append(slices.Clip(v.Reasons), replacing)
		}
	}
	return policy.ApplyMode(v, mode)
}

// lintAll joins the evidence of all texts.
func (g *Guard) lintAll(texts []string) hearsay.Evidence {
	var all hearsay.Evidence
	for _, t := range texts {
		found := g.lint(t)
		all.Kinds |= found.Kinds
		all.Matches = append(all.Matches, found.Matches...)
	}
	return all
}

// ceilings returns the policy's table.
func (g *Guard) ceilings() *hearsay.Ceilings {
	t := g.policy.CeilingTable()
	return &t
}

// projectToken is how a project stands in the log: a path is free text, so only a
// store-keyed digest of it does.
func (g *Guard) projectToken(project string) string {
	if project == "" {
		return ""
	}
	d := g.index.Digest("project", []byte(project))
	return fmt.Sprintf("%x", d[:8])
}

func (w *Write) side(c hearsay.Caller, keys [][32]byte, evidence hearsay.Evidence, found attribution) event.Side {
	s := event.Side{Shared: found.side(), Ref: w.Source.Ref, Actor: w.Source.Actor, Tool: w.Tool, Project: c.Project, Content: w.Content}
	for _, k := range keys {
		s.Items = append(s.Items, k[:])
	}
	if cl := w.Claimed; cl.Source.Type != "" || cl.Kind != "" || cl.Namespace != nil {
		s.Claimed = &event.Claimed{Source: cl.Source.Type, Kind: cl.Kind, Namespace: cl.Namespace}
	}
	for _, m := range evidence.Matches {
		if m.Decoded != "" {
			s.Decoded = append(s.Decoded, m.Decoded)
		}
	}
	return s
}

func (w *Write) check() error {
	switch {
	case len(w.Content) == 0:
		return refuse("a write without content has nothing to hold or release")
	case len(w.Content) > maxContent:
		return refuse("the write has %d bytes: at most %d; split it", len(w.Content), maxContent)
	case len(w.Items) > maxItems:
		return refuse("the write makes %d things: at most %d; split it", len(w.Items), maxItems)
	case len(w.Parents)+len(w.Replaces) > maxParents:
		return refuse("the write names %d parents and memories to replace: at most %d", len(w.Parents)+len(w.Replaces), maxParents)
	case len(w.Ingests) > maxIngests:
		return refuse("the write takes in %d sources: at most %d; split it", len(w.Ingests), maxIngests)
	case w.Op != event.Create && w.Op != event.Update && w.Op != event.Delete:
		return refuse("unknown operation %q", w.Op)
	}
	if err := w.Namespace.Check(); err != nil {
		return refuse("%v", err)
	}
	return nil
}
