package instance

import (
	"context"
	"fmt"
	"slices"

	"github.com/hearsay-memory/hearsay/event"
	"github.com/hearsay-memory/hearsay/guard"
	"github.com/hearsay-memory/hearsay/internal/reviewer"
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
	if st.ContentDigest != saw.Content || st.LabelOrigin != saw.Label.Origin.String() || !slices.Equal(st.LabelTaint, saw.Label.Taint.Tags()) {
		return reviewer.Signed{}, fmt.Errorf("%s %s: the record changed while you looked at it: %w", d, saw.ID, guard.ErrTampered)
	}
	return signer.Sign(st)
}
