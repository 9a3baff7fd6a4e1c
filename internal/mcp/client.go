package mcp

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/hearsay-memory/hearsay/internal/mcp/wire"
	"github.com/hearsay-memory/hearsay/internal/strictjson"
)

// fromClient reads the client's frames.
func (p *proxy) fromClient(ctx context.Context, in io.Reader) error {
	for l := wire.NewLines(in, limits.MaxBytes); ; {
		line, err := l.Next()
		if err == io.EOF {
			return nil
		}
		if errors.Is(err, wire.ErrTooLong) {
			p.tell(wire.ReplyError(nil, wire.CodeInvalid, err.Error()))
			continue
		}
		if err != nil {
			return fmt.Errorf("read from the client: %w", err)
		}
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		f, err := limits.Frame(line)
		if err != nil {
			p.tell(wire.ReplyError(nil, wire.CodeParse, "the frame was not passed on: "+err.Error()))
			continue
		}
		if err := p.fromAgent(ctx, f); err != nil {
			return err
		}
	}
}

// fromAgent handles one frame of the client.
func (p *proxy) fromAgent(ctx context.Context, f strictjson.Frame) error {
	if f.Kind == strictjson.KindArray {
		p.tell(wire.ReplyError(nil, wire.CodeInvalid, "batches are not passed on: send one message a line"))
		return nil
	}
	method, _ := f.MethodName()
	switch wire.Classify(f) {
	case wire.Response: // a request of the server
		return p.forward(f)
	case wire.Notification:
		if inspected(method) {
			p.Log.Warn("a request without an id was not passed on", "method", method)
			return nil
		}
		if method == "notifications/initialized" {
			defer p.isReady()
		}
		return p.forward(f)
	case wire.Request:
		p.request(ctx, f, method)
	default:
		p.tell(wire.ReplyError(nil, wire.CodeInvalid, "the frame is no message of JSON-RPC 2.0: it needs a method and, where it asks, an id that is a string or a number"))
	}
	return nil
}

// request handles one request of the client.
func (p *proxy) request(ctx context.Context, f strictjson.Frame, method string) {
	if !inspected(method) {
		raw, err := passable(f)
		if err != nil {
			p.tell(wire.ReplyError(f.ID, wire.CodeParse, err.Error()))
			return
		}
		p.ask(raw, &pending{id: f.ID, method: method, answer: p.answerTo(ctx, f.ID, method)})
		return
	}
	params, err := limits.Parse(f.Params)
	if err != nil || params.Kind() != strictjson.KindObject {
		p.tell(wire.ReplyError(f.ID, wire.CodeInvalid, "params is not an object"))
		return
	}
	if err := strictjson.CheckReserved(params, "name", "arguments", "uri", "_meta", "task"); err != nil {
		p.tell(wire.ReplyError(f.ID, wire.CodeInvalid, err.Error()))
		return
	}
	p.learnEra(params)
	if p.Profile == nil {
		p.observed(ctx, f.ID, method, params)
	} else {
		p.guarded(ctx, f.ID, method, params)
	}
}

// answerTo says what becomes of the answer to a request that was passed on as it came.
func (p *proxy) answerTo(ctx context.Context, id []byte, method string) func(strictjson.Frame, error) {
	switch {
	case p.Profile != nil && method == "tools/list":
		return func(f strictjson.Frame, failed error) {
			p.checkTools(f)
			p.through(id)(f, failed)
		}
	case method == "tools/list":
		return func(f strictjson.Frame, failed error) {
			p.hints.learn(f)
			p.through(id)(f, failed)
		}
	case quiet(method):
		return p.through(id)
	case p.Profile == nil:
		return p.sealed(ctx, id, method, method)
	}
	return p.scrubbed(ctx, p.Caller, id, method, strictjson.Object())
}

// forward passes a frame to the server as it came.
func (p *proxy) forward(f strictjson.Frame) error {
	raw, err := passable(f)
	if err != nil {
		return err
	}
	if err := p.server.Frame(raw); err != nil {
		p.die(err)
	}
	return nil
}

// tell writes to the client. A client that does not read has left; its stream ends.
func (p *proxy) tell(frame []byte) {
	if err := p.client.Frame(frame); err != nil {
		p.Log.Warn("the client does not read", "error", err)
	}
}
