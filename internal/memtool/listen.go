package memtool

import (
	"context"
	"errors"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/hearsay-memory/hearsay/internal/loopback"
	"github.com/hearsay-memory/hearsay/internal/token"
)

// Bounds of the memory tool over HTTP.
const (
	headTime    = 10 * time.Second // for a client to send a request's head
	requestTime = 30 * time.Second // and all of it
	replyTime   = 2 * time.Minute
	farewell    = 5 * time.Second // for what is under way when the server ends
)

// Serve serves HTTP until the context ends; what is under way then is answered. Each token is
// a caller of h's principal, with a session of its own, for good. It serves this machine
// alone: the tokens would cross a network in the clear.
func (h *Handler) Serve(ctx context.Context, ln net.Listener, tokens token.Tokens) error {
	if !loopback.Is(ln) {
		return errors.New("other machines could connect: listen on 127.0.0.1")
	}
	callers, err := tokens.Callers(ctx, h.Guard, h.Caller)
	if err != nil {
		return err
	}
	handlers := make(map[string]*Handler, len(callers))
	for name, c := range callers {
		own := *h
		own.Caller = c
		handlers[name] = &own
	}
	srv := &http.Server{
		Handler:           HTTP(func(r *http.Request) (*Handler, error) { return bearer(tokens, handlers, r) }),
		ReadHeaderTimeout: headTime, ReadTimeout: requestTime, WriteTimeout: replyTime, MaxHeaderBytes: 32 << 10,
	}
	return loopback.Serve(ctx, srv, ln, farewell)
}

// bearer finds the handler of who comes with a request's token.
func bearer(tokens token.Tokens, handlers map[string]*Handler, r *http.Request) (*Handler, error) {
	given := r.Header.Values("Authorization")
	if len(given) != 1 {
		return nil, errors.New("want one Authorization header")
	}
	text, ok := strings.CutPrefix(given[0], "Bearer ")
	if !ok {
		return nil, errors.New("want a bearer token")
	}
	name, ok := tokens.Whose(text)
	if !ok {
		return nil, errors.New("the token is nobody's")
	}
	return handlers[name], nil
}
