package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/event"
	"github.com/hearsay-memory/hearsay/guard"
	"github.com/hearsay-memory/hearsay/internal/review"
	"github.com/hearsay-memory/hearsay/internal/reviewer"
)

// reviewOverrideCommand breaks the glass for one action.
func (a *app) reviewOverrideCommand() *cobra.Command {
	var s signing
	var note string
	var yes bool
	c := &cobra.Command{
		Use:   "override ID --note REASON",
		Short: "Let an action go on that was denied or not answered (break-glass)",
		Long: `Let one action go on, once, that the policy denied or that nobody answered: for when
something is on fire. The reason is sealed with your signature. The agent asks again
within 30 minutes and goes on.

It cannot lift what is denied absolutely: project.delete, database.drop and what the
policy's actions.forbidden adds, from whichever session. It is of actions only: a memory
is approved or stays held.`,
		Args: exactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			id, err := parseID(args[0])
			if err != nil {
				return err
			}
			if strings.TrimSpace(note) == "" {
				return usageError("an override needs a reason: say why with --note")
			}
			return a.reviewOverride(c.Context(), &s, id, note, yes)
		},
	}
	s.flags(c)
	c.Flags().StringVar(&note, "note", "", "`REASON` why it must go on; it is sealed")
	c.Flags().BoolVar(&yes, "yes", false, "ask nothing: you have seen the action")
	return c
}

func (a *app) reviewOverride(ctx context.Context, s *signing, id hearsay.RecordID, note string, yes bool) error {
	in, err := a.open(ctx, false)
	if err != nil {
		return err
	}
	it, err := review.Load(ctx, in, id)
	if q, ok := it.(*review.Question); ok {
		err = overridable(q, in.Guard)
	} else if err == nil {
		err = usageError("%s is a memory, and an override is of actions: approve it, or leave it held", id)
	}
	if err := in.Close(); err != nil {
		return err
	}
	if err != nil {
		return err
	}
	return a.reviewDecide(ctx, s, review.Choice{Decision: reviewer.Override, Scope: event.ScopeOnce, Note: note}, []hearsay.RecordID{id}, yes)
}

// overridable says why an action cannot be overridden, before anybody is asked for a
// passphrase; nil: it can.
func overridable(q *review.Question, g *guard.Guard) error {
	if d := g.Policy().DecideAction(q.Action.Names, true); d.Absolute {
		return &exitError{exitHeld, fmt.Sprintf("%s is never overridden: no approval, no reason and no mode lifts that; do it yourself, outside the agent", d.Pattern)}
	}
	switch state := guard.StateAt(q.Action, nowMS()); state {
	case event.ActionWaiting, event.ActionRefused, event.ActionUnanswered:
		return nil
	default:
		return fmt.Errorf("question %s is %s: there is nothing to override", q.Action.ID, state)
	}
}
