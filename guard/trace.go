package guard

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/event"
)

// maxTrace bounds the nodes of a trace: a wide graph must not run away.
const maxTrace = 500

// Trace is where a record came from and what came of it.
type Trace struct {
	Record    *event.Record
	Reads     []Read // what its session had taken in before it was decided
	From      []Node // its ancestors, nearest first
	Became    []Node // its descendants, nearest first
	Truncated bool   // more than the bound were left out
}

// Read is one sealed observation or recall.
type Read struct {
	Seq     int64
	T       int64
	Source  string
	Ref     string // erased: empty
	Records []hearsay.RecordID
	Label   hearsay.Label
}

// Node is a record in a trace, with its distance.
type Node struct {
	Record *event.Record
	Depth  int
	Parent hearsay.RecordID // the node nearer to the traced record
}

// Trace walks a record's declared parents and children and reads what its session
// had taken in before it. It is bounded and for people.
func (g *Guard) Trace(ctx context.Context, id hearsay.RecordID) (*Trace, error) {
	start, err := loadRecord(ctx, g.store, id)
	if err != nil {
		return nil, err
	}
	t := &Trace{Record: start}
	if t.From, err = g.ancestors(ctx, start, &t.Truncated); err != nil {
		return nil, err
	}
	children := make(map[hearsay.RecordID][]*event.Record)
	for r, err := range g.store.Scan(ctx, Query{Match: func(r *event.Record) bool { return len(r.Parents) > 0 }}) {
		if err != nil {
			return nil, fmt.Errorf("trace: %w", err)
		}
		for _, p := range r.Parents {
			children[p] = append(children[p], r)
		}
	}
	t.Became = walk(start, &t.Truncated, func(r *event.Record) []*event.Record { return children[r.ID] })
	exposures, err := g.exposures(ctx)
	if err != nil {
		return nil, err
	}
	key := SessionKey{start.Principal, start.Session}
	for _, x := range exposures {
		if x.session == key && x.Seq < start.Exposure {
			t.Reads = append(t.Reads, x.Read)
		}
	}
	if n := len(t.Reads); n > maxTrace {
		t.Reads, t.Truncated = t.Reads[n-maxTrace:], true
	}
	return t, nil
}

func (g *Guard) ancestors(ctx context.Context, start *event.Record, truncated *bool) ([]Node, error) {
	var failed error
	nodes := walk(start, truncated, func(r *event.Record) []*event.Record {
		var up []*event.Record
		for _, id := range r.Parents {
			p, err := loadRecord(ctx, g.store, id)
			if errors.Is(err, ErrNotFound) {
				continue
			}
			if err != nil {
				failed = err
				return nil
			}
			up = append(up, p)
		}
		return up
	})
	return nodes, failed
}

// walk visits what next leads to, breadth first, each record once.
func walk(start *event.Record, truncated *bool, next func(*event.Record) []*event.Record) []Node {
	var nodes []Node
	seen := []hearsay.RecordID{start.ID}
	queue := []Node{{Record: start}}
	for len(queue) > 0 {
		at := queue[0]
		queue = queue[1:]
		for _, r := range next(at.Record) {
			if slices.Contains(seen, r.ID) {
				continue
			}
			if len(nodes) == maxTrace {
				*truncated = true
				return nodes
			}
			n := Node{Record: r, Depth: at.Depth + 1, Parent: at.Record.ID}
			seen, nodes, queue = append(seen, r.ID), append(nodes, n), append(queue, n)
		}
	}
	return nodes
}
