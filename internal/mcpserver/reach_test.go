package mcpserver

import (
	"context"
	"crypto/sha256"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/internal/token"
)

// serve serves HTTP on a free port of this machine until the test ends.
func (w *world) serve(s *Server) (url string) {
	w.t.Helper()
	url, stop := w.serveUntil(s)
	w.t.Cleanup(func() {
		if err := stop(); err != nil {
			w.t.Errorf("the server ended with %v", err)
		}
	})
	return url
}

func (w *world) serveUntil(s *Server) (url string, stop func() error) {
	w.t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		w.t.Fatal(err)
	}
	s.farewell = 2 * time.Minute // a busy machine decides nothing; what keeps the server up is an error still
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- s.Serve(ctx, ln) }()
	return "http://" + ln.Addr().String() + Path, func() error {
		cancel()
		return <-done
	}
}

// bearer sends a token with each request.
type bearer string

func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	if b != "" {
		r.Header.Set("Authorization", "Bearer "+string(b))
	}
	return http.DefaultTransport.RoundTrip(r)
}

// reach connects a client of an era over HTTP.
func (w *world) reach(url, era, token string) (*client, error) {
	return w.reachAs(url, era, token, nil)
}

func (w *world) reachAs(url, era, token string, o *sdk.ClientOptions) (*client, error) {
	c := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, o)
	t := &sdk.StreamableClientTransport{Endpoint: url, HTTPClient: &http.Client{Transport: bearer(token)}}
	session, err := c.Connect(w.t.Context(), t, &sdk.ClientSessionOptions{ProtocolVersion: era})
	if err != nil {
		return nil, err
	}
	w.t.Cleanup(func() { _ = session.Close() })
	return &client{w.t, session}, nil
}

func (w *world) mustReach(url, era, token string) *client {
	w.t.Helper()
	c, err := w.reach(url, era, token)
	if err != nil {
		w.t.Fatal(err)
	}
	return c
}

// over makes a server of a world for HTTP, where nothing but a token tells callers apart.
func (w *world) over(tokens ...string) *Server {
	w.t.Helper()
	return w.server(hearsay.Caller{Principal: "ana", Surface: hearsay.SurfaceOwn}, func(o *Options) {
		for _, t := range tokens {
			name, text, _ := strings.Cut(t, " ")
			if o.Tokens == nil {
				o.Tokens = make(token.Tokens)
			}
			o.Tokens[name] = sha256.Sum256([]byte(text))
		}
	})
}

var (
	tokenA = strings.Repeat("a", 32)
	tokenB = strings.Repeat("b", 32)
)

// post makes a raw request.
func post(t *testing.T, url, body string, header ...string) (int, string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	for _, h := range header {
		name, value, _ := strings.Cut(h, ": ")
		if name == "Host" {
			r.Host = value
		} else {
			r.Header.Add(name, value)
		}
	}
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(b)
}

// ask are the headers of a modern call of a tool.
func ask(tool string) []string {
	return []string{"MCP-Protocol-Version: " + modern, "Mcp-Method: tools/call", "Mcp-Name: " + tool}
}
