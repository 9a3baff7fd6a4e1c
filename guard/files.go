package guard

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"time"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/event"
)

// fileSession is where the bytes of one guarded file are kept, beside the words of
// sessions; no surface can open it. Each file has one of its own, so that reading one
// does not read them all.
func fileSession(principal, id string) SessionKey { return SessionKey{principal, "files/" + id} }

// GuardedFile is what is known of a guarded file: who said each line, and the bytes that
// this is about.
type GuardedFile struct {
	Image  *event.File
	Owners []byte // as the surface encoded them
	Data   []byte // the bytes; nil: they were lost, and nothing can be compared
	Seen   int64  // when they were recorded, UTC ms
}

// FileChange is a new state of a guarded file.
type FileChange struct {
	Kind   event.Kind // [event.FileWritten], [event.Drift] or [event.Baseline]
	Path   string     // real, absolute and slash separated
	Data   []byte
	Owners []byte        // who said each line, in the surface's encoding
	Label  hearsay.Label // the join of all lines
	Lines  int
	Former []byte // how the file was before, in the surface's encoding; nil: not kept
	Glance []byte // how the file looked on disk with these bytes, in the surface's encoding; nil: not known
}

// FileSave is a new state and the one that it was made from; nil for the first one.
type FileSave struct {
	Was *GuardedFile
	FileChange
}

// File returns what is known of a guarded file, or [ErrNotFound].
func (g *Guard) File(ctx context.Context, principal, path string) (*GuardedFile, error) {
	put, err := g.store.Get(ctx, event.Files, event.FileKey(principal, g.fileID(path)))
	if err != nil {
		return nil, err
	}
	image, err := event.DecodeFile(put.Value)
	if err != nil {
		return nil, err
	}
	side, err := g.sideOf(ctx, g.store, image.Side, image.Content)
	if err != nil {
		return nil, fmt.Errorf("who said the lines of %s: %w", path, err)
	}
	f := &GuardedFile{Image: image, Owners: side.Content}
	kept, err := g.store.Words(ctx, fileSession(principal, image.ID), now())
	if err != nil {
		return nil, err
	}
	for _, w := range kept {
		if w.Name == image.ID {
			f.Data, f.Seen = w.Data, w.Expires-treeFor.Milliseconds()
		}
	}
	return f, nil
}

// FileLabel returns the join of all lines of a guarded file as it was last recorded, or
// [ErrNotFound].
func (g *Guard) FileLabel(ctx context.Context, principal, path string) (hearsay.Label, error) {
	put, err := g.store.Get(ctx, event.Files, event.FileKey(principal, g.fileID(path)))
	if err != nil {
		return hearsay.Label{}, err
	}
	image, err := event.DecodeFile(put.Value)
	if err != nil {
		return hearsay.Label{}, err
	}
	return image.Label, nil
}

// SaveFile seals a new state of a guarded file. was is the state that it was made from,
// nil for the first one: where somebody else sealed another meanwhile it is refused, and
// has to be made anew. It returns the file as it is known then.
func (g *Guard) SaveFile(ctx context.Context, c hearsay.Caller, was *GuardedFile, ch FileChange) (*GuardedFile, error) {
	saved, err := g.SaveFiles(ctx, c, []FileSave{{was, ch}})
	if err != nil {
		return nil, fmt.Errorf("record %s: %w", ch.Path, err)
	}
	return saved[0], nil
}

// SaveFiles is [Guard.SaveFile] for many files at once. Where one is refused, all are.
func (g *Guard) SaveFiles(ctx context.Context, c hearsay.Caller, saves []FileSave) ([]*GuardedFile, error) {
	var at int64
	events, err := g.store.Update(ctx, func(tx Tx) ([]event.Draft, error) {
		at = tx.Now()
		drafts := make([]event.Draft, len(saves))
		for i, s := range saves {
			var err error
			if drafts[i], err = g.fileDraft(ctx, tx, c, s.Was, s.FileChange, tx.Seq()+int64(i)); err != nil {
				return nil, err
			}
		}
		return drafts, nil
	})
	if err != nil {
		return nil, err
	}
	out := make([]*GuardedFile, len(saves))
	for i, s := range saves {
		out[i] = &GuardedFile{Image: events[i].File, Owners: s.Owners, Data: s.Data, Seen: at}
	}
	return out, nil
}

// fileDraft keeps the bytes of a new state and makes its event, which will be at seq.
func (g *Guard) fileDraft(ctx context.Context, tx Tx, c hearsay.Caller, was *GuardedFile, ch FileChange, seq int64) (event.Draft, error) {
	id := g.fileID(ch.Path)
	put, err := tx.Get(ctx, event.Files, event.FileKey(c.Principal, id))
	switch {
	case errors.Is(err, ErrNotFound):
		if was != nil {
			return event.Draft{}, ErrTampered
		}
	case err != nil:
		return event.Draft{}, err
	case was == nil || put.Seq != was.Image.Side:
		return event.Draft{}, refuse("the file was recorded by somebody else meanwhile: look at it again")
	}
	err = tx.PutWords(StoredWords{
		Session: fileSession(c.Principal, id), Name: id, Data: ch.Data, Expires: tx.Now() + treeFor.Milliseconds(),
	})
	if err == nil {
		kept := keptGlance{Glance: Glance{seq, ch.Glance}}
		if ch.Data != nil {
			kept.path = ch.Path
		}
		err = putGlance(tx, c.Principal, id, kept)
	}
	return event.Draft{
		Event: event.Event{Kind: ch.Kind, File: &event.File{ID: id, Principal: c.Principal, Label: ch.Label, Lines: ch.Lines}},
		Side:  event.Side{Ref: ch.Path, Project: c.Project, Content: ch.Owners, Former: ch.Former},
	}, err
}

// OpenLabel is the join of the principal's sessions that were live at any time since
// at (UTC ms): what could have written a file that nobody was seen writing. With none
// it is the identity.
func (g *Guard) OpenLabel(ctx context.Context, principal string, since int64) (hearsay.Label, error) {
	rows, err := g.store.Sessions(ctx, &principal, now())
	if err != nil {
		return hearsay.Label{}, err
	}
	label := hearsay.LabelIdentity
	for _, s := range rows {
		if s.Used+2*stillThere.Milliseconds() >= since { // a use is noted now and then only
			label = label.Join(s.Label)
		}
	}
	return label, nil
}

// OpenLabelAt is the join of the principal's sessions that were open at a time (UTC ms).
func (g *Guard) OpenLabelAt(ctx context.Context, principal string, at int64) (hearsay.Label, error) {
	rows, err := g.store.Sessions(ctx, &principal, now())
	if err != nil {
		return hearsay.Label{}, err
	}
	label := hearsay.LabelIdentity
	for _, s := range rows {
		// Files are stamped by a coarser clock than sessions.
		if s.Started-time.Second.Milliseconds() <= at && s.Used+2*stillThere.Milliseconds() >= at {
			label = label.Join(s.Label)
		}
	}
	return label, nil
}

func (g *Guard) fileID(path string) string {
	d := g.index.Digest("file", []byte(path))
	return hex.EncodeToString(d[:])
}
