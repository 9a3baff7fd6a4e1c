package guard

import (
	"context"
	"encoding/binary"
	"fmt"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/event"
)

// glanceSession is where glances at guarded files are kept, each named by its file; no
// surface can open it.
const glanceSession = "glances"

// Glance is how a guarded file looked on disk when its bytes were the recorded ones: by
// it a surface tells that it need not read them again. It is a hint beside the record. It
// is replaced whenever the file is recorded, and losing it costs a look.
type Glance struct {
	Seq  int64  // of the event that recorded the file
	Data []byte // in the surface's encoding; empty: not known
}

// Glances reads all glances of a principal at once, and returns how to look one up by
// its file's path.
func (g *Guard) Glances(ctx context.Context, principal string) (func(path string) (Glance, bool), error) {
	kept, err := g.store.Words(ctx, SessionKey{principal, glanceSession}, now())
	if err != nil {
		return nil, fmt.Errorf("how the guarded files looked: %w", err)
	}
	all := make(map[string]Glance, len(kept))
	for _, w := range kept {
		if len(w.Data) > 8 {
			all[w.Name] = Glance{int64(binary.BigEndian.Uint64(w.Data)), w.Data[8:]}
		}
	}
	return func(path string) (Glance, bool) {
		gl, ok := all[g.fileID(path)]
		return gl, ok
	}, nil
}

// KeepGlances keeps newer glances of files that did not change, by their paths. One of a
// file that was recorded meanwhile is dropped: it is of other bytes.
func (g *Guard) KeepGlances(ctx context.Context, c hearsay.Caller, glances map[string]Glance) error {
	if len(glances) == 0 {
		return nil
	}
	_, err := g.store.Update(ctx, func(tx Tx) ([]event.Draft, error) {
		for path, gl := range glances {
			id := g.fileID(path)
			put, err := tx.Get(ctx, event.Files, event.FileKey(c.Principal, id))
			if err != nil || put.Seq != gl.Seq {
				continue
			}
			if err := putGlance(tx, c.Principal, id, gl); err != nil {
				return nil, err
			}
		}
		return nil, nil
	})
	if err != nil {
		return fmt.Errorf("keep how guarded files looked: %w", err)
	}
	return nil
}

// putGlance replaces the glance at a file; one without data takes the older one away.
func putGlance(tx Tx, principal, id string, gl Glance) error {
	data := binary.BigEndian.AppendUint64(nil, uint64(gl.Seq))
	return tx.PutWords(StoredWords{
		Session: SessionKey{principal, glanceSession}, Name: id, Data: append(data, gl.Data...), Expires: tx.Now() + treeFor.Milliseconds(),
	})
}
