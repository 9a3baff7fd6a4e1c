package review

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/event"
	"github.com/hearsay-memory/hearsay/guard"
	"github.com/hearsay-memory/hearsay/internal/instance"
	"github.com/hearsay-memory/hearsay/internal/tell"
	"github.com/hearsay-memory/hearsay/internal/term"
)

// Provenance is all that is known of a record beside its words, none of which a
// stranger can write.
func (c *Card) Provenance(p *term.Printer, action hearsay.WriteVerdict) [][]any {
	r := c.Record
	rows := [][]any{
		{"id", r.ID}, {"store", r.Store}, {"namespace", r.Namespace}, {"kind", cmp.Or(r.Kind, "-")},
		{"action", action},
		{"rule", cmp.Or(r.Rule, "none matched") + tell.Prefixed(": ", c.Reason)},
		{"source", r.Source}, {"trust", tell.Origin(p, r.Label)}, {"taint", tell.Taint(p, r.Label)},
		{"principal", r.Principal}, {"agent", cmp.Or(r.Agent, "(default)")}, {"session", r.Session}, {"surface", r.Surface},
		{"standing", r.Standing}, {"delivery", r.Delivery},
	}
	if r.Attributed {
		rows = append(rows, []any{"words", tell.Attributed})
	}
	if len(r.Evidence) > 0 {
		rows = append(rows, []any{"found", p.Yellow(strings.Join(r.Evidence, ", "))})
	}
	if r.Flagged {
		rows = append(rows, []any{"flagged", p.Yellow("let through only because the mode was warn")})
	}
	for _, clamp := range r.Clamps {
		rows = append(rows, []any{"claim", fmt.Sprintf("%s %g was lowered to %g", clamp.Field, clamp.From, clamp.To)})
	}
	if len(r.Parents) == 0 {
		rows = append(rows, []any{"parents", "-"})
	}
	for _, parent := range r.Parents {
		rows = append(rows, []any{"parent", parent})
	}
	for _, id := range r.Replaces {
		rows = append(rows, []any{"in place of", id})
	}
	if r.Claims.Pin || r.Claims.Stable {
		rows = append(rows, []any{"state", tell.MemoryState(r, hearsay.RecordID{})})
	}
	return append(rows, []any{"created", fmt.Sprintf("%s (%s)", tell.Instant(r.Created), tell.Ago(r.Created, time.Now()))},
		[]any{"change", fmt.Sprintf("%s, %d bytes", r.Op, r.Bytes)}, []any{"policy", r.PolicyHash})
}

// Decided is what the policy said of a write when it came, as sealed. It stays what it
// was, whatever a person decided since.
func Decided(ctx context.Context, in *instance.Instance, r *event.Record) (hearsay.WriteVerdict, error) {
	for entry, err := range in.Store.Log(ctx, r.Side) {
		if err != nil {
			return hearsay.Quarantine, err
		}
		e, err := event.Decode(entry.Body)
		if err != nil || e.Record == nil || e.Record.ID != r.ID {
			break
		}
		switch e.Kind {
		case event.WriteAllowed, event.WriteFlagged, event.Attest:
			return hearsay.Allow, nil
		case event.WriteRefused:
			return hearsay.Block, nil
		case event.Hold:
			return hearsay.Quarantine, nil
		}
		break
	}
	return hearsay.Quarantine, fmt.Errorf("the decision about record %s is not where it was sealed: %w", r.ID, guard.ErrTampered)
}
