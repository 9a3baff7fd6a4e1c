package memfile

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/guard"
	"github.com/hearsay-memory/hearsay/internal/memfile/segment"
)

// ErrNotKept means that a file as it was then cannot be told: too much was replaced at
// once since, or its words were erased.
var ErrNotKept = errors.New("the file as it was then is not kept")

// History is the recorded states of one file, counted from 0. State -1 is the one before
// the first: of a file that a recorded write made there was none.
type History struct {
	Path   string
	events []guard.FileEvent
	newest []byte
}

// Version is a file as it was once recorded.
type Version struct {
	T    int64  // UTC ms; 0: before it was known
	Data []byte // nil: it was not there
	File segment.File
}

// History reads the recorded states of a file, or returns [guard.ErrNotFound].
func (t *Tracker) History(ctx context.Context, path string) (*History, error) {
	known, err := t.Guard.File(ctx, t.Caller.Principal, path)
	if err != nil {
		return nil, err
	}
	events, err := t.Guard.FileHistory(ctx, t.Caller.Principal, path)
	if err != nil {
		return nil, err
	}
	if len(events) == 0 || events[len(events)-1].Image.Side != known.Image.Side {
		return nil, errors.New("the file was recorded anew while its history was read: try again")
	}
	return &History{Path: path, events: events, newest: known.Data}, nil
}

// Of returns the state that a record's write made, and whether there is one. The write
// is seen from the outside: what the file was before it is the state before that.
func (h *History) Of(id hearsay.RecordID) (state int, ok bool) {
	i := slices.IndexFunc(h.events, func(e guard.FileEvent) bool {
		by, ok := formerBy(e.Former)
		return ok && by == id
	})
	return i, i >= 0
}

// AsOf returns the last state that was recorded at a time, UTC ms, or before; -1: none.
func (h *History) AsOf(at int64) int {
	i := len(h.events) - 1
	for i >= 0 && h.events[i].T > at {
		i--
	}
	return i
}

// State makes a state anew from the newest one, and compares it with what was sealed. The
// error is [ErrNotKept] where that cannot be done.
func (h *History) State(n int) (*Version, error) {
	data := h.newest
	for i := len(h.events) - 1; i > n; i-- {
		before, ok := decodeFormer(h.events[i].Former, data)
		if !ok {
			return nil, fmt.Errorf("%s: %w", h.Path, ErrNotKept)
		}
		data = before
	}
	v := &Version{Data: data}
	if n < 0 {
		if data != nil {
			return nil, fmt.Errorf("%s: %w", h.Path, ErrNotKept) // nothing was sealed of it
		}
		v.File = segment.New(nil, segment.Owner{})
		return v, nil
	}
	e := h.events[n]
	if e.Owners == nil {
		return nil, fmt.Errorf("%s: %w", h.Path, ErrNotKept)
	}
	if err := v.File.UnmarshalBinary(e.Owners); err != nil {
		return nil, fmt.Errorf("%s: %w", h.Path, err)
	}
	if v.File.Fits(data) != nil {
		return nil, fmt.Errorf("%s: %w", h.Path, ErrNotKept)
	}
	v.T = e.T
	return v, nil
}
