package guard

import (
	"context"
	"errors"
	"slices"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/event"
)

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
