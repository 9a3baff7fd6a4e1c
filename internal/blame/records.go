package blame

import (
	"context"
	"fmt"
	"io/fs"
	"slices"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/event"
	"github.com/hearsay-memory/hearsay/guard"
	"github.com/hearsay-memory/hearsay/internal/instance"
	"github.com/hearsay-memory/hearsay/internal/memfile"
	"github.com/hearsay-memory/hearsay/internal/term"
)

// Records finds the records of a memory file: those that its lines came with, as it is on
// disk, and those held whose write would change it. A file that is not there can still be
// one that a held write would make.
func Records(ctx context.Context, in *instance.Instance, name string) (map[hearsay.RecordID]bool, error) {
	s, err := LookFor(ctx, in, name)
	if err != nil {
		return nil, err
	}
	ids := make(map[hearsay.RecordID]bool)
	for _, o := range s.File.All() {
		if !o.Record.IsZero() {
			ids[o.Record] = true
		}
	}
	var held []hearsay.RecordID // read first: the store is asked of each below
	for r, err := range in.Guard.List(ctx, guard.Query{Queue: event.QueueReview, Match: func(r *event.Record) bool { return r.Store == memfile.Store }}) {
		if err != nil {
			return nil, err
		}
		held = append(held, r.ID)
	}
	for _, id := range held {
		shown, err := in.Guard.Show(ctx, id)
		if err != nil {
			return nil, fmt.Errorf("record %s: %w", id, err)
		}
		if shown.Erased {
			continue // where it would go is not known any more
		}
		// What is no call of files, of a server that is named like their store, goes to none.
		if call, err := memfile.DecodeCall(shown.Side.Content); err == nil && slices.Contains(call.Paths(), s.Path) {
			ids[id] = true
		}
	}
	if s.Data == nil && s.First() && len(ids) == 0 {
		return nil, fmt.Errorf("%s: %w, and nothing that is held would make it", term.Safe(name), fs.ErrNotExist)
	}
	return ids, nil
}
