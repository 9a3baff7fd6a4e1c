package attack

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/internal/instance"
	"github.com/hearsay-memory/hearsay/internal/mcp"
	"github.com/hearsay-memory/hearsay/internal/mcp/agentend"
)

// proxies is the MCP surface: a proxy in front of the real memory server for each
// session and namespace, all on one file.
type proxies struct {
	in      *instance.Instance
	command mcp.Command
	profile *mcp.Profile
	open    map[string]*agentend.Agent
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
	return &proxies{in: in, profile: profile, open: make(map[string]*agentend.Agent), command: mcp.Command{
		Args: memory, Env: append(os.Environ(), "MEMORY_FILE_PATH="+file), Stderr: io.Discard,
	}}, nil
}

// dial returns the agent of a session's proxy for a namespace.
func (p *proxies) dial(s *session, namespace string, assume bool) (*agentend.Agent, error) {
	key := fmt.Sprint(s.name, "\x00", namespace, "\x00", assume)
	if a, ok := p.open[key]; ok {
		return a, nil
	}
	a, err := agentend.Connect(context.Background(), "attack", func(ctx context.Context, client mcp.Pipe) error {
		return mcp.Run(ctx, client, p.command, mcp.Options{
			Guard: p.in.Guard, Caller: s.caller, Profile: p.profile, Server: "memory",
			Store: mcp.StoreID("server-memory", p.command), Assume: assume,
			Namespace: hearsay.Namespace{namespace}, Nonce: "n0nce", Poll: 10 * time.Millisecond,
			LockStore: func(ctx context.Context) (func() error, error) { return p.in.Home.LockNamed(ctx, "memory") },
		})
	})
	if err != nil {
		return nil, err
	}
	p.open[key] = a
	return a, nil
}

func (p *proxies) write(ctx context.Context, s *session, w write) (string, hearsay.RecordID, error) {
	c, err := p.dial(s, w.namespace, w.verb != "unmarked")
	if err != nil {
		return "", hearsay.RecordID{}, err
	}
	if w.verb == "foreign" {
		// What stands there is another principal's: taking it out is a write to theirs.
		answer, err := c.Call("delete_entities", map[string]any{"entityNames": []string{"topic-1"}})
		return judge(answer, err)
	}
	p.topics++
	var parents []hearsay.RecordID
	if w.verb == "derive" {
		parents = append(parents, w.parent)
	}
	answer, err := c.Call("create_entities", map[string]any{"entities": []any{map[string]any{
		"name": "topic-" + strconv.Itoa(p.topics), "entityType": "note", "observations": []string{w.text},
	}}}, parents...)
	return judge(answer, err)
}

var refusedAs = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`refused by rule .*\(record ([0-9a-f-]{36})\)`) })

// judge tells from an answer what came of a call.
func judge(answer string, err error) (string, hearsay.RecordID, error) {
	if err != nil {
		return "", hearsay.RecordID{}, err
	}
	if id, err := agentend.HeldID(answer); err == nil {
		return "held", id, nil
	}
	if m := refusedAs().FindStringSubmatch(answer); m != nil {
		id, err := hearsay.ParseRecordID(m[1])
		return "blocked", id, err
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
		return c.Call("read_graph", map[string]any{})
	}
	var all strings.Builder
	names := []string{"topic", texts[0]}
	for i := range p.topics {
		names = append(names, "topic-"+strconv.Itoa(i+1))
	}
	for _, ask := range []func() (string, error){
		func() (string, error) { return c.Call("read_graph", map[string]any{}) },
		func() (string, error) { return c.Call("search_nodes", map[string]any{"query": texts[0]}) },
		func() (string, error) { return c.Call("open_nodes", map[string]any{"names": names}) },
		func() (string, error) {
			return c.Request("resources/read", map[string]any{"uri": "memory://knowledge-graph"})
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
	answer, err := c.Send(strings.ReplaceAll(raw, "ID", strconv.Itoa(c.NextID())))
	return judge(answer, err)
}

// released waits for a proxy to apply the record.
func (p *proxies) released(ctx context.Context, id hearsay.RecordID) error {
	deadline := time.Now().Add(agentend.Patience)
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
	var errs []error
	for _, a := range p.open {
		errs = append(errs, a.Close())
	}
	return errors.Join(errs...)
}
