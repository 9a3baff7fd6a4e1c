package guard

import (
	"context"
	"encoding/hex"
	"fmt"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/event"
	"github.com/hearsay-memory/hearsay/internal/reviewer"
)

// vouchSubject is what a statement about a memory of the own store is about.
const vouchSubject = "store/" + OwnStore

// Vouching prepares what a reviewer signs to say a memory as the user's own word. It
// returns the id of the record that it will have. Of w, Content, Op, Namespace, Kind,
// Claims and Replaces are signed.
func (g *Guard) Vouching(ctx context.Context, w Write) (hearsay.RecordID, reviewer.Statement, error) {
	st, err := g.blank(ctx, reviewer.Attest, "")
	if err != nil {
		return hearsay.RecordID{}, st, err
	}
	id, err := g.newID(now())
	if err != nil {
		return id, st, err
	}
	st.RecordID, st.Subject, st.ContentDigest = id.String(), vouchSubject, g.vouched(w)
	st.LabelOrigin, st.LabelTaint = hearsay.User.String(), []string{}
	return id, st, nil
}

// vouched is the store-keyed digest of what is said: a plain one of a short text could be
// guessed from the log.
func (g *Guard) vouched(w Write) string {
	parts := [][]byte{w.Content, []byte(w.Op), []byte(w.Kind), fmt.Appendf(nil, "%v", w.Claims)}
	for _, s := range w.Namespace {
		parts = append(parts, []byte("namespace"), []byte(s))
	}
	for _, id := range w.Replaces {
		parts = append(parts, []byte("replaces"), id[:])
	}
	d := g.index.Digest("vouch", parts...)
	return hex.EncodeToString(d[:])
}

// Vouch seals a memory of the own store that a person signed for: it is the user's own
// word, whatever the session above the process had read, and may replace what is pinned.
// Its Source and Parents are not asked for: the person has made it theirs.
func (g *Guard) Vouch(ctx context.Context, c hearsay.Caller, w Write, signed reviewer.Signed) (*event.Record, error) {
	st := signed.Statement
	id, err := hearsay.ParseRecordID(st.RecordID)
	if err != nil {
		return nil, err
	}
	w.Store = OwnStore
	if err := w.check(); err != nil {
		return nil, err
	}
	if st.Decision != reviewer.Attest || st.Subject != vouchSubject || st.ContentDigest != g.vouched(w) {
		return nil, refuse("the statement is not about these bytes: sign them again")
	}
	evidence := g.lintAll(w.Texts)
	if evidence.TagEncoded() {
		return nil, refuse("part of the text is spelt in invisible tag characters, which nobody types: take them out")
	}
	claims, clamps := g.ceilings().Apply(hearsay.User, w.Claims)
	keys := make([][32]byte, len(w.Items))
	for i, it := range w.Items {
		keys[i] = g.ItemKey(w.Store, it)
	}
	var after *event.Record
	_, err = g.store.Update(ctx, func(tx Tx) ([]event.Draft, error) {
		if _, err := replaced(ctx, tx, c, &w); err != nil {
			return nil, err
		}
		proof, err := g.accept(ctx, tx, signed)
		if err != nil {
			return nil, err
		}
		after = &event.Record{
			ID: id, Standing: hearsay.Allowed, Label: hearsay.LabelIdentity, Source: "user",
			Principal: c.Principal, Project: g.projectToken(c.Project), Agent: c.Agent, Session: sessionKey(c).ID, Surface: c.Surface,
			Store: w.Store, Namespace: w.Namespace, Kind: w.Kind, Op: w.Op, Replaces: w.Replaces, Exposure: tx.Seq(),
			PolicyHash: g.policy.Hash(), Weight: 1, Claims: claims, Clamps: clamps, Evidence: evidence.Kinds.Names(),
		}
		if err := g.settle(tx, after, keys, tx.Seq()); err != nil {
			return nil, err
		}
		return []event.Draft{{
			Event: event.Event{Kind: event.Attest, Record: after, Proof: proof},
			Side:  w.side(c, keys, evidence, attribution{}),
		}}, nil
	})
	if err != nil {
		return nil, fmt.Errorf("remember: %w", err)
	}
	return after, nil
}
