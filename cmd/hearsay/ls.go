package main

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/event"
	"github.com/hearsay-memory/hearsay/guard"
	"github.com/hearsay-memory/hearsay/internal/blame"
	"github.com/hearsay-memory/hearsay/internal/tell"
	"github.com/hearsay-memory/hearsay/internal/term"
)

// listing is what ls is asked for.
type listing struct {
	standing, origin, taint, session, since, file string
	limit                                         int
	newest, memory                                bool
}

// lsCommand lists records.
func (a *app) lsCommand() *cobra.Command {
	var l listing
	c := &cobra.Command{
		Use:   "ls",
		Short: "List records, newest first",
		Long: `List records, newest first: who they are from and where they stand, none of their words.

With --file: the records that lines of a memory file came with, and those held that would
go there. With --memory: those of our own memory, with their kind, whether they are pinned,
and what stands in their place.`,
		Example: `  hearsay ls --standing held --taint web
  hearsay ls --since 2h --json
  hearsay ls --memory --standing allowed
  hearsay ls --file MEMORY.md`,
		Args: exactArgs(0),
		RunE: func(c *cobra.Command, _ []string) error {
			q, err := l.query(time.Now())
			if err != nil {
				return err
			}
			return a.list(c.Context(), q, &l)
		},
	}
	c.Flags().StringVar(&l.standing, "standing", "", "only records of this `STANDING`: held, allowed, blocked, released, rejected, revoked, erased")
	c.Flags().StringVar(&l.origin, "origin", "", "only records of this `ORIGIN`: external, unverified, tool, agent, channel, user")
	c.Flags().StringVar(&l.taint, "taint", "", "only records with this `TAG` in their taint")
	c.Flags().StringVar(&l.session, "session", "", "only records of the session with this `ID`")
	c.Flags().StringVar(&l.since, "since", "", "only records since this `TIME`: RFC 3339, or 90m, 2h, 3d ago")
	c.Flags().StringVar(&l.file, "file", "", "only records that are in this memory `FILE`, or would go there")
	c.Flags().BoolVar(&l.memory, "memory", false, "only records of our own memory")
	c.Flags().IntVar(&l.limit, "limit", 50, "at most `N` records; 0: all")
	c.Flags().BoolVar(&l.newest, "newest", true, "newest first; --newest=false: oldest first")
	return a.jsonFlag(c)
}

// query makes the store's query of what was asked.
func (l *listing) query(now time.Time) (guard.Query, error) {
	var standing hearsay.Standing
	var origin hearsay.Origin
	var since int64
	var err error
	if l.standing != "" {
		if standing, err = hearsay.ParseStanding(l.standing); err != nil {
			return guard.Query{}, usageError("--standing: %v", err)
		}
	}
	if l.origin != "" {
		if origin, err = hearsay.ParseOrigin(l.origin); err != nil {
			return guard.Query{}, usageError("--origin: %v", err)
		}
	}
	if l.since != "" {
		t, err := parseSince(l.since, now)
		if err != nil {
			return guard.Query{}, err
		}
		since = t.UnixMilli()
	}
	if l.limit < 0 {
		return guard.Query{}, usageError("--limit %d: want 0 or more", l.limit)
	}
	return guard.Query{Newest: l.newest, Limit: l.limit, Match: func(r *event.Record) bool {
		return (l.standing == "" || r.Standing == standing) && (l.origin == "" || r.Label.Origin == origin) &&
			(l.taint == "" || r.Label.Taint.Has(l.taint)) && (l.session == "" || r.Session == l.session) && r.Created >= since
	}}, nil
}

func (a *app) list(ctx context.Context, q guard.Query, l *listing) error {
	if l.memory && l.file != "" {
		return usageError("--memory and --file: a record is in one of them")
	}
	in, err := a.open(ctx, true)
	if err != nil {
		return err
	}
	defer in.Close()
	if l.file != "" {
		ids, err := blame.Records(ctx, in, l.file)
		if err != nil {
			return err
		}
		also := q.Match
		q.Match = func(r *event.Record) bool { return ids[r.ID] && also(r) }
	}
	if l.memory {
		also := q.Match
		q.Match = func(r *event.Record) bool { return r.Store == guard.OwnStore && also(r) }
		if !a.json {
			return a.listMemory(ctx, in, q)
		}
	}
	p, now := a.printer(), time.Now()
	var rows [][]any
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
		rows = append(rows, []any{r.ID, tell.Ago(r.Created, now), r.Standing, tell.SpokenBy(p, r), tell.Place(r), r.Source, r.Delivery})
	}
	if a.json {
		return nil
	}
	if len(rows) == 0 {
		p.Println("No such records.")
		return p.Err()
	}
	p.Table([]string{"id", "written", "standing", "origin (taint)", "kind/namespace", "source", "delivery"}, rows)
	return p.Err()
}
