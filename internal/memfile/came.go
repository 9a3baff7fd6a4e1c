package memfile

import (
	"context"
	"path"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/internal/git"
)

// came finds out where bytes came from that nobody was seen writing. What it finds can
// lower their label and never raises it. The zero value is ready.
type came struct {
	git   git.Reader
	trees map[string]bool // by folder: it lies in a tree that somebody else wrote
}

// label is what is known against the bytes of a state: they lie in a tree that was cloned,
// unpacked or installed, or Git brought them with somebody else's commits. Else it is the
// identity. What the repository says of the bytes is kept in the state.
func (c *came) label(ctx context.Context, t *Tracker, s *State) hearsay.Label {
	s.Git = c.git.Explain(s.Path, s.Data, s.Since)
	dir := path.Dir(s.Path)
	foreign, known := c.trees[dir]
	if !known {
		foreign = t.Guard.ForeignTree(ctx, t.Caller.Principal, dir)
		if c.trees == nil {
			c.trees = make(map[string]bool)
		}
		c.trees[dir] = foreign
	}
	if !foreign && !s.Git.Foreign {
		return hearsay.LabelIdentity
	}
	if p := t.Guard.Policy(); p != nil {
		return p.SourceTable().Classify(hearsay.Source{Type: "document"}).Label()
	}
	return hearsay.Label{}
}
