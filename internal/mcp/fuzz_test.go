package mcp

import (
	"bytes"
	"testing"

	"github.com/hearsay-memory/hearsay/internal/mcp/wire"
	"github.com/hearsay-memory/hearsay/internal/strictjson"
)

var doors = []string{
	`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"fetch","arguments":{"url":"https://example.test/"}}}`,
	`{"jsonrpc":"2.0","id":1.50,"method":"ping"}`,
	`{"jsonrpc":"2.0","method":"notifications/initialized"}`,
	`{"jsonrpc":"2.0","id":"a","result":{}}`,
	`{"jsonrpc":"2.0","id":"a","result":{},"method":"x"}`,
	`{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"x"}}`,
	"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\",\"params\":\r{}\r}",
	"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\",\"params\":{\"a\":\"\u2028{\"}}",
	`[{"jsonrpc":"2.0","id":1,"method":"ping"}]`,
	`{"jsonrpc":"2.0","id":1,"method":"ping","Method":"tools/call"}`,
	"{}\n\n[]\nnull",
}

// oneMessage checks that every line of b is one message to every reader.
func oneMessage(t *testing.T, b []byte) {
	t.Helper()
	for line := range bytes.Lines(b) {
		f, err := limits.Frame(bytes.TrimSuffix(line, []byte("\n")))
		// An error that answers no request in particular has a null id.
		unnamed := err == nil && string(f.ID) == "null" && f.Error != nil
		if err != nil || !f.OneLine || wire.Classify(f) == wire.Malformed || unnamed && f.Method != nil {
			t.Fatalf("%q goes on: %v", line, err)
		}
	}
}

// FuzzFromClient says that whatever a client sends, the server gets whole messages
// that every reader takes for the same, and no batch.
func FuzzFromClient(f *testing.F) {
	for _, s := range doors {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		var client, server bytes.Buffer
		p := newProxy(&client, &server, Options{Server: "web", Nonce: "n"})
		if err := p.fromClient(t.Context(), bytes.NewReader(in)); err != nil {
			t.Fatal(err)
		}
		oneMessage(t, server.Bytes())
		oneMessage(t, client.Bytes())
	})
}

// FuzzFromServer says the same of what a server sends, and that nothing it sends is
// taken for an answer twice.
func FuzzFromServer(f *testing.F) {
	for _, s := range doors {
		f.Add([]byte(s))
	}
	b := newBench(f)
	c := b.caller("session-1")
	f.Fuzz(func(t *testing.T, in []byte) {
		var client, server bytes.Buffer
		p := newProxy(&client, &server, Options{Guard: b.guard, Caller: c, Server: "web", Nonce: "n"})
		answered := 0
		for _, id := range []string{`1`, `"a"`} {
			p.ask([]byte("{}"), &pending{id: []byte(id), method: "ping", answer: func(f strictjson.Frame, failed error) {
				answered++
				p.through([]byte(id))(f, failed)
			}})
		}
		if err := p.fromServer(t.Context(), bytes.NewReader(in)); err != nil {
			t.Fatal(err)
		}
		if answered > 2 {
			t.Fatalf("%d answers to 2 requests", answered)
		}
		oneMessage(t, client.Bytes())
	})
}
