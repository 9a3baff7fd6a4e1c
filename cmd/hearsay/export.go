package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"github.com/hearsay-memory/hearsay/event"
	"github.com/hearsay-memory/hearsay/guard"
	"github.com/hearsay-memory/hearsay/internal/term"
	"github.com/hearsay-memory/hearsay/internal/transfer"
	"github.com/hearsay-memory/hearsay/ledger"
)

// exportCommand writes the log for other programs, or the memories.
func (a *app) exportCommand() *cobra.Command {
	var format, memories string
	var from int64
	var attest, prov bool
	c := &cobra.Command{
		Use:   "export [--memories DIR]",
		Short: "Write the log for other programs, or the memories",
		Long: `Write the events of the log, oldest first, one a line. jsonl is the exact bytes that
were sealed, except on a terminal, where characters that it would obey are escaped;
cloudevents wraps each in a CloudEvents 1.0.2 envelope (structured mode). The words
beside the log (URLs, titles, notes, content) are not part of it and are never
exported. Nothing is checked: that is what hearsay verify does.

With --memories, write what your own memory serves into a new folder instead: the JSON
lines of memories.jsonl, which hearsay import takes in elsewhere, with who said each
and where it came from; and a Markdown file for each, as an agent sees it. What is held,
refused, forgotten or erased is not in it. --attest adds the provenance as an in-toto
statement (DSSE, signed with the ledger's key; it holds digests and none of the words),
--prov as W3C PROV-JSON. It is for people: beneath an agent it is refused.`,
		Example: `  hearsay export --format cloudevents --since-seq 1000
  hearsay export --memories ~/memories-2026-11-30 --attest --prov`,
		Args: exactArgs(0),
		RunE: func(c *cobra.Command, _ []string) error {
			fl := c.Flags()
			switch {
			case fl.Changed("memories") && (fl.Changed("format") || fl.Changed("since-seq")):
				return usageError("--format and --since-seq are of the log, and --memories writes the memories: leave one out")
			case fl.Changed("memories") && memories == "":
				return usageError("--memories: name a folder that does not exist yet")
			case memories != "":
				return a.exportMemories(c.Context(), memories, attest, prov)
			case attest || prov:
				return usageError("--attest and --prov are of an export of memories: say --memories DIR, too")
			case format != "jsonl" && format != "cloudevents":
				return usageError("--format %s: there are jsonl and cloudevents", format)
			case from < 0:
				return usageError("--since-seq %d: entries are numbered from 0", from)
			}
			return a.export(c.Context(), format, from)
		},
	}
	fl := c.Flags()
	fl.StringVar(&format, "format", "jsonl", "`FORMAT` of the log: jsonl or cloudevents")
	fl.Int64Var(&from, "since-seq", 0, "begin at the entry of the log with this number `N`")
	fl.StringVar(&memories, "memories", "", "write the memories into the new folder `DIR`")
	fl.BoolVar(&attest, "attest", false, "with --memories: add a signed in-toto statement, "+transfer.AttestName)
	fl.BoolVar(&prov, "prov", false, "with --memories: add W3C PROV-JSON, "+transfer.ProvName)
	return c
}

// cloudEvent is an event in the structured mode of CloudEvents 1.0.2.
type cloudEvent struct {
	SpecVersion string          `json:"specversion"`
	ID          string          `json:"id"` // the entry's number and leaf hash: the same entry has the same id everywhere
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
	write := writeLine
	switch {
	case format == "cloudevents":
		write = func(w io.Writer, entry ledger.Entry) error { return writeCloudEvent(w, in.Config.LogID, entry) }
	case a.printer().Terminal():
		write = func(w io.Writer, entry ledger.Entry) error { return term.JSON(w, json.RawMessage(entry.Body)) }
	}
	for entry, err := range in.Store.Log(ctx, from) {
		if err != nil {
			return err
		}
		if err := write(a.out, entry); err != nil {
			return fmt.Errorf("entry %d: %w", entry.Seq, err)
		}
	}
	return nil
}

// writeLine writes the exact bytes of an entry.
func writeLine(w io.Writer, entry ledger.Entry) error {
	_, err := w.Write(append(entry.Body[:len(entry.Body):len(entry.Body)], '\n'))
	return err
}

// writeCloudEvent writes an entry in its envelope. A log's id begins with "hearsay/",
// so the source is /hearsay/ and what names the log.
func writeCloudEvent(w io.Writer, logID string, entry ledger.Entry) error {
	e, err := event.Decode(entry.Body)
	if err != nil {
		return fmt.Errorf("%w: %w", guard.ErrTampered, err)
	}
	leaf := ledger.LeafHash(entry.Body)
	return term.JSON(w, cloudEvent{
		SpecVersion: "1.0", ID: fmt.Sprintf("%d-%x", entry.Seq, leaf[:]), Source: "/" + logID,
		Type: "dev.hearsay." + string(e.Kind) + ".v1", Subject: e.Subject,
		Time: time.UnixMilli(e.T).UTC().Format(time.RFC3339Nano), ContentType: "application/json", Data: entry.Body,
	})
}
