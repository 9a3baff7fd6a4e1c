package main

import (
	"cmp"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/event"
	"github.com/hearsay-memory/hearsay/guard"
	"github.com/hearsay-memory/hearsay/internal/instance"
	"github.com/hearsay-memory/hearsay/internal/tell"
	"github.com/hearsay-memory/hearsay/internal/term"
	"github.com/hearsay-memory/hearsay/ledger"
)

// sessionCommand looks at sessions. There is nothing that cleans one.
func (a *app) sessionCommand() *cobra.Command {
	return group(&cobra.Command{
		Use:   "session",
		Short: "Look at sessions and what sank them",
		Long:  "Look at live sessions and what they took in. A session's label only ever sinks: nothing cleans one.",
	},
		a.jsonFlag(&cobra.Command{
			Use: "ls", Short: "List live sessions", Args: exactArgs(0),
			Long: `List live sessions, newest first: those of agent hosts' hooks are called HOST:ID, those of
proxies by the process that they run under. Sessions with one host run under one process.
Under waits stands what of them waits for a person: memories, questions.`,
			RunE: func(c *cobra.Command, _ []string) error { return a.sessions(c.Context()) },
		}),
		a.jsonFlag(&cobra.Command{
			Use: "show ID", Short: "Show what a session took in, and what sank it", Args: exactArgs(1),
			Long: `Show a session, live or not, and every sealed read of it, with the label that it had
afterwards. What sank it is marked.

Addresses of what was read are a stranger's words: they are shown on a terminal only.`,
			RunE: func(c *cobra.Command, args []string) error { return a.sessionShow(c.Context(), args[0]) },
		}),
		a.jsonFlag(&cobra.Command{
			Use: "explain ID", Short: "Explain what sank a session, what hangs on it and what that means", Args: exactArgs(1),
			Long: `Explain a session, live or not: which read sank it, when and from where; what it wrote and
asked since, and where that stands; and what its label means for what it writes and does
next, under the policy in force.

Addresses of what was read are a stranger's words: they are shown on a terminal only.`,
			RunE: func(c *cobra.Command, args []string) error { return a.sessionExplain(c.Context(), args[0]) },
		}))
}

// sessionRow is a live session, for JSON.
type sessionRow struct {
	ID        string          `json:"id"`
	Principal string          `json:"principal"`
	Agent     string          `json:"agent,omitempty"`
	Surface   hearsay.Surface `json:"surface"`
	Label     hearsay.Label   `json:"label"`
	Host      string          `json:"host,omitempty"` // the host process; none: not known
	Held      int             `json:"held"`           // memories of it that wait for a person
	Asking    int             `json:"asking"`         // questions of it that do
	Started   int64           `json:"started"`        // UTC ms
	Used      int64           `json:"used"`
	Expires   int64           `json:"expires"`
}

func (a *app) sessions(ctx context.Context) error {
	in, err := a.open(ctx, true)
	if err != nil {
		return err
	}
	defer in.Close()
	now := time.Now()
	live, err := in.Store.Sessions(ctx, nil, now.UnixMilli())
	if err != nil {
		return err
	}
	held, asking, err := waits(ctx, in, now.UnixMilli())
	if err != nil {
		return err
	}
	p := a.printer()
	var rows [][]any
	for _, s := range live {
		if a.json {
			row := sessionRow{s.Key.ID, s.Key.Principal, s.Agent, s.Surface, s.Label, s.Host, held[s.Key], asking[s.Key], s.Started, s.Used, s.Expires}
			if err := term.JSON(a.out, row); err != nil {
				return err
			}
			continue
		}
		wait := "-"
		if held[s.Key]+asking[s.Key] > 0 {
			wait = fmt.Sprintf("%d, %d", held[s.Key], asking[s.Key])
		}
		rows = append(rows, []any{s.Key.ID, s.Key.Principal, s.Surface, tell.Label(p, s.Label), wait, cmp.Or(s.Agent, "-"), shortHost(s.Host), tell.Ago(s.Started, now), tell.Ago(s.Used, now), tell.Instant(s.Expires)})
	}
	if a.json {
		return nil
	}
	if len(rows) == 0 {
		p.Println("No live sessions.")
		return p.Err()
	}
	p.Table([]string{"id", "principal", "surface", "label", "waits", "agent", "host", "started", "used", "expires"}, rows)
	return p.Err()
}

// waits counts the memories and the questions of each session that wait for a person.
func waits(ctx context.Context, in *instance.Instance, now int64) (held, asking map[guard.SessionKey]int, err error) {
	held, asking = make(map[guard.SessionKey]int), make(map[guard.SessionKey]int)
	for r, err := range in.Guard.List(ctx, guard.Query{Queue: event.QueueReview}) {
		if err != nil {
			return nil, nil, err
		}
		held[guard.SessionKey{Principal: r.Principal, ID: r.Session}]++
	}
	for q, err := range in.Guard.Questions(ctx) {
		if err != nil {
			return nil, nil, err
		}
		if guard.StateAt(q, now) == event.ActionWaiting {
			asking[guard.SessionKey{Principal: q.Principal, ID: q.Session}]++
		}
	}
	return held, asking, nil
}

// shortHost is enough of a host's id to see which sessions share it.
func shortHost(id string) string {
	const enough = 13
	if id == "" {
		return "-"
	}
	if len(id) > enough {
		return id[:enough] + "…"
	}
	return id
}

// sessionEvent is one thing that happened to a session. Ref is left out where the
// output is no terminal.
type sessionEvent struct {
	Seq       int64              `json:"seq"`
	T         int64              `json:"t"` // UTC ms
	Kind      event.Kind         `json:"kind"`
	Principal string             `json:"principal"`
	Source    string             `json:"source,omitempty"`
	Ref       string             `json:"ref,omitempty"`
	Records   []hearsay.RecordID `json:"records,omitempty"`
	Label     hearsay.Label      `json:"label"` // of the session after it
	Sank      bool               `json:"sank"`  // the label was higher before
}

// sessionShow tells the story of a session from the log, and where it stands if it is
// live. One id of several principals is several sessions.
func (a *app) sessionShow(ctx context.Context, id string) error {
	in, err := a.open(ctx, true)
	if err != nil {
		return err
	}
	defer in.Close()
	p := a.printer()
	if err := a.printLive(ctx, in, p, id); err != nil {
		return err
	}
	story, err := sessionStory(ctx, in, id, p.Terminal())
	if err != nil {
		return err
	}
	for _, s := range story {
		if a.json {
			if err := term.JSON(a.out, s); err != nil {
				return err
			}
			continue
		}
		sign := " "
		if s.Sank {
			sign = "↓"
		}
		p.Printf("%s entry %d  %s  %s%s → %s\n", sign, s.Seq, tell.Instant(s.T), s.Kind,
			tell.Prefixed(" ", tell.TakenIn(s.Source, s.Ref, s.Records)), tell.Label(p, s.Label))
	}
	return p.Err()
}

// sessionStory reads from the log what happened to the sessions of an id, with the
// addresses of what they read where a person is told. That nothing did is an error.
func sessionStory(ctx context.Context, in *instance.Instance, id string, refs bool) ([]sessionEvent, error) {
	var story []sessionEvent
	before := make(map[string]hearsay.Label) // of each principal's
	for entry, err := range in.Store.Log(ctx, 0) {
		if err != nil {
			return nil, err
		}
		e, err := event.Decode(entry.Body)
		if err != nil {
			return nil, fmt.Errorf("entry %d: %w: %w", entry.Seq, guard.ErrTampered, err)
		}
		if e.Session == nil || e.Session.ID != id {
			continue
		}
		label, known := before[e.Session.Principal]
		if !known {
			label = hearsay.LabelIdentity
		}
		before[e.Session.Principal] = e.Session.Label
		s := sessionEvent{Seq: e.Seq, T: e.T, Kind: e.Kind, Principal: e.Session.Principal, Source: e.Session.Source,
			Records: e.Session.Records, Label: e.Session.Label, Sank: !label.Below(e.Session.Label)}
		if refs {
			if s.Ref, err = refOf(ctx, in, e); err != nil {
				return nil, err
			}
		}
		story = append(story, s)
	}
	if len(story) == 0 {
		return nil, fmt.Errorf("no session %s was ever sealed: `hearsay session ls` shows the live ones", id)
	}
	return story, nil
}

// printLive tells people where the live sessions of an id stand.
func (a *app) printLive(ctx context.Context, in *instance.Instance, p *term.Printer, id string) error {
	if a.json {
		return nil // session ls has it
	}
	now := time.Now()
	live, err := in.Store.Sessions(ctx, nil, now.UnixMilli())
	if err != nil {
		return err
	}
	for _, s := range live {
		if s.Key.ID == id {
			p.Table(nil, [][]any{
				{"session", s.Key.ID}, {"principal", s.Key.Principal}, {"agent", cmp.Or(s.Agent, "(default)")}, {"surface", s.Surface},
				{"label", tell.Label(p, s.Label)}, {"host", cmp.Or(s.Host, "not known")},
				{"started", tell.Instant(s.Started)}, {"used", tell.Ago(s.Used, now)}, {"expires", tell.Instant(s.Expires)},
			})
			p.Println("")
		}
	}
	return p.Err()
}

// refOf is the reference of the source that an event is about; empty where there is
// none or it was erased. One that is not what was sealed is an error.
func refOf(ctx context.Context, in *instance.Instance, e *event.Event) (string, error) {
	if e.Side == "" {
		return "", nil
	}
	stored, err := in.Store.Side(ctx, e.Seq)
	if errors.Is(err, guard.ErrNotFound) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	want, err := hex.DecodeString(e.Side)
	if err != nil || len(want) != 32 || !ledger.CheckCommit(stored.Salt, stored.Blob, [32]byte(want)) {
		return "", fmt.Errorf("words of entry %d: %w", e.Seq, guard.ErrTampered)
	}
	side, err := event.DecodeSide(stored.Blob)
	if err != nil {
		return "", fmt.Errorf("words of entry %d: %w: %w", e.Seq, guard.ErrTampered, err)
	}
	return side.Ref, nil
}
