package memtool

import (
	"context"
	"errors"
	"fmt"
	"log/slog"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/guard"
	"github.com/hearsay-memory/hearsay/internal/memfile"
)

// Handler carries out commands of one caller. Its fields do not change while it is used;
// it may be copied, for a call that has a [guard.Call] of its own, and is safe for
// concurrent use, also by several processes on one folder.
type Handler struct {
	Guard  *guard.Guard
	Caller hearsay.Caller // from the surface; never from an input

	// Dir is the folder that the model knows as /memories: a real, absolute path, see
	// [Prepare]. Only Hearsay writes it.
	Dir string

	// Lock takes the lock of the store of guarded files, [memfile.Store].
	Lock func(context.Context) (unlock func() error, err error)

	Source    hearsay.Source    // who speaks in writes; the zero value is unknown
	Assumed   bool              // see [guard.Write]
	Host      string            // id of the host process; where hooks of it are at work, they have to announce a call
	Call      *guard.Call       // the call that carries the input, see [Handler.MCP]; nil: one without an id
	Namespace hearsay.Namespace // of the writes; nil: "files", as guarded files are

	// Above lists the sessions that the caller's runs beneath; what they took in by now
	// counts. Nil: none.
	Above func(context.Context) ([]guard.SessionKey, error)

	Command string       // how a person runs hearsay; empty: "hearsay"
	Log     *slog.Logger // of what a model is not told; nil: none

	at func(step string) // what was reached, for tests
}

// Reply is a tool result: text for the model, and whether it is an error.
type Reply struct {
	Text    string `json:"text"`
	IsError bool   `json:"is_error"`
}

// fault is a reply to a command that was not carried out for what it asks.
type fault struct{ text string }

func (f *fault) Error() string { return f.text }

func faultf(format string, args ...any) error { return &fault{fmt.Sprintf(format, args...)} }

// failed is the reply where it is not the command's fault.
const failed = "Not done: the memory is not available now. Nothing was changed. Go on without it, and tell the user to run `%s doctor`."

// Do carries out the input of one tool_use block: a JSON object with a command and its
// fields, and nothing else.
//
// The reply can always be returned to the model. The error is for a log: it says that
// something failed here, and the reply then says no more than that.
func (h *Handler) Do(ctx context.Context, input []byte) (Reply, error) {
	text, err := h.do(ctx, input)
	if err == nil {
		return Reply{Text: text}, nil
	}
	if f, ok := errors.AsType[*fault](err); ok {
		return Reply{Text: f.text, IsError: true}, nil
	}
	return Reply{Text: fmt.Sprintf(failed, h.command()), IsError: true}, fmt.Errorf("memory tool: %w", err)
}

func (h *Handler) do(ctx context.Context, input []byte) (_ string, err error) {
	in, err := parse(input)
	if err != nil {
		return "", err
	}
	if h.Guard == nil || h.Lock == nil {
		return "", errors.New("the handler has no guard or no lock")
	}
	unlock, err := h.Lock(ctx)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, unlock()) }()
	if err := h.catchUp(ctx); err != nil {
		return "", err
	}
	f, err := openFolder(h.Dir)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, f.close()) }()
	own := *h
	h = &own
	if h.Call == nil && h.Host != "" {
		h.Call = &guard.Call{Digest: guard.CallDigest(toolName, in.canonical)}
	}
	switch in.command {
	case "view":
		if h.Caller, err = h.reader(ctx); err != nil {
			return "", err
		}
		return h.view(ctx, f, in)
	case "create":
		return h.create(ctx, f, in)
	case "str_replace":
		return h.replace(ctx, f, in)
	case "insert":
		return h.insert(ctx, f, in)
	case "delete":
		return h.remove(ctx, f, in)
	default:
		return h.rename(ctx, f, in)
	}
}

// reader is who reads by this call: the session whose hook announced it, else the caller.
func (h *Handler) reader(ctx context.Context) (hearsay.Caller, error) {
	if h.Host == "" || h.Call == nil {
		return h.Caller, nil
	}
	joined, _, _, err := h.Guard.Join(ctx, h.Caller, h.Host, *h.Call)
	return joined, err
}

// catchUp does what the folder and the session have to catch up with: releases that wait,
// writes that were cut short, and what the sessions above took in.
func (h *Handler) catchUp(ctx context.Context) error {
	done, err := memfile.Deliver(ctx, h.Guard, h.Caller)
	if err != nil {
		// One file that cannot be put right must not keep the others from being read.
		h.log().Warn("what waits for memory files was not all done", "error", err)
	}
	for _, d := range done {
		if d.Conflict != "" || d.Warning != "" {
			h.log().Warn("a write that waited", "record", d.Record, "conflict", d.Conflict, "warning", d.Warning)
		}
	}
	if _, err := h.Guard.Touch(ctx, h.Caller); err != nil {
		return err
	}
	if h.Above == nil {
		return nil
	}
	above, err := h.Above(ctx)
	if err != nil || len(above) == 0 {
		return err
	}
	_, err = h.Guard.Observe(ctx, h.Caller, guard.Observation{Source: hearsay.Source{Type: "subagent"}, Tool: toolName, Sessions: above})
	return err
}

func (h *Handler) tracker() *memfile.Tracker {
	return &memfile.Tracker{Guard: h.Guard, Caller: h.Caller}
}

func (h *Handler) command() string {
	if h.Command == "" {
		return "hearsay"
	}
	return h.Command
}

func (h *Handler) log() *slog.Logger {
	if h.Log == nil {
		return slog.New(slog.DiscardHandler)
	}
	return h.Log
}

func (h *Handler) reached(step string) {
	if h.at != nil {
		h.at(step)
	}
}
