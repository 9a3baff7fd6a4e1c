package memfile

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/event"
	"github.com/hearsay-memory/hearsay/guard"
	"github.com/hearsay-memory/hearsay/internal/git"
	"github.com/hearsay-memory/hearsay/internal/memfile/segment"
)

// Tracker keeps who said each line of guarded files. It is for one caller.
type Tracker struct {
	Guard  *guard.Guard
	Caller hearsay.Caller

	came came // where bytes came from that nobody was seen writing
}

// State is a guarded file as it is on disk, with who said each line.
type State struct {
	Path  string
	Data  []byte // nil: not there
	File  segment.File
	Drift []segment.Change // what nobody was seen writing, since the last look
	Since int64            // when it was last looked at, UTC ms; 0: never
	Git   git.Account      // what its repository says of bytes that nobody was seen writing

	known  *guard.GuardedFile
	by     hearsay.RecordID // whose write made it what it is; zero: nobody's
	glance glance           // how it looked when Data was read; the zero value: it cannot be told
}

// unseen is who said bytes that nobody was seen writing, joined with the sessions that
// could have.
func (t *Tracker) unseen(ctx context.Context, since int64) (segment.Owner, error) {
	label, err := t.Guard.OpenLabel(ctx, t.Caller.Principal, since)
	if err != nil {
		return segment.Owner{}, err
	}
	return segment.Owner{Label: label.Join(hearsay.Label{Origin: hearsay.Unverified, Taint: hearsay.Untainted})}, nil
}

// Look compares a file with what is known of it. It seals nothing; see [Tracker.Settle].
//
// Bytes without a recorded write are unverified, joined with the label of every session
// that was open since the file was last looked at: they cannot launder what a tainted
// session wrote behind our back. A file that was never looked at is unverified, joined
// with the sessions that were open when it was last changed.
func (t *Tracker) Look(ctx context.Context, path string) (*State, error) {
	data, glance, err := readGlancing(path, Read)
	if err != nil {
		return nil, err
	}
	s := &State{Path: path, Data: data, glance: glance}
	s.known, err = t.Guard.File(ctx, t.Caller.Principal, path)
	if errors.Is(err, guard.ErrNotFound) {
		s.known = nil
		owner := segment.Owner{Label: hearsay.Label{Origin: hearsay.Unverified, Taint: hearsay.Untainted}}
		if data != nil {
			open, err := t.Guard.OpenLabelAt(ctx, t.Caller.Principal, changedAt(path))
			if err != nil {
				return nil, err
			}
			owner.Label = owner.Label.Join(open).Join(t.came.label(ctx, t, s))
		}
		s.File = segment.New(data, owner)
		return s, nil
	}
	if err != nil {
		return nil, err
	}
	s.Since = s.known.Seen
	if err := s.File.UnmarshalBinary(s.known.Owners); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if s.File.Fits(data) == nil {
		return s, nil
	}
	owner, err := t.unseen(ctx, s.Since)
	if err != nil {
		return nil, err
	}
	owner.Label = owner.Label.Join(t.came.label(ctx, t, s))
	after, changes, err := s.File.Drift(s.known.Data, data, owner)
	if errors.Is(err, segment.ErrStale) {
		// The bytes that the owners are of were lost: nothing of the file is known.
		owner.Label = owner.Label.Join(s.File.Label())
		after, changes = segment.New(data, owner), []segment.Change{{Kind: segment.Edit, After: segment.Range{To: 0}, Owner: owner}}
	} else if err != nil {
		return nil, err
	}
	s.File, s.Drift = after, changes
	return s, nil
}

// changedAt is when a file was last changed, UTC ms: by its inode where the system says
// so, which no program sets but by setting the clock. It is now where it cannot be told.
func changedAt(path string) int64 {
	info, err := os.Lstat(filepath.FromSlash(path))
	if err != nil {
		return time.Now().UnixMilli()
	}
	_, _, changed := placeOf(info)
	return max(info.ModTime().UnixMilli(), changed/int64(time.Millisecond))
}

// Known is a file as it was when it was last looked at, whatever it is on disk.
func (t *Tracker) Known(ctx context.Context, path string) (*State, error) {
	known, err := t.Guard.File(ctx, t.Caller.Principal, path)
	if errors.Is(err, guard.ErrNotFound) {
		return &State{Path: path, File: segment.New(nil, segment.Owner{})}, nil
	}
	if err != nil {
		return nil, err
	}
	s := &State{Path: path, Data: known.Data, Since: known.Seen, known: known}
	return s, s.File.UnmarshalBinary(known.Owners)
}

// Settle seals what a look found where it was not known: a first sight as a baseline,
// drift as drift.
func (t *Tracker) Settle(ctx context.Context, s *State) error {
	kind, needed := s.settling()
	if !needed {
		return nil
	}
	return t.save(ctx, s, kind)
}

// settling is as what a look is to be sealed, and whether it is at all.
func (s *State) settling() (kind event.Kind, needed bool) {
	switch {
	case s.known == nil:
		return event.Baseline, s.Data != nil // else it is not there and never was
	default:
		return event.Drift, !bytes.Equal(s.known.Data, s.Data)
	}
}

// Made seals that a recorded write made of the file what it was decided to make, and that
// whatever else the file is by now nobody was seen writing. s is the state from before.
func (t *Tracker) Made(ctx context.Context, s *State, want []byte, by segment.Owner) error {
	after, _, err := s.File.Apply(s.Data, want, by)
	if err != nil {
		return fmt.Errorf("%s: %w", s.Path, err)
	}
	return t.made(ctx, s, want, after, by.Record)
}

// made seals a state whose lines are told; what the file is beyond that nobody was seen
// writing.
func (t *Tracker) made(ctx context.Context, s *State, want []byte, after segment.File, by hearsay.RecordID) error {
	data, glance, err := readGlancing(s.Path, Read)
	if err != nil {
		return err
	}
	if !bytes.Equal(want, data) {
		owner, err := t.unseen(ctx, s.Since)
		if err != nil {
			return err
		}
		if after, _, err = after.Drift(want, data, owner); err != nil {
			return fmt.Errorf("%s: %w", s.Path, err)
		}
	}
	s.Data, s.File, s.glance, s.by = data, after, glance, by
	return t.save(ctx, s, event.FileWritten)
}

// Wrote seals that a recorded write made of the file what it is now. s is the state from
// before the write. Where something else changed it too, that is the write's as well: it
// is joined, and cannot be told apart.
func (t *Tracker) Wrote(ctx context.Context, s *State, by segment.Owner) error {
	data, glance, err := readGlancing(s.Path, Read)
	if err != nil {
		return err
	}
	after, _, err := s.File.Apply(s.Data, data, by)
	if err != nil {
		return fmt.Errorf("%s: %w", s.Path, err)
	}
	s.Data, s.File, s.glance, s.by = data, after, glance, by.Record
	return t.save(ctx, s, event.FileWritten)
}

// Adopt prepares the state in which lines of the file are an owner's, as a person
// adopted them: the bytes that they sign, and what to seal with that.
func (s *State) Adopt(lines segment.Range, by segment.Owner) (text []byte, ch guard.FileChange, err error) {
	at := 0
	for line := range bytes.Lines(s.Data) {
		if lines.From <= at && at < lines.To {
			text = append(text, line...)
		}
		at++
	}
	own := *s
	own.File, own.by = s.File.Own(lines, by), by.Record
	ch, err = own.change(event.FileWritten)
	return text, ch, err
}

// Known returns what the guard knew of the file at the last look.
func (s *State) Known() *guard.GuardedFile { return s.known }

// First reports whether the file was never looked at before.
func (s *State) First() bool { return s.known == nil }

// OnlyEnds reports whether nothing but line ends, or the byte-order mark, changed since the
// file was last recorded.
func (s *State) OnlyEnds() bool {
	return len(s.Drift) > 0 && !slices.ContainsFunc(s.Drift, func(c segment.Change) bool { return c.Kind != segment.EOLOnly })
}

// Low reports whether a line of the file is below an agent's own word: unverified, from
// outside, or tainted.
func (s *State) Low() bool { return Low(s.File.Label()) }

// Low reports whether what has that label is below an agent's own word.
func Low(l hearsay.Label) bool { return l.Origin <= hearsay.Unverified || l.Tainted() }

// Before is the bytes as they were known; nil where it was not there.
func (s *State) Before() []byte {
	if s.known == nil {
		return nil
	}
	return s.known.Data
}

// Was is who said the lines of [State.Before].
func (s *State) Was() (segment.File, error) {
	var f segment.File
	if s.known == nil {
		return f, nil
	}
	err := f.UnmarshalBinary(s.known.Owners)
	return f, err
}

// Changed reports whether the file is not what was known of it.
func (s *State) Changed() bool {
	before := s.Before()
	return !bytes.Equal(before, s.Data) || (before == nil) != (s.Data == nil)
}

// SettleAs seals what a look found as the words of a source of that label.
func (t *Tracker) SettleAs(ctx context.Context, s *State, label hearsay.Label) error {
	return t.rewrite(ctx, s, segment.Owner{Label: label}, event.Drift)
}

// WroteAs seals that what a look found is a recorded write.
func (t *Tracker) WroteAs(ctx context.Context, s *State, by segment.Owner) error {
	return t.rewrite(ctx, s, by, event.FileWritten)
}

// rewrite seals the difference between what was known and what is there as by's.
func (t *Tracker) rewrite(ctx context.Context, s *State, by segment.Owner, kind event.Kind) error {
	was, err := t.Known(ctx, s.Path)
	if err != nil {
		return err
	}
	after, _, err := was.File.Apply(was.Data, s.Data, by)
	if err != nil {
		return fmt.Errorf("%s: %w", s.Path, err)
	}
	s.File, s.known, s.by = after, was.known, by.Record
	return t.save(ctx, s, kind)
}

// save seals a state and remembers it as the known one.
func (t *Tracker) save(ctx context.Context, s *State, kind event.Kind) error {
	ch, err := s.change(kind)
	if err != nil {
		return err
	}
	s.known, err = t.Guard.SaveFile(ctx, t.Caller, s.known, ch)
	s.by = hearsay.RecordID{}
	return err
}

// change is the state as it is sealed.
func (s *State) change(kind event.Kind) (guard.FileChange, error) {
	owners, err := s.File.MarshalBinary()
	if err != nil {
		return guard.FileChange{}, err
	}
	label := s.File.Label()
	s.glance.low = s.Low()
	return guard.FileChange{
		Kind: kind, Path: s.Path, Data: s.Data, Owners: owners, Label: label, Lines: s.File.Lines(), Former: s.former(kind), Glance: s.glance.encode(),
	}, nil
}

// former is what is kept of the file as it was before.
func (s *State) former(kind event.Kind) []byte {
	switch {
	case s.known != nil && (s.known.Data != nil || s.known.Image.Lines == 0):
		return encodeFormer(s.by, s.known.Data, s.Data)
	case s.known == nil && kind == event.FileWritten:
		return encodeFormer(s.by, nil, s.Data) // it was looked at before, and was not there
	}
	return nil
}
