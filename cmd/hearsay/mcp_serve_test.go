package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// withToken sends a token with each request.
type withToken string

// RoundTrip implements [http.RoundTripper].
func (token withToken) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+string(token))
	return http.DefaultTransport.RoundTrip(r)
}

// TestServeHTTP: the server says where it is, lets in who has a token, speaks both eras
// on one address, and ends well when it is told to.
func TestServeHTTP(t *testing.T) {
	dir := t.TempDir()
	home, tokens := filepath.Join(dir, "home"), filepath.Join(dir, "tokens")
	const token = "0123456789abcdef0123456789abcdef"
	if err := os.WriteFile(tokens, []byte("nightly "+token+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	var said bytes.Buffer
	if code := run(t.Context(), []string{"init", "--home", home, "--batch", "--principal", "ana"}, streams{strings.NewReader(""), &said, &said}); code != 0 {
		t.Fatalf("init: %d\n%s", code, &said)
	}
	ctx, stop := context.WithCancel(t.Context())
	reads, writes := io.Pipe()
	ended := make(chan int, 1)
	serve := []string{"mcp", "serve", "--home", home, "--token-file", tokens, "--assume", "agent", "--http"}
	go func() {
		ended <- run(ctx, append(serve, "127.0.0.1:0"), streams{strings.NewReader(""), io.Discard, writes})
		_ = writes.Close()
	}()
	line, err := bufio.NewReader(reads).ReadString('\n')
	at, ok := strings.CutPrefix(strings.TrimSpace(line), "hearsay: serving ")
	if err != nil || !ok {
		t.Fatalf("it says %q, %v", line, err)
	}
	go func() { _, _ = io.Copy(io.Discard, reads) }()

	resp, err := http.Post(at, "application/json", strings.NewReader(`{}`))
	if err != nil {
		t.Fatal(err)
	}
	_ = resp.Body.Close()
	if resp.StatusCode != http.StatusUnauthorized {
		t.Errorf("without a token: %s", resp.Status)
	}
	for i, era := range []string{"2025-11-25", "2026-07-28"} {
		client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil)
		session, err := client.Connect(t.Context(), &mcp.StreamableClientTransport{Endpoint: at, HTTPClient: &http.Client{Transport: withToken(token)}}, &mcp.ClientSessionOptions{ProtocolVersion: era})
		if err != nil {
			t.Fatalf("%s: %v", era, err)
		}
		for tool, args := range map[string]map[string]any{
			"memory_write":  {"text": fmt.Sprintf("The port of part %d is 808%d.", i, i), "kind": "learning"},
			"memory_search": {"query": "port"},
		} {
			res, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: tool, Arguments: args})
			if err != nil || res.IsError {
				t.Errorf("%s: %s: %v, %+v", era, tool, err, res)
			}
		}
		if err := session.Close(); err != nil {
			t.Errorf("%s: %v", era, err)
		}
	}
	said.Reset()
	if code := run(t.Context(), append(serve, strings.TrimSuffix(strings.TrimPrefix(at, "http://"), "/mcp")), streams{strings.NewReader(""), &said, &said}); code != exitFailed || !strings.Contains(said.String(), "hearsay: --http 127.0.0.1:") {
		t.Errorf("on an address that is taken: %d, %s", code, &said)
	}
	stop()
	if code := <-ended; code != 0 {
		t.Errorf("it ended with %d", code)
	}
	said.Reset()
	if code := run(t.Context(), []string{"ls", "--home", home, "--json"}, streams{strings.NewReader(""), &said, &said}); code != 0 || strings.Count(said.String(), `"agent":"nightly"`) != 2 {
		t.Errorf("what the token's agent wrote: %d\n%s", code, &said)
	}
}
