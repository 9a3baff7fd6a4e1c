package mcp

import (
	"context"
	"strings"
	"unicode/utf8"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/guard"
	"github.com/hearsay-memory/hearsay/internal/mcp/wire"
	"github.com/hearsay-memory/hearsay/internal/strictjson"
)

// maxRef bounds the reference of a source, in bytes.
const maxRef = 2048

// source is the source of what this server says.
func (p *proxy) source(ref string) hearsay.Source {
	return hearsay.Source{Type: "mcp:" + p.Server, Ref: clip(ref)}
}

// observed passes a request on and seals what comes back before it is let through.
func (p *proxy) observed(ctx context.Context, id []byte, method string, params strictjson.Value) {
	tool, ref := what(method, params)
	p.ask(request(id, method, params), &pending{id: id, method: method, answer: p.sealed(ctx, id, tool, ref)})
}

// sealed lets an answer through after it was sealed that the session takes it in. The
// answer itself goes on as it came: it was checked, and nothing of it is changed.
func (p *proxy) sealed(ctx context.Context, id []byte, tool, ref string) func(strictjson.Frame, error) {
	return func(f strictjson.Frame, failed error) {
		if failed != nil {
			p.unanswered(id, failed)
			return
		}
		_, err := p.Guard.Observe(ctx, p.Caller, guard.Observation{
			Source: p.source(ref), Tool: tool, Marked: p.lowered(tool, f),
		})
		if err != nil {
			p.Log.Error("a result was kept back: it could not be sealed", "tool", tool, "error", err)
			p.tell(wire.ReplyError(id, wire.CodeInternal, "the result was kept back because it could not be sealed: "+err.Error()))
			return
		}
		p.pass(id, f)
	}
}

// what names the tool of a request, and what it is asked about: the first argument
// that looks like a URL, or the resource, or the tool itself.
func what(method string, params strictjson.Value) (tool, ref string) {
	if uri, ok := params.Get("uri"); ok && uri.Kind() == strictjson.KindString {
		return method, uri.String()
	}
	if name, ok := params.Get("name"); ok && name.Kind() == strictjson.KindString {
		tool = name.String()
	}
	if args, ok := params.Get("arguments"); ok {
		for s := range args.Strings() {
			if text := s.String(); strings.Contains(text, "://") {
				return tool, text
			}
		}
	}
	return tool, tool
}

// clip bounds a text at a character.
func clip(s string) string {
	if len(s) <= maxRef {
		return s
	}
	n := maxRef
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}
