package main

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/event"
	"github.com/hearsay-memory/hearsay/internal/instance"
	"github.com/hearsay-memory/hearsay/internal/term"
)

// sessionCommand looks at sessions. There is nothing that cleans one.
func (a *app) sessionCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "session",
		Short: "Look at sessions and what sank them",
		Long:  "Look at live sessions and what they took in. A session's label only ever sinks: nothing cleans one.",
	}
	c.AddCommand(
		a.jsonFlag(&cobra.Command{
			Use: "ls", Short: "List live sessions", Args: exactArgs(0),
			RunE: func(c *cobra.Command, _ []string) error { return a.sessions(c.Context()) },
		}),
		a.jsonFlag(&cobra.Command{
			Use: "show ID", Short: "Show what a session took in, and when", Args: exactArgs(1),
			RunE: func(c *cobra.Command, args []string) error { return a.sessionShow(c.Context(), args[0]) },
		}))
	return c
}

// sessionRow is a live session, for JSON.
type sessionRow struct {
	ID        string          `json:"id"`
	Principal string          `json:"principal"`
	Agent     string          `json:"agent,omitempty"`
	Surface   hearsay.Surface `json:"surface"`
	Label     hearsay.Label   `json:"label"`
	Started   int64           `json:"started"` // UTC ms
	Used      int64           `json:"used"`
	Expires   int64           `json:"expires"`
}

func (a *app) sessions(ctx context.Context) error {
	in, err := a.open(ctx, true)
	if err != nil {
		return err
	}
	defer in.Close()
	live, err := in.Store.Sessions(ctx, nil, time.Now().UnixMilli())
	if err != nil {
		return err
	}
	var rows [][]any
	for _, s := range live {
		if a.json {
			if err := term.JSON(a.out, sessionRow{s.Key.ID, s.Key.Principal, s.Agent, s.Surface, s.Label, s.Started, s.Used, s.Expires}); err != nil {
				return err
			}
		}
		rows = append(rows, []any{s.Key.ID, s.Key.Principal, s.Surface, s.Label, ago(s.Started, time.Now()), ago(s.Used, time.Now())})
	}
	if a.json {
		return nil
	}
	p := a.printer()
	if len(rows) == 0 {
		p.Println("No live sessions.")
		return p.Err()
	}
	p.Table([]string{"id", "principal", "surface", "label", "started", "used"}, rows)
	return p.Err()
}

// sessionEvent is one thing that happened to a session.
type sessionEvent struct {
	Seq     int64              `json:"seq"`
	T       int64              `json:"t"`
	Kind    event.Kind         `json:"kind"`
	Source  string             `json:"source,omitempty"`
	Ref     string             `json:"ref,omitempty"`
	Records []hearsay.RecordID `json:"records,omitempty"`
	Label   hearsay.Label      `json:"label"`
}

func (a *app) sessionShow(ctx context.Context, id string) error {
	in, err := a.open(ctx, true)
	if err != nil {
		return err
	}
	defer in.Close()
	p := a.printer()
	n := 0
	for entry, err := range in.Store.Log(ctx, 0) {
		if err != nil {
			return err
		}
		e, err := event.Decode(entry.Body)
		if err != nil {
			return err
		}
		if e.Session == nil || e.Session.ID != id {
			continue
		}
		n++
		s := sessionEvent{e.Seq, e.T, e.Kind, e.Session.Source, refOf(ctx, in, e), e.Session.Records, e.Session.Label}
		if a.json {
			if err := term.JSON(a.out, s); err != nil {
				return err
			}
			continue
		}
		what := s.Source + prefixed(" ", s.Ref)
		if len(s.Records) > 0 {
			what = fmt.Sprintf("%d tainted memories", len(s.Records))
		}
		p.Printf("entry %d  %s  %s  %s → %s\n", s.Seq, time.UnixMilli(s.T).UTC().Format(time.RFC3339), s.Kind, what, s.Label)
	}
	if n == 0 {
		return fmt.Errorf("no session %s was ever sealed: `hearsay session ls` shows the live ones", id)
	}
	return p.Err()
}

// refOf is the reference of the source that an event is about; empty where there is
// none or it was erased.
func refOf(ctx context.Context, in *instance.Instance, e *event.Event) string {
	if e.Side == "" {
		return ""
	}
	stored, err := in.Store.Side(ctx, e.Seq)
	if err != nil {
		return ""
	}
	side, err := event.DecodeSide(stored.Blob)
	if err != nil {
		return ""
	}
	return side.Ref
}
