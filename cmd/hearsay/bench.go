package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/hearsay-memory/hearsay/internal/bench"
	"github.com/hearsay-memory/hearsay/internal/term"
)

// benchCommand measures the hot paths.
func (a *app) benchCommand() *cobra.Command {
	return a.jsonFlag(&cobra.Command{
		Use:   "bench",
		Short: "Measure the hot paths beside their floors",
		Long: `Measure each hot path and, in the same run, its floor: the least that the same work
costs without Hearsay. Only the ratio says something; figures of one machine move by a
third from hour to hour. Takes about ten seconds and writes to a temporary folder.`,
		Args: exactArgs(0),
		RunE: func(c *cobra.Command, _ []string) error { return a.bench(c.Context()) },
	})
}

func (a *app) bench(ctx context.Context) (err error) {
	dir, err := os.MkdirTemp("", "hearsay-bench-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	results, err := bench.Pure()
	if err != nil {
		return err
	}
	durable, err := bench.Store(ctx, dir)
	if err != nil {
		return err
	}
	p := a.printer()
	var rows [][]any
	for _, r := range append(results, durable...) {
		if a.json {
			if err := term.JSON(a.out, r); err != nil {
				return err
			}
		}
		rows = append(rows, []any{r.Name, fmt.Sprintf("%.0f", r.Value), r.Unit, fmt.Sprintf("%.0f", r.Floor), fmt.Sprintf("%.2f", r.Ratio)})
	}
	if a.json {
		return nil
	}
	p.Table([]string{"what", "value", "unit", "floor", "ratio"}, rows)
	return p.Err()
}
