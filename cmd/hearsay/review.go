package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/event"
	"github.com/hearsay-memory/hearsay/internal/people"
	"github.com/hearsay-memory/hearsay/internal/review"
	"github.com/hearsay-memory/hearsay/internal/reviewer"
	"github.com/hearsay-memory/hearsay/internal/term"
)

// reviewCommand is where a person decides about what is held and what is asked.
func (a *app) reviewCommand() *cobra.Command {
	var s signing
	c := &cobra.Command{
		Use:   "review",
		Short: "Decide about what is held and what agents ask",
		Long: `Walk through the memories that are held and the actions that agents ask about, one at a
time, and approve or reject each. Needs a terminal: what is held or asked is shown to
people only.

Approving a memory releases the exact bytes that were held. It is not absolution: the
label stays, and what is derived from the record is decided anew.

Approving an action lets the agent do just that once, if it asks again within 30 minutes;
or, where you say so, that action in its directory for 30 minutes, whatever it is done
to. A question waits for an hour and is then unanswered, which is a denial.`,
		Args: exactArgs(0),
		RunE: func(c *cobra.Command, _ []string) error { return a.reviewWalk(c.Context(), &s) },
	}
	s.flags(c)
	c.AddCommand(
		a.reviewListCommand(),
		a.reviewShowCommand(),
		a.reviewApproveCommand(),
		a.reviewRejectCommand(),
		a.reviewOverrideCommand(),
	)
	return c
}

// reviewApproveCommand releases memories and lets actions go on, by their ids.
func (a *app) reviewApproveCommand() *cobra.Command {
	var once, directory bool
	c := a.reviewDecideCommand(reviewer.Approve, func() (string, error) {
		switch {
		case once && directory:
			return "", usageError("--once and --directory exclude each other")
		case directory:
			return event.ScopeDirectory, nil
		}
		return event.ScopeOnce, nil
	})
	c.Short = "Release held memories, byte for byte, and let actions go on"
	c.Long = `Release held memories, byte for byte, and let actions go on that wait for an answer.

An action goes on once, if the agent asks for the very same within 30 minutes. With
--directory the same kind of action goes on in the same directory for 30 minutes, whatever
it is done to, for every session that has read no more than this one had.`
	c.Flags().BoolVar(&once, "once", false, "an action goes on once (the default)")
	c.Flags().BoolVar(&directory, "directory", false, "such actions go on in the directory for 30 minutes")
	return c
}

// reviewRejectCommand refuses memories and actions by their ids.
func (a *app) reviewRejectCommand() *cobra.Command {
	c := a.reviewDecideCommand(reviewer.Reject, func() (string, error) { return "", nil })
	c.Short = "Refuse held memories for good, and actions that wait"
	return c
}

// reviewDecideCommand decides by ids. scope reads how far an approval of an action goes.
func (a *app) reviewDecideCommand(d reviewer.Decision, scope func() (string, error)) *cobra.Command {
	var s signing
	ch := review.Choice{Decision: d}
	var yes bool
	c := &cobra.Command{
		Use: string(d) + " ID…",
		Args: func(c *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usageError("%s takes one or more ids; `hearsay review list` shows them", c.CommandPath())
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) (err error) {
			if ch.Scope, err = scope(); err != nil {
				return err
			}
			ids := make([]hearsay.RecordID, len(args))
			for i, arg := range args {
				if ids[i], err = parseID(arg); err != nil {
					return err
				}
			}
			return a.reviewDecide(c.Context(), &s, ch, ids, yes)
		},
	}
	s.flags(c)
	c.Flags().StringVar(&ch.Note, "note", "", "why; it is sealed with the decision")
	c.Flags().BoolVar(&yes, "yes", false, "ask nothing: you have seen what you decide about")
	return a.jsonFlag(c)
}

// reviewDecide looks first, asks next and signs last: no passphrase is asked for where
// nothing can be decided.
func (a *app) reviewDecide(ctx context.Context, s *signing, ch review.Choice, ids []hearsay.RecordID, yes bool) error {
	in, err := a.open(ctx, false)
	if err != nil {
		return err
	}
	defer in.Close()
	var p people.Person
	defer p.Close()
	var items []review.Item
	var failed review.Failures
	fail := func(err error) {
		failed.Add(err)
		a.warn(err.Error())
	}
	for _, id := range ids {
		it, err := review.Load(ctx, in, id)
		if err == nil && it.What() == review.Memory && ch.Scope == event.ScopeDirectory {
			return usageError("%s is a memory, and --directory is of actions; nothing was decided", id)
		}
		if err == nil {
			err = it.Decidable(ch.Decision, nowMS())
		}
		if err != nil {
			fail(err)
			continue
		}
		items = append(items, it)
	}
	if len(items) > 0 {
		if !yes {
			screen, err := p.Printer()
			if err != nil {
				return fmt.Errorf("what you %s is shown to you before: %w, or say --yes", ch.Decision, err)
			}
			for _, it := range items {
				it.Facts(screen)
				it.Words(screen)
				screen.Println("")
			}
		}
		signer, err := s.confirmed(in, &p, yes, fmt.Sprintf("%s %s?", ch, counted(items)))
		if err != nil {
			return err
		}
		defer signer.Wipe()
		for _, it := range items {
			became, err := it.Decide(ctx, in, signer, ch)
			if err != nil {
				fail(err)
				continue
			}
			if a.json {
				err = term.JSON(a.out, decidedJSON{it.What(), it.ID(), ch.Decision, became})
			} else {
				p := a.printer()
				p.Printf("%s %s\n", it.ID(), became)
				it.Offer(p)
				err = p.Err()
			}
			if err != nil {
				return err
			}
		}
	}
	return failed.Err("") // each was told
}

// decidedJSON is what a decision says with --json, when it is sealed.
type decidedJSON struct {
	What     string            `json:"what"`
	ID       hearsay.RecordID  `json:"id"`
	Decision reviewer.Decision `json:"decision"`
	Became   string            `json:"became"`
}

// counted says how many of each there are.
func counted(items []review.Item) string {
	actions := 0
	for _, it := range items {
		if it.What() == review.Action {
			actions++
		}
	}
	switch memories := len(items) - actions; {
	case actions == 0:
		return fmt.Sprintf("%d record(s)", memories)
	case memories == 0:
		return fmt.Sprintf("%d action(s)", actions)
	default:
		return fmt.Sprintf("%d record(s) and %d action(s)", memories, actions)
	}
}
