package mcp

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/guard"
	"github.com/hearsay-memory/hearsay/internal/mcp/wire"
	"github.com/hearsay-memory/hearsay/internal/strictjson"
)

// Options are what a proxy is made of.
type Options struct {
	Guard     *guard.Guard
	Caller    hearsay.Caller    // made by the surface; an empty session is the shared one
	Host      string            // id of the host process, by which hooks' sessions are found; empty: not known
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
	client, server *wire.Writer
	lock           func(context.Context) (func() error, error)

	mu        sync.Mutex
	pending   map[string]*pending // by idKey
	dead      error               // why the server does not answer any more
	foreign   foreign             // see foreignText
	foreignAt int64               // size of the log that it was told at
	warned    map[string]bool     // of what the log was told already
	hints     hints               // of a server that is no memory server

	ownName string       // begins the ids of our own requests; nobody else knows it
	own     atomic.Int64 // numbers them
	era     atomic.Pointer[string]
	ready   chan struct{}
	readied sync.Once
	writes  chan func()               // changes to the store, in order
	stuck   map[hearsay.RecordID]bool // withdrawn records whose text stays in this connection; of the one that carries out changes
	queued  atomic.Int64              // of them, not carried out yet
}

// pending is a request that waits for its answer.
type pending struct {
	id     []byte // as the one who asks wrote it
	method string
	answer func(f strictjson.Frame, failed error) // called once
}

// Serve pumps frames between a client and the server behind until the client's
// stream ends or the server's does, which is an error. The client is answered for
// every request that the server left open.
func Serve(ctx context.Context, client, server Pipe, o Options) error {
	p := newProxy(client.Out, server.Out, o)
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

// newProxy makes the proxy of one connection.
func newProxy(client, server io.Writer, o Options) *proxy {
	p := &proxy{Options: o, client: wire.NewWriter(client), server: wire.NewWriter(server),
		pending: make(map[string]*pending), warned: make(map[string]bool), foreignAt: -1,
		ownName: "hearsay-" + rand.Text(), ready: make(chan struct{}), writes: make(chan func(), 64), stuck: make(map[hearsay.RecordID]bool)}
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
	return p
}

// settle waits, within bounds, until nothing is pending any more.
func (p *proxy) settle(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, p.Wait)
	defer cancel()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for {
		open := p.open()
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

// open counts the requests that will be answered by themselves.
func (p *proxy) open() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	n := 0
	for _, w := range p.pending {
		if w.method != listen {
			n++
		}
	}
	return n
}

// die fails what is pending and everything that comes.
func (p *proxy) die(why error) {
	p.mu.Lock()
	if p.dead == nil {
		p.dead = why
	}
	p.mu.Unlock()
	for _, w := range p.takeAll() {
		w.answer(strictjson.Frame{}, why)
	}
}

// deadFor says why the server does not answer any more; nil while it does.
func (p *proxy) deadFor() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.dead
}

// mostWarned bounds what is remembered of it.
const mostWarned = 1024

// warn tells the log of a thing once.
func (p *proxy) warn(thing, text string, args ...any) {
	p.mu.Lock()
	told := p.warned[thing] || len(p.warned) >= mostWarned
	if !told {
		p.warned[thing] = true
	}
	p.mu.Unlock()
	if !told {
		p.Log.Warn(text, args...)
	}
}
