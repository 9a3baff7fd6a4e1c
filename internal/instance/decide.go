package instance

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/event"
	"github.com/hearsay-memory/hearsay/guard"
	"github.com/hearsay-memory/hearsay/internal/home"
	"github.com/hearsay-memory/hearsay/internal/reviewer"
	"github.com/hearsay-memory/hearsay/policy"
)

// Decide signs a decision about a record as the person saw it, and carries it out.
func (in *Instance) Decide(ctx context.Context, signer *reviewer.Signer, saw *event.Record, d reviewer.Decision, note string) (*event.Record, error) {
	signed, err := in.Sign(ctx, signer, saw, d, note)
	if err != nil {
		return nil, err
	}
	if d == reviewer.Revoke {
		return in.Guard.Revoke(ctx, signed)
	}
	return in.Guard.Review(ctx, signed, note)
}

// Sign signs a decision about the bytes and the label that the person saw. The store
// is read again for the statement; had it changed in between, a signature would be
// about something that nobody looked at.
func (in *Instance) Sign(ctx context.Context, signer *reviewer.Signer, saw *event.Record, d reviewer.Decision, note string) (reviewer.Signed, error) {
	st, err := in.Guard.Statement(ctx, d, saw.ID, note)
	if err != nil {
		return reviewer.Signed{}, err
	}
	if !isOf(st, saw.Content, saw.Label) {
		return reviewer.Signed{}, fmt.Errorf("%s %s: the record changed while you looked at it: %w", d, saw.ID, guard.ErrTampered)
	}
	return signer.Sign(st)
}

// DecideAction signs a decision about a question as the person saw it, and carries it
// out. Scope is of an approval or an override, see [guard.Guard.ActionStatement].
func (in *Instance) DecideAction(ctx context.Context, signer *reviewer.Signer, saw *event.Action, d reviewer.Decision, scope, note string) (*event.Action, error) {
	signed, err := in.SignAction(ctx, signer, saw, d, scope, note)
	if err != nil {
		return nil, err
	}
	return in.Guard.DecideAction(ctx, signed, note)
}

// SignAction signs a decision about the question and the label that the person saw, as
// [Instance.Sign] does about a record.
func (in *Instance) SignAction(ctx context.Context, signer *reviewer.Signer, saw *event.Action, d reviewer.Decision, scope, note string) (reviewer.Signed, error) {
	st, err := in.Guard.ActionStatement(ctx, d, saw.ID, scope, note)
	if err != nil {
		return reviewer.Signed{}, err
	}
	if !isOf(st, saw.Content, saw.Label) {
		return reviewer.Signed{}, fmt.Errorf("%s %s: the question changed while you looked at it: %w", d, saw.ID, guard.ErrTampered)
	}
	return signer.Sign(st)
}

// isOf reports whether a statement is about these bytes with this label.
func isOf(st reviewer.Statement, content string, label hearsay.Label) bool {
	return st.ContentDigest == content && st.LabelOrigin == label.Origin.String() && slices.Equal(st.LabelTaint, label.Taint.Tags())
}

// SignPolicy puts a policy in force: it keeps the exact bytes and seals their hash.
// It returns the hash. The running guard keeps the policy that it was made with.
func (in *Instance) SignPolicy(ctx context.Context, data []byte, signer *reviewer.Signer) (string, error) {
	p, err := policy.Parse(home.FilePolicy, data)
	if err != nil {
		return "", err
	}
	sum, err := in.Home.PutSigned(data)
	if err != nil {
		return "", err
	}
	if sum != p.Hash() {
		return "", errors.New("the policy's hash is not that of its bytes")
	}
	st, err := in.Guard.SubjectStatement(ctx, reviewer.Policy, sum)
	if err != nil {
		return "", err
	}
	signed, err := signer.Sign(st)
	if err != nil {
		return "", err
	}
	mode, _ := p.Mode()
	return sum, in.Guard.PutPolicy(ctx, sum, mode, signed)
}

// CopyCheckpoint brings the newest checkpoint to every configured place outside.
func (in *Instance) CopyCheckpoint(ctx context.Context) error {
	unlock, err := in.Home.Lock(ctx)
	if err != nil {
		return err
	}
	head, err := in.Store.Head(ctx)
	if err == nil && head.Checkpoint != nil {
		err = in.Home.CopyCheckpoint(in.Config.Checkpoints, head.Checkpoint)
	}
	return errors.Join(err, unlock())
}
