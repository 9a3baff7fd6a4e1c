package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/guard"
	"github.com/hearsay-memory/hearsay/internal/caller"
	"github.com/hearsay-memory/hearsay/internal/portable"
	"github.com/hearsay-memory/hearsay/internal/tell"
	"github.com/hearsay-memory/hearsay/internal/term"
	"github.com/hearsay-memory/hearsay/internal/transfer"
)

// importing is what import is asked.
type importing struct {
	format, project string
	dry             bool
}

// importCommand takes in what another program remembered.
func (a *app) importCommand() *cobra.Command {
	var f importing
	c := &cobra.Command{
		Use:   "import PATH",
		Short: "Take in the memories of another program",
		Long: `Take in a folder of Markdown files, the memory.json of the reference memory server, an
export of Mem0 as JSON, or an export of ours. Which of them it is, is told from what is
there, and said; --format says it instead.

Nobody was seen saying what comes in, so all of it is unverified, whatever it says of
itself, until you adopt it with ` + "`hearsay attest ID…`" + `. Each memory is decided by the
policy as any other write: one that is held waits in ` + "`hearsay review`" + `. Run beneath an
agent it is no better than what its sessions read.

All of it is read before any of it is written: where a part cannot be read, that is said
and nothing is written. What is known already, by its title and text, is not stored
twice, so a run that broke off is run again. That holds also for what you forgot,
refused or adopted since. In a folder, hidden files and folders, links and what is no
Markdown are left out.

Look at it first with --dry-run. It ends with 3 where a memory is held or blocked.`,
		Example: `  hearsay import ~/notes --dry-run
  hearsay import ~/.local/share/memory.jsonl
  hearsay import mem0.json --json | jq -r 'select(.state=="imported") | .id'`,
		Args: exactArgs(1),
		RunE: func(c *cobra.Command, args []string) error { return a.importMemories(c.Context(), &f, args[0]) },
	}
	fl := c.Flags()
	fl.StringVar(&f.format, "format", "", "`FORMAT` of what is there: markdown, server-memory, mem0, hearsay (default: told from what is there)")
	fl.StringVar(&f.project, "project", "", "`DIR` of the project that the memories belong to (default: none)")
	fl.BoolVar(&f.dry, "dry-run", false, "say what would come in, and write nothing")
	return a.jsonFlag(c)
}

func (a *app) importMemories(ctx context.Context, f *importing, name string) error {
	var format portable.Format
	if f.format != "" {
		var err error
		if format, err = portable.ParseFormat(f.format); err != nil {
			return usageError("--format: %v", err)
		}
	}
	project, err := projectOf(f.project)
	if err != nil {
		return err
	}
	g, err := transfer.Gather(name, format)
	if e, ok := errors.AsType[transfer.Unfit](err); ok {
		return usageError("%s", e)
	}
	if err != nil {
		return err
	}
	in, m, done, err := a.openMemory(ctx, f.dry)
	if err != nil {
		return err
	}
	defer done()
	run := importRun{app: a, take: transfer.Intake{Memory: m, Dry: f.dry}, labels: make(map[string]int), known: make(map[string]int)}
	if !f.dry {
		unlock, err := in.Home.LockNamed(ctx, "import") // two at once would not see each other's
		if err != nil {
			return fmt.Errorf("another import is under way: %w", err)
		}
		defer unlock()
		if run.take.Caller, _, err = caller.Speaker(ctx, in); err != nil {
			return err
		}
		run.take.Caller.Project = project
		if run.take.From, err = filepath.Abs(name); err != nil {
			return err
		}
	}
	if err := run.opening(name, g); err != nil {
		return err
	}
	for i := range g.Items {
		if err := run.one(ctx, &g.Items[i]); err != nil {
			if f.dry {
				return err
			}
			return fmt.Errorf("%s: %w; %d of %d were looked at: run it again, and what is there is not stored twice", g.Items[i].Ref, err, i, len(g.Items))
		}
	}
	return run.closing(g)
}

// importRun is one import under way, and what it told and counted.
type importRun struct {
	*app
	take   transfer.Intake
	rows   [][]any        // of a dry run
	labels map[string]int // how many were let in, by label
	known  map[string]int // how many were there before, by standing
	held   int
	kept   int // out
}

// one decides one memory and tells what became of it.
func (r *importRun) one(ctx context.Context, it *portable.Item) error {
	out, err := r.take.Take(ctx, it)
	if errors.Is(err, guard.ErrRefused) {
		return &exitError{exitHeld, it.Ref + ": " + err.Error()}
	}
	if err != nil {
		return err
	}
	switch {
	case out.State == transfer.Known || out.State == transfer.Repeated:
		r.known[cmp.Or(out.Standing, transfer.Repeated)]++
	case out.Decided == nil: // a dry run
	case out.Decided.Visible():
		r.labels[out.Label.String()]++
	case *out.Decided == hearsay.Held:
		r.held++
	default:
		r.kept++
	}
	return r.tell(out)
}

func (r *importRun) tell(out *transfer.Met) error {
	if r.json {
		return term.JSON(r.out, out)
	}
	if r.take.Dry {
		r.rows = append(r.rows, []any{out.Ref, out.Kind, fmt.Sprintf("%d bytes", out.Bytes), strings.TrimSpace(out.State + " " + out.Standing)})
	}
	if len(out.Notes) == 0 {
		return nil
	}
	p := r.printer()
	for _, n := range out.Notes {
		p.Printf("%s: %s\n", out.Ref, n)
	}
	return p.Err()
}

// opening says what was read.
func (r *importRun) opening(name string, g *transfer.Gathered) error {
	if r.json {
		return nil
	}
	p := r.printer()
	how := ""
	if g.Guessed {
		how = ", by what is there; --format says otherwise"
	}
	p.Printf("Read %s from %s of %s: %s%s.\n", tell.Count(len(g.Items), "memory", "memories"), tell.Count(g.Files, "file", "files"), name, g.Format, how)
	for _, n := range g.Left[:min(len(g.Left), transfer.MaxFaults)] {
		p.Printf("%s was left out: it is no plain file.\n", n)
	}
	if more := len(g.Left) - transfer.MaxFaults; more > 0 {
		p.Printf("%d more were left out: they are no plain files.\n", more)
	}
	if g.Others > 0 {
		p.Printf("Left out, as no Markdown: %s.\n", tell.Count(g.Others, "file", "files"))
	}
	return p.Err()
}

// closing says what came of it.
func (r *importRun) closing(g *transfer.Gathered) error {
	if !r.json {
		if err := r.sum(g); err != nil {
			return err
		}
	}
	if r.held+r.kept > 0 {
		return &exitError{exitHeld, ""}
	}
	return nil
}

func (r *importRun) sum(g *transfer.Gathered) error {
	p := r.printer()
	if len(r.rows) > 0 {
		p.Table([]string{"where", "kind", "size", "state"}, r.rows)
	}
	known := 0
	for _, n := range r.known {
		known += n
	}
	if r.take.Dry {
		p.Printf("A dry run: %d would be decided, and nothing was written.\n", len(g.Items)-known)
	}
	for _, label := range slices.Sorted(maps.Keys(r.labels)) {
		p.Printf("%s %d, as %s, until you adopt them with `hearsay attest`.\n", p.Green("Imported"), r.labels[label], label)
	}
	if r.held > 0 {
		p.Printf("%s %d: a person decides, with `hearsay review`.\n", p.Yellow("Held"), r.held)
	}
	if r.kept > 0 {
		p.Printf("%s %d, by the policy.\n", p.Red("Kept out"), r.kept)
	}
	if known > 0 {
		parts := make([]string, 0, len(r.known))
		for _, standing := range slices.Sorted(maps.Keys(r.known)) {
			parts = append(parts, fmt.Sprintf("%d %s", r.known[standing], standing))
		}
		p.Printf("Known already, and not stored again: %s.\n", strings.Join(parts, ", "))
	}
	return p.Err()
}
