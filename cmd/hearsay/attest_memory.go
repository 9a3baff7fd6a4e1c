package main

import (
	"context"
	"fmt"
	"slices"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/guard"
	"github.com/hearsay-memory/hearsay/internal/people"
	"github.com/hearsay-memory/hearsay/internal/review"
	"github.com/hearsay-memory/hearsay/internal/tell"
)

// attestMemories adopts memories as the user's own word, each by its exact text.
func (a *app) attestMemories(ctx context.Context, s *signing, ids []hearsay.RecordID, yes bool) error {
	in, err := a.open(ctx, false)
	if err != nil {
		return err
	}
	defer in.Close()
	slices.SortFunc(ids, func(x, y hearsay.RecordID) int { return slices.Compare(x[:], y[:]) })
	ids = slices.Compact(ids)
	all := make([]*guard.Shown, len(ids))
	for i, id := range ids {
		if all[i], err = in.Guard.Show(ctx, id); err != nil {
			return missingRecord(err)
		}
		r := all[i].Record
		switch {
		case !review.IsMemory(r):
			return usageError("record %s is no memory of ours: nothing was adopted", id)
		case !r.Standing.Visible():
			return usageError("memory %s is %s, and only what is served can be adopted: nothing was; what is held is decided with `hearsay review`", id, r.Standing)
		case r.Label == hearsay.LabelIdentity:
			return usageError("memory %s is your own word already: nothing was adopted", id)
		}
	}
	var who people.Person
	defer who.Close()
	if !yes {
		// What is adopted may be a stranger's: for the eyes of a person.
		screen, err := who.Printer()
		if err != nil {
			return err
		}
		for _, shown := range all {
			screen.Printf("Memory %s, said by %s:\n", shown.Record.ID, tell.Label(screen, shown.Record.Label))
			tell.Content(screen, shown.Side.Content)
		}
		if err := screen.Err(); err != nil {
			return err
		}
	}
	question := "Adopt it as your own word?"
	if len(ids) > 1 {
		question = fmt.Sprintf("Adopt %s as your own word?", tell.Count(len(ids), "memory", "memories"))
	}
	signer, err := s.confirmed(in, &who, yes, question)
	if err != nil {
		return err
	}
	defer signer.Wipe()
	m := a.memoryOf(in)
	defer m.Close()
	p := a.printer()
	for i, id := range ids {
		r, err := m.Adopt(ctx, in.Caller(hearsay.SurfaceCLI), id, signer.Sign)
		if err != nil {
			return fmt.Errorf("%w; %d of %d were adopted", err, i, len(ids))
		}
		p.Printf("Adopted %s as %s.\n", id, r.ID)
	}
	return p.Err()
}
