package mcp

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/guard"
)

// A relative name of the memory file starts where the proxy was told, not where a package
// happens to lie; the server gets it absolute, and all else as it was.
func TestMC087RelativeMemoryFile(t *testing.T) {
	dir := t.TempDir()
	out := filepath.Join(dir, "seen")
	b := newBench(t)
	cmd := Command{
		Args: []string{"sh", "-c", `printf '%s\n%s' "$MEMORY_FILE_PATH" "$OTHER" > "$OUT"`}, Dir: dir, Stderr: io.Discard,
		Env: append(os.Environ(), memoryPath+"=mem/memory.jsonl", "OTHER=mem/memory.jsonl", "OUT="+out),
	}
	p := dial(t, func(ctx context.Context, client Pipe) error {
		return Run(ctx, client, cmd, memoryOptions(t, b, b.caller("s1")))
	})
	<-p.done
	data, err := os.ReadFile(out)
	if want := filepath.Join(dir, "mem", "memory.jsonl") + "\nmem/memory.jsonl"; err != nil || string(data) != want {
		t.Errorf("the server sees %q, %v, want %q", data, err, want)
	}
}

// Ten writes in flight at once are ten decisions, each once, and each is answered.
func TestMC088TenAtOnce(t *testing.T) {
	b := newBench(t)
	o := memoryOptions(t, b, b.caller("session-1"))
	var mu sync.Mutex
	under, most := 0, 0
	var store sync.Mutex
	o.LockStore = func(context.Context) (func() error, error) {
		store.Lock()
		mu.Lock()
		under++
		most = max(most, under)
		mu.Unlock()
		return func() error {
			mu.Lock()
			under--
			mu.Unlock()
			store.Unlock()
			return nil
		}, nil
	}
	p, server := behind(t, o)
	const writes = 10
	var all sync.WaitGroup
	all.Go(func() {
		for i := range writes {
			p.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"create_entities","arguments":{"entities":[{"name":"e%d","entityType":"t","observations":["o%d"]}]}}}`, 100+i, i, i))
		}
	})
	all.Go(func() {
		for range writes {
			line := server.next()
			id := between(line, `"id":`, `,`)
			name := between(line, `"name":"e`, `"`)
			mu.Lock()
			if under != 1 {
				t.Errorf("%d hold the store while the server writes", under)
			}
			mu.Unlock()
			server.line(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{"content":[],"structuredContent":{"entities":[{"name":"e%s","entityType":"t","observations":["o%s"]}]}}}`, id, name, name))
		}
	})
	seen := make(map[string]bool)
	for range writes {
		line := p.line()
		id := between(line, `"id":`, `,`)
		if seen[id] || strings.Contains(line, `"error"`) {
			t.Errorf("answered %s", line)
		}
		seen[id] = true
	}
	all.Wait()
	n := 0
	for r, err := range b.guard.List(t.Context(), guard.Query{}) {
		if err != nil || r.Standing != hearsay.Allowed || r.Delivery != hearsay.Applied {
			t.Errorf("%+v, %v", r, err)
		}
		n++
	}
	if n != writes || most != 1 {
		t.Errorf("%d decisions of %d writes, %d at the store at once", n, writes, most)
	}
	b.verify()
}

// between is what stands between two texts.
func between(s, from, to string) string {
	_, s, _ = strings.Cut(s, from)
	s, _, _ = strings.Cut(s, to)
	return s
}

// A server whose file has half a line fails; we do not: its words about the line stay back,
// and what is written next is decided, and read, as ever.
func TestMC090HalfALine(t *testing.T) {
	newTalk(t, graphServer).play(`
- observe web https://a.example.test
c> {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"add_observations","arguments":{"observations":[{"entityName":"a","contents":["held words"]}]}}}
c< {"jsonrpc":"2.0","id":1,"result":…}
- as ben session-2
c> {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"read_graph","arguments":{}}}
s< {"jsonrpc":"2.0","id":2,"method":"tools/call",…}
s> {"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"Unexpected end of JSON input: {\"type\":\"entity\",\"name\":\"held wor"}],"isError":true}}
c< {"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"…kept back…"}],"isError":true}}
c> {"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"create_entities","arguments":{"entities":[{"name":"b","entityType":"t","observations":["mine"]}]}}}
s< {"jsonrpc":"2.0","id":$W,"method":"tools/call",…}
s> {"jsonrpc":"2.0","id":$W,"result":{"content":[],"structuredContent":{"entities":[{"name":"b","entityType":"t","observations":["mine"]}]}}}
c< {"jsonrpc":"2.0","id":3,"result":…}
- records held/undelivered allowed/applied
- session clean
- verify
`)
}

// What a server keeps beside the graph is its own: it is passed on as it came, and what we
// know of provenance stands in none of its keys.
func TestMC091OtherShapes(t *testing.T) {
	newTalk(t, graphServer).play(`
c> {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"create_entities","arguments":{"entities":[{"name":"a","entityType":"t","observations":["mine"]}]}}}
s< {"jsonrpc":"2.0","id":$A,"method":"tools/call","params":{"name":"create_entities","arguments":{"entities":[{"name":"a","entityType":"t","observations":["mine"]}]}}}
s> {"jsonrpc":"2.0","id":$A,"result":{"content":[],"structuredContent":{"entities":[{"name":"a","entityType":"t","observations":["mine"]}]}}}
c< {"jsonrpc":"2.0","id":1,"result":…}
c> {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"read_graph","arguments":{}}}
s< {"jsonrpc":"2.0","id":2,"method":"tools/call",…}
s> {"jsonrpc":"2.0","id":2,"result":{"content":[],"structuredContent":{"entities":[{"name":"a","entityType":"t","observations":["mine"],"_source":"import","created":1e3}],"relations":[],"codegraph":{"type":"codegraph","nodes":[1,2.50]}}}}
c< {"jsonrpc":"2.0","id":2,"result":{"content":[],"structuredContent":{"entities":[{"name":"a","entityType":"t","observations":["mine"],"_source":"import","created":1e3}],"relations":[],"codegraph":{"type":"codegraph","nodes":[1,2.50]}}}}
- verify
`)
}
