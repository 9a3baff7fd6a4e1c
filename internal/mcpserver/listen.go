package mcpserver

import (
	"context"
	"errors"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/hearsay-memory/hearsay/internal/loopback"
)

const (
	mostConnections = 128
	headerTime      = 10 * time.Second // for a client to send a request's head
	unused          = time.Minute      // until a connection is closed on which nothing is asked, with or without a token
	farewell        = 5 * time.Second  // for what is under way when the server ends
)

// Serve serves HTTP until the context ends; what is under way then is answered. It serves
// this machine alone: a token on the way from another one could be read along.
func (s *Server) Serve(ctx context.Context, ln net.Listener) error {
	if !loopback.Is(ln) {
		return errors.New("others than this machine could connect: listen on 127.0.0.1")
	}
	srv := &http.Server{
		Handler: s.Handler(), ReadHeaderTimeout: headerTime, IdleTimeout: unused, MaxHeaderBytes: 32 << 10,
	}
	// Streams on which nothing is under way would keep the server up for ever.
	closed := make(chan struct{})
	srv.RegisterOnShutdown(func() {
		defer close(closed)
		for ss := range s.sdk.Sessions() {
			_ = ss.Close()
		}
	})
	if err := loopback.Serve(ctx, srv, &capped{Listener: ln, room: make(chan struct{}, mostConnections)}, s.farewell); err != nil {
		return err
	}
	select {
	case <-closed:
	case <-time.After(s.farewell):
	}
	return nil
}

// capped is a listener that keeps a bounded number of connections.
type capped struct {
	net.Listener
	room chan struct{}
}

// Accept waits until there is room.
func (l *capped) Accept() (net.Conn, error) {
	l.room <- struct{}{}
	c, err := l.Listener.Accept()
	if err != nil {
		<-l.room
		return nil, err
	}
	return &counted{Conn: c, done: sync.OnceFunc(func() { <-l.room })}, nil
}

// counted is a connection that makes room when it is closed.
type counted struct {
	net.Conn
	done func()
}

// Close implements [net.Conn].
func (c *counted) Close() error {
	defer c.done()
	return c.Conn.Close()
}
