package mcp

import (
	"context"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/guard"
	"github.com/hearsay-memory/hearsay/internal/mcp/wire"
	"github.com/hearsay-memory/hearsay/internal/strictjson"
)

// announced is the call as a hook of the host may have announced it. The digest is of
// the arguments as they came.
func announced(params strictjson.Value, name string) guard.Call {
	args, ok := params.Get("arguments")
	if !ok {
		args = strictjson.Object()
	}
	meta, _ := params.Get("_meta")
	return guard.Call{
		ID: wire.CallID(func(key string) (string, bool) {
			v, ok := meta.Get(key)
			return v.String(), ok && v.Kind() == strictjson.KindString
		}),
		Digest: guard.CallDigest(name, strictjson.AppendCanonical(nil, args)),
	}
}

// reader is who reads by this call: the session whose hook announced it, else the
// proxy's own. A hook whose call no proxy joined taints its session itself.
func (p *proxy) reader(ctx context.Context, call guard.Call) hearsay.Caller {
	if p.Host == "" {
		return p.Caller
	}
	c, _, _, err := p.Guard.Join(ctx, p.Caller, p.Host, call)
	if err != nil {
		p.Log.Warn("a read could not be joined to a session", "error", err)
	}
	return c
}
