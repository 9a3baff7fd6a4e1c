package audit

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"iter"
	"runtime"
	"slices"
	"sync"

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
	guard  *guard.Guard
	folder *memory.Comparison // nil: files are not compared

	records []*event.Record
	all     []detect.Memory // of each record
	words   []words         // of each record
	at      map[int64]int   // of a side blob's event: the record
}

// words are what is read of one record.
type words struct {
	from    hearsay.Source
	claimed string // the source that its payload named
	tags    []string
	text    string
	file    *detect.File // that is not as it was sealed
	err     error
}

func (r *reader) read(ctx context.Context, principal string) error {
	taken := make(map[hearsay.RecordID]int)
	var failed error
	var counting sync.WaitGroup
	counting.Go(func() { taken, failed = r.guard.Taken(ctx, principal) })
	err := r.readRecords(ctx, principal)
	counting.Wait()
	if err = errors.Join(err, failed); err != nil {
		return err
	}
	r.all, r.words, r.at = make([]detect.Memory, len(r.records)), make([]words, len(r.records)), make(map[int64]int, len(r.records))
	for i, rec := range r.records {
		r.all[i] = detect.Memory{
			ID: rec.ID, Label: rec.Label, Session: rec.Session, Created: rec.Created, Parents: rec.Parents,
			Own: rec.Store == guard.OwnStore, Held: rec.Standing == hearsay.Held, Vetted: rec.Standing == hearsay.Released,
			Pinned: rec.Claims.Pin || rec.Claims.Stable, Recalls: taken[rec.ID],
		}
		if rec.Content != "" {
			r.at[rec.Side] = i
		}
	}
	if err := spread(r.sides(ctx), func(batch []guard.StoredSide) {
		for _, s := range batch {
			i := r.at[s.Seq]
			r.words[i] = r.look(r.records[i], s)
		}
	}); err != nil {
		return fmt.Errorf("read the words of records: %w", err)
	}
	table := r.guard.Policy().SourceTable()
	for i := range r.all {
		m, w := &r.all[i], &r.words[i]
		if w.err != nil {
			return w.err
		}
		m.Source = hearsay.Source{Type: r.records[i].Source, Ref: w.from.Ref, Actor: w.from.Actor}
		m.Tags, m.Text = w.tags, w.text
		if w.claimed != "" {
			m.Higher = table.Classify(hearsay.Source{Type: w.claimed}).Origin > table.Classify(hearsay.Source{Type: m.Source.Type, Actor: m.Source.Actor}).Origin
		}
	}
	return nil
}

// readRecords reads the rows of the principal's records that matter, in order of their ids.
func (r *reader) readRecords(ctx context.Context, principal string) error {
	var mu sync.Mutex
	var errs []error
	replaced := make(map[hearsay.RecordID]bool)
	err := spread(r.guard.Store().Rows(ctx, event.Records), func(batch []event.Put) {
		recs := make([]*event.Record, 0, len(batch))
		var failed error
		for _, put := range batch {
			rec, err := event.DecodeRecord(put.Value)
			if err != nil {
				failed = fmt.Errorf("%w: %w", guard.ErrTampered, err)
			} else if rec.Principal == principal && (rec.Standing == hearsay.Held || rec.Standing.Visible()) {
				recs = append(recs, rec)
			}
		}
		mu.Lock()
		defer mu.Unlock()
		errs = append(errs, failed)
		for _, rec := range recs {
			if rec.Standing.Visible() {
				for _, id := range rec.Replaces {
					replaced[id] = true
				}
			}
			if rec.Op != event.Delete {
				r.records = append(r.records, rec)
			}
		}
	})
	if err = errors.Join(append(errs, err)...); err != nil {
		return fmt.Errorf("read the records: %w", err)
	}
	r.records = slices.DeleteFunc(r.records, func(rec *event.Record) bool { return replaced[rec.ID] })
	slices.SortFunc(r.records, func(a, b *event.Record) int { return bytes.Compare(a.ID[:], b.ID[:]) })
	return nil
}

// few is up to how many blobs are fetched one by one.
const few = 1_000

// sides yields the side blobs of the records. One that was erased is not there.
func (r *reader) sides(ctx context.Context) iter.Seq2[guard.StoredSide, error] {
	store := r.guard.Store()
	return func(yield func(guard.StoredSide, error) bool) {
		if len(r.at) > few {
			for side, err := range store.Sides(ctx) {
				if _, ours := r.at[side.Seq]; (ours || err != nil) && !yield(side, err) {
					return
				}
			}
			return
		}
		for seq := range r.at {
			side, err := store.Side(ctx, seq)
			if !errors.Is(err, guard.ErrNotFound) && !yield(side, err) {
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

// look reads what one side blob says of its record.
func (r *reader) look(rec *event.Record, s guard.StoredSide) (w words) {
	tampered := func(err error) words {
		return words{err: fmt.Errorf("the words of record %s: %w: %w", rec.ID, guard.ErrTampered, err)}
	}
	side, err := event.DecodeSide(s.Blob)
	if err != nil {
		return tampered(err)
	}
	want, err := hex.DecodeString(rec.Content)
	if err != nil || len(want) != 32 || !ledger.CheckCommit(s.Salt, side.Content, [32]byte(want)) {
		return tampered(errors.New("they do not match their commitment"))
	}
	w = words{from: hearsay.Source{Ref: side.Ref, Actor: side.Actor}}
	if side.Claimed != nil {
		w.claimed = side.Claimed.Source
	}
	compared := r.folder != nil && rec.Standing.Visible()
	switch {
	case rec.Store != guard.OwnStore:
		if !rec.Label.Trusted() {
			w.text = spoken(side.Content)
		}
		return w
	case rec.Label.Trusted() && !compared:
		return w
	}
	m, err := memory.FromSealed(rec, side)
	if err != nil {
		return tampered(err)
	}
	if !rec.Label.Trusted() {
		w.tags, w.text = m.Tags, m.Title+" "+m.Text
	}
	if compared {
		if d, differs := r.folder.Look(m); differs {
			w.file = &detect.File{Record: rec.ID, Change: change[d.Kind], Authority: rec.Label.Origin, Pinned: rec.Claims.Pin || rec.Claims.Stable}
		}
	}
	return w
}

// change is what the memory calls a difference of its folder.
var change = map[string]detect.Change{"changed": detect.Changed, "missing": detect.Missing, "unknown": detect.Unknown}

// files returns what differs in the folder.
func (r *reader) files() (out []detect.File) {
	if r.folder == nil {
		return nil
	}
	for i := range r.words {
		if f := r.words[i].file; f != nil {
			out = append(out, *f)
		}
	}
	for range r.folder.Rest() {
		out = append(out, detect.File{Change: detect.Unknown})
	}
	return out
}
