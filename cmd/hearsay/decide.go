package main

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/hearsay-memory/hearsay/event"
	"github.com/hearsay-memory/hearsay/guard"
	"github.com/hearsay-memory/hearsay/internal/instance"
	"github.com/hearsay-memory/hearsay/internal/reviewer"
)

// seal signs a decision about a record as the person saw it, and carries it out.
func seal(ctx context.Context, in *instance.Instance, signer *reviewer.Signer, saw *event.Record, d reviewer.Decision, note string) (*event.Record, error) {
	signed, err := sign(ctx, in, signer, saw, d, note)
	if err != nil {
		return nil, err
	}
	if d == reviewer.Revoke {
		return in.Guard.Revoke(ctx, signed)
	}
	return in.Guard.Review(ctx, signed, note)
}

// sign signs a decision about the bytes and the label that the person saw. The store
// is read again for the statement; had it changed in between, a signature would be
// about something that nobody looked at.
func sign(ctx context.Context, in *instance.Instance, signer *reviewer.Signer, saw *event.Record, d reviewer.Decision, note string) (reviewer.Signed, error) {
	st, err := in.Guard.Statement(ctx, d, saw.ID, note)
	if err != nil {
		return reviewer.Signed{}, err
	}
	if st.ContentDigest != saw.Content || st.LabelOrigin != saw.Label.Origin.String() || !slices.Equal(st.LabelTaint, saw.Label.Taint.Tags()) {
		return reviewer.Signed{}, fmt.Errorf("%s %s: the record changed while you looked at it: %w", d, saw.ID, guard.ErrTampered)
	}
	return signer.Sign(st)
}

// failures counts what could not be decided, where one failure does not stop the rest.
type failures struct {
	n        int
	tampered bool
}

func (f *failures) add(err error) {
	f.n++
	f.tampered = f.tampered || errors.Is(err, guard.ErrTampered)
}

// err is how the command ends. A store that was changed is the graver of two reasons.
func (f *failures) err(text string) error {
	switch {
	case f.n == 0:
		return nil
	case f.tampered:
		return &exitError{exitIntegrity, text}
	}
	return &exitError{exitFailed, text}
}
