package main

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/guard"
	"github.com/hearsay-memory/hearsay/internal/instance"
	"github.com/hearsay-memory/hearsay/internal/memfile"
	"github.com/hearsay-memory/hearsay/internal/people"
	"github.com/hearsay-memory/hearsay/internal/review"
	"github.com/hearsay-memory/hearsay/internal/reviewer"
	"github.com/hearsay-memory/hearsay/internal/tell"
	"github.com/hearsay-memory/hearsay/internal/term"
)

// revocation is what the command line asks to withdraw.
type revocation struct {
	signing  signing
	source   string
	since    string
	taint    string
	declared bool // leave what was merely exposed
	dry      bool
	yes      bool
}

// revokeCommand withdraws records and what came of them.
func (a *app) revokeCommand() *cobra.Command {
	var v revocation
	c := &cobra.Command{
		Use:   "revoke ID | --source REF | --since TIME --taint TAG",
		Short: "Withdraw records and what was derived from them",
		Long: `Withdraw one record, all from a source, or all of a taint since a time, and with them
what was derived: by declared parents, and by exposure, which is what a session wrote
after it had read any of that. No more is left than a run without the source would
have left. With --declared-only, what was merely exposed stays.

From memory files the lines go that came with a record, and what its write had replaced
comes back, with its owners, where the place is as the write left it. Where somebody
changed it since you are told, and the file as it was is kept: diff FILE --since ID.

What is shown first is what is withdrawn: nothing happens before you say yes.`,
		Args: func(c *cobra.Command, args []string) error {
			if len(args) > 1 {
				return usageError("%s takes one id; see `%s --help`", c.CommandPath(), c.CommandPath())
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error {
			q, err := v.query(args)
			if err != nil {
				return err
			}
			return a.revoke(c.Context(), &v, q)
		},
	}
	c.Flags().StringVar(&v.source, "source", "", "all from this URL, path or message id")
	v.flags(c)
	return a.jsonFlag(c)
}

// rollbackCommand is revoke by time.
func (a *app) rollbackCommand() *cobra.Command {
	var v revocation
	c := &cobra.Command{
		Use:   "rollback --since TIME --taint TAG",
		Short: "Withdraw what a taint brought in since a time (revoke --since)",
		Long: `Withdraw what has a taint since a time, and what was derived from it: it is
revoke --since. Memory files are put back as they were without it. One write, tainted or
not, is taken back with revoke ID; hearsay ls --file FILE shows the ids.`,
		Args: exactArgs(0),
		RunE: func(c *cobra.Command, _ []string) error {
			q, err := v.query(nil)
			if err != nil {
				return err
			}
			return a.revoke(c.Context(), &v, q)
		},
	}
	v.flags(c)
	return a.jsonFlag(c)
}

func (v *revocation) flags(c *cobra.Command) {
	v.signing.flags(c)
	f := c.Flags()
	f.StringVar(&v.since, "since", "", "from this `TIME` on: RFC 3339, or how long ago: 2h, 3d")
	f.StringVar(&v.taint, "taint", "", "with this taint, such as web")
	f.BoolVar(&v.declared, "declared-only", false, "leave what was merely exposed")
	f.BoolVar(&v.dry, "dry-run", false, "show it and withdraw nothing")
	f.BoolVar(&v.yes, "yes", false, "ask nothing")
}

// query reads the command line: exactly one way to select.
func (v *revocation) query(args []string) (guard.Revocation, error) {
	var q guard.Revocation
	ways := len(args)
	if v.source != "" {
		ways++
	}
	if v.since != "" || v.taint != "" {
		ways++
	}
	if ways != 1 || (v.since == "") != (v.taint == "") {
		return q, usageError("say what to withdraw, in one way: an id, --source REF, or --since TIME with --taint TAG")
	}
	q.Source, q.Taint = v.source, v.taint
	if len(args) == 1 {
		id, err := parseID(args[0])
		if err != nil {
			return q, err
		}
		q.ID = id
	}
	if v.since != "" {
		t, err := parseSince(v.since, time.Now())
		if err != nil {
			return q, err
		}
		q.Since = t.UnixMilli()
	}
	return q, nil
}

func (a *app) revoke(ctx context.Context, v *revocation, q guard.Revocation) error {
	in, err := a.open(ctx, v.dry)
	if err != nil {
		return err
	}
	defer in.Close()
	found, err := in.Guard.Affected(ctx, q)
	if err != nil {
		return missingRecord(err)
	}
	left := 0
	if v.declared {
		all := len(found)
		found = declaredOnly(found)
		left = all - len(found)
	}
	if err := a.printAffected(found, left, v.dry); err != nil {
		return err
	}
	if v.dry || len(found) == 0 {
		return nil
	}
	var p people.Person
	defer p.Close()
	signer, err := v.signing.confirmed(in, &p, v.yes, fmt.Sprintf("Withdraw %d record(s)?", len(found)))
	if err != nil {
		return err
	}
	defer signer.Wipe()
	return a.withdraw(ctx, in, signer, found)
}

// withdraw seals one revocation a record, and goes on where one fails.
func (a *app) withdraw(ctx context.Context, in *instance.Instance, signer *reviewer.Signer, found []guard.Derived) error {
	var failed review.Failures
	for _, d := range found {
		if _, err := in.Decide(ctx, signer, d.Record, reviewer.Revoke, ""); err != nil {
			a.warn(err.Error())
			failed.Add(err)
		}
	}
	if slices.ContainsFunc(found, func(d guard.Derived) bool { return d.Record.Store == memfile.Store }) {
		done, err := review.DeliverFiles(ctx, in)
		if err != nil {
			return err
		}
		for _, d := range done {
			for _, told := range [...]string{d.Conflict, d.Warning} {
				if told != "" {
					a.warn(told)
				}
			}
		}
	}
	if !a.json {
		a.printer().Printf("%d withdrawn: hidden from now on; a store that can take them out does so with the next call there.\n", len(found)-failed.N)
	}
	return failed.Err(fmt.Sprintf("%d of %d were not withdrawn; run the command again", failed.N, len(found)))
}

// declaredOnly keeps what was selected and what declares any of that, over any number
// of steps, as parent.
func declaredOnly(found []guard.Derived) []guard.Derived {
	kept := make(map[hearsay.RecordID]bool)
	for grown := true; grown; {
		grown = false
		for _, d := range found {
			id := d.Record.ID
			if !kept[id] && (d.Via == guard.ViaSelected || slices.ContainsFunc(d.Record.Parents, func(p hearsay.RecordID) bool { return kept[p] })) {
				kept[id], grown = true, true
			}
		}
	}
	return slices.DeleteFunc(found, func(d guard.Derived) bool { return !kept[d.Record.ID] })
}

// affected is one record of a revocation with --json.
type affected struct {
	ID       hearsay.RecordID `json:"id"`
	Via      guard.Via        `json:"via"`
	Standing hearsay.Standing `json:"standing"`
	Label    hearsay.Label    `json:"label"`
	Store    string           `json:"store"`
	Session  string           `json:"session"`
	Created  int64            `json:"created"` // UTC ms
	DryRun   bool             `json:"dry_run"`
}

// printAffected shows apart what was named, what declares it, and what was merely
// exposed to it.
func (a *app) printAffected(found []guard.Derived, left int, dry bool) error {
	if a.json {
		for _, d := range found {
			r := d.Record
			if err := term.JSON(a.out, affected{r.ID, d.Via, r.Standing, r.Label, r.Store, r.Session, r.Created, dry}); err != nil {
				return err
			}
		}
		return nil
	}
	p := a.printer()
	now := time.Now()
	for _, part := range [...]struct {
		via   guard.Via
		title string
	}{
		{guard.ViaSelected, "Selected"},
		{guard.ViaParent, "Derived: a withdrawn record is their declared parent"},
		{guard.ViaExposure, "Exposed: their session had read any of it before"},
	} {
		var rows [][]any
		for _, d := range found {
			if r := d.Record; d.Via == part.via {
				rows = append(rows, []any{"  ", r.ID, r.Standing, tell.Ago(r.Created, now), r.Label, r.Store, r.Session})
			}
		}
		if len(rows) > 0 {
			p.Printf("%s (%d)\n", p.Bold(part.title), len(rows))
			p.Table(nil, rows)
		}
	}
	if len(found) == 0 {
		p.Println("Nothing to withdraw.")
	}
	if left > 0 {
		p.Printf("%s %d record(s) that were merely exposed stay, as you asked.\n", p.Yellow("note:"), left)
	}
	if dry && len(found) > 0 {
		p.Println("A dry run: nothing was withdrawn.")
	}
	return p.Err()
}
