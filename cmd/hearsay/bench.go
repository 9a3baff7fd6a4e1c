package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/hearsay-memory/hearsay/internal/bench"
	"github.com/hearsay-memory/hearsay/internal/term"
)

// benchChild is the hidden command by which a benchmark starts its other processes.
const benchChild = "child"

// benchFlags are what the command is told.
type benchFlags struct {
	only    []string
	events  int
	seconds float64
}

// benchCommand measures the hot paths.
func (a *app) benchCommand() *cobra.Command {
	var f benchFlags
	c := a.jsonFlag(&cobra.Command{
		Use:   "bench",
		Short: "Measure the hot paths beside their floors",
		Long: `Measure each hot path and, in the same run, its floor: the least that the same work
costs without Hearsay. Only the ratio says something; figures of one machine move by a
third from hour to hour. Takes one to two minutes and writes to a temporary folder,
in $TMPDIR: let that be on the disk that you ask about.

docs/bench.md says what each line measures and how to read it.`,
		Example: `  hearsay bench --only group-64,group-256 --seconds 1
  hearsay bench --only verify-log --events 1000000 --json`,
		Args: exactArgs(0),
		RunE: func(c *cobra.Command, _ []string) error { return a.bench(c.Context(), f) },
	})
	c.Flags().StringSliceVar(&f.only, "only", nil, "measure `NAME,…` alone")
	c.Flags().IntVar(&f.events, "events", 100_000, "verify a log of `N` events")
	c.Flags().Float64Var(&f.seconds, "seconds", 0.2, "measure for `S` seconds a slice")
	c.AddCommand(&cobra.Command{
		Use:    benchChild + " ROLE ARG…",
		Hidden: true,
		Short:  "Be one of the other processes of a benchmark",
		Args:   cobra.MinimumNArgs(2),
		RunE: func(c *cobra.Command, args []string) error {
			self, err := benchSelf()
			if err != nil {
				return err
			}
			return bench.Child(c.Context(), self, args, bench.Streams{In: a.in, Out: a.out, Err: a.err})
		},
	})
	return c
}

// benchSelf is the command line of a benchmark's other process.
func benchSelf() ([]string, error) {
	program, err := os.Executable()
	return []string{program, "bench", benchChild}, err
}

// hookProgram is the hook program beside ours; nil where there is none.
func hookProgram(self string) []string {
	name := filepath.Join(filepath.Dir(self), "hearsay-hook"+filepath.Ext(self))
	if _, err := os.Stat(name); err != nil {
		return nil
	}
	return []string{name}
}

// mostSlice bounds a slice, in seconds.
const mostSlice = 3600

func (a *app) bench(ctx context.Context, f benchFlags) (err error) {
	if f.events < 1 || !(f.seconds > 0 && f.seconds <= mostSlice) {
		return usageError("--events wants at least 1, and --seconds more than 0 and at most %d", mostSlice)
	}
	self, err := benchSelf()
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "hearsay-bench-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	goals := make(map[string]string)
	for _, l := range bench.Lines() {
		goals[l.Name] = l.Goal
	}
	for _, name := range f.only {
		if goals[name] == "" {
			return usageError("no benchmark is named %q; docs/bench.md lists them", name)
		}
	}
	p := a.printer()
	var rows [][]any
	var notes []string
	err = bench.Run(ctx, bench.Config{
		Dir: dir, Self: self, Version: []string{self[0], "version"}, Hook: hookProgram(self[0]),
		Slice: time.Duration(f.seconds * float64(time.Second)), Events: f.events,
		Note: func(text string) { notes = append(notes, text) },
	}, f.only, func(r bench.Result) error {
		if a.json {
			return term.JSON(a.out, r)
		}
		rows = append(rows, []any{r.Name, amount(r.Value), amount(r.Floor), r.Unit, fmt.Sprintf("%.2f", r.Ratio), goals[r.Name]})
		return nil
	})
	if err != nil {
		return err
	}
	if !a.json {
		p.Table([]string{"what", "value", "floor", "unit", "ratio", "goal"}, rows)
	}
	for _, text := range notes {
		fmt.Fprintln(a.err, term.SafeText(text))
	}
	return p.Err()
}

// amount shows a figure with as many digits as say something.
func amount(v float64) string {
	if v < 100 {
		return fmt.Sprintf("%.1f", v)
	}
	return fmt.Sprintf("%.0f", v)
}
