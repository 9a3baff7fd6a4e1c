package audit

import (
	"bytes"
	"cmp"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"iter"
	"runtime"
	"slices"
	"sync"
	"unique"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/event"
	"github.com/hearsay-memory/hearsay/guard"
	"github.com/hearsay-memory/hearsay/internal/detect"
	"github.com/hearsay-memory/hearsay/internal/memory"
	"github.com/hearsay-memory/hearsay/ledger"
)

// reader collects what there is to know of a principal's records that are held or served,
// in whatever store: what replaced ones were is left out, as nobody is shown them. Every
// word is checked against its commitment before it is looked at; an error wraps
// [guard.ErrTampered] where it is not what was sealed.
type reader struct {
	guard    *guard.Guard
	classify func(hearsay.Source) hearsay.Class
	folder   *memory.Comparison // nil: files are not compared

	all    []detect.Memory
	sealed []sealed // of each of all

	mu     sync.Mutex
	differ []detect.File // that are not as they were sealed
	worst  int           // the first record whose words are not what was sealed
	err    error         // why; nil: none is
}

// sealed is what else is needed of a record until its words were looked at. A home has many
// records, so nothing more is kept of them.
type sealed struct {
	side        int64    // the event of its side blob, or wordless
	content     [32]byte // the commitment to its words
	visible     bool
	pin, stable bool
}

func (r *reader) read(ctx context.Context, principal string) error {
	r.classify = r.guard.Policy().SourceTable().Classify
	var taken map[hearsay.RecordID]int
	var failed error
	var counting sync.WaitGroup
	counting.Go(func() { taken, failed = r.guard.Taken(ctx, principal) })
	err := r.readRecords(ctx, principal)
	counting.Wait()
	if err = errors.Join(err, failed); err != nil {
		return err
	}
	for i := range r.all {
		r.all[i].Recalls = taken[r.all[i].ID]
	}
	if err := spread(r.sides(ctx), func(batch []words) {
		for _, w := range batch {
			if err := r.look(w); err != nil {
				r.fail(w.of, err)
			}
		}
	}); err != nil {
		return fmt.Errorf("read the words of records: %w", err)
	}
	return r.err
}

// fail notes that the words of a record are not what was sealed. The first is told.
func (r *reader) fail(i int, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.err == nil || i < r.worst {
		r.worst, r.err = i, fmt.Errorf("the words of record %s: %w: %w", r.all[i].ID, guard.ErrTampered, err)
	}
}

// some are neighbours in the order of their ids.
type some struct {
	all    []detect.Memory
	sealed []sealed
}

func (s *some) take(rec *event.Record) {
	s.all = append(s.all, detect.Memory{
		ID: rec.ID, Label: rec.Label, Source: hearsay.Source{Type: one(rec.Source)}, Session: one(rec.Session), Created: rec.Created, Parents: rec.Parents,
		Own: rec.Store == guard.OwnStore, Held: rec.Standing == hearsay.Held, Vetted: rec.Standing == hearsay.Released,
		Pinned: rec.Claims.Pin || rec.Claims.Stable,
	})
	is := sealed{side: rec.Side, visible: rec.Standing.Visible(), pin: rec.Claims.Pin, stable: rec.Claims.Stable}
	// A commitment that is none is of no words.
	if sum, err := hex.DecodeString(rec.Content); err == nil && len(sum) == len(is.content) {
		is.content = [32]byte(sum)
	}
	if rec.Content == "" {
		is.side = wordless
	}
	s.sealed = append(s.sealed, is)
}

// wordless is the side blob of a record that has none.
const wordless = -1

// one returns the same text for all that are equal: few differ, of a hundred thousand.
func one(s string) string { return unique.Make(s).Value() }

// readRecords reads the rows of the principal's records that matter, in order of their ids.
func (r *reader) readRecords(ctx context.Context, principal string) error {
	var mu sync.Mutex
	var errs []error
	var parts []some
	replaced := make(map[hearsay.RecordID]bool)
	err := spread(r.guard.Store().Rows(ctx, event.Records), func(batch []event.Put) {
		var part some
		var gone []hearsay.RecordID
		var failed error
		for _, put := range batch {
			rec, err := event.DecodeRecord(put.Value)
			if err != nil {
				failed = fmt.Errorf("%w: %w", guard.ErrTampered, err)
				continue
			}
			if rec.Principal != principal || rec.Standing != hearsay.Held && !rec.Standing.Visible() && !rec.Displaces() {
				continue
			}
			if rec.Displaces() {
				gone = append(gone, rec.Replaces...)
			}
			if rec.Op != event.Delete && rec.Standing != hearsay.Erased {
				part.take(rec)
			}
		}
		mu.Lock()
		defer mu.Unlock()
		errs = append(errs, failed)
		for _, id := range gone {
			replaced[id] = true
		}
		if len(part.all) > 0 {
			parts = append(parts, part)
		}
	})
	if err = errors.Join(append(errs, err)...); err != nil {
		return fmt.Errorf("read the records: %w", err)
	}
	n := 0
	for _, p := range parts {
		n += len(p.all)
	}
	r.all, r.sealed = make([]detect.Memory, 0, n), make([]sealed, 0, n)
	slices.SortFunc(parts, func(a, b some) int { return bytes.Compare(a.all[0].ID[:], b.all[0].ID[:]) })
	for i := range parts {
		for j, m := range parts[i].all {
			if !replaced[m.ID] {
				r.all, r.sealed = append(r.all, m), append(r.sealed, parts[i].sealed[j])
			}
		}
		parts[i] = some{} // it is not needed twice
	}
	return nil
}

// few is up to how many blobs are fetched one by one.
const few = 1_000

// words are the side blob of a record.
type words struct {
	guard.StoredSide
	of int // which of all
}

// sides yields the side blobs of the records. One that was erased is not there.
func (r *reader) sides(ctx context.Context) iter.Seq2[words, error] {
	store := r.guard.Store()
	var order []int32 // of all, as their side blobs lie
	for i := range r.sealed {
		if r.sealed[i].side != wordless {
			order = append(order, int32(i))
		}
	}
	slices.SortFunc(order, func(a, b int32) int { return cmp.Compare(r.sealed[a].side, r.sealed[b].side) })
	return func(yield func(words, error) bool) {
		if len(order) > few {
			next := order
			for side, err := range store.Sides(ctx) {
				for err == nil && len(next) > 0 && r.sealed[next[0]].side < side.Seq {
					next = next[1:]
				}
				if err != nil || len(next) > 0 && r.sealed[next[0]].side == side.Seq {
					w := words{StoredSide: side}
					if err == nil {
						w.of = int(next[0])
					}
					if !yield(w, err) {
						return
					}
				}
			}
			return
		}
		for _, i := range order {
			side, err := store.Side(ctx, r.sealed[i].side)
			if !errors.Is(err, guard.ErrNotFound) && !yield(words{side, int(i)}, err) {
				return
			}
		}
	}
}

// spread hands what seq yields to several calls of f at once, a batch each, in no order.
// It returns when all are done, with the error that seq ended with.
func spread[T any](seq iter.Seq2[T, error], f func([]T)) error {
	const size = 256
	work := make(chan []T, 2*runtime.GOMAXPROCS(0))
	var group sync.WaitGroup
	defer group.Wait()
	defer close(work)
	for range runtime.GOMAXPROCS(0) {
		group.Go(func() {
			for batch := range work {
				f(batch)
			}
		})
	}
	batch := make([]T, 0, size)
	for v, err := range seq {
		if err != nil {
			return err
		}
		if batch = append(batch, v); len(batch) == size {
			work <- batch
			batch = make([]T, 0, size)
		}
	}
	work <- batch
	return nil
}

// look reads what one side blob says of its record. Several are looked at side by side,
// each of another record.
func (r *reader) look(w words) error {
	m, is := &r.all[w.of], &r.sealed[w.of]
	side, err := event.DecodeSide(w.Blob)
	if err != nil {
		return err
	}
	if !ledger.CheckCommit(w.Salt, side.Content, is.content) {
		return errors.New("they do not match their commitment")
	}
	m.Source.Ref, m.Source.Actor = side.Ref, side.Actor
	if c := side.Claimed; c != nil && c.Source != "" {
		m.Higher = r.classify(hearsay.Source{Type: c.Source}).Origin > r.classify(hearsay.Source{Type: m.Source.Type, Actor: m.Source.Actor}).Origin
	}
	compared := r.folder != nil && is.visible
	switch {
	case !m.Own:
		if !m.Label.Trusted() {
			m.Text = guard.Spoken(side.Content)
		}
		return nil
	case m.Label.Trusted() && !compared:
		return nil
	}
	said, err := memory.FromSealed(&event.Record{
		ID: m.ID, Label: m.Label, Created: m.Created, Claims: hearsay.Claims{Pin: is.pin, Stable: is.stable},
	}, side)
	if err != nil {
		return err
	}
	if !m.Label.Trusted() {
		m.Tags, m.Text = said.Tags, said.Title+" "+said.Text
	}
	if !compared {
		return nil
	}
	if d, differs := r.folder.Look(said); differs {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.differ = append(r.differ, detect.File{Record: m.ID, Change: change[d.Kind], Authority: m.Label.Origin, Pinned: m.Pinned})
	}
	return nil
}

// change is what the memory calls a difference of its folder.
var change = map[string]detect.Change{"changed": detect.Changed, "missing": detect.Missing, "unknown": detect.Unknown}

// files returns what differs in the folder, in no order.
func (r *reader) files() []detect.File {
	if r.folder == nil {
		return nil
	}
	out := r.differ
	for range r.folder.Rest() {
		out = append(out, detect.File{Change: detect.Unknown})
	}
	return out
}
