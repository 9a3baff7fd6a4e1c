package mcp

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/hearsay-memory/hearsay/internal/strictjson"
)

// fromClient reads the client's frames.
func (p *proxy) fromClient(ctx context.Context, in io.Reader) error {
	for l := newLines(in); ; {
		line, err := l.next()
		if err == io.EOF {
			return nil
		}
		if errors.Is(err, errTooLong) {
			p.tell(replyError(nil, codeInvalid, err.Error()))
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
			p.tell(replyError(nil, codeParse, "the frame was not passed on: "+err.Error()))
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
		p.tell(replyError(nil, codeInvalid, "batches are not passed on: send one message a line"))
		return nil
	}
	method, _ := f.MethodName()
	switch classify(f) {
	case answers: // a request of the server
		return p.forward(f)
	case tells:
		if inspected(method) {
			p.Log.Warn("a request without an id was not passed on", "method", method)
			return nil
		}
		if method == "notifications/initialized" {
			defer p.isReady()
		}
		return p.forward(f)
	case asks:
		p.request(ctx, f, method)
	default:
		p.tell(replyError(nil, codeInvalid, "the frame is no message of JSON-RPC 2.0: it needs a method and, where it asks, an id that is a string or a number"))
	}
	return nil
}

// request handles one request of the client.
func (p *proxy) request(ctx context.Context, f strictjson.Frame, method string) {
	if !inspected(method) {
		raw, err := passable(f)
		if err != nil {
			p.tell(replyError(f.ID, codeParse, err.Error()))
			return
		}
		p.ask(raw, &pending{id: f.ID, method: method, answer: p.answerTo(ctx, f.ID, method)})
		return
	}
	params, err := limits.Parse(f.Params)
	if err != nil || params.Kind() != strictjson.KindObject {
		p.tell(replyError(f.ID, codeInvalid, "params is not an object"))
		return
	}
	if err := strictjson.CheckReserved(params, "name", "arguments", "uri", "_meta", "task"); err != nil {
		p.tell(replyError(f.ID, codeInvalid, err.Error()))
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
	if err := p.server.frame(raw); err != nil {
		p.die(err)
	}
	return nil
}

// tell writes to the client. A client that does not read has left; its stream ends.
func (p *proxy) tell(frame []byte) {
	if err := p.client.frame(frame); err != nil {
		p.Log.Warn("the client does not read", "error", err)
	}
}
