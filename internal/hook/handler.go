package hook

import (
	"context"
	"fmt"
	"log/slog"
	"strings"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/guard"
	"github.com/hearsay-memory/hearsay/internal/hosts"
)

// Config is what a handler is made of.
type Config struct {
	Guard  *guard.Guard
	Caller hearsay.Caller // without session and project, which come from the event
	Files  *Files
	Lost   Lost
	Log    *slog.Logger

	// Host finds the id of the host process; empty: not known. It is asked when it matters
	// alone: looking at the processes above takes longer than most answers.
	Host func() string

	// LockFiles takes the lock of the store of guarded files; nil: nothing is delivered,
	// and runs of the hook are not kept apart.
	LockFiles func(context.Context) (unlock func() error, err error)

	// Project is the directory in which the host was started, by its own word; empty: it does
	// not say, or the event's is the one.
	Project string

	// Program is the path of hearsay, as hosts' settings have it; empty: no project's
	// settings are believed to start it.
	Program string

	// Command is how a person runs hearsay, for the commands that answers name.
	Command string
}

// Handler answers events of one host. It is used for one session at a time.
type Handler struct {
	Config
	caller hearsay.Caller
	told   []string // what the event found out that the agent is told, words of ours alone
}

// New returns a handler.
func New(c Config) *Handler {
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	if c.Host == nil {
		c.Host = func() string { return "" }
	}
	return &Handler{Config: c}
}

// Handle answers an event. On an error the caller fails closed where [Handler.Grave] or
// the event says so, and tells [Lost] of the session.
func (h *Handler) Handle(ctx context.Context, e hosts.Event) (hosts.Answer, error) {
	if e.Kind == hosts.Other {
		return hosts.Answer{}, nil
	}
	h.caller, h.told = h.Caller, nil
	h.caller.Session = SessionID(e)
	h.caller.Project = h.Files.Real(e.Dir)
	begun, err := h.open(ctx, e)
	if err != nil {
		return hosts.Answer{}, err
	}
	if err := h.found(ctx); err != nil {
		return hosts.Answer{}, err
	}
	if e.Guest && e.Tool.Class == hosts.MCP {
		// Where the host's own settings have our entries, those are told the server too.
		if own, err := h.Guard.Beats(ctx, e.Host); err != nil || own {
			return hosts.Answer{}, err
		}
	}
	if begun {
		// The host shows nothing of what is said; what the start does is done all the same.
		if _, err := h.greet(ctx, e); err != nil {
			return hosts.Answer{}, err
		}
	}
	switch e.Kind {
	case hosts.SessionStart:
		return h.greet(ctx, e)
	case hosts.Prompt, hosts.Expansion:
		return hosts.Answer{}, h.prompt(ctx, e)
	case hosts.BeforeTool:
		return h.before(ctx, e)
	case hosts.AfterTool, hosts.AfterToolFailure:
		err = h.after(ctx, e)
		return hosts.Answer{Context: strings.Join(h.told, " ")}, err
	case hosts.Instructions:
		return hosts.Answer{}, h.instructions(ctx, e)
	case hosts.ElicitationResult, hosts.Elicitation:
		return hosts.Answer{}, h.observe(ctx, guard.Observation{Source: mcpSource(e.Server.Name), Texts: e.Text})
	}
	// Sub-agents and summaries are of the session that they run in: it has what they read.
	return hosts.Answer{}, nil
}

// SessionID names the session of an event. Hosts do not mix.
func SessionID(e hosts.Event) string { return e.Host + ":" + e.Session }

// open makes the event's session known. A session whose start we did not see, or that
// comes back without a row, is one of which nothing is known. On a host that tells of no
// starts begun says that this event is one: what an old session knows that was never
// seen, or is forgotten, is then not known either.
func (h *Handler) open(ctx context.Context, e hosts.Event) (begun bool, err error) {
	start := guard.Start{Resumed: true}
	if e.Kind == hosts.SessionStart {
		start.Resumed = e.Start != hosts.Fresh && e.Start != hosts.Cleared
		if e.Start == hosts.Fresh {
			// The first session of a host process that another one of ours started, such as
			// `claude -p` in a shell of the agent's, knows what that one knew.
			if start.Inherit, err = h.parents(ctx); err != nil {
				return false, err
			}
		}
	} else {
		known, err := h.Guard.Touch(ctx, h.caller)
		if err != nil || known {
			return false, err
		}
		begun = e.Begins
		start.Resumed = !begun
	}
	if (begun || e.Kind == hosts.SessionStart) && !e.Guest {
		if err := h.Guard.Heartbeat(ctx, e.Host); err != nil {
			return false, err
		}
	}
	start.Host = h.Host()
	if _, err := h.Guard.Open(ctx, h.caller, start); err != nil || len(start.Inherit) == 0 {
		return begun, err
	}
	return begun, h.Guard.Note(ctx, h.caller, startedNote, guard.DefaultTTL)
}

// startedNote tells that another session started this one: its prompts are an agent's.
const startedNote = "started by an agent"

// parents lists the live sessions of hooks under the same host process.
func (h *Handler) parents(ctx context.Context) ([]guard.SessionKey, error) {
	host := h.Host()
	if host == "" {
		return nil, nil
	}
	rows, err := h.Guard.Store().Sessions(ctx, &h.caller.Principal, now())
	if err != nil {
		return nil, fmt.Errorf("look for what started the session: %w", err)
	}
	var out []guard.SessionKey
	for _, s := range rows {
		if s.Host == host && s.Surface == hearsay.SurfaceHook && s.Key.ID != h.caller.Session {
			out = append(out, s.Key)
		}
	}
	return out, nil
}

// observe seals what the session takes in.
func (h *Handler) observe(ctx context.Context, o guard.Observation) error {
	_, err := h.Guard.Observe(ctx, h.caller, o)
	return err
}
