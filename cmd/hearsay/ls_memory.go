package main

import (
	"context"
	"time"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/event"
	"github.com/hearsay-memory/hearsay/guard"
	"github.com/hearsay-memory/hearsay/internal/instance"
	"github.com/hearsay-memory/hearsay/internal/memory"
	"github.com/hearsay-memory/hearsay/internal/review"
	"github.com/hearsay-memory/hearsay/internal/tell"
)

// listMemory lists the records of our own memory with what becomes of them there.
func (a *app) listMemory(ctx context.Context, in *instance.Instance, q guard.Query) error {
	var list []*event.Record // read first: the store is asked of each below
	for r, err := range in.Guard.List(ctx, q) {
		if err != nil {
			return err
		}
		list = append(list, r)
	}
	p, now := a.printer(), time.Now()
	if len(list) == 0 {
		p.Println("No such memories.")
		return p.Err()
	}
	by, err := replacedBy(ctx, in)
	if err != nil {
		return err
	}
	var rows [][]any
	for _, r := range list {
		kind := "(forgets)"
		if review.IsMemory(r) {
			kind = "-"
			shown, err := in.Guard.Show(ctx, r.ID)
			if err != nil {
				return err
			}
			if doc, err := memory.DecodeDoc(shown.Side.Content); err == nil {
				kind = doc.Kind.String()
			}
		}
		rows = append(rows, []any{r.ID, tell.Ago(r.Created, now), r.Standing, tell.SpokenBy(p, r), kind, r.Namespace, tell.MemoryState(r, by[r.ID])})
	}
	p.Table([]string{"id", "written", "standing", "origin (taint)", "kind", "namespace", "state"}, rows)
	return p.Err()
}

// replacedBy tells what stands in the place of which memory.
func replacedBy(ctx context.Context, in *instance.Instance) (map[hearsay.RecordID]hearsay.RecordID, error) {
	by := make(map[hearsay.RecordID]hearsay.RecordID)
	for r, err := range in.Guard.List(ctx, guard.Query{Match: func(r *event.Record) bool {
		return r.Store == guard.OwnStore && r.Displaces()
	}}) {
		if err != nil {
			return nil, err
		}
		for _, id := range r.Replaces {
			by[id] = r.ID
		}
	}
	return by, nil
}
