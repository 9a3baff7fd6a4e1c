package guard

import (
	"context"
	"encoding/hex"
	"fmt"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/event"
	"github.com/hearsay-memory/hearsay/internal/reviewer"
)

// Attestation prepares what a reviewer signs to adopt exact bytes of a guarded file as
// the user's own word. It returns the id of the record that they will have.
func (g *Guard) Attestation(ctx context.Context, path string, text []byte) (hearsay.RecordID, reviewer.Statement, error) {
	return g.AttestationAs(ctx, path, text, hearsay.User)
}

// AttestationAs is [Guard.Attestation] of bytes that are adopted as the user's own word or,
// where they were not looked at one by one, as an agent's.
func (g *Guard) AttestationAs(ctx context.Context, path string, text []byte, as hearsay.Origin) (hearsay.RecordID, reviewer.Statement, error) {
	st, err := g.blank(ctx, reviewer.Attest, "")
	if err != nil {
		return hearsay.RecordID{}, st, err
	}
	id, err := g.newID(now())
	if err != nil {
		return id, st, err
	}
	st.RecordID, st.Subject, st.ContentDigest = id.String(), "file/"+g.fileID(path), g.attested(path, text)
	st.LabelOrigin, st.LabelTaint = as.String(), []string{}
	return id, st, nil
}

// attested is the store-keyed digest of adopted bytes: a plain one of a short line
// could be guessed from the log.
func (g *Guard) attested(path string, text []byte) string {
	d := g.index.Digest("attest", []byte(path), text)
	return hex.EncodeToString(d[:])
}

// Attest adopts the bytes that were signed, and seals the state of the file in which they
// are the user's. was is the state that the person looked at: where the file was
// recorded anew meanwhile, it is refused.
func (g *Guard) Attest(ctx context.Context, c hearsay.Caller, was *GuardedFile, ch FileChange, text []byte, signed reviewer.Signed) error {
	st := signed.Statement
	id, err := hearsay.ParseRecordID(st.RecordID)
	if err != nil {
		return err
	}
	if st.Decision != reviewer.Attest || st.Subject != "file/"+g.fileID(ch.Path) || st.ContentDigest != g.attested(ch.Path, text) {
		return refuse("the statement is not about these bytes: look at the file again")
	}
	label, ok := attestedLabel(st)
	if !ok {
		return refuse("bytes are adopted as the user's own word or as an agent's, and as no other")
	}
	_, err = g.store.Update(ctx, func(tx Tx) ([]event.Draft, error) {
		proof, err := g.accept(ctx, tx, signed)
		if err != nil {
			return nil, err
		}
		file, err := g.fileDraft(ctx, tx, c, was, ch, tx.Seq()+1)
		if err != nil {
			return nil, err
		}
		rec := &event.Record{
			ID: id, Standing: hearsay.Allowed, Delivery: hearsay.Applied, Label: label, Source: "user",
			Principal: c.Principal, Project: g.projectToken(c.Project), Agent: c.Agent, Session: sessionKey(c).ID, Surface: c.Surface,
			Store: event.FilesStore, Namespace: hearsay.Namespace{"files"}, Op: event.Update, Exposure: tx.Seq(), PolicyHash: g.policy.Hash(), Weight: 1,
		}
		return []event.Draft{
			{Event: event.Event{Kind: event.Attest, Record: rec, Proof: proof}, Side: event.Side{Ref: ch.Path, Project: c.Project, Content: text}},
			file,
		}, nil
	})
	if err != nil {
		return fmt.Errorf("attest %s: %w", ch.Path, err)
	}
	return nil
}

// attestedLabel is the label that a statement gives to adopted bytes: the user's own, or an
// agent's word.
func attestedLabel(st reviewer.Statement) (l hearsay.Label, ok bool) {
	o, err := hearsay.ParseOrigin(st.LabelOrigin)
	if err != nil || o != hearsay.User && o != hearsay.Agent || len(st.LabelTaint) > 0 {
		return l, false
	}
	return hearsay.Label{Origin: o, Taint: hearsay.Untainted}, true
}
