package mcpserver

import (
	"context"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/guard"
	"github.com/hearsay-memory/hearsay/internal/mcp/wire"
	"github.com/hearsay-memory/hearsay/internal/strictjson"
)

// call is one call of a tool.
type call struct {
	tool   string
	caller hearsay.Caller // as the connection shows; a hook may know better, see reader
	args   *arguments
	guard  guard.Call // as a hook of the host may have announced it
	meta   claims     // what the request says of itself
	req    *mcp.CallToolRequest
}

// claims are the members of _meta that can lower trust.
type claims struct {
	source  string
	parents []hearsay.RecordID
}

// claimed begins the names of such members.
const claimed = "dev.hearsay/"

// call takes a request apart.
func (s *Server) call(ctx context.Context, name string, req *mcp.CallToolRequest) (*call, error) {
	c := &call{tool: name, caller: s.Caller, req: req}
	if s.byToken != nil {
		// Without a token nobody comes as far as here.
		var ok bool
		if req.Extra == nil || req.Extra.TokenInfo == nil {
			return nil, &argumentError{"the request bears no token"}
		}
		if c.caller, ok = s.byToken[req.Extra.TokenInfo.UserID]; !ok {
			return nil, &argumentError{"the request's token names nobody"}
		}
	}
	args := strictjson.Object()
	if raw := req.Params.Arguments; len(raw) > 0 {
		var err error
		if args, err = limits.Parse(raw); err != nil {
			return nil, &argumentError{"the arguments are not acceptable JSON: " + err.Error()}
		}
	}
	c.guard = guard.Call{
		ID: wire.CallID(func(key string) (string, bool) {
			id, ok := req.Params.Meta[key].(string)
			return id, ok
		}),
		Digest: guard.CallDigest(name, strictjson.AppendCanonical(nil, args)),
	}
	c.meta = claimsOf(req.Params.Meta)
	if args.Kind() == strictjson.KindNull {
		args = strictjson.Object() // as some clients say that there are none
	}
	c.args = &arguments{v: args}
	if c.caller.Session != "" {
		if _, err := s.Guard.Touch(ctx, c.caller); err != nil {
			return nil, err
		}
	}
	if args.Kind() != strictjson.KindObject {
		c.spend(ctx, s)
		return nil, &argumentError{"the arguments are not an object"}
	}
	return c, nil
}

// mostParents bounds the parents that a request may claim.
const mostParents = 100

// claimsOf reads what a request says of itself. What cannot be read tells nothing good.
func claimsOf(meta mcp.Meta) (c claims) {
	if v, ok := meta[claimed+"source"]; ok {
		if c.source, ok = v.(string); !ok || c.source == "" {
			c.source = hearsay.UnknownTag
		}
	}
	if v, ok := meta[claimed+"parents"]; ok {
		list, ok := v.([]any)
		if !ok || len(list) > mostParents {
			return claims{source: hearsay.UnknownTag}
		}
		for _, el := range list {
			text, _ := el.(string)
			id, err := hearsay.ParseRecordID(text)
			if err != nil {
				c.source = hearsay.UnknownTag
				continue
			}
			c.parents = append(c.parents, id)
		}
	}
	return c
}

// reader is who reads by this call: the session whose hook announced it, else the
// connection's own. A hook whose call nobody joined taints its session itself.
func (c *call) reader(ctx context.Context, s *Server) hearsay.Caller {
	if s.Host == "" {
		return c.caller
	}
	joined, _, _, err := s.Guard.Join(ctx, c.caller, s.Host, c.guard)
	if err != nil {
		s.Log.Warn("a call could not be joined to a session", "tool", c.tool, "error", err)
	}
	return joined
}

// spend uses the hook's word of a call up that came to nothing, so that the hook does not
// take its answer for one of a server that nobody watches.
func (c *call) spend(ctx context.Context, s *Server) { _ = c.reader(ctx, s) }

// speaker is who speaks in what the call writes, as far as the connection shows.
func (s *Server) speaker() (src hearsay.Source, assumed bool) {
	if s.Assume {
		return hearsay.Source{Type: "agent"}, true
	}
	return hearsay.Source{Type: hearsay.UnknownTag}, false
}
