package main

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/hearsay-memory/hearsay/event"
	"github.com/hearsay-memory/hearsay/internal/term"
	"github.com/hearsay-memory/hearsay/ledger"
)

// exportCommand writes the log for other programs.
func (a *app) exportCommand() *cobra.Command {
	var format string
	var from int64
	c := &cobra.Command{
		Use:   "export",
		Short: "Write the log for other programs",
		Long: `Write the events of the log, one a line. jsonl is the exact bytes that were sealed;
cloudevents wraps each in a CloudEvents 1.0 envelope. The words beside the log (URLs,
titles, notes, content) are not part of it and are never exported.`,
		Args: exactArgs(0),
		RunE: func(c *cobra.Command, _ []string) error {
			if format != "jsonl" && format != "cloudevents" {
				return usageError("--format %s: there are jsonl and cloudevents", format)
			}
			return a.export(c.Context(), format, from)
		},
	}
	c.Flags().StringVar(&format, "format", "jsonl", "`FORMAT`: jsonl or cloudevents")
	c.Flags().Int64Var(&from, "from", 0, "begin at the entry with this `SEQ`")
	return c
}

// cloudEvent is a structured-mode event of CloudEvents 1.0.2.
type cloudEvent struct {
	SpecVersion string          `json:"specversion"`
	ID          string          `json:"id"` // the entry's leaf hash: the same entry has the same id everywhere
	Source      string          `json:"source"`
	Type        string          `json:"type"`
	Subject     string          `json:"subject"`
	Time        string          `json:"time"`
	ContentType string          `json:"datacontenttype"`
	Data        json.RawMessage `json:"data"`
}

func (a *app) export(ctx context.Context, format string, from int64) error {
	in, err := a.open(ctx, true)
	if err != nil {
		return err
	}
	defer in.Close()
	for entry, err := range in.Store.Log(ctx, from) {
		if err != nil {
			return err
		}
		if format == "jsonl" {
			if _, err := fmt.Fprintf(a.out, "%s\n", entry.Body); err != nil {
				return err
			}
			continue
		}
		e, err := event.Decode(entry.Body)
		if err != nil {
			return fmt.Errorf("entry %d: %w", entry.Seq, err)
		}
		leaf := ledger.LeafHash(entry.Body)
		if err := term.JSON(a.out, cloudEvent{
			SpecVersion: "1.0", ID: hex.EncodeToString(leaf[:]), Source: "/" + in.Config.LogID,
			Type: "dev.hearsay." + string(e.Kind) + ".v1", Subject: e.Subject,
			Time: time.UnixMilli(e.T).UTC().Format(time.RFC3339Nano), ContentType: "application/json", Data: entry.Body,
		}); err != nil {
			return err
		}
	}
	return nil
}
