package blame

import (
	"context"
	"errors"
	"fmt"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/guard"
	"github.com/hearsay-memory/hearsay/internal/instance"
	"github.com/hearsay-memory/hearsay/internal/memfile"
	"github.com/hearsay-memory/hearsay/internal/tell"
	"github.com/hearsay-memory/hearsay/internal/term"
)

// BeforeWrite is a memory file as it was just before the write of a record.
func BeforeWrite(ctx context.Context, in *instance.Instance, path string, id hearsay.RecordID) (*memfile.Version, error) {
	h, err := historyOf(ctx, in, path)
	if err != nil {
		return nil, err
	}
	n, ok := h.Of(id)
	if !ok {
		return nil, fmt.Errorf("no state of %s is of the record %s; `hearsay ls --file` shows whose lines are in it", term.Safe(path), id)
	}
	return h.State(n - 1)
}

// AsOf is a memory file as it was recorded at a time, UTC ms.
func AsOf(ctx context.Context, in *instance.Instance, path string, at int64) (*memfile.Version, error) {
	h, err := historyOf(ctx, in, path)
	if err != nil {
		return nil, err
	}
	n := h.AsOf(at)
	if n < 0 {
		return nil, fmt.Errorf("%s was first recorded after %s: what it was then is not known", term.Safe(path), tell.Instant(at))
	}
	return h.State(n)
}

func historyOf(ctx context.Context, in *instance.Instance, path string) (*memfile.History, error) {
	track := memfile.Tracker{Guard: in.Guard, Caller: in.Caller(hearsay.SurfaceCLI)}
	h, err := track.History(ctx, path)
	if errors.Is(err, guard.ErrNotFound) {
		return nil, fmt.Errorf("%s was never recorded: nothing of it is kept", term.Safe(path))
	}
	return h, err
}
