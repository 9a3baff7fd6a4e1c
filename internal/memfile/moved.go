package memfile

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"path"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/event"
	"github.com/hearsay-memory/hearsay/internal/memfile/segment"
)

// Others are files, as they were known, whose lines another file may have taken. The zero
// value is none.
type Others struct {
	files []*State
	rest  hearsay.Label // the join of files that are not compared line by line
	more  bool          // there are such
}

// maxOthers bounds the files that one file is compared with.
const maxOthers = 8

// Past is a file as it was known before the look; nil where it was not there, or its bytes
// were lost.
func (s *State) Past() (*State, error) {
	if s.Before() == nil {
		return nil, nil
	}
	was, err := s.Was()
	if err != nil || was.Fits(s.known.Data) != nil {
		return nil, err
	}
	return &State{Path: s.Path, Data: s.known.Data, File: was}, nil
}

// Choose returns those of the files that s is compared with: one with the very bytes, else
// all of a few; of many, those of its name, and the others count for all that they have.
func (s *State) Choose(files []*State) Others {
	var o Others
	for _, f := range files {
		if f.Path != s.Path && bytes.Equal(f.Data, s.Data) {
			return Others{files: []*State{f}}
		}
	}
	for _, f := range files {
		switch {
		case f.Path == s.Path:
		case len(o.files) < maxOthers && (len(files) <= maxOthers || path.Base(f.Path) == path.Base(s.Path)):
			o.files = append(o.files, f)
		default:
			o = o.Below(f)
		}
	}
	return o
}

// Below returns the others, with one more that counts for all that it has.
func (o Others) Below(f *State) Others {
	if !o.more {
		o.rest, o.more = hearsay.LabelIdentity, true
	}
	o.rest = o.rest.Join(f.File.Label())
	return o
}

// Exact returns the path of the file whose bytes are those of s; empty where there is none.
func (o Others) Exact(s *State) string {
	if len(o.files) == 1 && s.Data != nil && bytes.Equal(o.files[0].Data, s.Data) {
		return o.files[0].Path
	}
	return ""
}

// Twin returns one of the other files that had, when they were last looked at, the bytes
// that st has and a line below an agent's own word; empty where there is none.
func (s *Survey) Twin(st *State, names []string) string {
	if s.twins == nil {
		s.twins = make(map[[sha256.Size]byte]string)
		for _, name := range names {
			if kept, ok := s.known(name); ok {
				if g := decodeGlance(kept.Data); g.low {
					s.twins[g.sum] = name
				}
			}
		}
	}
	if len(s.twins) == 0 || len(st.Data) == 0 {
		return ""
	}
	if name := s.twins[sha256.Sum256(st.Data)]; name != st.Path {
		return name
	}
	return ""
}

// Take makes of a state of a file the one that its next version is compared with where
// that may have lines of others.
func (s *State) Take(o Others) error {
	for _, f := range o.files {
		both, data, err := s.File.Beside(s.Data, f.File, f.Data)
		if err != nil {
			return fmt.Errorf("%s: %w", s.Path, err)
		}
		s.File, s.Data = both, data
	}
	return nil
}

// Tell finds out anew who said the lines of what a look found where it may have taken
// lines of others that went: those keep their owners, as lines that move within a file do,
// and all else that nobody was seen writing is unverified. It seals nothing.
func (t *Tracker) Tell(ctx context.Context, s *State, o Others) error {
	if _, needed := s.settling(); !needed || len(o.files) == 0 && !o.more {
		return nil
	}
	by := segment.Owner{Label: hearsay.Label{Origin: hearsay.Unverified, Taint: hearsay.Untainted}}
	switch {
	case !s.First():
		var err error
		if by, err = t.unseen(ctx, s.Since); err != nil {
			return err
		}
		by.Label = by.Label.Join(t.came.label(ctx, t, s))
	case s.File.Lines() > 0:
		by.Label = s.File.Label() // a first sight is all of one owner
	}
	return t.tell(ctx, s, o, by)
}

// WroteMoved is [Tracker.WroteAs] of a write that may have taken lines of others.
func (t *Tracker) WroteMoved(ctx context.Context, s *State, o Others, by segment.Owner) error {
	if err := t.tell(ctx, s, o, by); err != nil {
		return err
	}
	return t.save(ctx, s, event.FileWritten)
}

// tell finds out anew who said the lines of what a look found.
func (t *Tracker) tell(ctx context.Context, s *State, o Others, by segment.Owner) error {
	if o.more {
		by.Label = by.Label.Join(o.rest)
	}
	base, err := t.Known(ctx, s.Path)
	if err != nil {
		return err
	}
	err = base.Take(o)
	if err == nil {
		var after segment.File
		if after, s.Drift, err = base.File.Apply(base.Data, s.Data, by); err == nil {
			s.File, s.known = after, base.known
			return nil
		}
	}
	if !errors.Is(err, segment.ErrStale) {
		return err
	}
	// The bytes that the owners are of were lost: nothing of the file is known.
	by.Label = by.Label.Join(base.File.Label())
	for _, f := range o.files {
		by.Label = by.Label.Join(f.File.Label())
	}
	s.File, s.known = segment.New(s.Data, by), base.known
	return nil
}
