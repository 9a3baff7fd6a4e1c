package review

import (
	"context"
	"fmt"
	"strings"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/guard"
	"github.com/hearsay-memory/hearsay/internal/instance"
	"github.com/hearsay-memory/hearsay/internal/memfile"
	"github.com/hearsay-memory/hearsay/internal/tell"
	"github.com/hearsay-memory/hearsay/internal/term"
)

// proposed is what a write to files that waits, or that was released and does not fit, would
// make of them as they are now: what it drops, and a diff. It is for the eyes of a person,
// is not escaped, and is empty for anything else.
func proposed(ctx context.Context, in *instance.Instance, shown *guard.Shown) (string, error) {
	r := shown.Record
	waits := r.Standing == hearsay.Held || r.Standing == hearsay.Released && r.Delivery != hearsay.Applied
	if r.Store != memfile.Store || shown.Erased || !waits {
		return "", nil
	}
	call, err := memfile.DecodeCall(shown.Side.Content)
	if err != nil {
		return "", nil // of a server that is named like the store of files
	}
	if text, misfit := call.Offer(r.ID.String(), memfile.Read); misfit {
		return string(text), nil
	}
	images, err := call.Replay(memfile.Read)
	if err != nil {
		return fmt.Sprintf("What it would change cannot be shown: %v", err), nil
	}
	track := memfile.Tracker{Guard: in.Guard, Caller: in.Caller(hearsay.SurfaceCLI)}
	var b strings.Builder
	moved := make(map[string]bool)
	for _, e := range call.Edits {
		if e.MoveTo != "" {
			moved[e.Path] = true
		}
	}
	for _, im := range images {
		s, err := track.Look(ctx, im.Path)
		if err != nil {
			return "", err
		}
		if loss := memfile.LossOf(s.File, im.Before, im.After); loss.Lines > 0 && !moved[im.Path] {
			fmt.Fprintf(&b, "%s: it %s.\n", im.Path, loss)
		}
		b.Write(im.Diff())
	}
	return b.String(), nil
}

// offered is what a released write that did not fit would do; empty where it was written.
func offered(ctx context.Context, in *instance.Instance, id hearsay.RecordID) (string, error) {
	shown, err := in.Guard.Show(ctx, id)
	if err != nil {
		return "", err
	}
	return proposed(ctx, in, shown)
}

// Offer implements [Item]: what a decision left in change.
func (c *Card) Offer(p *term.Printer) {
	if c.change != "" {
		p.Text(tell.Bar, c.change)
	}
}
