package mcp

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/guard"
)

// upstream is a scripted server behind a proxy: it shows what reached it and says
// what a test wants said.
type upstream struct {
	t    *testing.T
	got  *bufio.Reader
	say  io.WriteCloser
	stop io.Closer
}

// behind runs a proxy over a scripted server.
func behind(t *testing.T, o Options) (*peer, *upstream) {
	t.Helper()
	fromProxy, toServer := io.Pipe()
	toProxy, say := io.Pipe()
	p := dial(t, func(ctx context.Context, client Pipe) error {
		return Serve(ctx, client, Pipe{In: toProxy, Out: toServer}, o)
	})
	t.Cleanup(func() {
		_ = say.Close()
		_ = fromProxy.Close()
	})
	return p, &upstream{t: t, got: bufio.NewReader(fromProxy), say: say, stop: say}
}

// next is the next line that reached the server.
func (u *upstream) next() string {
	u.t.Helper()
	line, err := u.got.ReadString('\n')
	if err != nil {
		u.t.Fatal(err)
	}
	return strings.TrimSuffix(line, "\n")
}

func (u *upstream) line(text string) {
	u.t.Helper()
	if _, err := io.WriteString(u.say, text+"\n"); err != nil {
		u.t.Fatal(err)
	}
}

func TestBadFramesGoNowhere(t *testing.T) {
	b := newBench(t)
	p, u := behind(t, Options{Guard: b.guard, Caller: b.caller("session-1"), Server: "web", Nonce: "n"})
	for name, frame := range map[string]string{
		"no JSON":             `{"jsonrpc":"2.0",`,
		"trailing data":       `{"jsonrpc":"2.0","id":1,"method":"ping"} {}`,
		"a duplicate key":     `{"jsonrpc":"2.0","id":1,"method":"ping","method":"tools/call"}`,
		"a deep duplicate":    `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x","arguments":{"a":{"b":1,"b":2}}}}`,
		"a case variant":      `{"jsonrpc":"2.0","id":1,"method":"ping","Method":"tools/call"}`,
		"a lone case variant": `{"jsonrpc":"2.0","id":1,"METHOD":"ping"}`,
		"a variant of params": `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"Name":"x"}}`,
		"invalid UTF-8":       "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"p\xff\"}",
		"a lone surrogate":    `{"jsonrpc":"2.0","id":1,"method":"\ud800"}`,
		"deep nesting":        `{"jsonrpc":"2.0","id":1,"method":"ping","params":` + strings.Repeat("[", 200) + strings.Repeat("]", 200) + `}`,
		"a batch":             `[{"jsonrpc":"2.0","id":1,"method":"ping"}]`,
		"no method":           `{"jsonrpc":"2.0","id":1}`,
		"an object as id":     `{"jsonrpc":"2.0","id":{},"method":"ping"}`,
		"params no object":    `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":[]}`,
	} {
		p.send(frame)
		if got := p.line(); !strings.Contains(got, `"error":{"code":-32`) {
			t.Errorf("%s: %s", name, got)
		}
	}
	// None of it reached the server: the first line there is the next good one.
	p.send(`{"jsonrpc":"2.0","id":1.50,"method":"ping"}`)
	if got := u.next(); got != `{"jsonrpc":"2.0","id":1.50,"method":"ping"}` {
		t.Errorf("the server got %s: the id is not kept as it came, or a bad frame came first", got)
	}
}

func TestACarriageReturnIsNoLineEnd(t *testing.T) {
	b := newBench(t)
	p, u := behind(t, Options{Guard: b.guard, Caller: b.caller("session-1"), Server: "web", Nonce: "n"})
	p.send("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\",\"params\":\r{\"x\":1}\r}")
	if got := u.next(); strings.Contains(got, "\r") {
		t.Errorf("the server got %q", got)
	}
}

func TestResultsAreSealedFirst(t *testing.T) {
	b := newBench(t)
	c := b.caller("session-1")
	p, u := behind(t, Options{Guard: b.guard, Caller: c, Server: "web", Nonce: "n"})
	p.send(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
	u.next()
	u.line(`{"jsonrpc":"2.0","id":1,"result":{"tools":[]}}`)
	p.line()
	if label, err := b.guard.SessionLabel(t.Context(), c); err != nil || label.Tainted() {
		t.Fatalf("a list of tools taints the session: %s, %v", label, err)
	}
	p.send(`{"jsonrpc":"2.0","id":"a","method":"tools/call","params":{"name":"fetch","arguments":{"url":"https://example.test/1"}}}`)
	u.next()
	p.send(`{"jsonrpc":"2.0","id":"b","method":"tools/call","params":{"name":"fetch","arguments":{"url":"https://example.test/2"}}}`)
	u.next()
	// Out of order, with a stray print between.
	u.line("Listening…")
	u.line(`{"jsonrpc":"2.0","id":"b","result":{"content":[{"type":"text","text":"two"}]}}`)
	if got := p.line(); !strings.Contains(got, "two") {
		t.Errorf("the first answer is %s", got)
	}
	if label, err := b.guard.SessionLabel(t.Context(), c); err != nil || !label.Taint.Has("mcp:web") {
		t.Errorf("the client has the result and the session is %s, %v", label, err)
	}
	u.line(`{"jsonrpc":"2.0","id":"a","result":{"content":[{"type":"text","text":"one"}]}}`)
	if got := p.line(); !strings.Contains(got, `"id":"a"`) || !strings.Contains(got, "one") {
		t.Errorf("the second answer is %s", got)
	}
}

func TestWhatCannotBeSealedIsKeptBack(t *testing.T) {
	b := newBench(t)
	p, u := behind(t, Options{Guard: b.guard, Caller: b.caller("session-1"), Server: "web", Nonce: "n"})
	p.send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"fetch","arguments":{"url":"https://example.test/"}}}`)
	u.next()
	if err := b.store.Close(); err != nil {
		t.Fatal(err)
	}
	u.line(`{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"words of a stranger"}]}}`)
	if got := p.line(); strings.Contains(got, "stranger") || !strings.Contains(got, "kept back") {
		t.Errorf("a result that could not be sealed: %s", got)
	}
}

func TestAmbiguousAnswersAreNotLetThrough(t *testing.T) {
	b := newBench(t)
	p, u := behind(t, Options{Guard: b.guard, Caller: b.caller("session-1"), Server: "web", Nonce: "n"})
	p.send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"fetch","arguments":{}}}`)
	u.next()
	u.line(`{"jsonrpc":"2.0","id":1,"result":{"content":[],"content":[{"type":"text","text":"words"}]}}`)
	if got := p.line(); strings.Contains(got, "words") || !strings.Contains(got, "not let through") {
		t.Errorf("an answer with a duplicate key: %s", got)
	}
}

// memoryOptions are those of a proxy in front of a memory server.
func memoryOptions(t *testing.T, b *bench, c hearsay.Caller) Options {
	t.Helper()
	profile, err := LoadProfile("server-memory")
	if err != nil {
		t.Fatal(err)
	}
	return Options{Guard: b.guard, Caller: c, Profile: profile, Server: "memory", Store: "store", Assume: true,
		Namespace: hearsay.Namespace{"memory"}, Nonce: "n", Poll: time.Hour}
}

const create = `{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"create_entities","arguments":{"entities":[{"name":"port","entityType":"note","observations":["Port is 8080"]}]}}}`

// only is the one record that there is.
func only(t *testing.T, b *bench) guard.Shown {
	t.Helper()
	for r, err := range b.guard.List(t.Context(), guard.Query{}) {
		if err != nil {
			t.Fatal(err)
		}
		shown, err := b.guard.Show(t.Context(), r.ID)
		if err != nil {
			t.Fatal(err)
		}
		return *shown
	}
	t.Fatal("there is no record")
	return guard.Shown{}
}

func TestADeadServerLeavesAWriteUnknown(t *testing.T) {
	b := newBench(t)
	p, u := behind(t, memoryOptions(t, b, b.caller("session-1")))
	p.send(fmt.Sprintf(create, 1))
	u.next()
	if err := u.stop.Close(); err != nil {
		t.Fatal(err)
	}
	if got := p.line(); !strings.Contains(got, "is not known") {
		t.Errorf("a write to a server that died: %s", got)
	}
	if r := only(t, b).Record; r.Delivery != hearsay.UnknownDelivery {
		t.Errorf("the write is %s, want unknown", r.Delivery)
	}
	b.verify()
}

func TestASlowWriteIsLookedForAndNotRepeated(t *testing.T) {
	b := newBench(t)
	c := b.caller("session-1")
	o := memoryOptions(t, b, c)
	o.Wait = 20 * time.Millisecond
	p, u := behind(t, o)
	p.send(fmt.Sprintf(create, 1))
	u.next()
	if got := p.line(); !strings.Contains(got, "is not known") {
		t.Errorf("a write to a slow server: %s", got)
	}
	// At the next start it is read back: it had landed.
	o.Wait = 0
	p, u = behind(t, o)
	p.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	u.next()
	ask := u.next()
	if !strings.Contains(ask, "read_graph") {
		t.Fatalf("the proxy sent %s, want a look", ask)
	}
	_, rest, _ := strings.Cut(ask, `"id":`)
	id, _, _ := strings.Cut(rest, `,"method"`)
	u.line(`{"jsonrpc":"2.0","id":` + id + `,"result":{"content":[],"structuredContent":{"entities":[{"name":"port","entityType":"note","observations":["Port is 8080"]}],"relations":[]}}}`)
	for range 1000 {
		if only(t, b).Record.Delivery == hearsay.Applied {
			b.verify()
			return
		}
		p.send(`{"jsonrpc":"2.0","id":9,"method":"ping"}`)
		if got := u.next(); !strings.Contains(got, "ping") {
			t.Fatalf("the proxy sent %s: a write is never repeated", got)
		}
		u.line(`{"jsonrpc":"2.0","id":9,"result":{}}`)
		p.line()
	}
	t.Error("what landed is still unknown")
}

func TestPathsAndStores(t *testing.T) {
	dir := t.TempDir()
	got := absolutePaths([]string{"A=b", memoryPath + "=mem/memory.jsonl"}, dir)
	if want := memoryPath + "=" + filepath.Join(dir, "mem", "memory.jsonl"); got[0] != "A=b" || got[1] != want {
		t.Errorf("absolutePaths: %q, want %q", got, want)
	}
	one := StoreID("p", Command{Env: []string{memoryPath + "=x/../memory.jsonl"}, Dir: dir})
	two := StoreID("p", Command{Env: []string{memoryPath + "=" + filepath.Join(dir, "memory.jsonl")}})
	if one != two {
		t.Errorf("two spellings of one file are two stores: %q and %q", one, two)
	}
}

func TestProfilesAreReadStrictly(t *testing.T) {
	for name, text := range map[string]string{
		"an unknown key":   "name: x\nwrites: []\n",
		"an unknown op":    "name: x\ntools: { a: { op: append } }\n",
		"no name":          "tools: {}\n",
		"a half-told item": "name: x\ntools: { a: { op: read, items: [ { kind: k } ] } }\n",
	} {
		if _, err := ParseProfile([]byte(text)); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	for _, name := range ProfileNames() {
		if _, err := LoadProfile(name); err != nil {
			t.Error(err)
		}
	}
}
