package mcpserver

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/hearsay-memory/hearsay/internal/mcp/wire"
	"github.com/hearsay-memory/hearsay/internal/strictjson"
)

// Run serves one client over a pair of streams until its input ends or the context does.
// What the client asked for before is still answered.
func (s *Server) Run(ctx context.Context, in io.Reader, out io.Writer) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	if err := s.announce(ctx); err != nil {
		return err
	}
	ss, err := s.sdk.Connect(ctx, &stdio{in: in, out: wire.NewWriter(out)}, nil)
	if err != nil {
		return fmt.Errorf("serve over stdio: %w", err)
	}
	defer context.AfterFunc(ctx, func() { _ = ss.Close() })()
	if err := ss.Wait(); err != nil && ctx.Err() == nil && !errors.Is(err, io.EOF) {
		return fmt.Errorf("serve over stdio: %w", err)
	}
	return nil
}

// stdio is the transport of one connection.
type stdio struct {
	in  io.Reader
	out *wire.Writer
}

// Connect implements [mcp.Transport].
func (t *stdio) Connect(context.Context) (mcp.Connection, error) {
	c := &conn{out: t.out, frames: make(chan []byte), open: make(map[jsonrpc.ID]bool), room: make(chan struct{}, mostOpen), closed: make(chan struct{})}
	go c.pump(wire.NewLines(t.in, limits.MaxBytes))
	return c, nil
}

const (
	// mostOpen is how many requests of a client can be open; more are not read.
	mostOpen = 64
	// patience is how long requests may stay open that a client left without their answers.
	patience = 10 * time.Second
)

// conn is one connection of lines. The library reads from it what passed the strict reader.
type conn struct {
	out    *wire.Writer
	frames chan []byte   // good ones; closed where the input ends
	room   chan struct{} // one for each open request
	ended  error         // why frames was closed; nil: the input ended

	mu   sync.Mutex
	open map[jsonrpc.ID]bool

	close  sync.Once
	closed chan struct{}
}

// pump reads lines until the input ends, and answers those that go no further.
func (c *conn) pump(lines *wire.Lines) {
	defer close(c.frames)
	for {
		line, err := lines.Next()
		switch {
		case err == io.EOF:
			return
		case errors.Is(err, wire.ErrTooLong):
			c.refuse(&fault{nil, wire.CodeInvalid, err.Error()})
			continue
		case err != nil:
			c.ended = fmt.Errorf("read from the client: %w", err)
			return
		case len(bytes.TrimSpace(line)) == 0:
			continue
		}
		f, _, bad := inspect(line)
		if bad != nil {
			c.refuse(bad)
			continue
		}
		select {
		case c.frames <- f.Raw:
		case <-c.closed:
			return
		}
	}
}

// refuse answers a frame. A client that does not read has left; its input ends.
func (c *conn) refuse(f *fault) { _ = c.out.Frame(f.reply()) }

// Read implements [mcp.Connection].
func (c *conn) Read(ctx context.Context) (jsonrpc.Message, error) {
	for {
		select {
		case raw, ok := <-c.frames:
			if !ok {
				return nil, c.end(ctx)
			}
			msg, err := jsonrpc.DecodeMessage(raw)
			if err != nil {
				c.refuse(&fault{nil, wire.CodeInvalid, "the frame is no message that is understood here"})
				continue
			}
			if ok, err := c.enter(ctx, msg); err != nil {
				return nil, err
			} else if ok {
				return msg, nil
			}
		case <-c.closed:
			return nil, io.EOF
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// enter opens a request; false where it was refused.
func (c *conn) enter(ctx context.Context, msg jsonrpc.Message) (bool, error) {
	req, ok := msg.(*jsonrpc.Request)
	if !ok || !req.IsCall() || req.Method == listen {
		return true, nil
	}
	c.mu.Lock()
	again := c.open[req.ID]
	c.open[req.ID] = true
	c.mu.Unlock()
	if again {
		c.refuse(&fault{rawID(req.ID), wire.CodeInvalid, "a request of this id is still open"})
		return false, nil
	}
	select {
	case c.room <- struct{}{}:
		return true, nil
	case <-c.closed:
		return false, io.EOF
	case <-ctx.Done():
		return false, ctx.Err()
	}
}

// listen is the request that stays open as long as the client listens.
const listen = "subscriptions/listen"

// end waits until what is open was answered, within patience, and says how the input ended.
func (c *conn) end(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	for range mostOpen {
		select {
		case c.room <- struct{}{}:
			continue
		case <-c.closed:
		case <-ctx.Done():
		}
		break
	}
	if c.ended != nil {
		return c.ended
	}
	return io.EOF
}

// Write implements [mcp.Connection].
func (c *conn) Write(_ context.Context, msg jsonrpc.Message) error {
	raw, err := jsonrpc.EncodeMessage(msg)
	if err != nil {
		return fmt.Errorf("encode a message: %w", err)
	}
	if resp, ok := msg.(*jsonrpc.Response); ok {
		// First: who has the answer may use the id again.
		c.mu.Lock()
		if c.open[resp.ID] {
			delete(c.open, resp.ID)
			<-c.room
		}
		c.mu.Unlock()
	}
	return c.out.Frame(raw)
}

// Close implements [mcp.Connection].
func (c *conn) Close() error {
	c.close.Do(func() { close(c.closed) })
	return nil
}

// SessionID implements [mcp.Connection]. A pair of streams has none.
func (c *conn) SessionID() string { return "" }

// rawID is an id as it was sent.
func rawID(id jsonrpc.ID) []byte {
	switch v := id.Raw().(type) {
	case string:
		return strictjson.AppendValue(nil, strictjson.String(v))
	case int64:
		return strictjson.AppendValue(nil, strictjson.Int(v))
	}
	return nil
}
