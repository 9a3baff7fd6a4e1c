package mcp

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/guard"
	"github.com/hearsay-memory/hearsay/internal/strictjson"
)

// Options are what a proxy is made of.
type Options struct {
	Guard     *guard.Guard
	Caller    hearsay.Caller    // made by the surface; an empty session is the shared one
	Profile   *Profile          // of a memory server; nil: any other server, observed only
	Server    string            // its name: what it returns comes from "mcp:<Server>"
	Store     string            // id of the memory server's store
	Assume    bool              // take the agent for the speaker, see guard.Write.Assumed
	Namespace hearsay.Namespace // of every write
	Kind      string            // of every write
	Nonce     string            // of the marks, fresh for each proxy

	// LockStore serialises calls that change the memory server's store across
	// processes. Nil: no such lock.
	LockStore func(context.Context) (unlock func() error, err error)
	// Wait bounds how long a call that changes the store may take; 0: one minute.
	Wait time.Duration
	// Poll is how often released and revoked records are looked for; 0: two seconds.
	Poll time.Duration
	Log  *slog.Logger // nil: nothing is logged
}

// Pipe is one end of a connection.
type Pipe struct {
	In  io.Reader
	Out io.Writer
}

// proxy is one connection.
type proxy struct {
	Options
	client, server writer
	lock           func(context.Context) (func() error, error)

	mu      sync.Mutex
	pending map[string]*pending // by raw id, as the server sees it
	dead    error               // why the server does not answer any more

	own     atomic.Int64 // ids of our own requests
	ready   chan struct{}
	readied sync.Once
	writes  chan func()  // changes to the store, in order
	queued  atomic.Int64 // of them, not carried out yet
}

// pending is a request that waits for its answer.
type pending struct {
	method string
	answer func(f strictjson.Frame, failed error) // called once
}

// Serve pumps frames between a client and the server behind until the client's
// stream ends or the server's does, which is an error. The client is answered for
// every request that the server left open.
func Serve(ctx context.Context, client, server Pipe, o Options) error {
	p := &proxy{Options: o, client: writer{w: client.Out}, server: writer{w: server.Out},
		pending: make(map[string]*pending), ready: make(chan struct{}), writes: make(chan func(), 64)}
	if p.Log == nil {
		p.Log = slog.New(slog.DiscardHandler)
	}
	if p.Wait <= 0 {
		p.Wait = time.Minute
	}
	if p.Poll <= 0 {
		p.Poll = 2 * time.Second
	}
	p.lock = o.LockStore
	if p.lock == nil {
		p.lock = func(context.Context) (func() error, error) { return func() error { return nil }, nil }
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	down := make(chan error, 1)
	go func() { down <- p.fromServer(ctx, server.In) }()
	up := make(chan error, 1)
	go func() { up <- p.fromClient(ctx, client.In) }()
	var background sync.WaitGroup
	if p.Profile != nil {
		background.Go(func() { p.work(ctx) })
		background.Go(func() { p.watch(ctx) })
	}
	var err error
	select {
	case err = <-up:
		// What the client had asked for is still carried out and sealed.
		err = errors.Join(err, p.settle(ctx))
	case err = <-down:
		if err == nil {
			err = errors.New("the server behind ended")
		}
		p.die(err)
	case <-ctx.Done():
		err = ctx.Err()
	}
	p.die(errors.New("the connection ended"))
	cancel()
	background.Wait()
	return err
}

// settle waits, within bounds, until nothing is pending any more.
func (p *proxy) settle(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, p.Wait)
	defer cancel()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for {
		p.mu.Lock()
		open := len(p.pending)
		p.mu.Unlock()
		if open == 0 && p.queued.Load() == 0 {
			return nil
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return fmt.Errorf("%d calls were still open when the client left", open)
		}
	}
}

// die fails what is pending and everything that comes.
func (p *proxy) die(why error) {
	p.mu.Lock()
	if p.dead == nil {
		p.dead = why
	}
	open := p.pending
	p.pending = make(map[string]*pending)
	p.mu.Unlock()
	for _, w := range open {
		w.answer(strictjson.Frame{}, why)
	}
}

// ask sends a request to the server; answer is called once, from another goroutine
// or, where the request cannot be sent, from this one.
func (p *proxy) ask(id []byte, frame []byte, w *pending) {
	p.mu.Lock()
	err := p.dead
	if _, twice := p.pending[string(id)]; err == nil && twice {
		err = fmt.Errorf("a request with this id is under way")
	}
	if err == nil {
		p.pending[string(id)] = w
	}
	p.mu.Unlock()
	if err == nil {
		if err = p.server.frame(frame); err == nil {
			return
		}
		if p.take(id) == nil {
			return // it was answered meanwhile
		}
	}
	w.answer(strictjson.Frame{}, err)
}

// take removes what waits for an answer to id.
func (p *proxy) take(id []byte) *pending {
	p.mu.Lock()
	defer p.mu.Unlock()
	w := p.pending[string(id)]
	delete(p.pending, string(id))
	return w
}

// call makes a request of our own and waits for its answer.
func (p *proxy) call(ctx context.Context, method string, params strictjson.Value) (strictjson.Frame, error) {
	id := p.ownID()
	type answer struct {
		f   strictjson.Frame
		err error
	}
	done := make(chan answer, 1)
	p.ask(id, request(id, method, params), &pending{method: method, answer: func(f strictjson.Frame, err error) { done <- answer{f, err} }})
	select {
	case a := <-done:
		return a.f, a.err
	case <-ctx.Done():
		p.take(id)
		return strictjson.Frame{}, fmt.Errorf("the server behind did not answer in time: %w", ctx.Err())
	}
}

// ownID makes an id that no client uses by accident; one used on purpose is refused
// while ours is under way.
func (p *proxy) ownID() []byte {
	return []byte(strconv.Quote("hearsay-" + p.Nonce + "-" + strconv.FormatInt(p.own.Add(1), 10)))
}

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
		if err := p.request(ctx, f); err != nil {
			return err
		}
	}
}

// request handles one frame of the client.
func (p *proxy) request(ctx context.Context, f strictjson.Frame) error {
	if f.Kind != strictjson.KindObject {
		p.tell(replyError(nil, codeInvalid, "batches are not passed on: send one message a line"))
		return nil
	}
	method, ok := f.MethodName()
	switch {
	case f.Method == nil && f.ID != nil && (f.Result != nil || f.Error != nil):
		return p.forward(f) // the client's answer to a request of the server
	case !ok:
		p.tell(replyError(f.ID, codeInvalid, "the message has no method"))
		return nil
	case f.ID == nil:
		if inspected(method) {
			p.Log.Warn("a request without an id was not passed on", "method", method)
			return nil
		}
		if method == "notifications/initialized" {
			defer p.isReady()
		}
		return p.forward(f)
	case !plainID(f.ID):
		p.tell(replyError(nil, codeInvalid, "the id is neither a string nor a number"))
		return nil
	}
	if !inspected(method) {
		raw, err := passable(f)
		if err != nil {
			p.tell(replyError(f.ID, codeParse, err.Error()))
			return nil
		}
		p.ask(f.ID, raw, &pending{method: method, answer: p.through(f.ID)})
		return nil
	}
	params, err := limits.Parse(f.Params)
	if err != nil || params.Kind() != strictjson.KindObject {
		p.tell(replyError(f.ID, codeInvalid, "params is not an object"))
		return nil
	}
	if err := strictjson.CheckReserved(params, "name", "arguments", "uri", "_meta"); err != nil {
		p.tell(replyError(f.ID, codeInvalid, err.Error()))
		return nil
	}
	p.modern(params)
	if p.Profile == nil {
		p.observed(ctx, f.ID, method, params)
	} else {
		p.guarded(ctx, f.ID, method, params)
	}
	return nil
}

// inspected says whether requests of the method go on re-encoded and their results
// are text that an agent takes in.
func inspected(method string) bool {
	return method == "tools/call" || method == "resources/read" || method == "prompts/get"
}

// plainID reports whether a raw id is a string or a number.
func plainID(id []byte) bool {
	return len(id) > 0 && (id[0] == '"' || id[0] == '-' || id[0] >= '0' && id[0] <= '9')
}

// through passes an answer on as it came.
func (p *proxy) through(id []byte) func(strictjson.Frame, error) {
	return func(f strictjson.Frame, failed error) {
		if failed != nil {
			p.tell(replyError(id, codeUpstream, "the server behind gave no answer: "+failed.Error()))
			return
		}
		p.pass(id, f)
	}
}

// pass writes an answer of the server to the client.
func (p *proxy) pass(id []byte, f strictjson.Frame) {
	raw, err := passable(f)
	if err != nil {
		raw = replyError(id, codeUpstream, err.Error())
	}
	p.tell(raw)
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

// fromServer reads the server's frames.
func (p *proxy) fromServer(ctx context.Context, in io.Reader) error {
	for l := newLines(in); ; {
		line, err := l.next()
		if err == io.EOF {
			return nil
		}
		if err != nil && !errors.Is(err, errTooLong) {
			return fmt.Errorf("read from the server behind: %w", err)
		}
		if err == nil && len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		var f strictjson.Frame
		if err == nil {
			f, err = limits.Frame(line)
		}
		if err == nil && f.Kind != strictjson.KindObject {
			err = errors.New("it is no object")
		}
		if err != nil {
			p.garbled(line, err)
			continue
		}
		if f.Method == nil {
			if w := p.take(f.ID); w != nil {
				w.answer(f, nil)
			} else {
				p.Log.Warn("the server behind answered what nobody asked")
			}
			continue
		}
		p.fromServerItself(ctx, f)
	}
}

// garbled handles a line of the server that is not let through. A line that is no
// JSON object at all is a stray print; anything else could be the answer that a
// caller waits for, and nobody can tell whose: all of them are told.
func (p *proxy) garbled(line []byte, err error) {
	p.Log.Warn("a line of the server behind was dropped", "error", err)
	if t := bytes.TrimSpace(line); line != nil && (len(t) == 0 || t[0] != '{' && t[0] != '[') {
		return
	}
	p.mu.Lock()
	open := p.pending
	p.pending = make(map[string]*pending)
	p.mu.Unlock()
	for _, w := range open {
		w.answer(strictjson.Frame{}, fmt.Errorf("an answer was not let through: %w", err))
	}
}

// fromServerItself handles what the server says unasked: requests to sample or to
// elicit, and notifications. All of it can bear text that ends up before the model.
func (p *proxy) fromServerItself(ctx context.Context, f strictjson.Frame) {
	method, _ := f.MethodName()
	if p.Profile == nil && bears(method) {
		if _, err := p.Guard.Observe(ctx, p.Caller, guard.Observation{Source: p.source(method), Tool: method}); err != nil {
			p.Log.Warn("text of the server behind was dropped: it could not be sealed", "method", method, "error", err)
			if f.ID != nil {
				_ = p.server.frame(replyError(f.ID, codeInternal, "the request could not be sealed"))
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

// bears says whether what the server sends unasked under this method is text for a
// model.
func bears(method string) bool {
	switch method {
	case "sampling/createMessage", "elicitation/create", "notifications/message":
		return true
	}
	return false
}

// isReady says that the server takes calls.
func (p *proxy) isReady() { p.readied.Do(func() { close(p.ready) }) }

// modern marks the server ready at the first request of the era without handshake.
func (p *proxy) modern(params strictjson.Value) {
	if meta, ok := params.Get("_meta"); ok && meta.Kind() == strictjson.KindObject {
		if _, ok := meta.Get("io.modelcontextprotocol/protocolVersion"); ok {
			p.isReady()
		}
	}
}
