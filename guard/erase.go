package guard

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/event"
	"github.com/hearsay-memory/hearsay/internal/reviewer"
)

// Erase destroys the words of a record by a reviewer's statement: of every event about it,
// content, notes, sources and paths, with their salts. The log stays valid; the words are
// not in the store's files when it returns. texts, the texts of the record as its surface
// reads them, are fenced: a write that brings one of them again is blocked, unless a person
// vouches for it.
//
// What was derived from the record keeps its own words, see [Guard.Quoting]. What it stands
// in the place of stays out of service: to destroy the words of a correction, or of a note on
// what was forgotten, is to bring nothing back.
func (g *Guard) Erase(ctx context.Context, signed reviewer.Signed, texts []string) (*event.Record, error) {
	st := signed.Statement
	if st.Decision != reviewer.Erase {
		return nil, refuse("the statement is not about an erasure")
	}
	id, err := hearsay.ParseRecordID(st.RecordID)
	if err != nil {
		return nil, err
	}
	var after *event.Record
	_, err = g.store.Update(ctx, func(tx Tx) ([]event.Draft, error) {
		r, err := loadRecord(ctx, tx, id)
		if err != nil {
			return nil, err
		}
		if r.Standing == hearsay.Erased {
			return nil, refuse("record %s is erased already", id)
		}
		if err := sameAsSigned(st, r); err != nil {
			return nil, err
		}
		proof, err := g.accept(ctx, tx, signed)
		if err != nil {
			return nil, err
		}
		beside, err := g.besides(ctx, r)
		if err != nil {
			return nil, err
		}
		if !r.Standing.Visible() {
			r.Replaces = nil // it stands in the place of nothing
		}
		r.Standing = hearsay.Erased
		if err := g.settleStored(ctx, tx, r, tx.Seq()); err != nil {
			return nil, err
		}
		for _, seq := range beside {
			if err := tx.EraseSide(seq); err != nil {
				return nil, err
			}
		}
		for _, f := range g.fences(texts) {
			if err := tx.Mark(f, math.MaxInt64); err != nil {
				return nil, err
			}
		}
		after = r
		return []event.Draft{{Event: event.Event{Kind: event.Erase, Record: r, Proof: proof}}}, nil
	})
	if err != nil {
		return nil, fmt.Errorf("erase %s: %w", id, err)
	}
	return after, nil
}

// besides returns the events about a record that have a side blob.
func (g *Guard) besides(ctx context.Context, r *event.Record) ([]int64, error) {
	about := []byte(`"subject":"record/` + r.ID.String() + `"`)
	var list []int64
	for entry, err := range g.store.Log(ctx, r.Side) {
		if err != nil {
			return nil, fmt.Errorf("find what is kept of %s: %w", r.ID, err)
		}
		if !bytes.Contains(entry.Body, about) {
			continue // not worth decoding
		}
		e, err := event.Decode(entry.Body)
		if err != nil {
			return nil, fmt.Errorf("entry %d: %w: %w", entry.Seq, ErrTampered, err)
		}
		if e.Record != nil && e.Record.ID == r.ID && e.Side != "" {
			list = append(list, e.Seq)
		}
	}
	return list, nil
}

// Quoting returns the records that hold one of the texts word for word and are not erased,
// oldest first: what has to be erased too, for the words to be gone. Texts are compared as
// the fence does, see [Guard.Erase].
func (g *Guard) Quoting(ctx context.Context, principal string, texts []string) ([]*event.Record, error) {
	wanted := plainTexts(texts)
	if len(wanted) == 0 {
		return nil, nil
	}
	var out []*event.Record
	for r, err := range g.store.Scan(ctx, Query{Match: func(r *event.Record) bool {
		return r.Principal == principal && r.Standing != hearsay.Erased
	}}) {
		if err != nil {
			return nil, fmt.Errorf("find what quotes it: %w", err)
		}
		side, err := g.content(ctx, g.store, r)
		if errors.Is(err, ErrNotFound) {
			continue
		}
		if err != nil {
			return nil, err
		}
		have := plainText(Spoken(side.Content))
		if slices.ContainsFunc(wanted, func(t string) bool { return strings.Contains(have, t) }) {
			out = append(out, r)
		}
	}
	return out, nil
}

// fenced reports whether one of the texts was erased by a person.
func (g *Guard) fenced(ctx context.Context, tx Tx, texts []string) (bool, error) {
	any, err := tx.Seen(ctx, g.fence(""), tx.Now())
	if err != nil || !any {
		return false, err
	}
	for _, f := range g.fences(texts)[1:] {
		if seen, err := tx.Seen(ctx, f, tx.Now()); err != nil || seen {
			return seen, err
		}
	}
	return false, nil
}

// fences returns the marks that fence texts: the first says that there are any, the others
// are of each text and of each of its lines.
func (g *Guard) fences(texts []string) [][32]byte {
	out := [][32]byte{g.fence("")}
	for _, t := range plainTexts(texts) {
		out = append(out, g.fence(t))
	}
	return out
}

func (g *Guard) fence(text string) [32]byte { return g.index.Digest("fence", []byte(text)) }

// mostFenced bounds the texts and lines of one record that are fenced or looked for: a
// fence keeps a memory from coming back by itself, it is no gate against whoever means to.
const mostFenced = 4096

// leastFenced is the length, in bytes, of the shortest text that is fenced or looked for:
// a shorter one says nothing by which it could be known again.
const leastFenced = 12

// plainTexts returns the texts and their lines as they are compared, without what is too short.
func plainTexts(texts []string) []string {
	var out []string
	seen := make(map[string]bool)
	add := func(t string) {
		if t = plainText(t); len(t) >= leastFenced && !seen[t] && len(out) < mostFenced {
			seen[t], out = true, append(out, t)
		}
	}
	for _, t := range texts {
		add(t)
		for line := range strings.Lines(t) {
			add(line)
		}
	}
	return out
}

// plainText takes case and spacing out of a text.
func plainText(s string) string { return strings.ToLower(strings.Join(strings.Fields(s), " ")) }
