package main

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/event"
	"github.com/hearsay-memory/hearsay/guard"
	"github.com/hearsay-memory/hearsay/internal/effect"
	"github.com/hearsay-memory/hearsay/internal/tell"
	"github.com/hearsay-memory/hearsay/internal/term"
)

// diffCommand shows what would change, or what did.
func (a *app) diffCommand() *cobra.Command {
	var since, until string
	c := a.jsonFlag(&cobra.Command{
		Use:   "diff [ID | FILE] [--since ID|TIME]",
		Short: "Show what a held write would change, what changed in a memory file, or between two times",
		Long: `With an id: what the write adds to the memory (+), or takes out (-), if it is released.
Of a memory that is a knowledge graph it lists entities, observations and relations
against what is known to have landed there: = changes nothing. What somebody put there
past hearsay is not known.

With a file: what changed in a memory file since it was last recorded, and whom each part
is blamed on. Hidden characters are written out, and the host's own time stamp is left
out. Nothing is sealed by that. A file whose name is an id is ./NAME. --json says it
without a word of the file. With --since ID it is what changed since just before that
record's write, with --since TIME since what was recorded then: show FILE --before prints
the file as it was, and revoke ID takes a write back.

With --since alone: what became of records between two times, oldest first: written, held,
released, rejected, revoked, and what was carried out.`,
		Example: `  hearsay diff 0190b5a0-0000-7000-8000-000000000000
  hearsay diff MEMORY.md
  hearsay diff MEMORY.md --since 2h
  hearsay diff --since 3d --until 2026-01-31T12:00:00Z`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 1 || len(args) == 0 && since == "" {
				return usageError("diff takes one file, one record id, or --since")
			}
			if until != "" && (since == "" || len(args) > 0) {
				return usageError("--until goes with --since, and not with a file")
			}
			if len(args) == 1 && since != "" {
				if _, err := hearsay.ParseRecordID(args[0]); err == nil {
					return usageError("diff takes one file, one record id, or --since, and both only of a file; one of that name is ./%s", args[0])
				}
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) == 1 {
				if id, err := hearsay.ParseRecordID(args[0]); err == nil {
					return a.diffRecord(c.Context(), id)
				}
				return a.diffFile(c.Context(), args[0], since)
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
			if to.Before(from) {
				return usageError("--until is before --since: nothing lies between")
			}
			return a.diffTimes(c.Context(), from.UnixMilli(), to.UnixMilli())
		},
	})
	c.Flags().StringVar(&since, "since", "", "changes since this `TIME`: RFC 3339, or 90m, 2h, 3d ago; of a file also since before a record's write")
	c.Flags().StringVar(&until, "until", "", "changes until this `TIME` (default: now)")
	return c
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
	p := a.printer()
	if !shown.Record.Standing.Visible() && !p.Terminal() {
		return &exitError{exitHeld, "record " + id.String() + " is not visible to agents: what it would change is shown on a terminal only"}
	}
	lines, err := effect.Of(ctx, in, shown)
	if err != nil {
		return err
	}
	if a.json {
		return objects(a, lines)
	}
	p.Printf("%s %s: %s in %s, %s\n", shown.Record.Standing, id, shown.Record.Op, tell.Place(shown.Record), tell.Label(p, shown.Record.Label))
	for _, l := range lines {
		l.Print(p)
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
	n := 0
	for entry, err := range in.Store.Log(ctx, 0) {
		if err != nil {
			return err
		}
		e, err := event.Decode(entry.Body)
		if err != nil {
			return fmt.Errorf("entry %d: %w: %w", entry.Seq, guard.ErrTampered, err)
		}
		if e.Record == nil || e.T < from || e.T > to {
			continue
		}
		n++
		ch := standingChange{e.T, e.Kind, e.Record.ID, e.Record.Standing, e.Record.Label, e.Record.Delivery}
		if a.json {
			if err := term.JSON(a.out, ch); err != nil {
				return err
			}
			continue
		}
		p.Printf("%s  %s  %s, %s  %s  %s\n", tell.Instant(ch.T), ch.Record, ch.Standing, ch.Delivery, tell.Label(p, ch.Label), ch.Kind)
	}
	if n == 0 && !a.json {
		p.Println("Nothing changed between these times.")
	}
	return p.Err()
}
