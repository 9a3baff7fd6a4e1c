package sqlite

import (
	"errors"
	"sync"
	"time"

	"zombiezen.com/go/sqlite"

	"github.com/hearsay-memory/hearsay/guard"
)

// maxIdle is how many read connections are kept between reads. More are opened where
// more are in use: a bound would let readers that hold one and wait for a second, as in
// a Get inside a loop over Log, block one another for ever.
const maxIdle = 4

// pool holds the connections for reading. Opening one costs some 100 µs; a kept one has
// its statements prepared.
type pool struct {
	path string
	mode sqlite.OpenFlags
	wait time.Duration

	mu     sync.Mutex
	idle   []*sqlite.Conn
	closed bool
}

// take returns a connection that is the caller's until it calls put.
func (p *pool) take() (*sqlite.Conn, error) {
	p.mu.Lock()
	if p.closed {
		p.mu.Unlock()
		return nil, guard.ErrClosed
	}
	if n := len(p.idle); n > 0 {
		c := p.idle[n-1]
		p.idle = p.idle[:n-1]
		p.mu.Unlock()
		return c, nil
	}
	p.mu.Unlock()
	return openConn(p.path, p.mode, p.wait)
}

// put takes a connection back. Its statements are reset. One on which something that failed
// is still open is not kept.
func (p *pool) put(c *sqlite.Conn) {
	p.mu.Lock()
	keep := !p.closed && len(p.idle) < maxIdle && c.AutocommitEnabled()
	if keep {
		p.idle = append(p.idle, c)
	}
	p.mu.Unlock()
	if !keep {
		// A reader has nothing to lose: what it read was checked when it was read.
		_ = c.Close()
	}
}

// close closes the connections that are idle; the others are closed when they come back.
func (p *pool) close() error {
	p.mu.Lock()
	idle := p.idle
	p.idle, p.closed = nil, true
	p.mu.Unlock()
	var errs []error
	for _, c := range idle {
		errs = append(errs, c.Close())
	}
	return errors.Join(errs...)
}
