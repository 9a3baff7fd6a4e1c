package main

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/event"
	"github.com/hearsay-memory/hearsay/guard"
	"github.com/hearsay-memory/hearsay/internal/tell"
	"github.com/hearsay-memory/hearsay/internal/term"
)

// traceCommand shows where a record came from and what came of it.
func (a *app) traceCommand() *cobra.Command {
	return a.jsonFlag(&cobra.Command{
		Use:   "trace ID",
		Short: "Show where a record came from and what came of it",
		Long: `Show what the record's session had taken in before it was written, the records that it
declares as parents, and those that declare it. Bounded; what is left out is said.

Addresses of what was read are a stranger's words: they are shown on a terminal only.`,
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

// traced is what trace says with --json.
type traced struct {
	Record    *event.Record `json:"record"`
	Reads     []tracedRead  `json:"reads"`
	From      []tracedNode  `json:"from"`
	Became    []tracedNode  `json:"became"`
	Truncated bool          `json:"truncated"`
}

// tracedRead is one thing that a session took in. Ref is left out where the output is
// no terminal.
type tracedRead struct {
	Seq     int64              `json:"seq"`
	T       int64              `json:"t"` // UTC ms
	Source  string             `json:"source,omitempty"`
	Ref     string             `json:"ref,omitempty"`
	Records []hearsay.RecordID `json:"records,omitempty"` // of a recall
	Label   hearsay.Label      `json:"label"`             // of the session after it
}

// tracedNode is one record of a tree. Next is the one nearer to the traced record.
type tracedNode struct {
	ID       hearsay.RecordID `json:"id"`
	Next     hearsay.RecordID `json:"next"`
	Depth    int              `json:"depth"`
	Standing hearsay.Standing `json:"standing"`
	Label    hearsay.Label    `json:"label"`
}

func (a *app) trace(ctx context.Context, id hearsay.RecordID) error {
	in, err := a.open(ctx, true)
	if err != nil {
		return err
	}
	defer in.Close()
	found, err := in.Guard.Trace(ctx, id)
	if err != nil {
		return missingRecord(err)
	}
	p := a.printer()
	t := traced{found.Record, []tracedRead{}, nodesOf(found.From), nodesOf(found.Became), found.Truncated}
	for _, r := range found.Reads {
		if !p.Terminal() {
			r.Ref = ""
		}
		t.Reads = append(t.Reads, tracedRead(r))
	}
	if a.json {
		return term.JSON(a.out, t)
	}
	p.Printf("%s  %s, %s\n", p.Bold(id.String()), t.Record.Standing, tell.Label(p, t.Record.Label))
	if len(t.Reads) > 0 {
		p.Println("its session had taken in:")
		for _, r := range t.Reads {
			p.Printf("  entry %d  %s  %s → %s\n", r.Seq, tell.Instant(r.T), tell.TakenIn(r.Source, r.Ref, r.Records), tell.Label(p, r.Label))
		}
	}
	printTree(p, "came from:", id, t.From)
	printTree(p, "became:", id, t.Became)
	if len(t.Reads)+len(t.From)+len(t.Became) == 0 {
		p.Println("Its session had taken in nothing before, it declares no parents, and nothing declares it.")
	}
	if t.Truncated {
		p.Printf("%s\n", p.Yellow("There is more than is shown: the rest is left out."))
	}
	return p.Err()
}

func nodesOf(list []guard.Node) []tracedNode {
	nodes := make([]tracedNode, len(list))
	for i, n := range list {
		nodes[i] = tracedNode{n.Record.ID, n.Parent, n.Depth, n.Record.Standing, n.Record.Label}
	}
	return nodes
}

// printTree prints nodes under the one that led to them. Each has a greater depth than
// that one, so the walk ends.
func printTree(p *term.Printer, title string, root hearsay.RecordID, nodes []tracedNode) {
	if len(nodes) == 0 {
		return
	}
	p.Println(title)
	under := make(map[hearsay.RecordID][]tracedNode)
	for _, n := range nodes {
		under[n.Next] = append(under[n.Next], n)
	}
	var walk func(hearsay.RecordID)
	walk = func(id hearsay.RecordID) {
		for _, n := range under[id] {
			p.Printf("%s%s  %s, %s\n", strings.Repeat("  ", n.Depth), n.ID, n.Standing, tell.Label(p, n.Label))
			walk(n.ID)
		}
	}
	walk(root)
}
