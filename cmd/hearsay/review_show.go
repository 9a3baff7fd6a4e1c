package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/internal/home"
	"github.com/hearsay-memory/hearsay/internal/review"
	"github.com/hearsay-memory/hearsay/internal/term"
)

// reviewShowCommand shows one memory or action to a person.
func (a *app) reviewShowCommand() *cobra.Command {
	var out string
	c := &cobra.Command{
		Use:   "show ID",
		Short: "Show one record or action with its words",
		Long: `Show one record or one action that an agent asks about. The words of what is held or
was refused, and what an action is done to, are shown on a terminal only, or written to a
file with --out, byte for byte.`,
		Args: exactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			id, err := parseID(args[0])
			if err != nil {
				return err
			}
			return a.reviewShow(c.Context(), id, out)
		},
	}
	c.Flags().StringVar(&out, "out", "", "write the exact bytes of the content, or of an action's target, to a new `FILE`")
	return a.jsonFlag(c)
}

func (a *app) reviewShow(ctx context.Context, id hearsay.RecordID, out string) error {
	in, err := a.open(ctx, true)
	if err != nil {
		return err
	}
	defer in.Close()
	it, err := review.Load(ctx, in, id)
	if err != nil {
		return err
	}
	p := a.printer()
	var content []byte
	var object any
	shown, withheld := p.Terminal(), "The words"
	switch it := it.(type) {
	case *review.Card:
		if it.Erased && out != "" {
			return fmt.Errorf("the words of %s were erased", id)
		}
		content, object = it.Side.Content, review.RecordObject{What: review.Memory, Record: it.Record}
		shown = shown || it.Record.Standing.Visible()
		withheld = fmt.Sprintf("The words of a record that is %s", it.Record.Standing)
	case *review.Question:
		content, object = []byte(it.Target), it.Object(nowMS(), p.Terminal())
		withheld = "The words of what an agent asks"
	}
	if out != "" {
		if err := writeNew(out, content); err != nil {
			return err
		}
	}
	if a.json {
		return term.JSON(a.out, object)
	}
	it.Facts(p)
	switch {
	case out != "":
	case shown:
		it.Words(p)
	default:
		p.Printf("\n%s are shown on a terminal only, or with --out FILE.\n", withheld)
	}
	return p.Err()
}

// writeNew writes a file that must not be there yet, for its owner alone.
func writeNew(name string, content []byte) error {
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, home.FileMode)
	if err != nil {
		return fmt.Errorf("write the content: %w", err)
	}
	_, err = f.Write(content)
	if err := errors.Join(err, f.Close()); err != nil {
		return fmt.Errorf("write the content: %w", err)
	}
	return nil
}
