package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/event"
	"github.com/hearsay-memory/hearsay/guard"
	"github.com/hearsay-memory/hearsay/internal/home"
	"github.com/hearsay-memory/hearsay/internal/reviewer"
	"github.com/hearsay-memory/hearsay/internal/term"
)

// reviewCommand is where a person decides about what is held.
func (a *app) reviewCommand() *cobra.Command {
	var s signing
	c := &cobra.Command{
		Use:   "review",
		Short: "Decide about what is held",
		Long: `Walk through what is held, one record at a time, and approve or reject each. Needs a
terminal: what is held is shown to people only.

Approving releases the exact bytes that were held. It is not absolution: the label
stays, and what is derived from the record is decided anew.`,
		Args: exactArgs(0),
		RunE: func(c *cobra.Command, _ []string) error { return a.reviewWalk(c.Context(), &s) },
	}
	s.flags(c)
	c.AddCommand(
		a.reviewListCommand(),
		a.reviewShowCommand(),
		a.reviewDecideCommand(reviewer.Approve, "Release held records, byte for byte"),
		a.reviewDecideCommand(reviewer.Reject, "Refuse held records for good"),
	)
	return c
}

// reviewListCommand lists records by standing, without a word of theirs.
func (a *app) reviewListCommand() *cobra.Command {
	var agent, status string
	c := &cobra.Command{
		Use:   "list",
		Short: "List what is held, oldest first",
		Args:  exactArgs(0),
		RunE: func(c *cobra.Command, _ []string) error {
			q, err := reviewQuery(c.Flags().Changed("agent"), agent, status)
			if err != nil {
				return err
			}
			return a.reviewList(c.Context(), q)
		},
	}
	c.Flags().StringVar(&agent, "agent", "", "only what this agent wrote")
	c.Flags().StringVar(&status, "status", "held", "held, released, rejected or all")
	return a.jsonFlag(c)
}

func reviewQuery(byAgent bool, agent, status string) (guard.Query, error) {
	var q guard.Query
	var want hearsay.Standing
	switch status {
	case "held":
		q.Queue, want = event.QueueReview, hearsay.Held
	case "released":
		want = hearsay.Released
	case "rejected":
		want = hearsay.Rejected
	case "all":
	default:
		return q, usageError("--status %q: say held, released, rejected or all", status)
	}
	q.Match = func(r *event.Record) bool {
		if byAgent && r.Agent != agent {
			return false
		}
		if status == "all" {
			return r.Standing == hearsay.Held || r.Standing == hearsay.Released || r.Standing == hearsay.Rejected
		}
		return r.Standing == want
	}
	return q, nil
}

func (a *app) reviewList(ctx context.Context, q guard.Query) error {
	in, err := a.open(ctx, true)
	if err != nil {
		return err
	}
	defer in.Close()
	var rows [][]any
	now := time.Now()
	for r, err := range in.Guard.List(ctx, q) {
		if err != nil {
			return err
		}
		if a.json {
			if err := term.JSON(a.out, r); err != nil {
				return err
			}
			continue
		}
		rows = append(rows, []any{r.ID, r.Standing, ago(r.Created, now), r.Source, r.Label, r.Rule, r.Agent, r.Bytes})
	}
	if a.json {
		return nil
	}
	p := a.printer()
	if len(rows) == 0 {
		p.Println("Nothing.")
		return p.Err()
	}
	p.Table([]string{"ID", "STANDING", "WRITTEN", "SOURCE", "LABEL", "RULE", "AGENT", "BYTES"}, rows)
	return p.Err()
}

// reviewShowCommand shows one record to a person.
func (a *app) reviewShowCommand() *cobra.Command {
	var out string
	c := &cobra.Command{
		Use:   "show ID",
		Short: "Show one record with its words",
		Long: `Show one record. The words of what is held or was refused are shown on a terminal
only, or written to a file with --out, byte for byte.`,
		Args: exactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			id, err := parseID(args[0])
			if err != nil {
				return err
			}
			return a.reviewShow(c.Context(), id, out)
		},
	}
	c.Flags().StringVar(&out, "out", "", "write the exact bytes of the content to a new `FILE`")
	return a.jsonFlag(c)
}

func (a *app) reviewShow(ctx context.Context, id hearsay.RecordID, out string) error {
	in, err := a.open(ctx, true)
	if err != nil {
		return err
	}
	defer in.Close()
	card, err := loadCard(ctx, in, id)
	if err != nil {
		return missingRecord(err)
	}
	if out != "" {
		if card.Erased {
			return fmt.Errorf("the words of %s were erased", id)
		}
		f, err := os.OpenFile(out, os.O_WRONLY|os.O_CREATE|os.O_EXCL, home.FileMode)
		if err != nil {
			return fmt.Errorf("write the content: %w", err)
		}
		_, err = f.Write(card.Side.Content)
		if err := errors.Join(err, f.Close()); err != nil {
			return fmt.Errorf("write the content: %w", err)
		}
	}
	if a.json {
		return term.JSON(a.out, card.Record)
	}
	p := a.printer()
	card.facts(p)
	switch {
	case out != "":
	case p.Terminal() || card.Record.Standing.Visible():
		card.words(p)
	default:
		p.Printf("\nThe words of a record that is %s are shown on a terminal only, or with --out FILE.\n", card.Record.Standing)
	}
	return p.Err()
}

// missingRecord says what to do about an id that no record has.
func missingRecord(err error) error {
	if errors.Is(err, guard.ErrNotFound) {
		return fmt.Errorf("%w; `hearsay review list --status all` shows the ids", err)
	}
	return err
}

// reviewDecideCommand approves or rejects records by their ids.
func (a *app) reviewDecideCommand(d reviewer.Decision, short string) *cobra.Command {
	var s signing
	var note string
	var yes bool
	c := &cobra.Command{
		Use:   string(d) + " ID…",
		Short: short,
		Args: func(c *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usageError("%s takes one or more ids; `hearsay review list` shows them", c.CommandPath())
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error {
			ids := make([]hearsay.RecordID, len(args))
			for i, arg := range args {
				var err error
				if ids[i], err = parseID(arg); err != nil {
					return err
				}
			}
			return a.reviewDecide(c.Context(), &s, d, ids, note, yes)
		},
	}
	s.flags(c)
	c.Flags().StringVar(&note, "note", "", "why; it is sealed with the decision")
	c.Flags().BoolVar(&yes, "yes", false, "ask nothing: you have seen the records")
	return c
}

func (a *app) reviewDecide(ctx context.Context, s *signing, d reviewer.Decision, ids []hearsay.RecordID, note string, yes bool) error {
	in, err := a.open(ctx, false)
	if err != nil {
		return err
	}
	defer in.Close()
	var p person
	defer p.close()
	// Look first, ask next, sign last: no passphrase is asked for where nothing can be decided.
	var cards []*card
	var failed failures
	fail := func(err error) {
		failed.add(err)
		fmt.Fprintf(a.err, "hearsay: %s\n", term.SafeText(err.Error()))
	}
	for _, id := range ids {
		c, err := loadCard(ctx, in, id)
		switch {
		case err != nil:
			fail(missingRecord(err))
		case c.Record.Standing != hearsay.Held:
			fail(fmt.Errorf("record %s is %s, not held: there is nothing to %s", id, c.Record.Standing, d))
		default:
			cards = append(cards, c)
		}
	}
	if len(cards) > 0 {
		if !yes {
			screen, err := p.printer()
			if err != nil {
				return fmt.Errorf("the records are shown before you %s them: %w, or say --yes", d, err)
			}
			for _, c := range cards {
				c.facts(screen)
				c.words(screen)
				screen.Println("")
			}
		}
		if err := p.confirm(yes, fmt.Sprintf("%s %d record(s)?", d, len(cards))); err != nil {
			return err
		}
		signer, err := s.unlock(in, &p)
		if err != nil {
			return err
		}
		defer signer.Wipe()
		for _, c := range cards {
			r, err := in.Decide(ctx, signer, c.Record, d, note)
			if err != nil {
				fail(err)
				continue
			}
			a.printer().Printf("%s %s\n", r.ID, outcome(r))
		}
	}
	return failed.err("") // each was told
}

// outcome says what a decided record is now.
func outcome(r *event.Record) string {
	if r.Standing == hearsay.Released {
		return fmt.Sprintf("released; it goes to store %s with the next call there, label still %s", r.Store, r.Label)
	}
	return r.Standing.String()
}
