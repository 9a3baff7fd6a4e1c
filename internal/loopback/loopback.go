// Package loopback serves HTTP to this machine alone, and ends it without a wait.
package loopback

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"sync"
	"time"
)

// Is reports whether a listener is reached from this machine alone.
func Is(ln net.Listener) bool {
	a, ok := ln.Addr().(*net.TCPAddr)
	return ok && a.IP.IsLoopback()
}

// Serve serves HTTP on a listener until the context ends. What is under way then is
// answered, for at most farewell; what goes on longer is cut off, which is an error. A
// connection on which nothing was asked yet is closed at once: a client keeps one ready, and
// [http.Server.Shutdown] waits 5 seconds for it. It sets srv.ConnState, and closes ln.
func Serve(ctx context.Context, srv *http.Server, ln net.Listener, farewell time.Duration) error {
	quiet := unasked{conns: make(map[net.Conn]struct{})}
	srv.ConnState = quiet.turn
	ended := make(chan error, 1)
	go func() { ended <- srv.Serve(ln) }()
	select {
	case err := <-ended:
		return fmt.Errorf("serve HTTP: %w", err)
	case <-ctx.Done():
	}
	quiet.end()
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), farewell)
	defer cancel()
	if err := srv.Shutdown(last); err != nil {
		_ = srv.Close()
		return fmt.Errorf("end the HTTP server: %w", err)
	}
	return nil
}

// unasked holds the connections on which nothing was asked yet.
type unasked struct {
	mu    sync.Mutex
	conns map[net.Conn]struct{}
	over  bool
}

// turn is told of each change of a connection.
func (u *unasked) turn(c net.Conn, s http.ConnState) {
	u.mu.Lock()
	defer u.mu.Unlock()
	switch {
	case s != http.StateNew:
		delete(u.conns, c)
	case u.over:
		_ = c.Close()
	default:
		u.conns[c] = struct{}{}
	}
}

// end closes them, and those that come from now on.
func (u *unasked) end() {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.over = true
	for c := range u.conns {
		_ = c.Close()
	}
}
