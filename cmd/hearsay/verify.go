package main

import (
	"cmp"
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/hearsay-memory/hearsay/guard"
	"github.com/hearsay-memory/hearsay/internal/home"
	"github.com/hearsay-memory/hearsay/internal/instance"
	"github.com/hearsay-memory/hearsay/internal/term"
	"github.com/hearsay-memory/hearsay/ledger"
)

// verifyCommand proves that the store is what was sealed, or names what is not.
func (a *app) verifyCommand() *cobra.Command {
	var against []string
	c := &cobra.Command{
		Use:   "verify",
		Short: "Check everything against the sealed log and the copies outside",
		Long: `Derive everything again from the log and compare: entries, tree, checkpoints, rows,
words, reviewers' signatures, live sessions. It writes nothing.

Only a checkpoint that was kept elsewhere shows that the whole store was not put back
or replaced: the configured copies are compared, and with --against any file of signed
checkpoints. Exit code 4 if something is not as it was sealed.`,
		Args: exactArgs(0),
		RunE: func(c *cobra.Command, _ []string) error {
			in, err := a.open(c.Context(), true)
			if err != nil {
				return err
			}
			defer in.Close()
			return a.verify(c.Context(), in, against)
		},
	}
	c.Flags().StringArrayVar(&against, "against", nil, "`FILE` with signed checkpoints; can be repeated")
	return a.jsonFlag(c)
}

// verified is what verify says with --json.
type verified struct {
	*guard.Report
	Witness string   `json:"witness"` // "outside" or "internally consistent only"
	Missing []string `json:"missing,omitempty"`
}

func (a *app) verify(ctx context.Context, in *instance.Instance, against []string) error {
	var outside [][]byte
	for _, name := range against {
		all, err := home.ReadCheckpoints(name, home.MaxHistory)
		if err != nil {
			return err
		}
		outside = append(outside, all...)
	}
	// A copy that is gone does not keep the rest from being checked, and is a failure.
	var missing []string
	for _, t := range in.Config.Checkpoints {
		msg, err := home.NewestCopy(t)
		if err != nil {
			missing = append(missing, err.Error())
			continue
		}
		outside = append(outside, msg)
	}
	rep, err := in.Verify(ctx, outside)
	if err != nil {
		return fmt.Errorf("the store could not be verified: %w", err)
	}
	if rep.Fault == nil && rep.LogID != in.Config.LogID {
		rep.Consistent, rep.Fault = false, &ledger.Fault{Kind: ledger.StateMismatch, Seq: -1,
			Detail: fmt.Sprintf("the store has the log %s, and the home was made for %s", rep.LogID, in.Config.LogID)}
	}
	if err := a.printVerified(verified{rep, witness(rep), missing}); err != nil {
		return err
	}
	switch {
	case rep.Fault != nil:
		return &exitError{code: exitIntegrity}
	case len(missing) > 0:
		return &exitError{exitFailed, "not every configured copy could be compared"}
	}
	return nil
}

// witness says what vouches for the log as a whole.
func witness(rep *guard.Report) string {
	if rep.Outside > 0 {
		return "outside"
	}
	return "internally consistent only"
}

func (a *app) printVerified(v verified) error {
	if a.json {
		return term.JSON(a.out, v)
	}
	p := a.printer()
	p.Table(nil, [][]any{
		{"log", v.LogID},
		{"entries", v.Entries},
		{"root", cmp.Or(v.Root, "not known")},
		{"rows", v.Rows},
		{"words", fmt.Sprintf("%d as committed, %d erased", v.Sides, v.Erased)},
		{"sessions", fmt.Sprintf("%d live", v.Sessions)},
		{"copies", fmt.Sprintf("%d agree", v.Outside)},
	})
	for _, m := range v.Missing {
		p.Printf("%s %s\n", p.Yellow("missing"), m)
	}
	switch {
	case v.Fault != nil:
		p.Printf("\n%s: %s\n", p.Red(string(v.Fault.Kind)), v.Fault.Detail)
		if v.Fault.Seq >= 0 {
			p.Printf("first bad entry: %d\n", v.Fault.Seq)
		}
		p.Printf("%s\n", remedy(v.Fault.Kind))
	case v.Outside == 0:
		p.Printf("\n%s: the store agrees with itself. That it was not put back or replaced as a\nwhole is shown only by a checkpoint that was kept elsewhere (--against, or `hearsay init --checkpoints`).\n",
			p.Yellow("internally consistent only"))
	default:
		p.Printf("\n%s: all is as it was sealed, and %d checkpoint(s) from outside agree.\n", p.Green("verified"), v.Outside)
	}
	return p.Err()
}

// remedy says what a person does about a fault.
func remedy(k ledger.FaultKind) string {
	const restore = "Stop the agents, keep a copy of the home as evidence, and restore the store from a backup; check that one with --against."
	switch k {
	case ledger.Truncated, ledger.RootMismatch:
		return "The history is not the one that was witnessed: the store was cut, put back or replaced. " + restore
	case ledger.BadSignature:
		return "Something was sealed or signed by a key that may not. Nothing after the named entry can be relied on. " + restore
	case ledger.SessionCleaner:
		return "A session claims to have read less than was sealed. End that agent's session before it writes again, then find out what changed the store."
	default:
		return "The store was changed around hearsay. Nothing that hangs on the named entry can be relied on. " + restore
	}
}
