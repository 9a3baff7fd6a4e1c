package main

import (
	"context"
	"fmt"

	"github.com/hearsay-memory/hearsay/internal/people"
	"github.com/hearsay-memory/hearsay/internal/review"
	"github.com/hearsay-memory/hearsay/internal/reviewer"
)

// reviewWalk walks the queue on the terminal.
func (a *app) reviewWalk(ctx context.Context, s *signing) error {
	in, err := a.open(ctx, false)
	if err != nil {
		return err
	}
	defer in.Close()
	var p people.Person
	defer p.Close()
	queue, err := review.Queue(ctx, in, nowMS())
	if err != nil {
		return err
	}
	if len(queue) == 0 {
		a.printer().Println("Nothing is held, and no question waits.")
		return nil
	}
	keys, err := p.Terminal()
	if err != nil {
		return fmt.Errorf("review shows held text to people only: %w; `hearsay review list` lists ids", err)
	}
	screen, err := p.Printer()
	if err != nil {
		return err
	}
	sealed, err := review.Walk(ctx, in, queue, keys, screen, func() (*reviewer.Signer, error) { return s.Unlock(in, &p) })
	a.printer().Printf("%d of %d decided.\n", sealed, len(queue))
	return err
}
