package main

import (
	"cmp"
	"context"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/hearsay-memory/hearsay/guard"
	"github.com/hearsay-memory/hearsay/internal/review"
	"github.com/hearsay-memory/hearsay/internal/tell"
	"github.com/hearsay-memory/hearsay/internal/term"
)

// reviewListCommand lists memories and actions by where they stand, without a word of theirs.
func (a *app) reviewListCommand() *cobra.Command {
	var s review.Selection
	c := &cobra.Command{
		Use:   "list",
		Short: "List what is held and what is asked, oldest first",
		Long: `List the memories that are held and the actions that agents ask about, oldest first,
none of their words. --status says which: held (and questions that wait), released (and
approved, or spent), rejected (and denied), unanswered (questions only) or all.`,
		Args: exactArgs(0),
		RunE: func(c *cobra.Command, _ []string) error {
			s.ByAgent = c.Flags().Changed("agent")
			if !s.Known() {
				return usageError("--status %q: say held, released, rejected, unanswered or all", s.Status)
			}
			return a.reviewList(c.Context(), s)
		},
	}
	c.Flags().StringVar(&s.Agent, "agent", "", "only what this agent wrote or asks")
	c.Flags().StringVar(&s.Status, "status", "held", "held, released, rejected, unanswered or all")
	return a.jsonFlag(c)
}

func (a *app) reviewList(ctx context.Context, s review.Selection) error {
	in, err := a.open(ctx, true)
	if err != nil {
		return err
	}
	defer in.Close()
	now := time.Now()
	list, err := s.List(ctx, in, now.UnixMilli())
	if err != nil {
		return err
	}
	p := a.printer()
	var rows [][]any
	for _, l := range list {
		if r := l.Record; r != nil {
			if a.json {
				err = term.JSON(a.out, review.RecordObject{What: review.Memory, Record: r})
			}
			rows = append(rows, []any{r.ID, review.Memory, r.Standing, tell.Ago(r.Created, now), r.Source, tell.Label(p, r.Label), r.Rule, r.Agent, r.Bytes})
		}
		if q := l.Question; q != nil {
			state := guard.StateAt(q, now.UnixMilli())
			if a.json {
				err = term.JSON(a.out, review.QuestionObject{What: review.Action, State: state, Action: q})
			}
			rows = append(rows, []any{q.ID, review.Action, state, tell.Ago(q.Asked, now), strings.Join(q.Names, " "), tell.Label(p, q.Label), cmp.Or(q.Rule, "(default)"), q.Agent})
		}
		if err != nil {
			return err
		}
	}
	if a.json {
		return nil
	}
	if len(rows) == 0 {
		p.Println("Nothing.")
		return p.Err()
	}
	p.Table([]string{"ID", "KIND", "STANDING", "SINCE", "SOURCE OR ACTION", "LABEL", "RULE", "AGENT", "BYTES"}, rows)
	return p.Err()
}
