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

// keptGlance is a glance as it is kept, beside the path of its file: the path of a file
// that is gone is not to be told from the log, which has digests of paths only.
type keptGlance struct {
	Glance
	path string
}

// encode writes the event, the length of the path, the path, and the glance.
func (k keptGlance) encode() []byte {
	b := binary.BigEndian.AppendUint64(nil, uint64(k.Seq))
	b = binary.AppendUvarint(b, uint64(len(k.path)))
	return append(append(b, k.path...), k.Data...)
}

// decodeKept reads what encode wrote.
func decodeKept(b []byte) (k keptGlance, ok bool) {
	if len(b) <= 8 {
		return k, false
	}
	k.Seq, b = int64(binary.BigEndian.Uint64(b)), b[8:]
	n, size := binary.Uvarint(b)
	if size <= 0 || n > uint64(len(b)-size) {
		return k, false
	}
	b = b[size:]
	k.path, k.Data = string(b[:n]), b[n:]
	return k, true
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
		if k, ok := decodeKept(w.Data); ok && len(k.Data) > 0 {
			all[w.Name] = k.Glance
		}
	}
	return func(path string) (Glance, bool) {
		gl, ok := all[g.fileID(path)]
		return gl, ok
	}, nil
}

// FilePaths lists the paths of the principal's guarded files that were there when they
// were last recorded, in every workspace. Like glances it is a hint: where it was lost,
// a file that goes is not missed.
func (g *Guard) FilePaths(ctx context.Context, principal string) ([]string, error) {
	kept, err := g.store.Words(ctx, SessionKey{principal, glanceSession}, now())
	if err != nil {
		return nil, fmt.Errorf("which files are guarded: %w", err)
	}
	var out []string
	for _, w := range kept {
		if k, ok := decodeKept(w.Data); ok && k.path != "" && g.fileID(k.path) == w.Name {
			out = append(out, k.path)
		}
	}
	return out, nil
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
			if err := putGlance(tx, c.Principal, id, keptGlance{gl, path}); err != nil {
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

// putGlance replaces the glance at a file, and what is kept of its path.
func putGlance(tx Tx, principal, id string, k keptGlance) error {
	return tx.PutWords(StoredWords{
		Session: SessionKey{principal, glanceSession}, Name: id, Data: k.encode(), Expires: tx.Now() + treeFor.Milliseconds(),
	})
}
