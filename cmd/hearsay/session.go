package main

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/internal/instance"
	"github.com/hearsay-memory/hearsay/internal/review"
	"github.com/hearsay-memory/hearsay/internal/story"
	"github.com/hearsay-memory/hearsay/internal/tell"
	"github.com/hearsay-memory/hearsay/internal/term"
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
	held, asking, err := review.Waiting(ctx, in, now.UnixMilli())
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
	events, err := story.Of(ctx, in, id, p.Terminal())
	if err != nil {
		return err
	}
	for _, s := range events {
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

// sessionExplain says what sank a session, what hangs on that and what its label means.
// One id of several principals is several sessions.
func (a *app) sessionExplain(ctx context.Context, id string) error {
	in, err := a.open(ctx, true)
	if err != nil {
		return err
	}
	defer in.Close()
	p := a.printer()
	all, err := story.Explain(ctx, in, id, p.Terminal(), nowMS())
	if err != nil {
		return err
	}
	for _, x := range all {
		if a.json {
			err = term.JSON(a.out, x)
		} else {
			x.Print(p)
		}
		if err != nil {
			return err
		}
	}
	return p.Err()
}
