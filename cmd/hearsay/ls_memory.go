package main

import (
	"context"
	"strings"
	"time"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/event"
	"github.com/hearsay-memory/hearsay/guard"
	"github.com/hearsay-memory/hearsay/internal/instance"
	"github.com/hearsay-memory/hearsay/internal/memory"
	"github.com/hearsay-memory/hearsay/internal/tell"
	"github.com/hearsay-memory/hearsay/internal/term"
	"github.com/hearsay-memory/hearsay/recall"
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
		if isMemory(r) {
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

// memoryWords shows to a person what a record would remember: every field of it. It
// reports whether the record is one of our own memory in the form that is sealed.
func memoryWords(p *term.Printer, shown *guard.Shown) bool {
	if !isMemory(shown.Record) {
		return false
	}
	d, err := memory.DecodeDoc(shown.Side.Content)
	if err != nil {
		return false
	}
	rows := [][]any{{"kind", d.Kind}}
	for _, row := range [...][2]string{{"title", d.Title}, {"tags", strings.Join(d.Tags, ", ")}, {"about", d.Subject}} {
		if row[1] != "" {
			rows = append(rows, []any{row[0], row[1]})
		}
	}
	if d.Form != recall.Semantic {
		rows = append(rows, []any{"form", d.Form})
	}
	for _, id := range d.Links {
		rows = append(rows, []any{"points to", id})
	}
	c := shown.Record.Claims
	if c.Salience > 0 || c.Confidence > 0 {
		rows = append(rows, []any{"matters", c.Salience}, []any{"is sure", c.Confidence})
	}
	p.Table(nil, rows)
	p.Println("")
	p.Text(tell.Bar, d.Text)
	return true
}
