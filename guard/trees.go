package guard

import (
	"context"
	"fmt"
	"path"
	"time"

	"github.com/hearsay-memory/hearsay/event"
)

// treeFor is how long it is remembered that a tree came from elsewhere: longer than
// anybody keeps one without looking at it.
const treeFor = 10 * 365 * 24 * time.Hour

// maxTreeDepth bounds the ancestors of a path that are looked up.
const maxTreeDepth = 64

// RememberTrees keeps, across sessions, that what lies below the folders was written
// by somebody else: cloned, unpacked, installed. Paths are absolute, real and slash
// separated.
func (g *Guard) RememberTrees(ctx context.Context, principal string, roots []string) error {
	if len(roots) == 0 {
		return nil
	}
	_, err := g.store.Update(ctx, func(tx Tx) ([]event.Draft, error) {
		for _, root := range roots {
			if err := tx.Mark(g.treeMark(principal, path.Clean(root)), tx.Now()+treeFor.Milliseconds()); err != nil {
				return nil, err
			}
		}
		return nil, nil
	})
	if err != nil {
		return fmt.Errorf("remember trees from elsewhere: %w", err)
	}
	return nil
}

// ForeignTree reports whether a path lies in a tree that [Guard.RememberTrees] was told
// of. What cannot be looked up, and what lies too deep, does.
func (g *Guard) ForeignTree(ctx context.Context, principal, name string) bool {
	at := now()
	for range maxTreeDepth {
		if seen, err := g.store.Seen(ctx, g.treeMark(principal, name), at); err != nil || seen {
			return true
		}
		up := path.Dir(name)
		if up == name {
			return false
		}
		name = up
	}
	return true
}

// writtenFor is how long it is remembered that a tainted session wrote a file.
const writtenFor = 365 * 24 * time.Hour

// RememberWritten keeps, across sessions, that a tainted session wrote files: their words
// are nobody's that was seen, whoever reads them later. Paths are real and absolute.
func (g *Guard) RememberWritten(ctx context.Context, principal string, names []string) error {
	for _, name := range names {
		if err := g.remember(ctx, g.writtenMark(principal, name), writtenFor); err != nil {
			return fmt.Errorf("remember what a tainted session wrote: %w", err)
		}
	}
	return nil
}

// WrittenTainted reports whether [Guard.RememberWritten] was told of a file. One that
// cannot be looked up was.
func (g *Guard) WrittenTainted(ctx context.Context, principal, name string) bool {
	seen, err := g.store.Seen(ctx, g.writtenMark(principal, name), now())
	return err != nil || seen
}

func (g *Guard) writtenMark(principal, name string) [32]byte {
	return g.index.Digest("written", []byte(principal), []byte(name))
}

func (g *Guard) treeMark(principal, root string) [32]byte {
	return g.index.Digest("tree", []byte(principal), []byte(root))
}
