package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/internal/caller"
	"github.com/hearsay-memory/hearsay/internal/instance"
	"github.com/hearsay-memory/hearsay/internal/memory"
	"github.com/hearsay-memory/hearsay/internal/term"
	"github.com/hearsay-memory/hearsay/mark"
	"github.com/hearsay-memory/hearsay/recall"
)

// recalling is what recall is asked.
type recalling struct {
	k, budget                     int
	tags, kinds, namespace, about []string
	project                       string
	explain                       bool
}

// recallCommand asks the memory.
func (a *app) recallCommand() *cobra.Command {
	var f recalling
	c := &cobra.Command{
		Use:   "recall [QUERY]",
		Short: "Ask the memory",
		Long: `Ask the memory, in any language, best first: a receipt for each memory, and its text as an
agent sees it. What the user, a known person or the agent said, untainted, is chosen and
ordered by itself; what comes from elsewhere is added to it, marked, and cannot change
it. Without a query the newest are ranked. If config.json in the home names an embedder,
what says the same in other words is found too, see docs/memory.md.

The sessions above this process take in what it shows. Memories of low trust are left
out, or flagged as pending, as recall.quarantine in the policy says.`,
		Example: `  hearsay recall "when do deploys run" --explain
  hearsay recall --tag deploy --kind procedure --k 3 --json`,
		Args: func(c *cobra.Command, args []string) error {
			if len(args) > 1 {
				return usageError("%s takes one query: put it in quotation marks", c.CommandPath())
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error {
			query := ""
			if len(args) == 1 {
				query = args[0]
			}
			return a.recall(c.Context(), &f, query)
		},
	}
	fl := c.Flags()
	fl.IntVar(&f.k, "k", 10, "`N` trusted memories at most, up to 100")
	fl.StringArrayVar(&f.tags, "tag", nil, "only memories with this `TAG`; again for more, all of which it must have")
	fl.StringArrayVar(&f.kinds, "kind", nil, "only memories of this `KIND`; again for more, one of which it must be")
	fl.StringArrayVar(&f.namespace, "namespace", nil, "only memories below this `SEGMENT` of a namespace; again for those further down")
	fl.StringVar(&f.project, "project", "", "leave out what belongs to another project than `DIR`")
	fl.StringArrayVar(&f.about, "about", nil, "a `TAG` of what is worked on: memories that have it come first; again for more")
	fl.IntVar(&f.budget, "budget", 64<<10, "`BYTES` of text at most; memories are shown whole or not at all")
	fl.BoolVar(&f.explain, "explain", false, "show what each score is made of")
	return a.jsonFlag(c)
}

// recalledMemory is one memory with --json.
type recalledMemory struct {
	ID      hearsay.RecordID `json:"id"`
	Receipt string           `json:"receipt"`
	recall.Flags
	Kind      recall.Kind       `json:"kind"`
	Namespace hearsay.Namespace `json:"namespace"`
	Text      string            `json:"text"`
	Tags      []string          `json:"tags,omitempty"`
	Created   int64             `json:"created"` // UTC ms
	Score     float64           `json:"score"`
	Parts     []recall.Part     `json:"parts,omitempty"`
}

// recalledRest is what recall says last with --json, where there is anything to say.
type recalledRest struct {
	Omitted  []hearsay.RecordID `json:"omitted,omitempty"`
	Withheld int                `json:"withheld,omitempty"`
}

func (a *app) recall(ctx context.Context, f *recalling, query string) error {
	kinds, err := parseKinds(f.kinds)
	if err != nil {
		return err
	}
	project, err := projectOf(f.project)
	if err != nil {
		return err
	}
	if f.k < 1 || f.budget < 1 {
		return usageError("--k and --budget: want 1 or more")
	}
	in, m, done, err := a.openMemory(ctx, false)
	if err != nil {
		return err
	}
	defer done()
	got, err := recallBeneath(ctx, in, m, memory.Ask{
		Query: query, K: f.k, Namespace: f.namespace, Kinds: kinds, Tags: f.tags, Project: project,
		Context: f.about, Budget: f.budget, Explain: f.explain,
	})
	if err != nil {
		return err
	}
	if a.json {
		return a.recallJSON(got)
	}
	p := a.printer()
	for i, r := range got.Results {
		if i > 0 {
			p.Println("")
		}
		p.Println(r.Receipt)
		p.Text("  ", r.Text)
		flags := fmt.Sprintf("%s  origin %s", r.ID, r.Flags.Origin)
		if r.Flags.LowTrust {
			flags += ", low trust"
		}
		if r.Flags.Pending {
			flags += ", pending: no person has looked at it"
		}
		p.Printf("  %s\n", p.Dim(flags))
		if f.explain {
			explainScore(p, r)
		}
	}
	if len(got.Results) == 0 {
		p.Println("Nothing is remembered that answers it.")
	}
	if n := len(got.Omitted); n > 0 {
		ids := make([]string, n)
		for i, id := range got.Omitted {
			ids[i] = id.String()
		}
		p.Println(mark.Omitted(n, ids))
	}
	if got.Withheld > 0 {
		p.Println(mark.Withheld(got.Withheld))
	}
	return p.Err()
}

// recallBeneath asks on behalf of the sessions above the process: each of them takes in
// what comes back, before it is shown.
func recallBeneath(ctx context.Context, in *instance.Instance, m *memory.Store, ask memory.Ask) (memory.Answer, error) {
	c := in.Caller(hearsay.SurfaceCLI)
	keys, _, err := caller.Beneath(ctx, in)
	if err != nil {
		return memory.Answer{}, err
	}
	if len(keys) > 0 {
		c.Session = keys[0].ID
	}
	got, err := m.Recall(ctx, c, ask)
	if err != nil {
		return got, err
	}
	ids := make([]hearsay.RecordID, len(got.Results))
	for i, r := range got.Results {
		ids[i] = r.ID
	}
	for _, k := range keys[min(1, len(keys)):] {
		also := c
		also.Session = k.ID
		if _, err := in.Guard.RecallRecords(ctx, also, ids); err != nil {
			return memory.Answer{}, err
		}
	}
	return got, nil
}

func (a *app) recallJSON(got memory.Answer) error {
	for _, r := range got.Results {
		if err := term.JSON(a.out, recalledMemory{r.ID, r.Receipt, r.Flags, r.Kind, r.Namespace, r.Text, r.Tags, r.Created, r.Score, r.Parts}); err != nil {
			return err
		}
	}
	if len(got.Omitted) == 0 && got.Withheld == 0 {
		return nil
	}
	return term.JSON(a.out, recalledRest{got.Omitted, got.Withheld})
}

// explainScore shows what a score is made of.
func explainScore(p *term.Printer, r memory.Result) {
	rows := [][]any{}
	sum := 0.0
	for _, part := range r.Parts {
		sum += part.Adds
		rows = append(rows, []any{"   ", part.Term, fmt.Sprintf("%.3f", part.Value), fmt.Sprintf("× %.2f", part.Weight), fmt.Sprintf("adds %.3f", part.Adds)})
	}
	factor := 1.0
	if sum > 0 {
		factor = r.Score / sum
	}
	rows = append(rows, []any{"   ", "score", fmt.Sprintf("%.3f", r.Score), "", fmt.Sprintf("%.3f × %.3f for its origin and rule", sum, factor)})
	p.Table(nil, rows)
}
