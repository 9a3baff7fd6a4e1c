package main

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"github.com/hearsay-memory/hearsay/internal/blame"
	"github.com/hearsay-memory/hearsay/internal/blamepage"
)

// blameCommand shows who said each line of a memory file.
func (a *app) blameCommand() *cobra.Command {
	var page bool
	c := a.jsonFlag(&cobra.Command{
		Use:   "blame FILE",
		Short: "Show who said each line of a memory file",
		Long: `Show each line of a guarded file with its origin, what flowed into it, and the record of
the write that it came with. A line that nobody was seen writing has no record: it is
unverified, and has the taint of every session that was open when it appeared.

With --html it is one page for a browser, on standard output, without a script and with
nothing to load. --json says it by runs of lines, without a word of the file.

Nothing is written: what changed since the file was last looked at is shown, and sealed
when an agent's session starts. hearsay attest adopts lines as your own word.`,
		Example: `  hearsay blame MEMORY.md
  hearsay blame --html MEMORY.md > blame.html`,
		Args: exactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			if page && a.json {
				return usageError("--html and --json exclude each other")
			}
			return a.blame(c.Context(), args[0], page)
		},
	})
	c.Flags().BoolVar(&page, "html", false, "print one HTML page")
	return c
}

func (a *app) blame(ctx context.Context, name string, page bool) error {
	in, err := a.open(ctx, true)
	if err != nil {
		return err
	}
	defer in.Close()
	s, err := blame.Look(ctx, in, name)
	if err != nil {
		return err
	}
	runs, err := blame.Of(ctx, in, s.File.All())
	if err != nil {
		return err
	}
	now := time.Now()
	switch {
	case a.json:
		return objects(a, runs)
	case page:
		return blamepage.Write(a.out, blame.Page(name, s, runs, now))
	}
	p := a.printer()
	p.Table([]string{"line", "said by", "record", "when", "text"}, blame.Rows(p, runs, blame.TextLines(s.Data), now))
	blame.PrintRecords(p, runs, now)
	if said := blame.ByGit(s, runs); said != "" {
		p.Printf("\nOf what nobody was seen writing: the file is %s.\n", said)
	}
	return p.Err()
}
