package main

import (
	"context"
	"os"

	"github.com/spf13/cobra"

	"github.com/hearsay-memory/hearsay/internal/attack"
	"github.com/hearsay-memory/hearsay/internal/term"
)

// attackCommand plays the attack scenarios.
func (a *app) attackCommand() *cobra.Command {
	var o attack.Options
	run := a.jsonFlag(&cobra.Command{
		Use:   "run",
		Short: "Play all scenarios at every surface",
		Long: `Play every named attack at the engine and at the proxy in front of the real memory
server, each in a home of its own that is removed afterwards. The proxy's part needs
node and the memory server of ` + "`make deps`" + ` (or HEARSAY_NPM_DIR, the folder it is in);
without them it is skipped and said so. Exit code 1 if an attack got through.`,
		Args: exactArgs(0),
		RunE: func(c *cobra.Command, _ []string) error { return a.attack(c.Context(), o) },
	})
	run.Flags().StringVar(&o.Surface, "surface", "", "only this `SURFACE`: engine or mcp")
	run.Flags().StringVar(&o.Only, "only", "", "only the scenario of this `ID`")
	return group(&cobra.Command{Use: "attack", Short: "Play named attacks against this build"}, run)
}

// counts is the last line of a run.
type counts struct {
	Passed  int `json:"passed"`
	Failed  int `json:"failed"`
	Skipped int `json:"skipped"`
}

func (a *app) attack(ctx context.Context, o attack.Options) error {
	if o.Surface != "" && o.Surface != "engine" && o.Surface != "mcp" {
		return usageError("--surface %s: there are engine and mcp", o.Surface)
	}
	o.Memory = attack.MemoryServer(os.Getenv)
	results, err := attack.Run(ctx, o)
	if err != nil {
		return err
	}
	var n counts
	p := a.printer()
	var rows [][]any
	for _, r := range results {
		word := p.Green(r.Result)
		switch r.Result {
		case "pass":
			n.Passed++
		case "skip":
			n.Skipped++
			word = p.Yellow(r.Result)
		default:
			n.Failed++
			word = p.Red(r.Result)
		}
		if a.json {
			if err := term.JSON(a.out, r); err != nil {
				return err
			}
		}
		rows = append(rows, []any{r.ID, r.Surface, word, r.Title, r.Detail})
	}
	if a.json {
		if err := term.JSON(a.out, n); err != nil {
			return err
		}
	} else {
		p.Table([]string{"id", "surface", "result", "attack", ""}, rows)
		p.Printf("\n%d passed, %d failed, %d skipped\n", n.Passed, n.Failed, n.Skipped)
		if err := p.Err(); err != nil {
			return err
		}
	}
	if n.Failed > 0 {
		return &exitError{code: exitFailed}
	}
	return nil
}
