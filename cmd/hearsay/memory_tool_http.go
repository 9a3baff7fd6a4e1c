package main

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/hearsay-memory/hearsay/guard"
	"github.com/hearsay-memory/hearsay/internal/memtool"
)

// Bounds of the memory tool over HTTP.
const (
	toolHead    = 10 * time.Second // for a client to send a request's head
	toolRequest = 30 * time.Second // and all of it
	toolReply   = 2 * time.Minute
	toolEnd     = 5 * time.Second // for what is under way when the server ends
)

// bearer is who comes with a token.
type bearer struct {
	sum     [sha256.Size]byte // of the token
	handler *memtool.Handler
}

// serveTool serves over HTTP, to this machine alone: the tokens would cross a network in
// the clear. Each token is a session, for good.
func (a *app) serveTool(ctx context.Context, f toolFlags, h *memtool.Handler) error {
	tokens, err := readTokens(f.tokens)
	if err != nil {
		return err
	}
	var bearers []bearer
	for name, sum := range tokens {
		own := *h
		own.Caller.Agent, own.Caller.Session = name, "http-token:"+name
		if _, err := h.Guard.Open(ctx, own.Caller, guard.Start{}); err != nil {
			return err
		}
		bearers = append(bearers, bearer{sum, &own})
	}
	ln, err := (&net.ListenConfig{}).Listen(ctx, "tcp", f.http)
	if err != nil {
		return fmt.Errorf("--http %s: %w", f.http, err)
	}
	if at, ok := ln.Addr().(*net.TCPAddr); !ok || !at.IP.IsLoopback() {
		return errors.Join(usageError("--http %s: other machines could connect: listen on 127.0.0.1, and put a proxy with TLS before it", f.http), ln.Close())
	}
	srv := &http.Server{
		Handler:           memtool.HTTP(func(r *http.Request) (*memtool.Handler, error) { return whose(bearers, r) }),
		ReadHeaderTimeout: toolHead, ReadTimeout: toolRequest, WriteTimeout: toolReply, MaxHeaderBytes: 32 << 10,
	}
	fmt.Fprintf(a.err, "hearsay: the memory tool is on http://%s\n", ln.Addr())
	ended := make(chan error, 1)
	go func() { ended <- srv.Serve(ln) }()
	select {
	case err := <-ended:
		return fmt.Errorf("serve HTTP: %w", err)
	case <-ctx.Done():
	}
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), toolEnd)
	defer cancel()
	if err := srv.Shutdown(last); err != nil {
		return errors.Join(fmt.Errorf("end the HTTP server: %w", err), srv.Close())
	}
	return nil
}

// whose finds who comes with a request's token.
func whose(bearers []bearer, r *http.Request) (*memtool.Handler, error) {
	given := r.Header.Values("Authorization")
	if len(given) != 1 {
		return nil, errors.New("want one Authorization header")
	}
	token, ok := strings.CutPrefix(given[0], "Bearer ")
	if !ok {
		return nil, errors.New("want a bearer token")
	}
	sum := sha256.Sum256([]byte(token))
	var found *memtool.Handler
	for _, b := range bearers {
		if subtle.ConstantTimeCompare(sum[:], b.sum[:]) == 1 {
			found = b.handler
		}
	}
	if found == nil {
		return nil, errors.New("the token is nobody's")
	}
	return found, nil
}
