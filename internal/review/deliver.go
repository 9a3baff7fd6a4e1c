package review

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/event"
	"github.com/hearsay-memory/hearsay/internal/instance"
	"github.com/hearsay-memory/hearsay/internal/memfile"
)

// DeliverFiles does at once what waits for guarded files: no proxy stands before them.
func DeliverFiles(ctx context.Context, in *instance.Instance) (_ []memfile.Delivered, err error) {
	unlock, err := in.Home.LockNamed(ctx, memfile.Store)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, unlock()) }()
	return memfile.Deliver(ctx, in.Guard, in.Caller(hearsay.SurfaceCLI))
}

// released says what became of a released write to files.
func released(ctx context.Context, in *instance.Instance, r *event.Record) (string, error) {
	done, err := DeliverFiles(ctx, in)
	if err != nil {
		return "", fmt.Errorf("record %s is released, and was not written: %w; it is tried again when a session of the agent starts", r.ID, err)
	}
	for _, d := range done {
		if d.Record != r.ID {
			continue
		}
		if d.Conflict != "" {
			return fmt.Sprintf("released, and not written: %s. Its bytes are kept: `hearsay review show %s` shows what they would make of the file; put in what you want by hand and adopt it with `hearsay attest %s`, or let the agent write it anew",
				d.Conflict, r.ID, d.Paths[0]), nil
		}
		text := fmt.Sprintf("released and written to %s, label still %s", strings.Join(d.Paths, ", "), r.Label)
		if d.Warning != "" {
			text += "; " + d.Warning
		}
		return text, nil
	}
	return outcome(r), nil
}
