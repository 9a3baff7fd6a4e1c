package mcp

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/hearsay-memory/hearsay/internal/mcp/wire"
	"github.com/hearsay-memory/hearsay/internal/strictjson"
)

// errTwice refuses a request whose id is that of one under way.
var errTwice = errors.New("a request with this id is under way")

// ask sends a request to the server; answer is called once, from another goroutine
// or, where the request cannot be sent, from this one.
func (p *proxy) ask(frame []byte, w *pending) {
	key, ok := wire.IDKey(w.id)
	p.mu.Lock()
	err := p.dead
	if _, twice := p.pending[key]; err == nil && (twice || !ok) {
		err = errTwice
	}
	if err == nil {
		p.pending[key] = w
	}
	p.mu.Unlock()
	if err == nil {
		if err = p.server.Frame(frame); err == nil {
			return
		}
		if p.take(w.id) == nil {
			return // it was answered meanwhile
		}
	}
	w.answer(strictjson.Frame{}, err)
}

// take removes what waits for an answer to id.
func (p *proxy) take(id []byte) *pending {
	key, ok := wire.IDKey(id)
	if !ok {
		return nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	w := p.pending[key]
	delete(p.pending, key)
	return w
}

// takeAll removes everything that waits.
func (p *proxy) takeAll() map[string]*pending {
	p.mu.Lock()
	defer p.mu.Unlock()
	open := p.pending
	p.pending = make(map[string]*pending)
	return open
}

// call makes a request of our own and waits for its answer.
func (p *proxy) call(ctx context.Context, method string, params strictjson.Value) (strictjson.Frame, error) {
	id := p.ownID()
	type answer struct {
		f   strictjson.Frame
		err error
	}
	done := make(chan answer, 1)
	p.ask(request(id, method, p.withEra(params)), &pending{id: id, method: method,
		answer: func(f strictjson.Frame, err error) {
			if err == nil {
				f, err = limits.Frame(bytes.Clone(f.Raw)) // it outlives the line
			}
			done <- answer{f, err}
		}})
	select {
	case a := <-done:
		return a.f, a.err
	case <-ctx.Done():
		p.take(id)
		return strictjson.Frame{}, fmt.Errorf("the server behind did not answer in time: %w", ctx.Err())
	}
}

// ownID makes an id of ours. Its name is drawn anew for each connection and shown to
// the server only, so that no client can use it.
func (p *proxy) ownID() []byte {
	return []byte(strconv.Quote(p.ownName + "-" + strconv.FormatInt(p.own.Add(1), 10)))
}

// Members of _meta that the era without handshake wants in each request.
const (
	metaVersion      = "io.modelcontextprotocol/protocolVersion"
	metaCapabilities = "io.modelcontextprotocol/clientCapabilities"
)

// learnEra notes which era the client speaks, at the first request that tells. In the
// era without handshake the server takes calls from then on.
func (p *proxy) learnEra(params strictjson.Value) {
	meta, ok := params.Get("_meta")
	if !ok {
		return
	}
	if version, ok := meta.Get(metaVersion); ok && version.Kind() == strictjson.KindString {
		v := version.String()
		p.era.CompareAndSwap(nil, &v)
		p.isReady()
	}
}

// withEra gives a request of ours what the era of the connection wants in it. A
// request of a client that we carry out has it already.
func (p *proxy) withEra(params strictjson.Value) strictjson.Value {
	version := p.era.Load()
	if _, has := params.Get("_meta"); has || version == nil {
		return params
	}
	return params.With("_meta", strictjson.Object(
		strictjson.Member{Key: metaVersion, Value: strictjson.String(*version)},
		strictjson.Member{Key: metaCapabilities, Value: strictjson.Object()}))
}

// isReady says that the server takes calls.
func (p *proxy) isReady() { p.readied.Do(func() { close(p.ready) }) }
