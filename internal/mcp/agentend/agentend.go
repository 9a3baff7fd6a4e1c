// Package agentend is the agent's end of a proxy: a client that asks one thing at a
// time, for stories and scenarios that play an agent.
package agentend

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"
	"sync"
	"time"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/internal/mcp"
)

// Patience bounds how long anything is waited for: so long that a busy machine decides
// nothing.
const Patience = 2 * time.Minute

// Agent is one connection. It is not safe for concurrent use.
type Agent struct {
	to    io.WriteCloser
	lines chan string
	id    int
	done  chan error
	stop  context.CancelFunc
}

// Connect runs a proxy and shakes hands with what is behind it. run serves the client
// until its input ends or the context does.
func Connect(ctx context.Context, name string, run func(context.Context, mcp.Pipe) error) (*Agent, error) {
	ctx, stop := context.WithCancel(ctx)
	clientIn, toProxy := io.Pipe()
	fromProxy, clientOut := io.Pipe()
	a := &Agent{to: toProxy, lines: make(chan string, 16), done: make(chan error, 1), stop: stop}
	go func() {
		a.done <- run(ctx, mcp.Pipe{In: clientIn, Out: clientOut})
		clientOut.Close()
	}()
	go func() {
		defer close(a.lines)
		for r := bufio.NewReader(fromProxy); ; {
			line, err := r.ReadString('\n')
			if err != nil {
				return
			}
			select {
			case a.lines <- line:
			case <-ctx.Done():
				fromProxy.Close()
				return
			}
		}
	}()
	hello := map[string]any{"protocolVersion": "2025-11-25", "capabilities": map[string]any{}, "clientInfo": map[string]any{"name": name, "version": "1"}}
	if _, err := a.Request("initialize", hello); err != nil {
		return nil, errors.Join(err, a.Close())
	}
	if _, err := io.WriteString(a.to, `{"jsonrpc":"2.0","method":"notifications/initialized"}`+"\n"); err != nil {
		return nil, errors.Join(err, a.Close())
	}
	return a, nil
}

// Request makes a request and returns the line of its answer.
func (a *Agent) Request(method string, params any) (string, error) {
	frame, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": a.NextID(), "method": method, "params": params})
	if err != nil {
		return "", err
	}
	return a.Send(string(frame))
}

// NextID is an id that no request had before.
func (a *Agent) NextID() int {
	a.id++
	return a.id
}

// Send sends a line as it is and returns the next line that bears an id.
func (a *Agent) Send(line string) (string, error) {
	if _, err := io.WriteString(a.to, line+"\n"); err != nil {
		return "", err
	}
	timeout := time.NewTimer(Patience)
	defer timeout.Stop()
	for {
		select {
		case got, ok := <-a.lines:
			if !ok {
				return "", errors.New("the proxy ended")
			}
			if strings.Contains(got, `"id"`) {
				return got, nil
			}
		case <-timeout.C:
			return "", errors.New("the proxy did not answer")
		}
	}
}

// Call calls a tool, with parents that it declares, and returns the line of the answer.
func (a *Agent) Call(tool string, args any, parents ...hearsay.RecordID) (string, error) {
	params := map[string]any{"name": tool, "arguments": args}
	if len(parents) > 0 {
		params["_meta"] = map[string]any{"dev.hearsay/parents": parents}
	}
	return a.Request("tools/call", params)
}

// Close ends the connection and returns how the proxy ended.
func (a *Agent) Close() error {
	a.to.Close()
	defer a.stop()
	for {
		select {
		case err := <-a.done:
			return err
		case _, ok := <-a.lines: // what nobody waits for any more must not hold it up
			if !ok {
				a.lines = nil
			}
		case <-time.After(Patience):
			return errors.New("the proxy did not end")
		}
	}
}

var heldAs = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`held for review as ([0-9a-f-]{36})`) })

// HeldID reads from an answer which record was held.
func HeldID(answer string) (hearsay.RecordID, error) {
	m := heldAs().FindStringSubmatch(answer)
	if m == nil {
		return hearsay.RecordID{}, fmt.Errorf("the write was not held: %s", answer)
	}
	return hearsay.ParseRecordID(m[1])
}
