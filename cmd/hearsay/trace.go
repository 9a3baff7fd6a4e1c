package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/guard"
	"github.com/hearsay-memory/hearsay/internal/term"
)

// traceCommand shows where a record came from and what came of it.
func (a *app) traceCommand() *cobra.Command {
	return a.jsonFlag(&cobra.Command{
		Use:   "trace ID",
		Short: "Show where a record came from and what came of it",
		Long: `Show what the record's session had taken in before it was written, the records that it
declares as parents, and those that declare it. Bounded; what is left out is said.`,
		Args: exactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			id, err := parseID(args[0])
			if err != nil {
				return err
			}
			return a.trace(c.Context(), id)
		},
	})
}

func (a *app) trace(ctx context.Context, id hearsay.RecordID) error {
	in, err := a.open(ctx, true)
	if err != nil {
		return err
	}
	defer in.Close()
	t, err := in.Guard.Trace(ctx, id)
	if err != nil {
		return missingRecord(err)
	}
	if a.json {
		return term.JSON(a.out, t)
	}
	p := a.printer()
	p.Printf("%s  %s, %s\n", t.Record.ID, t.Record.Standing, p.Yellow(t.Record.Label.String()))
	if len(t.Reads) > 0 {
		p.Println("its session had taken in:")
		for _, r := range t.Reads {
			what := r.Source + prefixed(" ", r.Ref)
			if len(r.Records) > 0 {
				what = fmt.Sprintf("%d tainted memories, by recall", len(r.Records))
			}
			p.Printf("  entry %d  %s → %s\n", r.Seq, what, r.Label)
		}
	}
	printTree(p, "came from:", t.Record.ID, t.From)
	printTree(p, "became:", t.Record.ID, t.Became)
	if t.Truncated {
		p.Printf("%s\n", p.Yellow("More than the bound: the rest is left out."))
	}
	return p.Err()
}

// printTree prints nodes under the one that led to them.
func printTree(p *term.Printer, title string, root hearsay.RecordID, nodes []guard.Node) {
	if len(nodes) == 0 {
		return
	}
	p.Println(title)
	under := make(map[hearsay.RecordID][]guard.Node)
	for _, n := range nodes {
		under[n.Parent] = append(under[n.Parent], n)
	}
	var walk func(hearsay.RecordID)
	walk = func(id hearsay.RecordID) {
		for _, n := range under[id] {
			p.Printf("%s%s  %s, %s\n", strings.Repeat("  ", n.Depth), n.Record.ID, n.Record.Standing, n.Record.Label)
			walk(n.Record.ID)
		}
	}
	walk(root)
}
