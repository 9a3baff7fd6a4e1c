package demo

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"time"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/internal/mcp"
)

// agent is the model's end of one proxied server.
type agent struct {
	to    io.WriteCloser
	lines chan string
	id    int
	done  chan error
	stop  context.CancelFunc
}

// connect puts a proxy in front of a built-in server and shakes hands.
func connect(ctx context.Context, server *Server, o mcp.Options) (*agent, error) {
	ctx, stop := context.WithCancel(ctx)
	clientIn, toProxy := io.Pipe()
	fromProxy, clientOut := io.Pipe()
	serverIn, toServer := io.Pipe()
	fromServer, serverOut := io.Pipe()
	go func() { serverOut.CloseWithError(server.Serve(serverIn, serverOut)) }()
	a := &agent{to: toProxy, lines: make(chan string, 16), done: make(chan error, 1), stop: stop}
	go func() {
		a.done <- mcp.Serve(ctx, mcp.Pipe{In: clientIn, Out: clientOut}, mcp.Pipe{In: fromServer, Out: toServer}, o)
		clientOut.Close()
		toServer.Close()
	}()
	go func() {
		defer close(a.lines)
		for sc := bufio.NewScanner(fromProxy); sc.Scan(); {
			a.lines <- sc.Text()
		}
	}()
	if _, err := a.request("initialize", map[string]any{"protocolVersion": "2025-11-25", "capabilities": map[string]any{}, "clientInfo": map[string]any{"name": "demo", "version": "1"}}); err != nil {
		return nil, errors.Join(err, a.close())
	}
	if _, err := io.WriteString(a.to, `{"jsonrpc":"2.0","method":"notifications/initialized"}`+"\n"); err != nil {
		return nil, errors.Join(err, a.close())
	}
	return a, nil
}

// call calls a tool and returns the line of the answer.
func (a *agent) call(tool string, args any, parents ...hearsay.RecordID) (string, error) {
	params := map[string]any{"name": tool, "arguments": args}
	if len(parents) > 0 {
		params["_meta"] = map[string]any{"dev.hearsay/parents": parents}
	}
	return a.request("tools/call", params)
}

// patience bounds how long the story waits for anything.
const patience = 20 * time.Second

func (a *agent) request(method string, params any) (string, error) {
	a.id++
	frame, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": a.id, "method": method, "params": params})
	if err != nil {
		return "", err
	}
	if _, err := a.to.Write(append(frame, '\n')); err != nil {
		return "", err
	}
	select {
	case line, ok := <-a.lines:
		if !ok {
			return "", errors.New("the proxy ended")
		}
		return line, nil
	case <-time.After(patience):
		return "", errors.New("the proxy did not answer")
	}
}

// save saves one note through the memory server.
func (a *agent) save(name, text string, parents ...hearsay.RecordID) (string, error) {
	return a.call("create_entities", map[string]any{"entities": []entity{{Name: name, EntityType: "note", Observations: []string{text}}}}, parents...)
}

var heldAs = regexp.MustCompile(`held for review as ([0-9a-f-]{36})`)

// heldID reads from an answer which record was held.
func heldID(answer string) (hearsay.RecordID, error) {
	m := heldAs.FindStringSubmatch(answer)
	if m == nil {
		return hearsay.RecordID{}, fmt.Errorf("the write was not held: %s", answer)
	}
	return hearsay.ParseRecordID(m[1])
}

// close ends the connection.
func (a *agent) close() error {
	a.to.Close()
	err := <-a.done
	a.stop()
	return err
}
