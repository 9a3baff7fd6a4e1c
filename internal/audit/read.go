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
	guard    *guard.Guard
	classify func(hearsay.Source) hearsay.Class
	folder   *memory.Comparison // nil: files are not compared

	records []*event.Record
	all     []detect.Memory // of each record
	at      map[int64]int   // of a side blob's event: the record

	mu     sync.Mutex
	differ []detect.File // that are not as they were sealed
	worst  int           // the first record whose words are not what was sealed
	err    error         // why; nil: none is
}

func (r *reader) read(ctx context.Context, principal string) error {
	r.classify = r.guard.Policy().SourceTable().Classify
	taken := make(map[hearsay.RecordID]int)
	var failed error
	var counting sync.WaitGroup
	counting.Go(func() { taken, failed = r.guard.Taken(ctx, principal) })
	err := r.readRecords(ctx, principal)
	counting.Wait()
	if err = errors.Join(err, failed); err != nil {
		return err
	}
	r.all, r.at = make([]detect.Memory, len(r.records)), make(map[int64]int, len(r.records))
	for i, rec := range r.records {
		r.all[i] = detect.Memory{
			ID: rec.ID, Label: rec.Label, Source: hearsay.Source{Type: rec.Source}, Session: rec.Session, Created: rec.Created, Parents: rec.Parents,
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
			if err := r.look(i, s); err != nil {
				r.fail(i, err)
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
		r.worst, r.err = i, fmt.Errorf("the words of record %s: %w: %w", r.records[i].ID, guard.ErrTampered, err)
	}
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
			} else if rec.Principal == principal && (rec.Standing == hearsay.Held || rec.Standing.Visible() || rec.Displaces()) {
				recs = append(recs, rec)
			}
		}
		mu.Lock()
		defer mu.Unlock()
		errs = append(errs, failed)
		for _, rec := range recs {
			if rec.Displaces() {
				for _, id := range rec.Replaces {
					replaced[id] = true
				}
			}
			if rec.Op != event.Delete && rec.Standing != hearsay.Erased {
				// Not asked for here, and 10 MB of 100,000 records.
				rec.Principal, rec.Rule, rec.PolicyHash = principal, "", ""
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

// look reads what one side blob says of its record. Several are looked at side by side,
// each of another record.
func (r *reader) look(i int, s guard.StoredSide) error {
	rec, m := r.records[i], &r.all[i]
	side, err := event.DecodeSide(s.Blob)
	if err != nil {
		return err
	}
	want, err := hex.DecodeString(rec.Content)
	if err != nil || len(want) != 32 || !ledger.CheckCommit(s.Salt, side.Content, [32]byte(want)) {
		return errors.New("they do not match their commitment")
	}
	m.Source.Ref, m.Source.Actor = side.Ref, side.Actor
	if c := side.Claimed; c != nil && c.Source != "" {
		m.Higher = r.classify(hearsay.Source{Type: c.Source}).Origin > r.classify(hearsay.Source{Type: m.Source.Type, Actor: m.Source.Actor}).Origin
	}
	compared := r.folder != nil && rec.Standing.Visible()
	switch {
	case rec.Store != guard.OwnStore:
		if !rec.Label.Trusted() {
			m.Text = guard.Spoken(side.Content)
		}
		return nil
	case rec.Label.Trusted() && !compared:
		return nil
	}
	sealed, err := memory.FromSealed(rec, side)
	if err != nil {
		return err
	}
	if !rec.Label.Trusted() {
		m.Tags, m.Text = sealed.Tags, sealed.Title+" "+sealed.Text
	}
	if !compared {
		return nil
	}
	if d, differs := r.folder.Look(sealed); differs {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.differ = append(r.differ, detect.File{Record: rec.ID, Change: change[d.Kind], Authority: rec.Label.Origin, Pinned: rec.Claims.Pin || rec.Claims.Stable})
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
