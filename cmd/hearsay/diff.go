package main

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/event"
	"github.com/hearsay-memory/hearsay/internal/term"
)

// diffCommand shows what would change, or what did.
func (a *app) diffCommand() *cobra.Command {
	var since, until string
	c := a.jsonFlag(&cobra.Command{
		Use:   "diff [ID]",
		Short: "Show what a held write would change, or what changed between two times",
		Long: `With an id: what the write adds to the memory, or takes out, if it is released. With
--since: every change of a record's standing between two times, oldest first.`,
		Args: func(_ *cobra.Command, args []string) error {
			if (len(args) == 1) == (since != "") || len(args) > 1 {
				return usageError("diff takes one record id, or --since")
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error {
			if since == "" {
				id, err := parseID(args[0])
				if err != nil {
					return err
				}
				return a.diffRecord(c.Context(), id)
			}
			now := time.Now()
			from, err := parseSince(since, now)
			if err != nil {
				return err
			}
			to := now
			if until != "" {
				if to, err = parseSince(until, now); err != nil {
					return err
				}
			}
			return a.diffTimes(c.Context(), from.UnixMilli(), to.UnixMilli())
		},
	})
	c.Flags().StringVar(&since, "since", "", "changes since this `TIME`: RFC 3339, or 90m, 2h, 3d ago")
	c.Flags().StringVar(&until, "until", "", "changes until this `TIME` (default: now)")
	return c
}

// diffLine is one change that a write makes.
type diffLine struct {
	Sign string `json:"sign"` // "+" or "-"
	Path string `json:"path,omitempty"`
	Text string `json:"text"`
}

func (a *app) diffRecord(ctx context.Context, id hearsay.RecordID) error {
	in, err := a.open(ctx, true)
	if err != nil {
		return err
	}
	defer in.Close()
	shown, err := in.Guard.Show(ctx, id)
	if err != nil {
		return missingRecord(err)
	}
	if shown.Erased {
		return fmt.Errorf("the words of record %s were erased: nothing can be shown", id)
	}
	if !shown.Record.Standing.Visible() && !a.printer().Terminal() {
		return &exitError{exitHeld, "record " + id.String() + " is not visible to agents: what it would change is shown on a terminal only"}
	}
	sign := "+"
	if shown.Record.Op == event.Delete {
		sign = "-"
	}
	lines, err := jsonLines(shown.Side.Content)
	if err != nil {
		lines = []jsonLine{{"", string(shown.Side.Content)}}
	}
	p := a.printer()
	if !a.json {
		p.Printf("%s %s: %s in %s, %s\n", shown.Record.Standing, id, shown.Record.Op, shown.Record.Namespace, p.Yellow(shown.Record.Label.String()))
	}
	for _, l := range lines {
		if a.json {
			if err := term.JSON(a.out, diffLine{sign, l.path, l.value}); err != nil {
				return err
			}
			continue
		}
		p.Text(sign+" ", prefixed("", l.path)+prefixed(": ", l.value))
	}
	return p.Err()
}

// standingChange is one change of a record's standing.
type standingChange struct {
	T        int64            `json:"t"`
	Kind     event.Kind       `json:"kind"`
	Record   hearsay.RecordID `json:"record"`
	Standing hearsay.Standing `json:"standing"`
	Label    hearsay.Label    `json:"label"`
	Delivery hearsay.Delivery `json:"delivery"`
}

func (a *app) diffTimes(ctx context.Context, from, to int64) error {
	in, err := a.open(ctx, true)
	if err != nil {
		return err
	}
	defer in.Close()
	p := a.printer()
	for entry, err := range in.Store.Log(ctx, 0) {
		if err != nil {
			return err
		}
		e, err := event.Decode(entry.Body)
		if err != nil {
			return fmt.Errorf("entry %d: %w", entry.Seq, err)
		}
		if e.Record == nil || e.T < from || e.T > to {
			continue
		}
		ch := standingChange{e.T, e.Kind, e.Record.ID, e.Record.Standing, e.Record.Label, e.Record.Delivery}
		if a.json {
			if err := term.JSON(a.out, ch); err != nil {
				return err
			}
			continue
		}
		p.Printf("%s  %s  %s, %s  %s  %s\n", time.UnixMilli(ch.T).UTC().Format(time.RFC3339), ch.Record, ch.Standing, ch.Delivery, ch.Label, ch.Kind)
	}
	return p.Err()
}
