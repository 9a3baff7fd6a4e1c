package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/internal/audit"
	"github.com/hearsay-memory/hearsay/internal/memory/sleep"
	"github.com/hearsay-memory/hearsay/internal/tell"
	"github.com/hearsay-memory/hearsay/internal/term"
)

// sleepCommand lets the memory sleep once.
func (a *app) sleepCommand() *cobra.Command {
	var dry bool
	c := &cobra.Command{
		Use:   "sleep",
		Short: "Prune, merge and sum up memories",
		Long: `Let the memory sleep once, such as every night, after an audit of it: what that names is
left as it is, see ` + "`hearsay audit`" + `. What has faded is let go of, what is said
twice is merged, and what is about to fade is summed up by a command of yours, if
config.json in the home names one:

    "summarizer": ["my-summarizer", "--short"]

It gets memories as the files of the memory show them on standard input, and writes their
summary to standard output, within a minute and 16 KiB. What it writes is believed no more
than what it was given, and the policy decides about it.

Vectors that are missing are made, if config.json names an embedder, see docs/memory.md.

Nothing that you pinned, called stable or approved is merged or summed up, and nothing that
is pinned, stable or of salience 0.7 or more is pruned. Memories of different labels are
never mixed. It is all done, or nothing of it. Each run has a name: revoking it as a source
brings everything back, and what you brought back is left alone from then on.`,
		Example: `  hearsay sleep --dry-run
  hearsay revoke --source sleep:2026-12-01-q5kqbjxmcd`,
		Args: exactArgs(0),
		RunE: func(c *cobra.Command, _ []string) error { return a.sleep(c.Context(), dry) },
	}
	c.Flags().BoolVar(&dry, "dry-run", false, "show what would be done and do nothing; no command is run")
	return a.jsonFlag(c)
}

func (a *app) sleep(ctx context.Context, dry bool) error {
	in, m, done, err := a.openMemory(ctx, false)
	if err != nil {
		return err
	}
	defer done()
	got, err := sleep.Run(ctx, m, in.Caller(hearsay.SurfaceCLI), sleep.Options{
		Audit: func(ctx context.Context) ([]hearsay.RecordID, error) {
			report, err := audit.Look(ctx, in.Guard, audit.Scope{Principal: in.Config.Principal})
			if err != nil {
				return nil, err
			}
			return report.Suspects(), nil
		},
		Summarizer: in.Config.Summarizer, DryRun: dry,
	})
	if err != nil {
		return err
	}
	made := 0
	if !dry {
		if made, err = m.Embed(ctx); err != nil { // what it makes can be made later
			fmt.Fprintf(a.err, "hearsay: vectors are missing: %s\n", term.SafeText(err.Error()))
		}
	}
	if a.json {
		return term.JSON(a.out, got)
	}
	p := a.printer()
	if made > 0 {
		p.Printf("Asked the embedder for %d vectors.\n", made)
	}
	p.Printf("Looked at %s.\n", tell.Count(got.Looked, "memory", "memories"))
	if got.Suspects > 0 {
		p.Printf("Left %d alone that the audit names: `hearsay audit` says why.\n", got.Suspects)
	}
	did := map[sleep.What]string{sleep.Prune: "let go of", sleep.Merge: "merged", sleep.Sum: "summed up"}
	for _, ch := range got.Changes {
		p.Printf("%d of %s %s", len(ch.Of), tell.Label(p, ch.Label), did[ch.What])
		switch {
		case ch.ID.IsZero():
			p.Println(":")
		case ch.Standing.Visible():
			p.Printf(", by %s:\n", ch.ID)
		default:
			p.Printf(": %s is %s, and they stay\n", ch.ID, ch.Standing)
		}
		for _, id := range ch.Of {
			p.Printf("  %s\n", id)
		}
	}
	for _, f := range got.Failures {
		p.Printf("%d memories were not summed up: %s\n", len(f.Of), f.Why)
	}
	if got.Later > 0 {
		p.Printf("%d more changes wait for the next run.\n", got.Later)
	}
	switch {
	case got.DryRun:
		p.Println("A dry run: nothing was done.")
	case got.Source == "":
		p.Println("There was nothing to do.")
	default:
		p.Println(fmt.Sprintf("`hearsay revoke --source %s` undoes it.", got.Source))
	}
	return p.Err()
}
