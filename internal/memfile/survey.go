package memfile

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"

	"github.com/hearsay-memory/hearsay/guard"
)

// Care is how closely a survey looks. The zero value is the closest.
type Care uint8

// The ways to look at many files.
const (
	Hash Care = iota // every file is read and its digest compared
	Stat             // a file that looks as it did when it was recorded is not read
)

// Survey looks at many files of a caller. What it knows of how they looked it reads once.
//
// With [Stat] size, times and inode must be those of a look at the recorded bytes, and
// the last write must lie well before that look; on any doubt the file is read. Who can
// set a file's times, and on Linux and macOS the clock too, can hide a change from it
// until something looks with [Hash].
type Survey struct {
	track *Tracker
	care  Care
	known func(string) (guard.Glance, bool)
	disk  folders
	fresh map[string]guard.Glance      // newer glances of what did not change
	twins map[[sha256.Size]byte]string // see Twin

	batch  []*State
	bytes  int
	failed error // of what could not be sealed
}

// Survey begins a survey.
func (t *Tracker) Survey(ctx context.Context, care Care) (*Survey, error) {
	known, err := t.Guard.Glances(ctx, t.Caller.Principal)
	if err != nil {
		return nil, err
	}
	return &Survey{track: t, care: care, known: known, fresh: make(map[string]guard.Glance)}, nil
}

// Unchanged reports whether a file is as it was recorded, and whether a line of it is
// below an agent's own word. It reads neither the segments nor the recorded bytes. false
// means that it has to be looked at.
func (s *Survey) Unchanged(path string) (low, unchanged bool) {
	kept, ok := s.known(path)
	if !ok {
		return false, false
	}
	was := decodeGlance(kept.Data)
	if !was.described || !s.disk.ordinary(path) {
		return false, false
	}
	now, err := glimpse(path)
	if err != nil || now.size != was.size {
		return false, false
	}
	vouched := was.vouches(now)
	if vouched && s.care == Stat {
		return was.low, true
	}
	_, now, err = readGlancing(path, s.disk.read)
	if err != nil || !now.described || now.sum != was.sum {
		return false, false
	}
	if !vouched {
		now.low = was.low
		s.keep(path, kept.Seq, now)
	}
	return was.low, true
}

// A batch that is sealed at once has at most that many files, and bytes of them.
const (
	maxBatch      = 256
	maxBatchBytes = 8 << 20
)

// Settle looks at a file that may have changed, and seals what nobody was seen writing;
// see [Survey.Seal].
func (s *Survey) Settle(ctx context.Context, path string) (*State, error) {
	st, err := s.track.Look(ctx, path)
	if err != nil {
		return nil, err
	}
	s.Seal(ctx, st)
	return st, nil
}

// Seal seals what a look found, at the latest with [Survey.Close], which says whether it
// could.
func (s *Survey) Seal(ctx context.Context, st *State) {
	if _, needed := st.settling(); !needed {
		if st.known != nil {
			st.glance.low = st.Low()
			s.keep(st.Path, st.known.Image.Side, st.glance)
		}
		return
	}
	s.batch = append(s.batch, st)
	if s.bytes += len(st.Data); len(s.batch) >= maxBatch || s.bytes >= maxBatchBytes {
		s.failed = errors.Join(s.failed, s.flush(ctx))
	}
}

// keep keeps a glance at a file that did not change, where it will count: that of one
// written just now would be of no use to the next look.
func (s *Survey) keep(path string, seq int64, g glance) {
	if g.vouches(g) {
		s.fresh[path] = guard.Glance{Seq: seq, Data: g.encode()}
	}
}

// flush seals the batch. Where somebody else recorded one of its files meanwhile, each is
// looked at and sealed by itself.
func (s *Survey) flush(ctx context.Context) error {
	batch := s.batch
	s.batch, s.bytes = nil, 0
	if len(batch) == 0 {
		return nil
	}
	saves := make([]guard.FileSave, len(batch))
	for i, st := range batch {
		kind, _ := st.settling()
		ch, err := st.change(kind)
		if err != nil {
			return fmt.Errorf("%s: %w", st.Path, err)
		}
		saves[i] = guard.FileSave{Was: st.known, FileChange: ch}
	}
	saved, err := s.track.Guard.SaveFiles(ctx, s.track.Caller, saves)
	if err == nil {
		for i, st := range batch {
			st.known = saved[i]
		}
		return nil
	}
	if ctx.Err() != nil {
		return err
	}
	var all []error
	for _, st := range batch {
		again, err := s.track.Look(ctx, st.Path)
		if err == nil {
			err = s.track.Settle(ctx, again)
		}
		if err != nil {
			all = append(all, err)
			continue
		}
		*st = *again
	}
	return errors.Join(all...)
}

// Close seals what is left and keeps how the unchanged files looked. A survey that only
// looked need not be closed with a store that takes writes: see [Survey.Leave].
func (s *Survey) Close(ctx context.Context) error {
	defer s.disk.close()
	return errors.Join(s.failed, s.flush(ctx), s.track.Guard.KeepGlances(ctx, s.track.Caller, s.fresh))
}

// Leave ends a survey that settled nothing, and writes nothing.
func (s *Survey) Leave() { s.disk.close() }
