package guard

import (
	"context"
	"errors"
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

// speaker is the label that a write speaks with. Where the store takes something in by
// itself, that is the source: the label joins all of it with who asked, and the least
// trusted of it is what is recorded.
func (g *Guard) speaker(w *Write) hearsay.Label {
	label := g.table.Classify(w.Source).Label()
	least := hearsay.User
	for i, s := range w.Ingests {
		l := g.table.Classify(s).Label()
		if i == 0 || l.Origin < least {
			w.Source, least = s, l.Origin
		}
		label = label.Join(l)
	}
	return label
}

// joinWrite gives a proxied write the session whose hook announced it. Under a host
// whose hooks are at work, a call that none announced comes from nobody knows whom.
func (g *Guard) joinWrite(ctx context.Context, tx Tx, c *hearsay.Caller, w *Write) error {
	if w.Call == nil {
		return nil
	}
	key, hooked, found, err := g.joinIn(ctx, tx, c.Principal, w.Host, *w.Call)
	switch {
	case err != nil:
		return err
	case found:
		c.Session = key.ID
		w.Source, w.Assumed = hearsay.Source{Type: "agent", Ref: w.Source.Ref}, false
	case hooked:
		w.Source, w.Assumed = hearsay.Source{Type: hearsay.UnknownTag, Ref: w.Source.Ref}, false
	}
	return nil
}

// owned looks whose words a write has. In a tainted session the agent's write is the
// user's where all its words are, and in a clean one it stays the agent's; anywhere it is
// no better than a source that carries by words and has some of them. It returns the
// write's label.
func (g *Guard) owned(ctx context.Context, tx Tx, c hearsay.Caller, w *Write, label hearsay.Label) (attribution, hearsay.Label, error) {
	none := attribution{label: hearsay.LabelIdentity}
	if !g.attributes() || w.Op == event.Delete || c.Session == "" {
		return none, label, nil
	}
	found, err := g.attribute(ctx, tx, sessionKey(c), w.Texts, tx.Now())
	if err != nil {
		return none, label, err
	}
	// Only what the agent says can turn out to be the user's: another source has spoken.
	found.typed = found.user && w.Source.BaseType() == "agent" && !w.Takes
	found.user = found.typed && label.Tainted()
	if found.user {
		w.Source.Type, label = "user", hearsay.LabelIdentity
	}
	return found, label.Join(found.label), nil
}

// claimant is the origin whose ceilings bound what a write claims for itself. Where only
// its words are the user's, the agent claims: nobody typed that they are to be pinned.
func claimant(label hearsay.Label, found attribution) hearsay.Origin {
	if found.user {
		return min(label.Origin, hearsay.Agent)
	}
	return label.Origin
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

// joinParents checks the declared parents and joins their labels, and below the user's own
// word those of what the write repeats.
func joinParents(ctx context.Context, tx Tx, c hearsay.Caller, w Write, known heard, label hearsay.Label) ([]hearsay.RecordID, hearsay.Label, error) {
	parents := slices.Clone(w.Parents)
	for _, id := range w.Parents {
		r, err := loadRecord(ctx, tx, id)
		switch {
		case errors.Is(err, ErrNotFound), err == nil && r.Principal != c.Principal:
			// A parent that cannot be seen tells nothing good of its child.
			label = label.Join(hearsay.Label{})
		case err != nil:
			return nil, label, err
		default:
			label = label.Join(r.Label)
		}
	}
	if w.Op == event.Delete || label.Origin == hearsay.User {
		return parents, label, nil
	}
	parents, label = known.join(c.Principal, parents, label)
	return parents, label, nil
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
