package main

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/event"
	"github.com/hearsay-memory/hearsay/guard"
	"github.com/hearsay-memory/hearsay/internal/instance"
	"github.com/hearsay-memory/hearsay/internal/tell"
	"github.com/hearsay-memory/hearsay/internal/term"
)

// showCommand shows one record to a person, or a memory file as it was.
func (a *app) showCommand() *cobra.Command {
	var before, out string
	c := a.jsonFlag(&cobra.Command{
		Use:   "show ID | FILE --before ID|TIME",
		Short: "Show one record with its words, to a person, or a memory file as it was",
		Long: `Show everything that is known of one record, its words included. Control characters
and invisible ones are made visible. Held text is for people: do not put this output
before a model. Words of what is not visible to agents are shown on a terminal only.

With a file and --before: the file as it was just before the write of that record, or at
that time as it was recorded. In a terminal hidden characters are written out; into a
pipe, or with --out into a new file, it is written byte for byte. What lines were gone
after a change is kept up to 256 KiB for each, until it is erased.`,
		Example: `  hearsay show 0190b5a0-0000-7000-8000-000000000000
  hearsay show MEMORY.md --before 0190b5a0-0000-7000-8000-000000000000 --out MEMORY.was.md`,
		Args: exactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			if before != "" {
				if a.json {
					return usageError("--json and --before exclude each other: the file is written as it was")
				}
				return a.showFile(c.Context(), args[0], before, out)
			}
			if out != "" {
				return usageError("--out goes with --before; `hearsay review show` writes the words of a record")
			}
			id, err := parseID(args[0])
			if err != nil {
				return err
			}
			return a.show(c.Context(), id)
		},
	})
	c.Flags().StringVar(&before, "before", "", "the file as it was before the write of this record, or at this `TIME`")
	c.Flags().StringVar(&out, "out", "", "write it to a new `FILE`, byte for byte")
	return c
}

// shownRecord is what show says with --json.
type shownRecord struct {
	*event.Record
	Action  hearsay.WriteVerdict `json:"action"` // what the policy said, whatever a person said since
	Reason  string               `json:"reason,omitempty"`
	Ref     string               `json:"ref,omitempty"`
	Actor   string               `json:"actor,omitempty"`
	Tool    string               `json:"tool,omitempty"`
	Note    string               `json:"note,omitempty"`
	Claimed *event.Claimed       `json:"claimed,omitempty"`
	Decoded []string             `json:"decoded,omitempty"`
	Shared  []event.Share        `json:"shared,omitempty"` // on a terminal only
	Text    string               `json:"text"`
	Erased  bool                 `json:"words_erased,omitempty"`

	// Withheld says that the words were left out: the record is not visible to agents,
	// and the output is no terminal.
	Withheld bool `json:"words_withheld,omitempty"`
}

func (a *app) show(ctx context.Context, id hearsay.RecordID) error {
	in, err := a.open(ctx, true)
	if err != nil {
		return err
	}
	defer in.Close()
	c, err := loadCard(ctx, in, id)
	if err != nil {
		return missingRecord(err)
	}
	action, err := decided(ctx, in, c.Record)
	if err != nil {
		return err
	}
	p := a.printer()
	// What is not released is for a person's eyes: a pipe can end before a model.
	words := p.Terminal() || c.Record.Standing.Visible()
	if a.json {
		out := shownRecord{Record: c.Record, Action: action, Reason: c.reason, Erased: c.Erased, Withheld: !words}
		if s := c.Side; words {
			out.Ref, out.Actor, out.Tool, out.Note, out.Claimed, out.Decoded, out.Text = s.Ref, s.Actor, s.Tool, s.Note, s.Claimed, s.Decoded, string(s.Content)
		}
		if p.Terminal() {
			out.Shared = c.Side.Shared
		}
		return term.JSON(a.out, out)
	}
	p.Table(nil, c.provenance(p, action))
	if words {
		p.Println("")
		c.words(p)
	} else {
		p.Println("")
		p.Println("Its words are shown on a terminal only, because it is not visible to agents. `hearsay review show --out FILE` writes them to a file.")
	}
	return p.Err()
}

// provenance is all that is known of a record beside its words, none of which a
// stranger can write.
func (c *card) provenance(p *term.Printer, action hearsay.WriteVerdict) [][]any {
	r := c.Record
	rows := [][]any{
		{"id", r.ID}, {"store", r.Store}, {"namespace", r.Namespace}, {"kind", cmp.Or(r.Kind, "-")},
		{"action", action},
		{"rule", cmp.Or(r.Rule, "none matched") + tell.Prefixed(": ", c.reason)},
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

// decided is what the policy said of a write when it came, as sealed. It stays what it
// was, whatever a person decided since.
func decided(ctx context.Context, in *instance.Instance, r *event.Record) (hearsay.WriteVerdict, error) {
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
