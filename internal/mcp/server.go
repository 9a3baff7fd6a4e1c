package mcp

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/hearsay-memory/hearsay/guard"
	"github.com/hearsay-memory/hearsay/internal/mcp/wire"
	"github.com/hearsay-memory/hearsay/internal/strictjson"
)

// fromServer reads the server's frames. A frame is good until the next one is read:
// whoever keeps one copies it.
func (p *proxy) fromServer(ctx context.Context, in io.Reader) error {
	l := wire.NewLines(in, limits.MaxBytes)
	l.Again = true
	for {
		line, err := l.Next()
		if err == io.EOF {
			return nil
		}
		if err != nil && !errors.Is(err, wire.ErrTooLong) {
			return fmt.Errorf("read from the server behind: %w", err)
		}
		if err == nil && len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		var f strictjson.Frame
		if err == nil {
			f, err = limits.Frame(line)
		}
		if err != nil {
			p.garbled(line, err)
			continue
		}
		switch wire.Classify(f) {
		case wire.Response:
			if w := p.take(f.ID); w != nil {
				w.answer(f, nil)
			} else {
				p.Log.Warn("the server behind answered what nobody asked")
			}
		case wire.Request, wire.Notification:
			p.unasked(ctx, f)
		default:
			p.garbled(line, errors.New("it is no single message of JSON-RPC 2.0"))
		}
	}
}

// garbled handles a line of the server that is not let through. A line that begins
// like no message is a stray print; anything else could be the answer that a caller
// waits for, and nobody can tell whose: all of them are told.
func (p *proxy) garbled(line []byte, err error) {
	p.Log.Warn("a line of the server behind was dropped", "error", err)
	// Inside the bracket of a batch stands an object; "[info] ready" is no batch.
	t := bytes.TrimSpace(bytes.TrimPrefix(bytes.TrimSpace(line), []byte("[")))
	if line != nil && !bytes.HasPrefix(t, []byte("{")) {
		return
	}
	for _, w := range p.takeAll() {
		w.answer(strictjson.Frame{}, fmt.Errorf("an answer was not let through: %w", err))
	}
}

// unasked handles what the server says on its own: requests to sample or to elicit,
// and notifications. All of it can bear text that ends up before the model.
func (p *proxy) unasked(ctx context.Context, f strictjson.Frame) {
	method, _ := f.MethodName()
	if !quietUnasked(method, f.Params) {
		if err := p.hear(ctx, method); err != nil {
			p.Log.Error("text of the server behind was dropped: it could not be sealed", "method", method, "error", err)
			if f.ID != nil {
				_ = p.server.Frame(wire.ReplyError(f.ID, wire.CodeInternal, "the request could not be sealed"))
			}
			return
		}
	}
	raw, err := passable(f)
	if err != nil {
		p.Log.Warn("a line of the server behind was dropped", "error", err)
		return
	}
	p.tell(raw)
}

// hear seals that the session takes in what the server says on its own.
func (p *proxy) hear(ctx context.Context, method string) error {
	if p.Profile != nil {
		return p.unfiltered(ctx, p.Caller, method)
	}
	_, err := p.Guard.Observe(ctx, p.Caller, guard.Observation{Source: p.source(method), Tool: method})
	return err
}

// through passes an answer on as it came.
func (p *proxy) through(id []byte) func(strictjson.Frame, error) {
	return func(f strictjson.Frame, failed error) {
		if failed != nil {
			p.unanswered(id, failed)
			return
		}
		p.pass(id, f)
	}
}

// unanswered tells the client that there is no answer.
func (p *proxy) unanswered(id []byte, why error) {
	if errors.Is(why, errTwice) {
		p.tell(wire.ReplyError(id, wire.CodeInvalid, "the request was not passed on: "+why.Error()))
		return
	}
	p.tell(wire.ReplyError(id, codeUpstream, "the server behind gave no answer: "+why.Error()))
}

// pass writes an answer of the server to the client, under the id that the client
// wrote.
func (p *proxy) pass(id []byte, f strictjson.Frame) {
	if !bytes.Equal(id, f.ID) {
		p.tell(withID(f, id))
		return
	}
	raw, err := passable(f)
	if err != nil {
		raw = wire.ReplyError(id, codeUpstream, err.Error())
	}
	p.tell(raw)
}
