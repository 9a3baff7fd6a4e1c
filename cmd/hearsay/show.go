package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/event"
	"github.com/hearsay-memory/hearsay/internal/review"
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
	c, err := review.LoadCard(ctx, in, id)
	if err != nil {
		return missingRecord(err)
	}
	action, err := review.Decided(ctx, in, c.Record)
	if err != nil {
		return err
	}
	p := a.printer()
	// What is not released is for a person's eyes: a pipe can end before a model.
	words := p.Terminal() || c.Record.Standing.Visible()
	if a.json {
		out := shownRecord{Record: c.Record, Action: action, Reason: c.Reason, Erased: c.Erased, Withheld: !words}
		if s := c.Side; words {
			out.Ref, out.Actor, out.Tool, out.Note, out.Claimed, out.Decoded, out.Text = s.Ref, s.Actor, s.Tool, s.Note, s.Claimed, s.Decoded, string(s.Content)
		}
		if p.Terminal() {
			out.Shared = c.Side.Shared
		}
		return term.JSON(a.out, out)
	}
	p.Table(nil, c.Provenance(p, action))
	if words {
		p.Println("")
		c.Words(p)
	} else {
		p.Println("")
		p.Println("Its words are shown on a terminal only, because it is not visible to agents. `hearsay review show --out FILE` writes them to a file.")
	}
	return p.Err()
}
