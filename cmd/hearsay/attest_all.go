package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/internal/adopt"
	"github.com/hearsay-memory/hearsay/internal/blame"
	"github.com/hearsay-memory/hearsay/internal/memfile"
	"github.com/hearsay-memory/hearsay/internal/people"
	"github.com/hearsay-memory/hearsay/internal/tell"
	"github.com/hearsay-memory/hearsay/internal/term"
)

// attestAll adopts old memory: every line that nobody was seen writing and nothing speaks
// against, as an agent's word.
func (a *app) attestAll(ctx context.Context, s *signing, names []string, yes bool) error {
	in, err := a.open(ctx, false)
	if err != nil {
		return err
	}
	defer in.Close()
	t := memfile.Tracker{Guard: in.Guard, Caller: in.Caller(hearsay.SurfaceCLI)}
	if names, err = adopt.Files(in, userHome(), names); err != nil {
		return err
	}
	p := a.printer()
	var plans []*adopt.Plan
	left := 0
	for _, name := range names {
		real, err := blame.RealName(name)
		if err != nil {
			return err
		}
		state, err := t.Look(ctx, real)
		if err == nil {
			err = t.Settle(ctx, state)
		}
		if err != nil {
			p.Printf("%s is left out: %v\n", name, err)
			continue
		}
		d := adopt.Of(name, state)
		d.Print(p)
		left += len(d.Skipped)
		if d.Lines > 0 {
			plans = append(plans, d)
		}
	}
	if left > 0 {
		p.Printf("\nA look of their own is needed for %s: `hearsay blame FILE`, then `hearsay attest FILE:LINES`.\n", tell.Count(left, "line", "lines"))
	}
	if len(plans) == 0 {
		p.Println("There is nothing to adopt.")
		return p.Err()
	}
	if err := p.Err(); err != nil {
		return err
	}
	var who people.Person
	defer who.Close()
	signer, err := s.confirmed(in, &who, yes, "Adopt these lines as an agent's word?")
	if err != nil {
		return err
	}
	defer signer.Wipe()
	var errs []error
	for _, d := range plans {
		err := d.Seal(ctx, in, t.Caller, signer)
		if errors.Is(err, adopt.ErrChanged) {
			err = fmt.Errorf("%s changed while you looked at it: nothing of it was adopted; look at it again", term.Safe(d.Name))
		}
		if err != nil {
			errs = append(errs, err)
			continue
		}
		p.Printf("Adopted %s of %s.\n", tell.Count(d.Lines, "line", "lines"), d.Name)
	}
	return errors.Join(append(errs, p.Err())...)
}
