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
	"github.com/hearsay-memory/hearsay/internal/instance"
	"github.com/hearsay-memory/hearsay/internal/memory"
	"github.com/hearsay-memory/hearsay/internal/portable"
	"github.com/hearsay-memory/hearsay/internal/term"
	"github.com/hearsay-memory/hearsay/recall"
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

// The states of what an import met.
const (
	importNew      = "new"      // of a dry run: it would be written
	importDone     = "imported" // written, and decided: see the standing
	importKnown    = "known"    // there before: see the standing
	importRepeated = "repeated" // once more in the same import
)

// replaced stands for the standing of what is let in and not served, because something took
// its place: it was corrected, adopted or forgotten.
const replaced = "replaced"

// imported is one memory of an import with --json.
type imported struct {
	Ref      string           `json:"ref"` // where it lay
	State    string           `json:"state"`
	ID       hearsay.RecordID `json:"id,omitzero"`
	Standing string           `json:"standing,omitempty"` // of the record; replaced: something took its place
	Label    *hearsay.Label   `json:"label,omitempty"`
	Rule     string           `json:"rule,omitempty"`
	Kind     recall.Kind      `json:"kind"`
	Bytes    int              `json:"bytes"`
	Notes    []string         `json:"notes,omitempty"` // what did not fit, and where that went
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
	g, err := gather(name, format)
	if err != nil {
		return err
	}
	in, err := a.open(ctx, f.dry)
	if err != nil {
		return err
	}
	defer in.Close()
	m := a.memoryOf(in)
	defer m.Close()
	run := importRun{app: a, in: in, m: m, seen: make(map[[2]string]bool, len(g.items)), labels: make(map[string]int), known: make(map[string]int)}
	if !f.dry {
		unlock, err := in.Home.LockNamed(ctx, "import") // two at once would not see each other's
		if err != nil {
			return fmt.Errorf("another import is under way: %w", err)
		}
		defer unlock()
		if run.caller, _, err = speaker(ctx, in); err != nil {
			return err
		}
		run.caller.Project = project
		if run.from, err = filepath.Abs(name); err != nil {
			return err
		}
	}
	if err := run.opening(name, g); err != nil {
		return err
	}
	for i := range g.items {
		if err := run.one(ctx, &g.items[i], f.dry); err != nil {
			if f.dry {
				return err
			}
			return fmt.Errorf("%s: %w; %d of %d were looked at: run it again, and what is there is not stored twice", g.items[i].Ref, err, i, len(g.items))
		}
	}
	return run.closing(g, f.dry)
}

// importRun is one import under way.
type importRun struct {
	*app
	in     *instance.Instance
	m      *memory.Store
	caller hearsay.Caller
	from   string // absolute
	seen   map[[2]string]bool
	rows   [][]any        // of a dry run
	labels map[string]int // how many were let in, by label
	known  map[string]int // how many were there before, by standing
	held   int
	kept   int // out
}

// one decides one memory.
func (r *importRun) one(ctx context.Context, it *portable.Item, dry bool) error {
	out := imported{Ref: it.Ref, State: importNew, Kind: it.Kind, Bytes: len(it.Text), Notes: it.Notes}
	known, err := r.m.Known(ctx, &it.Doc)
	if err != nil {
		return err
	}
	words := [2]string{it.Title, it.Text}
	switch {
	case r.seen[words]:
		out.State = importRepeated
	case len(known) > 0:
		out.State = importKnown
		// The one that is served says most; else the newest, whatever became of it.
		k := known[len(known)-1]
		if i := slices.IndexFunc(known, func(k memory.Knowing) bool { return k.Served }); i >= 0 {
			k = known[i]
		}
		out.ID, out.Standing, out.Label = k.Record.ID, k.Record.Standing.String(), &k.Record.Label
		if k.Record.Standing.Visible() && !k.Served {
			out.Standing = replaced
		}
	case !dry:
		if err := r.write(ctx, it, &out); err != nil {
			return err
		}
	}
	r.seen[words] = true
	return r.tell(&out, dry)
}

func (r *importRun) write(ctx context.Context, it *portable.Item, out *imported) error {
	d, err := r.m.Remember(ctx, r.caller, memory.New{
		Doc:    it.Doc,
		Source: hearsay.Source{Type: "import", Ref: r.ref(it)}, Claimed: guard.Claimed{Source: it.Says}, Tool: "hearsay import",
	})
	if errors.Is(err, guard.ErrRefused) {
		return &exitError{exitHeld, it.Ref + ": " + err.Error()}
	}
	if err != nil {
		return err
	}
	out.State, out.ID, out.Standing, out.Label, out.Rule = importDone, d.ID, d.Standing.String(), &d.Verdict.Label, d.Verdict.Rule.ID
	switch {
	case d.Standing.Visible():
		r.labels[d.Verdict.Label.String()]++
	case d.Standing == hearsay.Held:
		r.held++
	default:
		r.kept++
	}
	return nil
}

// ref is where a memory lay, for whoever asks later.
func (r *importRun) ref(it *portable.Item) string {
	if rest, ok := strings.CutPrefix(it.Ref, filepath.Base(r.from)); ok {
		return r.from + rest
	}
	return r.from + ": " + it.Ref
}

func (r *importRun) tell(out *imported, dry bool) error {
	if out.State == importKnown || out.State == importRepeated {
		r.known[cmp.Or(out.Standing, importRepeated)]++
	}
	if r.json {
		return term.JSON(r.out, out)
	}
	if dry {
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
func (r *importRun) opening(name string, g *gathered) error {
	if r.json {
		return nil
	}
	p := r.printer()
	how := ""
	if g.guessed {
		how = ", by what is there; --format says otherwise"
	}
	p.Printf("Read %d memories from %d files of %s: %s%s.\n", len(g.items), g.files, name, g.format, how)
	for _, n := range g.left[:min(len(g.left), maxImportFaults)] {
		p.Printf("%s was left out: it is no plain file.\n", n)
	}
	if more := len(g.left) - maxImportFaults; more > 0 {
		p.Printf("%d more were left out: they are no plain files.\n", more)
	}
	if g.others > 0 {
		p.Printf("%d files were left out: they are no Markdown.\n", g.others)
	}
	return p.Err()
}

// closing says what came of it.
func (r *importRun) closing(g *gathered, dry bool) error {
	if !r.json {
		if err := r.sum(g, dry); err != nil {
			return err
		}
	}
	if r.held+r.kept > 0 {
		return &exitError{exitHeld, ""}
	}
	return nil
}

func (r *importRun) sum(g *gathered, dry bool) error {
	p := r.printer()
	if len(r.rows) > 0 {
		p.Table([]string{"where", "kind", "size", "state"}, r.rows)
	}
	known := 0
	for _, n := range r.known {
		known += n
	}
	if dry {
		p.Printf("A dry run: %d would be decided, and nothing was written.\n", len(g.items)-known)
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
