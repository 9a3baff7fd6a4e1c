package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/event"
	"github.com/hearsay-memory/hearsay/internal/term"
)

// showCommand shows one record to a person.
func (a *app) showCommand() *cobra.Command {
	return a.jsonFlag(&cobra.Command{
		Use:   "show ID",
		Short: "Show one record with its words, to a person",
		Long: `Show everything that is known of one record, its words included. Control characters
and invisible ones are made visible. Held text is for people: do not put this output
before a model. Words of what is not visible to agents are shown on a terminal only.`,
		Args: exactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			id, err := parseID(args[0])
			if err != nil {
				return err
			}
			return a.show(c.Context(), id)
		},
	})
}

// shownRecord is what show says with --json.
type shownRecord struct {
	*event.Record
	Ref     string         `json:"ref,omitempty"`
	Actor   string         `json:"actor,omitempty"`
	Tool    string         `json:"tool,omitempty"`
	Note    string         `json:"note,omitempty"`
	Claimed *event.Claimed `json:"claimed,omitempty"`
	Decoded []string       `json:"decoded,omitempty"`
	Text    string         `json:"text"`
	Erased  bool           `json:"words_erased,omitempty"`

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
	p := a.printer()
	// What is not released is for a person's eyes: a pipe can end before a model.
	words := p.Terminal() || c.Record.Standing.Visible()
	if a.json {
		out := shownRecord{Record: c.Record, Erased: c.Erased, Withheld: !words}
		if s := c.Side; words {
			out.Ref, out.Actor, out.Tool, out.Note, out.Claimed, out.Decoded, out.Text = s.Ref, s.Actor, s.Tool, s.Note, s.Claimed, s.Decoded, string(s.Content)
		}
		return term.JSON(a.out, out)
	}
	r := c.Record
	source := r.Source
	if words {
		source += prefixed(" ", c.Side.Ref)
	}
	p.Table(nil, [][]any{
		{"id", r.ID}, {"store", r.Store}, {"namespace", r.Namespace}, {"action", actionOf(r)}, {"rule", r.Rule},
		{"source", source}, {"trust", r.Label.Origin}, {"principal", r.Principal},
		{"session", r.Session}, {"taint", r.Label.Taint}, {"parents", len(r.Parents)}, {"policy", r.PolicyHash},
	})
	p.Println("")
	c.facts(p)
	if words {
		c.words(p)
	} else {
		p.Println("\nIts words are shown on a terminal only, because it is not visible to agents. `hearsay review show --out FILE` writes them to a file.")
	}
	return p.Err()
}

// actionOf is what the policy said, as far as the standing still tells.
func actionOf(r *event.Record) hearsay.WriteVerdict {
	switch r.Standing {
	case hearsay.Allowed:
		return hearsay.Allow
	case hearsay.Blocked:
		return hearsay.Block
	}
	return hearsay.Quarantine
}
