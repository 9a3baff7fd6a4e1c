package adopt

import (
	"context"
	"errors"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/guard"
	"github.com/hearsay-memory/hearsay/internal/instance"
	"github.com/hearsay-memory/hearsay/internal/memfile"
	"github.com/hearsay-memory/hearsay/internal/memfile/segment"
	"github.com/hearsay-memory/hearsay/internal/reviewer"
)

// ErrChanged is returned where a file is not any more what was looked at: nothing of it was
// adopted.
var ErrChanged = errors.New("the file changed while it was looked at")

// Seal signs for the lines and seals that they are an agent's word. It is [ErrChanged] where
// the file is not what was shown.
func (d *Plan) Seal(ctx context.Context, in *instance.Instance, c hearsay.Caller, signer *reviewer.Signer) error {
	_, err := seal(ctx, in, c, signer, d.state, hearsay.Label{Origin: hearsay.Agent, Taint: hearsay.Untainted},
		func(by segment.Owner) ([]byte, guard.FileChange, error) { return d.state.AdoptAll(d.ranges, by) })
	return err
}

// SealLines signs for lines of a file and seals that they are the user's own word, by the record
// that it returns. It is [ErrChanged] where the file is not what was shown.
func SealLines(ctx context.Context, in *instance.Instance, c hearsay.Caller, signer *reviewer.Signer, s *memfile.State, lines segment.Range) (hearsay.RecordID, error) {
	return seal(ctx, in, c, signer, s, hearsay.LabelIdentity,
		func(by segment.Owner) ([]byte, guard.FileChange, error) { return s.Adopt(lines, by) })
}

// seal seals what own makes of a file: some of its lines are an owner's.
func seal(ctx context.Context, in *instance.Instance, c hearsay.Caller, signer *reviewer.Signer, s *memfile.State, as hearsay.Label, own func(segment.Owner) ([]byte, guard.FileChange, error)) (id hearsay.RecordID, err error) {
	text, _, err := own(segment.Owner{})
	if err != nil {
		return id, err
	}
	id, st, err := in.Guard.AttestationAs(ctx, s.Path, text, as.Origin)
	if err != nil {
		return id, err
	}
	signed, err := signer.Sign(st)
	if err != nil {
		return id, err
	}
	text, change, err := own(segment.Owner{Record: id, Label: as})
	if err != nil {
		return id, err
	}
	if now, err := memfile.Read(s.Path); err != nil || memfile.Sum(now) != memfile.Sum(s.Data) {
		return id, ErrChanged
	}
	return id, in.Guard.Attest(ctx, c, s.Known(), change, text, signed)
}
