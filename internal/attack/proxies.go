package attack

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/internal/instance"
	"github.com/hearsay-memory/hearsay/internal/mcp"
)

// patience bounds how long one answer may take.
const patience = 20 * time.Second

// proxies is the MCP surface: a proxy in front of the real memory server for each
// session and namespace, all on one file.
type proxies struct {
	in      *instance.Instance
	command mcp.Command
	profile *mcp.Profile
	open    map[string]*client
	topics  int
}

func newProxies(in *instance.Instance, dir string, memory []string) (*proxies, error) {
	profile, err := mcp.LoadProfile("server-memory")
	if err != nil {
		return nil, err
	}
	file := filepath.Join(dir, "memory.jsonl")
	// Frames add to a topic that is there already.
	seed := `{"type":"entity","name":"topic","entityType":"note","observations":[]}`
	if err := os.WriteFile(file, []byte(seed), 0o600); err != nil {
		return nil, err
	}
	return &proxies{in: in, profile: profile, open: make(map[string]*client), command: mcp.Command{
		Args: memory, Env: append(os.Environ(), "MEMORY_FILE_PATH="+file), Stderr: io.Discard,
	}}, nil
}

// client is the agent's end of one proxy.
type client struct {
	to     io.WriteCloser
	lines  chan string
	id     int
	cancel context.CancelFunc
	done   chan error
}

// dial returns the client of a session's proxy for a namespace.
func (p *proxies) dial(s *session, namespace string, assume bool) (*client, error) {
	key := fmt.Sprint(s.name, "\x00", namespace, "\x00", assume)
	if c, ok := p.open[key]; ok {
		return c, nil
	}
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	ctx, cancel := context.WithCancel(context.Background())
	c := &client{to: inW, lines: make(chan string), cancel: cancel, done: make(chan error, 1)}
	go func() {
		c.done <- mcp.Run(ctx, mcp.Pipe{In: inR, Out: outW}, p.command, mcp.Options{
			Guard: p.in.Guard, Caller: s.caller, Profile: p.profile, Server: "memory",
			Store: mcp.StoreID("server-memory", p.command), Assume: assume,
			Namespace: hearsay.Namespace{namespace}, Nonce: "n0nce", Poll: 10 * time.Millisecond,
			LockStore: func(ctx context.Context) (func() error, error) { return p.in.Home.LockNamed(ctx, "memory") },
		})
		outW.Close()
	}()
	go func() {
		defer close(c.lines)
		for r := bufio.NewReader(outR); ; {
			line, err := r.ReadString('\n')
			if err != nil {
				return
			}
			select {
			case c.lines <- line:
			case <-ctx.Done():
				return
			}
		}
	}()
	p.open[key] = c
	if _, err := c.request("initialize", map[string]any{"protocolVersion": "2025-11-25", "capabilities": map[string]any{}, "clientInfo": map[string]any{"name": "attack", "version": "1"}}); err != nil {
		return nil, err
	}
	_, err := io.WriteString(c.to, `{"jsonrpc":"2.0","method":"notifications/initialized"}`+"\n")
	return c, err
}

// request makes a request and returns the line of its answer.
func (c *client) request(method string, params any) (string, error) {
	c.id++
	frame, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": c.id, "method": method, "params": params})
	if err != nil {
		return "", err
	}
	return c.send(string(frame))
}

// send writes a line and returns the next answer. Scenarios ask one thing at a time.
func (c *client) send(line string) (string, error) {
	if _, err := io.WriteString(c.to, line+"\n"); err != nil {
		return "", err
	}
	timeout := time.NewTimer(patience)
	defer timeout.Stop()
	for {
		select {
		case got, ok := <-c.lines:
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

func (c *client) call(tool string, args any, meta map[string]any) (string, error) {
	params := map[string]any{"name": tool, "arguments": args}
	if meta != nil {
		params["_meta"] = meta
	}
	return c.request("tools/call", params)
}

func (p *proxies) write(ctx context.Context, s *session, w write) (string, hearsay.RecordID, error) {
	c, err := p.dial(s, w.namespace, w.verb != "unmarked")
	if err != nil {
		return "", hearsay.RecordID{}, err
	}
	if w.verb == "foreign" {
		// What stands there is another principal's: taking it out is a write to theirs.
		answer, err := c.call("delete_entities", map[string]any{"entityNames": []string{"topic-1"}}, nil)
		return judge(answer, err)
	}
	p.topics++
	var meta map[string]any
	if w.verb == "derive" {
		meta = map[string]any{"dev.hearsay/parents": []string{w.parent.String()}}
	}
	answer, err := c.call("create_entities", map[string]any{"entities": []any{map[string]any{
		"name": "topic-" + strconv.Itoa(p.topics), "entityType": "note", "observations": []string{w.text},
	}}}, meta)
	return judge(answer, err)
}

var (
	heldAs    = regexp.MustCompile(`held for review as ([0-9a-f-]{36})`)
	refusedAs = regexp.MustCompile(`refused by rule .*\(record ([0-9a-f-]{36})\)`)
)

// judge tells from an answer what came of a call.
func judge(answer string, err error) (string, hearsay.RecordID, error) {
	if err != nil {
		return "", hearsay.RecordID{}, err
	}
	for outcome, form := range map[string]*regexp.Regexp{"held": heldAs, "blocked": refusedAs} {
		if m := form.FindStringSubmatch(answer); m != nil {
			id, err := hearsay.ParseRecordID(m[1])
			return outcome, id, err
		}
	}
	switch {
	case strings.Contains(answer, `"error":{"code":-32700`), strings.Contains(answer, `"error":{"code":-32600`):
		return "refused", hearsay.RecordID{}, nil
	case strings.Contains(answer, `"error"`), strings.Contains(answer, `"isError":true`):
		return "answered", hearsay.RecordID{}, nil
	}
	return "allowed", hearsay.RecordID{}, nil
}

// recall asks in every way that the memory server has, and returns all answers.
func (p *proxies) recall(_ context.Context, s *session, texts []string) (string, error) {
	c, err := p.dial(s, "recall", true)
	if err != nil {
		return "", err
	}
	if len(texts) > 1 {
		return c.call("read_graph", map[string]any{}, nil)
	}
	var all strings.Builder
	names := []string{"topic", texts[0]}
	for i := range p.topics {
		names = append(names, "topic-"+strconv.Itoa(i+1))
	}
	for _, ask := range []func() (string, error){
		func() (string, error) { return c.call("read_graph", map[string]any{}, nil) },
		func() (string, error) { return c.call("search_nodes", map[string]any{"query": texts[0]}, nil) },
		func() (string, error) { return c.call("open_nodes", map[string]any{"names": names}, nil) },
		func() (string, error) {
			return c.request("resources/read", map[string]any{"uri": "memory://knowledge-graph"})
		},
	} {
		answer, err := ask()
		if err != nil {
			return "", err
		}
		all.WriteString(answer)
	}
	return all.String(), nil
}

func (p *proxies) frame(_ context.Context, s *session, raw string) (string, hearsay.RecordID, error) {
	c, err := p.dial(s, "frames", true)
	if err != nil {
		return "", hearsay.RecordID{}, err
	}
	c.id++
	answer, err := c.send(strings.ReplaceAll(raw, "ID", strconv.Itoa(c.id)))
	return judge(answer, err)
}

// released waits for a proxy to apply the record.
func (p *proxies) released(ctx context.Context, id hearsay.RecordID) error {
	deadline := time.Now().Add(patience)
	for time.Now().Before(deadline) {
		shown, err := p.in.Guard.Show(ctx, id)
		if err != nil {
			return err
		}
		if shown.Record.Delivery == hearsay.Applied {
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(10 * time.Millisecond):
		}
	}
	return errors.New("the released record was not applied")
}

func (p *proxies) close() error {
	for _, c := range p.open {
		c.to.Close()
	}
	var errs []error
	for _, c := range p.open {
		go func() {
			for range c.lines {
			}
		}()
		select {
		case err := <-c.done:
			errs = append(errs, err)
		case <-time.After(patience):
			errs = append(errs, errors.New("a proxy did not end"))
		}
		c.cancel()
	}
	return errors.Join(errs...)
}
