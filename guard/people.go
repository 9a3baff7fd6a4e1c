package guard

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/event"
	"github.com/hearsay-memory/hearsay/internal/reviewer"
)

// registry restores who may sign from the folded rows.
func registry(ctx context.Context, s Store, logID string) (*reviewer.Registry, error) {
	var active []reviewer.Enrolment
	var seen []string
	for put, err := range s.Rows(ctx, event.Reviewers) {
		if err != nil {
			return nil, fmt.Errorf("read reviewers: %w", err)
		}
		row, err := event.DecodeReviewer(put.Value)
		if err != nil {
			return nil, err
		}
		if id, ok := strings.CutPrefix(string(put.Key), "key/"); ok {
			seen = append(seen, id)
		} else if !row.Retired {
			active = append(active, enrolment(row))
		}
	}
	if len(active) == 0 && len(seen) > 0 {
		return nil, fmt.Errorf("read reviewers: %w", ErrTampered)
	}
	return reviewer.Restore(logID, active, seen), nil
}

func enrolment(r *event.Reviewer) reviewer.Enrolment {
	return reviewer.Enrolment{Name: r.Name, Public: r.Public, Recovery: r.Recovery}
}

// Statement prepares what a reviewer signs to decide about a record, as the record
// stands now. The signer fills in who they are.
func (g *Guard) Statement(ctx context.Context, d reviewer.Decision, id hearsay.RecordID, note string) (reviewer.Statement, error) {
	r, err := loadRecord(ctx, g.store, id)
	if err != nil {
		return reviewer.Statement{}, err
	}
	st, err := g.blank(ctx, d, note)
	if err != nil {
		return reviewer.Statement{}, err
	}
	st.RecordID, st.ContentDigest = id.String(), r.Content
	st.LabelOrigin, st.LabelTaint = r.Label.Origin.String(), r.Label.Taint.Tags()
	return st, nil
}

// SubjectStatement prepares what a reviewer signs about something that is no
// record: a policy's hash, or an enrolment's digest.
func (g *Guard) SubjectStatement(ctx context.Context, d reviewer.Decision, subject string) (reviewer.Statement, error) {
	st, err := g.blank(ctx, d, "")
	st.Subject = subject
	return st, err
}

// blank makes a statement of the ledger's head, the time and a nonce.
func (g *Guard) blank(ctx context.Context, d reviewer.Decision, note string) (reviewer.Statement, error) {
	head, err := g.store.Head(ctx)
	if err != nil {
		return reviewer.Statement{}, fmt.Errorf("prepare a statement: %w", err)
	}
	nonce, err := reviewer.Nonce(g.rand)
	if err != nil {
		return reviewer.Statement{}, err
	}
	root := head.Frontier.Root()
	st := reviewer.Statement{
		V: reviewer.Version, LogID: head.LogID, Decision: d, Time: max(now(), 1),
		TreeSize: uint64(head.Frontier.Size()), TreeRoot: hex.EncodeToString(root[:]), Nonce: nonce,
	}
	if note != "" {
		st.NoteDigest = noteDigest(nonce, note)
	}
	return st, nil
}

// noteDigest commits a statement to a note; the nonce keeps short notes from being guessed.
func noteDigest(nonce, note string) string {
	sum := sha256.Sum256([]byte("hearsay/note/v1\x00" + nonce + note))
	return hex.EncodeToString(sum[:])
}

// accept checks a signed statement against who may sign now and that it was not
// spent, and returns the proof to seal.
func (g *Guard) accept(ctx context.Context, tx Tx, signed reviewer.Signed) (*event.Proof, error) {
	reg, err := g.registryNow(ctx)
	if err != nil {
		return nil, err
	}
	if _, err := reg.Verify(signed); err != nil {
		return nil, err
	}
	return spend(ctx, tx, signed)
}

// spend makes the proof of a statement whose signature was checked; a statement
// that was sealed before is refused.
func spend(ctx context.Context, tx Tx, signed reviewer.Signed) (*event.Proof, error) {
	msg, err := signed.Statement.Encode()
	if err != nil {
		return nil, err
	}
	id := sha256.Sum256(msg)
	switch _, err := tx.Get(ctx, event.Statements, id[:]); {
	case err == nil:
		return nil, refuse("the statement was used before: sign a new one")
	case !errors.Is(err, ErrNotFound):
		return nil, err
	}
	return &event.Proof{Level: reviewer.ProofSigned.String(), Reviewer: signed.Statement.Reviewer, Statement: msg, Signature: signed.Signature}, nil
}

// registryNow reads who may sign. Reviewers are added only through this guard's
// gate, so the committed rows are right inside a transaction too: an enrolment that
// is sealed in the same batch is simply not known yet.
func (g *Guard) registryNow(ctx context.Context) (*reviewer.Registry, error) {
	head, err := g.store.Head(ctx)
	if err != nil {
		return nil, err
	}
	return registry(ctx, g.store, head.LogID)
}

// AddReviewer seals an enrolment: of the first reviewer, by themselves; of another,
// by a reviewer's or a recovery key; a rotation or a removal likewise.
func (g *Guard) AddReviewer(ctx context.Context, e reviewer.Enrolment, signed reviewer.Signed) error {
	reg, err := g.registryNow(ctx)
	if err != nil {
		return err
	}
	if err := reg.Apply(e, signed); err != nil {
		return fmt.Errorf("enrol %s: %w", e.Name, err)
	}
	size := signed.Statement.TreeSize
	_, err = g.store.Update(ctx, func(tx Tx) ([]event.Draft, error) {
		// The registry was read before the transaction: a log that has moved on since
		// the statement was made may know other reviewers.
		if uint64(tx.Seq()) != size {
			return nil, refuse("the log moved on while the enrolment was signed: sign it again")
		}
		proof, err := spend(ctx, tx, signed)
		if err != nil {
			return nil, err
		}
		return []event.Draft{{Event: event.Event{Kind: event.ReviewerAdd, Proof: proof, Reviewer: &event.Reviewer{
			Name: e.Name, KeyID: reviewer.KeyID(e.Public), Public: e.Public,
			RecoveryID: reviewer.KeyID(e.Recovery), Recovery: e.Recovery,
			Retired: signed.Statement.Decision == reviewer.RemoveReviewer,
		}}}}, nil
	})
	if err != nil {
		return fmt.Errorf("enrol %s: %w", e.Name, err)
	}
	return nil
}

// PutPolicy seals which policy is in force. hash is the SHA-256 of its exact bytes,
// in hex, which the statement is about.
func (g *Guard) PutPolicy(ctx context.Context, hash string, mode hearsay.Mode, signed reviewer.Signed) error {
	if signed.Statement.Decision != reviewer.Policy || signed.Statement.Subject != hash {
		return refuse("the statement is not about this policy: sign it again")
	}
	_, err := g.store.Update(ctx, func(tx Tx) ([]event.Draft, error) {
		proof, err := g.accept(ctx, tx, signed)
		if err != nil {
			return nil, err
		}
		return []event.Draft{{Event: event.Event{Kind: event.PolicyLoad, Proof: proof, Policy: &event.Policy{Hash: hash, Mode: mode}}}}, nil
	})
	if err != nil {
		return fmt.Errorf("put policy in force: %w", err)
	}
	return nil
}

// PolicyInForce returns the hash of the signed policy, or [ErrNotFound] where none
// was ever signed.
func PolicyInForce(ctx context.Context, s Store) (string, error) {
	put, err := s.Get(ctx, event.Policies, []byte("current"))
	if err != nil {
		return "", fmt.Errorf("policy in force: %w", err)
	}
	p, err := event.DecodePolicy(put.Value)
	if err != nil {
		return "", err
	}
	return p.Hash, nil
}
