package guard

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/event"
)

// filesSession is where the bytes of guarded files are kept, beside the words of
// sessions; no surface can open it.
const filesSession = "files"

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
	kept, err := g.store.Words(ctx, SessionKey{principal, filesSession}, now())
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

// SaveFile seals a new state of a guarded file. was is the state that it was made from,
// nil for the first one: where somebody else sealed another meanwhile it is refused, and
// has to be made anew. It returns the file as it is known then.
func (g *Guard) SaveFile(ctx context.Context, c hearsay.Caller, was *GuardedFile, ch FileChange) (*GuardedFile, error) {
	var at int64
	events, err := g.store.Update(ctx, func(tx Tx) ([]event.Draft, error) {
		at = tx.Now()
		draft, err := g.fileDraft(ctx, tx, c, was, ch)
		return []event.Draft{draft}, err
	})
	if err != nil {
		return nil, fmt.Errorf("record %s: %w", ch.Path, err)
	}
	return &GuardedFile{Image: events[0].File, Owners: ch.Owners, Data: ch.Data, Seen: at}, nil
}

// fileDraft keeps the bytes of a new state and makes its event.
func (g *Guard) fileDraft(ctx context.Context, tx Tx, c hearsay.Caller, was *GuardedFile, ch FileChange) (event.Draft, error) {
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
		Session: SessionKey{c.Principal, filesSession}, Name: id, Data: ch.Data, Expires: tx.Now() + treeFor.Milliseconds(),
	})
	return event.Draft{
		Event: event.Event{Kind: ch.Kind, File: &event.File{ID: id, Principal: c.Principal, Label: ch.Label, Lines: ch.Lines}},
		Side:  event.Side{Ref: ch.Path, Project: c.Project, Content: ch.Owners},
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

func (g *Guard) fileID(path string) string {
	d := g.index.Digest("file", []byte(path))
	return hex.EncodeToString(d[:])
}
