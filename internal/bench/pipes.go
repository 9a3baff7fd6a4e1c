package bench

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/event"
	"github.com/hearsay-memory/hearsay/guard"
	"github.com/hearsay-memory/hearsay/internal/mcp"
	"github.com/hearsay-memory/hearsay/internal/strictjson"
)

// middle stands between a client and a server, both in this process.
type middle func(ctx context.Context, client, server mcp.Pipe) error

// exchange is a client and a server with something between them.
type exchange struct {
	to   *io.PipeWriter
	from *bufio.Reader
	done chan error
}

// between runs a middle in front of a server that answers every line alike.
func between(ctx context.Context, m middle, answer []byte) *exchange {
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	toServer, fromMiddle := io.Pipe()
	toMiddle, fromServer := io.Pipe()
	go func() {
		err := serveAnswer(toServer, fromServer, answer)
		fromServer.CloseWithError(err)
		toServer.CloseWithError(io.EOF)
	}()
	e := &exchange{to: inW, from: bufio.NewReaderSize(outR, 64<<10), done: make(chan error, 1)}
	go func() {
		err := m(ctx, mcp.Pipe{In: inR, Out: outW}, mcp.Pipe{In: toMiddle, Out: fromMiddle})
		inR.CloseWithError(io.EOF)
		outW.CloseWithError(io.EOF)
		fromMiddle.CloseWithError(io.EOF)
		e.done <- err
	}()
	return e
}

func serveAnswer(in io.Reader, out io.Writer, answer []byte) error {
	for lines := bufio.NewReader(in); ; {
		if err := skipLine(lines); err != nil {
			return err
		}
		if _, err := out.Write(answer); err != nil {
			return err
		}
	}
}

// ask writes a request and reads its answer.
func (e *exchange) ask(request []byte) error {
	if _, err := e.to.Write(request); err != nil {
		return err
	}
	return skipLine(e.from)
}

// Close ends the client's stream and waits for the middle to end.
func (e *exchange) Close() error {
	return errors.Join(e.to.Close(), <-e.done)
}

// rewriting is a middle that reads every line and writes it anew, unchanged.
func rewriting(_ context.Context, client, server mcp.Pipe) error {
	down := make(chan error, 1)
	go func() { down <- rewrite(client.Out, server.In) }()
	if err := rewrite(server.Out, client.In); err != nil {
		return err
	}
	if c, ok := server.Out.(io.Closer); ok {
		_ = c.Close() // the server ends, and so does the way down
	}
	return <-down
}

func rewrite(to io.Writer, from io.Reader) error {
	var limits strictjson.Limits
	for lines := bufio.NewReaderSize(from, 64<<10); ; {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			if errors.Is(err, io.EOF) {
				return nil
			}
			return err
		}
		v, err := limits.Parse(bytes.TrimSuffix(line, []byte("\n")))
		if err != nil {
			return err
		}
		if _, err := to.Write(append(strictjson.AppendValue(nil, v), '\n')); err != nil {
			return err
		}
	}
}

// observations is how many the filtered graph has.
const observations = 1000

// filter measures the reading of a graph with a thousand observations that the guard
// saw landing, beside reading and writing the same frames without a look at them.
func filter(ctx context.Context, c *Config) (out []Result, err error) {
	g, err := newGuard(ctx, c.Dir)
	if err != nil {
		return nil, err
	}
	defer closing(&err, g.Store())
	caller, err := opened(ctx, g, "session-1")
	if err != nil {
		return nil, err
	}
	graph, err := remembered(ctx, g, caller)
	if err != nil {
		return nil, err
	}
	profile, err := mcp.LoadProfile("server-memory")
	if err != nil {
		return nil, err
	}
	answer := []byte(`{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":` + fmt.Sprintf("%q", graph) + `}],"structuredContent":` + graph + `}}` + "\n")
	ours := between(ctx, func(ctx context.Context, client, server mcp.Pipe) error {
		return mcp.Serve(ctx, client, server, mcp.Options{Guard: g, Caller: caller, Profile: profile, Server: "memory", Store: "bench", Nonce: "n"})
	}, answer)
	defer closing(&err, ours)
	bare := between(ctx, rewriting, answer)
	defer closing(&err, bare)
	read := []byte(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"read_graph","arguments":{}}}` + "\n")
	got, err := c.turns(half(func() error { return ours.ask(read) }), half(func() error { return bare.ask(read) }))
	if err != nil {
		return nil, err
	}
	return []Result{result("filter-1000", "ns", got[0], got[1])}, nil
}

// remembered lets the observations land, a hundred a write, and returns their graph.
func remembered(ctx context.Context, g *guard.Guard, c hearsay.Caller) (string, error) {
	var texts []string
	for at := 0; at < observations; at += 100 {
		w := guard.Write{
			Store: "bench", Source: hearsay.Source{Type: "agent"}, Namespace: hearsay.Namespace{"memory"}, Op: event.Create,
			Tool: "add_observations", Content: fmt.Appendf(nil, "observations from %d", at),
			Items: []guard.Item{{Kind: "entity", Parts: []string{"e"}}, {Kind: "type", Parts: []string{"e", "t"}}},
		}
		for i := at; i < at+100; i++ {
			text := fmt.Sprintf("Lesson %05d: %s", i, prose(66))
			texts = append(texts, fmt.Sprintf("%q", text))
			w.Texts, w.Items = append(w.Texts, text), append(w.Items, guard.Item{Kind: "observation", Parts: []string{"e", text}})
		}
		d, err := g.Write(ctx, c, w)
		if err != nil {
			return "", err
		}
		if d.Standing != hearsay.Allowed {
			return "", fmt.Errorf("the observations are %s by %s, not allowed", d.Standing, d.Verdict.Rule)
		}
		if err := g.Applied(ctx, c, d.ID, guard.Outcome{Delivery: hearsay.Applied, Landed: w.Items}); err != nil {
			return "", err
		}
	}
	return `{"entities":[{"name":"e","entityType":"t","observations":[` + strings.Join(texts, ",") + `]}],"relations":[]}`, nil
}
