package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/guard"
	"github.com/hearsay-memory/hearsay/internal/caller"
	"github.com/hearsay-memory/hearsay/internal/instance"
	"github.com/hearsay-memory/hearsay/internal/memory"
	"github.com/hearsay-memory/hearsay/internal/people"
	"github.com/hearsay-memory/hearsay/internal/review"
	"github.com/hearsay-memory/hearsay/internal/tell"
	"github.com/hearsay-memory/hearsay/internal/term"
)

// forgetting is what forget is asked.
type forgetting struct {
	signing               signing
	sign, yes, dry, erase bool
	subject, why          string
}

// forgetCommand takes memories out of service, or destroys their words.
func (a *app) forgetCommand() *cobra.Command {
	var f forgetting
	c := &cobra.Command{
		Use:   "forget ID… | --subject S",
		Short: "Take memories out of service, or erase their words",
		Long: `Forget memories: they are not recalled any more. Revoking the record of it with
` + "`hearsay revoke`" + ` brings them back. Without --sign it is decided as any other write of the
sessions above this process: only a trusted one forgets without a person, and nobody but
a person forgets what is pinned.

With --erase their words are destroyed, here and in what quotes them word for word, held
or not: they are in no file of the home afterwards, and a memory that brings them again
is blocked unless you say it yourself. What they had taken the place of, or forgot, stays
out of service. The log stays valid and says that they were
erased. It cannot be undone, and what left the home before, such as a backup, is not
reached.

What would be forgotten is listed first. Look at it with --dry-run.`,
		Example: `  hearsay forget 0190b5a0-0000-7000-8000-000000000000 --sign
  hearsay forget --subject "Ana Example" --erase --dry-run`,
		RunE: func(c *cobra.Command, args []string) error {
			if (len(args) == 0) == (f.subject == "") {
				return usageError("say what to forget, in one way: ids, or --subject S")
			}
			return a.forget(c.Context(), &f, args)
		},
	}
	f.signing.flags(c)
	fl := c.Flags()
	fl.BoolVar(&f.sign, "sign", false, "as a person, with a reviewer's key")
	fl.BoolVar(&f.erase, "erase", false, "destroy the words; needs a reviewer's key")
	fl.StringVar(&f.subject, "subject", "", "all that is about `WHOM` or what, see `hearsay remember --subject`")
	fl.StringVar(&f.why, "why", "", "a `NOTE` for whoever looks at it later")
	fl.BoolVar(&f.dry, "dry-run", false, "list it and forget nothing")
	fl.BoolVar(&f.yes, "yes", false, "ask nothing")
	return a.jsonFlag(c)
}

// forgotten is one record of a forgetting with --json.
type forgotten struct {
	ID       hearsay.RecordID `json:"id"`
	Standing hearsay.Standing `json:"standing"`
	Label    hearsay.Label    `json:"label"`
	Store    string           `json:"store"`
	Created  int64            `json:"created"`          // UTC ms
	Quotes   bool             `json:"quotes,omitempty"` // it holds the words of one that was named
	DryRun   bool             `json:"dry_run"`
}

func (a *app) forget(ctx context.Context, f *forgetting, args []string) error {
	ids, err := parseIDs(args)
	if err != nil {
		return err
	}
	in, m, done, err := a.openMemory(ctx, false)
	if err != nil {
		return err
	}
	defer done()
	if f.subject != "" {
		if ids, err = m.About(ctx, f.subject); err != nil {
			return err
		}
	}
	list, err := a.toForget(ctx, in, m, f, ids)
	if err != nil {
		return err
	}
	if err := a.printForgotten(list, f); err != nil || f.dry || len(list) == 0 {
		return err
	}
	if !f.sign && !f.erase {
		return a.askToForget(ctx, in, m, f, list)
	}
	var who people.Person
	defer who.Close()
	question := fmt.Sprintf("Forget %s?", tell.Count(len(list), "memory", "memories"))
	if f.erase {
		question = fmt.Sprintf("Destroy the words of %s for good?", tell.Count(len(list), "record", "records"))
	}
	signer, err := f.signing.confirmed(in, &who, f.yes, question)
	if err != nil {
		return err
	}
	defer signer.Wipe()
	c := in.Caller(hearsay.SurfaceCLI)
	if f.erase {
		var named []hearsay.RecordID
		for _, e := range list {
			if !e.Quotes {
				named = append(named, e.Record.ID)
			}
		}
		done, err := m.Erase(ctx, c, named, signer.Sign)
		if err != nil {
			return fmt.Errorf("%d of %d were erased: %w; run the command again", len(done), len(list), err)
		}
		return a.said(fmt.Sprintf("Erased the words of %s.", tell.Count(len(done), "record", "records")))
	}
	r, err := m.Drop(ctx, c, forgettingOf(f, list), signer.Sign)
	if err != nil {
		return err
	}
	return a.said(fmt.Sprintf("Forgot %s, by %s: revoking it brings back what it took.", tell.Count(len(list), "memory", "memories"), r.ID))
}

// toForget lists the records that go. Without --erase those are served memories.
func (a *app) toForget(ctx context.Context, in *instance.Instance, m *memory.Store, f *forgetting, ids []hearsay.RecordID) ([]memory.Erasing, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	if f.erase {
		list, err := m.WouldErase(ctx, ids)
		return list, missingRecord(err)
	}
	var list []memory.Erasing
	for _, id := range slices.Compact(ids) {
		shown, err := in.Guard.Show(ctx, id)
		if err != nil {
			return nil, missingRecord(err)
		}
		r := shown.Record
		switch {
		case !review.IsMemory(r):
			return nil, usageError("record %s is no memory of ours: `hearsay revoke` withdraws it", id)
		case r.Standing.Visible():
			list = append(list, memory.Erasing{Record: r})
		case f.subject == "":
			return nil, usageError("memory %s is %s: only what is served can be forgotten; --erase destroys its words", id, r.Standing)
		}
	}
	return list, nil
}

func forgettingOf(f *forgetting, list []memory.Erasing) memory.Forgetting {
	out := memory.Forgetting{Why: f.why, Tool: "hearsay forget"}
	for _, e := range list {
		out.IDs = append(out.IDs, e.Record.ID)
	}
	return out
}

// askToForget lets the guard decide.
func (a *app) askToForget(ctx context.Context, in *instance.Instance, m *memory.Store, f *forgetting, list []memory.Erasing) error {
	c, said, err := caller.Speaker(ctx, in)
	if err != nil {
		return err
	}
	ask := forgettingOf(f, list)
	ask.Source = said
	d, err := m.Forget(ctx, c, ask)
	if errors.Is(err, guard.ErrRefused) {
		return &exitError{exitHeld, err.Error()}
	}
	if err != nil {
		return err
	}
	if !d.Standing.Visible() {
		if err := a.said(fmt.Sprintf("The wish to forget them is %s as %s: a person decides, with `hearsay review`, or forgets them with --sign.", d.Standing, d.ID)); err != nil {
			return err
		}
		return &exitError{exitHeld, ""}
	}
	return a.said(fmt.Sprintf("Forgot %s, by %s: revoking it brings back what it took.", tell.Count(len(list), "memory", "memories"), d.ID))
}

func (a *app) printForgotten(list []memory.Erasing, f *forgetting) error {
	if a.json {
		for _, e := range list {
			r := e.Record
			if err := term.JSON(a.out, forgotten{r.ID, r.Standing, r.Label, r.Store, r.Created, e.Quotes, f.dry}); err != nil {
				return err
			}
		}
		return nil
	}
	p := a.printer()
	if len(list) == 0 {
		p.Println("Nothing to forget.")
		return p.Err()
	}
	now := time.Now()
	var rows [][]any
	for _, e := range list {
		why := ""
		if e.Quotes {
			why = "quotes it"
		}
		rows = append(rows, []any{e.Record.ID, e.Record.Standing, tell.Ago(e.Record.Created, now), e.Record.Label, e.Record.Store, why})
	}
	p.Table([]string{"id", "standing", "written", "label", "store", ""}, rows)
	if f.dry {
		p.Println("A dry run: nothing was forgotten.")
	}
	return p.Err()
}

// said prints a sentence to people; JSON says it by its objects.
func (a *app) said(text string) error {
	if a.json {
		return nil
	}
	p := a.printer()
	p.Println(text)
	return p.Err()
}
