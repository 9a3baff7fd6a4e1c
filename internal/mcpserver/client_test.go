package mcpserver

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/hearsay-memory/hearsay"
)

// client is the library's client in front of a server.
type client struct {
	t testing.TB
	*sdk.ClientSession
}

// dial connects a client of an era over a pair of streams.
func (w *world) dial(s *Server, era string, o *sdk.ClientOptions) *client {
	w.t.Helper()
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	ctx, cancel := context.WithCancel(w.t.Context())
	done := make(chan error, 1)
	go func() {
		err := s.Run(ctx, inR, outW)
		_ = outW.Close()
		done <- err
	}()
	c := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, o)
	session, err := c.Connect(ctx, &sdk.IOTransport{Reader: outR, Writer: inW}, &sdk.ClientSessionOptions{ProtocolVersion: era})
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() {
		_ = session.Close()
		if err := <-done; err != nil {
			w.t.Errorf("the server ended with %v", err)
		}
		cancel()
	})
	return &client{w.t, session}
}

// schemas are the output schemas of the tools.
var schemas = sync.OnceValue(func() map[string]*jsonschema.Resolved {
	declared, err := declarations()
	if err != nil {
		panic(err)
	}
	out := make(map[string]*jsonschema.Resolved)
	for _, d := range declared {
		var s jsonschema.Schema
		if err := json.Unmarshal(d.OutputSchema.(json.RawMessage), &s); err != nil {
			panic(err)
		}
		if out[d.Name], err = s.Resolve(nil); err != nil {
			panic(err)
		}
	}
	return out
})

// answer is what a tool said, in both copies.
type answer struct {
	failed  bool
	text    string         // the text content
	content map[string]any // the structured content
}

// call calls a tool, and checks that the copies agree with one another and the schema.
func (c *client) call(tool string, args map[string]any) answer {
	c.t.Helper()
	res, err := c.CallTool(c.t.Context(), &sdk.CallToolParams{Name: tool, Arguments: args})
	if err != nil {
		c.t.Fatalf("%s: %v", tool, err)
	}
	return answered(c.t, tool, res)
}

func answered(t testing.TB, tool string, res *sdk.CallToolResult) answer {
	t.Helper()
	if len(res.Content) != 1 {
		t.Fatalf("%s: %d blocks of content, want one", tool, len(res.Content))
	}
	a := answer{failed: res.IsError, text: res.Content[0].(*sdk.TextContent).Text}
	if a.failed {
		if res.StructuredContent != nil {
			t.Errorf("%s: an error with structured content", tool)
		}
		return a
	}
	var copied any
	if err := json.Unmarshal([]byte(a.text), &copied); err != nil {
		t.Fatalf("%s: the text is no JSON: %v", tool, err)
	}
	b, err := json.Marshal(res.StructuredContent)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(b, &a.content); err != nil || fmt.Sprint(a.content) != fmt.Sprint(copied) {
		t.Errorf("%s: the copies differ: %v\n%s\n%v", tool, err, b, copied)
	}
	if err := schemas()[tool].Validate(a.content); err != nil {
		t.Errorf("%s: the answer is not of the schema: %v", tool, err)
	}
	return a
}

// is checks the outcome of a write or a deletion and returns its record.
func (a answer) is(t testing.TB, outcome string) hearsay.RecordID {
	t.Helper()
	if a.failed || a.content["outcome"] != outcome {
		t.Fatalf("%s, want it %s", a.text, outcome)
	}
	id, err := hearsay.ParseRecordID(a.content["id"].(string))
	if err != nil {
		t.Fatal(err)
	}
	return id
}

// memories are those of a search or a list.
func (a answer) memories(t testing.TB) []map[string]any {
	t.Helper()
	list, ok := a.content["memories"].([]any)
	if a.failed || !ok {
		t.Fatalf("no memories in %s", a.text)
	}
	out := make([]map[string]any, len(list))
	for i, m := range list {
		out[i] = m.(map[string]any)
	}
	return out
}

// note are the arguments of a plain write.
func noteOf(text string) map[string]any { return map[string]any{"text": text, "kind": "learning"} }

// peer is a client that writes raw lines.
type peer struct {
	t    testing.TB
	to   *io.PipeWriter
	from *bufio.Reader
	done chan error
}

// raw connects one.
func (w *world) raw(s *Server) *peer {
	w.t.Helper()
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	p := &peer{t: w.t, to: inW, from: bufio.NewReaderSize(outR, 1<<20), done: make(chan error, 1)}
	ctx, cancel := context.WithCancel(w.t.Context())
	go func() {
		err := s.Run(ctx, inR, outW)
		_ = outW.CloseWithError(io.EOF)
		p.done <- err
	}()
	w.t.Cleanup(func() {
		cancel()
		_ = inW.Close()
		_ = outR.Close()
	})
	return p
}

func (p *peer) send(line string) {
	p.t.Helper()
	if _, err := io.WriteString(p.to, line+"\n"); err != nil {
		p.t.Fatal(err)
	}
}

func (p *peer) line() string {
	p.t.Helper()
	s, err := p.from.ReadString('\n')
	if err != nil {
		p.t.Fatalf("read from the server: %v", err)
	}
	return strings.TrimSuffix(s, "\n")
}

// meta is the _meta of a request of the modern era.
const meta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}`

// toolCall is a raw call of the modern era.
func toolCall(id, name, args string) string {
	return `{"jsonrpc":"2.0","id":` + id + `,"method":"tools/call","params":{"name":"` + name + `","arguments":` + args + `,` + meta + `}}`
}

// opener is a client that can open a page.
func opener(open func(url string)) *sdk.ClientOptions {
	return &sdk.ClientOptions{
		Capabilities: &sdk.ClientCapabilities{Elicitation: &sdk.ElicitationCapabilities{URL: &sdk.URLElicitationCapabilities{}}},
		ElicitationHandler: func(_ context.Context, req *sdk.ElicitRequest) (*sdk.ElicitResult, error) {
			open(req.Params.URL)
			return &sdk.ElicitResult{Action: "accept", Content: map[string]any{"decision": "approve"}}, nil
		},
	}
}
