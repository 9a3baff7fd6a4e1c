package guard

import (
	"context"
	"errors"
	"fmt"

	"github.com/hearsay-memory/hearsay/event"
)

// FileEvent is one recorded state of a guarded file.
type FileEvent struct {
	Seq    int64
	T      int64 // UTC ms
	Kind   event.Kind
	Image  *event.File
	Owners []byte // as the surface encoded them; nil: erased
	Former []byte // how the file was before; nil: it was not kept, or was erased
}

// FileHistory returns the recorded states of a guarded file, oldest first, checked against
// their commitments. It reads the whole log: it is for people's commands and for what they
// withdraw.
func (g *Guard) FileHistory(ctx context.Context, principal, path string) ([]FileEvent, error) {
	id := g.fileID(path)
	var out []FileEvent
	for entry, err := range g.store.Log(ctx, 0) {
		if err != nil {
			return nil, fmt.Errorf("read the history of %s: %w", path, err)
		}
		e, err := event.Decode(entry.Body)
		if err != nil {
			return nil, fmt.Errorf("entry %d: %w: %w", entry.Seq, ErrTampered, err)
		}
		if e.File != nil && e.File.ID == id && e.File.Principal == principal {
			out = append(out, FileEvent{Seq: e.Seq, T: e.T, Kind: e.Kind, Image: e.File})
		}
	}
	for i, f := range out {
		side, err := g.sideOf(ctx, g.store, f.Image.Side, f.Image.Content)
		switch {
		case errors.Is(err, ErrNotFound):
		case err != nil:
			return nil, fmt.Errorf("entry %d of the history of %s: %w", f.Seq, path, err)
		default:
			out[i].Owners, out[i].Former = side.Content, side.Former
		}
	}
	return out, nil
}
