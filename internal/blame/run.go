package blame

import (
	"context"
	"iter"
	"strings"
	"time"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/guard"
	"github.com/hearsay-memory/hearsay/internal/instance"
	"github.com/hearsay-memory/hearsay/internal/memfile/segment"
	"github.com/hearsay-memory/hearsay/internal/tell"
)

// Run is what blame says with --json: a run of lines of one owner. It has no text.
type Run struct {
	From    int              `json:"from"` // 1-based
	To      int              `json:"to"`
	Origin  hearsay.Origin   `json:"origin"`
	Taint   hearsay.Taint    `json:"taint"`
	Record  hearsay.RecordID `json:"record,omitzero"`
	Agent   string           `json:"agent,omitempty"`
	Session string           `json:"session,omitempty"`
	Tool    string           `json:"tool,omitempty"`
	T       int64            `json:"t,omitempty"` // UTC ms

	Hidden bool `json:"-"` // the record is not visible to agents
}

func (b *Run) label() hearsay.Label { return hearsay.Label{Origin: b.Origin, Taint: b.Taint} }

// who is the agent, the session and the tool of a run.
func (b *Run) who() string { return tell.Join(", ", b.Agent, b.Session, b.Tool) }

// when is how long before now a run was written; empty where nobody was seen writing it.
func (b *Run) when(now time.Time) string {
	if b.Record.IsZero() {
		return ""
	}
	return tell.Ago(b.T, now)
}

// by names the record that a run came with, in short.
func (b *Run) by() string {
	if b.Record.IsZero() {
		return nobody
	}
	return strings.TrimSpace(b.Record.String()[:shortID] + " " + b.Tool)
}

// Of joins the runs of a file with what is known of their records.
func Of(ctx context.Context, in *instance.Instance, runs iter.Seq2[segment.Range, segment.Owner]) ([]Run, error) {
	out := []Run{}
	known := make(map[hearsay.RecordID]*guard.Shown)
	for r, o := range runs {
		b := Run{From: r.From + 1, To: r.To, Origin: o.Label.Origin, Taint: o.Label.Taint, Record: o.Record}
		if !o.Record.IsZero() {
			shown := known[o.Record]
			if shown == nil {
				var err error
				if shown, err = in.Guard.Show(ctx, o.Record); err != nil {
					return nil, err
				}
				known[o.Record] = shown
			}
			b.Agent, b.Session, b.Tool, b.T = shown.Record.Agent, shown.Record.Session, shown.Side.Tool, shown.Record.Created
			b.Hidden = !shown.Record.Standing.Visible()
		}
		out = append(out, b)
	}
	return out, nil
}

// nobody stands where there is no record, and shortID is how much of a record's id a
// table of lines has.
const (
	nobody  = "nobody was seen"
	shortID = 13
)
