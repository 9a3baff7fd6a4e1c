package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/guard"
	"github.com/hearsay-memory/hearsay/internal/people"
	"github.com/hearsay-memory/hearsay/internal/review"
	"github.com/hearsay-memory/hearsay/internal/tell"
	"github.com/hearsay-memory/hearsay/internal/term"
)

// pinning is what pin and unpin are asked.
type pinning struct {
	signing     signing
	yes, stable bool
}

// pinCommand pins a memory.
func (a *app) pinCommand() *cobra.Command {
	var f pinning
	c := &cobra.Command{
		Use:   "pin ID",
		Short: "Show a memory at the start of every session",
		Long: `Pin a memory: it is shown at the start of every session and does not fade. Only your own
word can be pinned. What somebody else said is shown to you first, and pinned as yours:
a new memory with the same text takes its place.

Needs a reviewer's key: no agent pins.`,
		Args: exactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			return a.pin(c.Context(), &f, args[0], guard.PinClaims{Pin: true, Stable: f.stable})
		},
	}
	f.flags(c)
	c.Flags().BoolVar(&f.stable, "stable", false, "call it stable, too: it stays as strong when it is unpinned")
	return a.jsonFlag(c)
}

// unpinCommand takes a pin away.
func (a *app) unpinCommand() *cobra.Command {
	var f pinning
	c := &cobra.Command{
		Use:   "unpin ID",
		Short: "Take a memory's pin away",
		Long:  "Take a memory's pin away, and that it is stable: it is recalled as any other, and fades. Needs a reviewer's key.",
		Args:  exactArgs(1),
		RunE:  func(c *cobra.Command, args []string) error { return a.pin(c.Context(), &f, args[0], guard.PinClaims{}) },
	}
	f.flags(c)
	return a.jsonFlag(c)
}

func (f *pinning) flags(c *cobra.Command) {
	f.signing.flags(c)
	c.Flags().BoolVar(&f.yes, "yes", false, "do not ask: the memory was looked at before")
}

// pinned is what pin and unpin say with --json.
type pinned struct {
	ID       hearsay.RecordID   `json:"id"`
	Pinned   bool               `json:"pinned"`
	Stable   bool               `json:"stable"`
	Replaces []hearsay.RecordID `json:"replaces,omitempty"` // what was adopted
}

func (a *app) pin(ctx context.Context, f *pinning, arg string, claims guard.PinClaims) error {
	id, err := parseID(arg)
	if err != nil {
		return err
	}
	in, err := a.open(ctx, false)
	if err != nil {
		return err
	}
	defer in.Close()
	shown, err := in.Guard.Show(ctx, id)
	if err != nil {
		return missingRecord(err)
	}
	var who people.Person
	defer who.Close()
	question := "Take its pin away?"
	if claims.Pin {
		question = "Show it at the start of every session?"
		if shown.Record.Label != hearsay.LabelIdentity {
			question = "Adopt it as your own word, and show it at the start of every session?"
		}
	}
	if !f.yes {
		// What is adopted may be a stranger's: for the eyes of a person.
		screen, err := who.Printer()
		if err != nil {
			return err
		}
		screen.Printf("Memory %s, said by %s:\n", id, tell.Label(screen, shown.Record.Label))
		if !review.MemoryWords(screen, shown) {
			tell.Content(screen, shown.Side.Content)
		}
		if err := screen.Err(); err != nil {
			return err
		}
	}
	signer, err := f.signing.confirmed(in, &who, f.yes, question)
	if err != nil {
		return err
	}
	defer signer.Wipe()
	m := a.memoryOf(in)
	defer m.Close()
	r, err := m.Pin(ctx, in.Caller(hearsay.SurfaceCLI), id, claims, signer.Sign)
	if err != nil {
		return err
	}
	out := pinned{r.ID, r.Claims.Pin, r.Claims.Stable, nil}
	if r.ID != id {
		out.Replaces = r.Replaces
	}
	if a.json {
		return term.JSON(a.out, out)
	}
	p := a.printer()
	switch {
	case !out.Pinned:
		p.Printf("Unpinned %s.\n", out.ID)
	case r.ID != id:
		p.Printf("Pinned %s, your own word in the place of %s.\n", out.ID, id)
	default:
		p.Printf("Pinned %s.\n", out.ID)
	}
	return p.Err()
}
