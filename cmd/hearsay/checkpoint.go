package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/hearsay-memory/hearsay/internal/home"
)

// checkpointCommand hands out the newest signed checkpoint.
func (a *app) checkpointCommand() *cobra.Command {
	var out string
	c := &cobra.Command{
		Use:   "checkpoint",
		Short: "Print the newest signed checkpoint and refresh the copies",
		Long: `Print the newest signed checkpoint, or write it with --out, and bring it to the
configured copies. Keep it where the programs of this machine cannot change it;
` + "`hearsay verify --against FILE`" + ` compares with it later.`,
		Args: exactArgs(0),
		RunE: func(c *cobra.Command, _ []string) error { return a.checkpoint(c.Context(), out) },
	}
	c.Flags().StringVar(&out, "out", "", "write it to `FILE` instead")
	return c
}

func (a *app) checkpoint(ctx context.Context, out string) error {
	in, err := a.open(ctx, true)
	if err != nil {
		return err
	}
	defer in.Close()
	head, err := in.Store.Head(ctx)
	if err != nil {
		return err
	}
	if head.Checkpoint == nil {
		return errors.New("nothing was sealed yet, so there is no checkpoint; run `hearsay verify`")
	}
	if out == "" {
		_, err = a.out.Write(head.Checkpoint)
	} else {
		err = os.WriteFile(out, head.Checkpoint, home.FileMode)
	}
	if err != nil {
		return fmt.Errorf("hand out the checkpoint: %w", err)
	}
	err = in.CopyCheckpoint(ctx)
	if errors.Is(err, home.ErrRollback) {
		return &exitError{exitIntegrity, err.Error()}
	}
	return err
}
