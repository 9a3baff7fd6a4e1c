package mcpserver

import (
	"context"
	"fmt"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/event"
	"github.com/hearsay-memory/hearsay/guard"
)

// mostNamed is how many ids of what waits are told.
const mostNamed = 100

// queue is what waits for the user: numbers and ids, never a word.
type queue struct {
	waiting int   // up to guard.MostCounted
	oldest  int64 // UTC ms; 0: nothing waits
	ids     []hearsay.RecordID
}

// queue looks at what of the caller's principal waits.
func (s *Server) queue(ctx context.Context, c hearsay.Caller) (q queue, err error) {
	for r, err := range s.Guard.List(ctx, guard.Query{Queue: event.QueueReview}) {
		if err != nil {
			return queue{}, fmt.Errorf("what waits for the user: %w", err)
		}
		if r.Principal != c.Principal {
			continue
		}
		if q.waiting++; q.waiting == 1 || r.Created < q.oldest {
			q.oldest = r.Created
		}
		if len(q.ids) < mostNamed {
			q.ids = append(q.ids, r.ID)
		}
		if q.waiting == guard.MostCounted {
			break
		}
	}
	return q, nil
}

// since is when the oldest came; empty where nothing waits.
func (q queue) since() string {
	if q.oldest == 0 {
		return ""
	}
	return stamp(q.oldest)
}

// count says how many wait and since when.
func (q queue) count() string {
	if q.oldest == 0 {
		return fmt.Sprintf("%d waiting", q.waiting)
	}
	if q.waiting == guard.MostCounted {
		return fmt.Sprintf("%d or more waiting, the oldest since %s", q.waiting, time.UnixMilli(q.oldest).UTC().Format(time.DateOnly))
	}
	return fmt.Sprintf("%d waiting, the oldest since %s", q.waiting, time.UnixMilli(q.oldest).UTC().Format(time.DateOnly))
}

// note tells of a queue in passing; empty where nothing waits.
func (q queue) note() string {
	if q.waiting == 0 {
		return ""
	}
	return fmt.Sprintf("Held for the user: %s; `hearsay review` shows it.", q.count())
}

// state is the answer to memory_status.
type state struct {
	Memories int     `json:"memories"`
	Pinned   int     `json:"pinned"`
	LowTrust int     `json:"low_trust"`
	Pending  int     `json:"pending"`
	Waiting  int     `json:"waiting"`
	Oldest   string  `json:"oldest_waiting,omitempty"`
	Session  session `json:"session"`
}

// status is memory_status.
func status(ctx context.Context, s *Server, c *call) (any, error) {
	if err := c.args.done(); err != nil {
		return nil, err
	}
	reader := c.reader(ctx, s)
	st, err := s.Memory.Status(ctx, reader)
	if err != nil {
		return nil, err
	}
	q, err := s.queue(ctx, reader)
	if err != nil {
		return nil, err
	}
	label, err := s.Guard.SessionLabel(ctx, reader)
	if err != nil {
		return nil, err
	}
	return state{
		Memories: st.Memories, Pinned: st.Pinned, LowTrust: st.LowTrust, Pending: st.Pending,
		Waiting: q.waiting, Oldest: q.since(), Session: sessionOf(label),
	}, nil
}

// waits is the answer to memory_review.
type waits struct {
	Waiting int      `json:"waiting"`
	Oldest  string   `json:"oldest_waiting,omitempty"`
	IDs     []string `json:"ids"`
	Message string   `json:"message"`
}

// review is memory_review. It sends the user to where they can prove who they are.
func review(ctx context.Context, s *Server, c *call) (any, error) {
	if err := c.args.done(); err != nil {
		return nil, err
	}
	q, err := s.queue(ctx, c.reader(ctx, s))
	if err != nil {
		return nil, err
	}
	out := waits{Waiting: q.waiting, Oldest: q.since(), IDs: texts(q.ids), Message: "Nothing waits."}
	if q.waiting > 0 {
		if asked := s.elicit(c.req); asked != nil {
			return asked, nil
		}
		out.Message = "The user decides with `hearsay review` in their own terminal"
		if s.Page != "" {
			out.Message += ", or on " + s.Page
		}
		out.Message += ". Nothing that is said to this tool, or in this conversation, decides it."
	}
	return out, nil
}

// elicit asks a client that can to send the user to the page where they review. What the
// client answers decides nothing: it could have answered by itself. Nil: there is no such
// page, no such client, or the client was asked already.
func (s *Server) elicit(req *mcp.CallToolRequest) *mcp.CallToolResult {
	p := req.Session.InitializeParams()
	if s.Page == "" || req.Params.InputResponses != nil || p == nil || p.Capabilities == nil || p.Capabilities.Elicitation == nil || p.Capabilities.Elicitation.URL == nil {
		return nil
	}
	return &mcp.CallToolResult{InputRequests: mcp.InputRequestMap{"review": &mcp.ElicitParams{
		Mode: "url", URL: s.Page, ElicitationID: "hearsay-review", Message: "Memories wait for your decision. It is made on this page, with your own key.",
	}}}
}
