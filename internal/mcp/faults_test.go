package mcp

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/guard"
	"github.com/hearsay-memory/hearsay/internal/mcp/wire"
	"github.com/hearsay-memory/hearsay/internal/reviewer"
)

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

func TestADeadServerAnswersWhatWasQueued(t *testing.T) {
	b := newBench(t)
	p, u := behind(t, memoryOptions(t, b, b.caller("session-1")))
	for i := range 3 {
		p.send(fmt.Sprintf(create, i))
	}
	u.next()
	if err := u.stop.Close(); err != nil {
		t.Fatal(err)
	}
	for i := range 3 {
		if got := p.line(); !strings.Contains(got, fmt.Sprintf(`"id":%d,"error":{"code":-32010`, i)) {
			t.Errorf("call %d: %s", i, got)
		}
	}
}

func TestALockedStoreIsLeftAlone(t *testing.T) {
	b := newBench(t)
	o := memoryOptions(t, b, b.caller("session-1"))
	o.LockStore = func(context.Context) (func() error, error) { return nil, errors.New("held elsewhere") }
	p, _ := behind(t, o) // a server that nobody reads: a write to it would hang
	p.send(fmt.Sprintf(create, 1))
	if got := p.line(); !strings.Contains(got, "another process holds") {
		t.Errorf("a write to a locked store: %s", got)
	}
	if r := only(t, b).Record; r.Delivery != hearsay.Failed {
		t.Errorf("the write is %s, want failed", r.Delivery)
	}
}

func TestAWriteTakenBackInTimeIsNotCarriedOut(t *testing.T) {
	b := newBench(t)
	o := memoryOptions(t, b, b.caller("session-1"))
	waiting, locked := make(chan struct{}), make(chan struct{})
	o.LockStore = func(context.Context) (func() error, error) {
		close(waiting)
		<-locked
		return func() error { return nil }, nil
	}
	p, _ := behind(t, o)
	p.send(fmt.Sprintf(create, 1))
	<-waiting
	b.decide(reviewer.Revoke, only(t, b).Record.ID)
	close(locked)
	if got := p.line(); !strings.Contains(got, "withdrawn before it was carried out") {
		t.Errorf("a write that was revoked while it waited: %s", got)
	}
	b.verify()
}

func TestAWriteThatCannotBeSealedGoesNowhere(t *testing.T) {
	b := newBench(t)
	p, _ := behind(t, memoryOptions(t, b, b.caller("session-1")))
	if err := b.store.Close(); err != nil {
		t.Fatal(err)
	}
	p.send(fmt.Sprintf(create, 1))
	if got := p.line(); !strings.Contains(got, "could not be decided and sealed") {
		t.Errorf("a write without a store: %s", got)
	}
}

func TestLongFrames(t *testing.T) {
	long := func(n int64) io.Reader { return io.LimitReader(ones{}, n) }
	l := wire.NewLines(io.MultiReader(long(64<<20), strings.NewReader("\nnext\n"), long(64<<20+2), strings.NewReader("\nlast")), limits.MaxBytes)
	for i, want := range []struct {
		size int
		err  error
	}{{64 << 20, nil}, {4, nil}, {0, wire.ErrTooLong}, {4, nil}, {0, io.EOF}} {
		line, err := l.Next()
		if len(line) != want.size || !errors.Is(err, want.err) {
			t.Errorf("line %d: %d bytes, %v; want %d, %v", i, len(line), err, want.size, want.err)
		}
	}
}

// ones is an endless text.
type ones struct{}

func (ones) Read(b []byte) (int, error) {
	for i := range b {
		b[i] = '1'
	}
	return len(b), nil
}

func TestAFrameTooLongIsAnswered(t *testing.T) {
	var client, server bytes.Buffer
	p := newProxy(&client, &server, Options{Nonce: "n"})
	in := io.MultiReader(io.LimitReader(ones{}, 64<<20+2), strings.NewReader("\n"))
	if err := p.fromClient(t.Context(), in); err != nil || server.Len() > 0 || !strings.Contains(client.String(), `"code":-32600`) {
		t.Errorf("fromClient: %v; the server got %d bytes, the client %s", err, server.Len(), client.String())
	}
}

func TestChangedToolsAreReported(t *testing.T) {
	profile, err := LoadProfile("server-memory")
	if err != nil {
		t.Fatal(err)
	}
	var log bytes.Buffer
	p := newProxy(io.Discard, io.Discard, Options{Profile: profile, Log: slog.New(slog.NewTextHandler(&log, nil))})
	f, err := limits.Frame([]byte(`{"jsonrpc":"2.0","id":1,"result":{"tools":[
		{"name":"read_graph","inputSchema":{"type":"object","properties":{"remember":{"type":"string"}}}},
		{"name":"fact_store","inputSchema":{"type":"object"}}]}}`))
	if err != nil {
		t.Fatal(err)
	}
	p.checkTools(f)
	p.checkTools(f)
	if got := log.String(); strings.Count(got, "level=WARN") != 2 || !strings.Contains(got, "tool=read_graph") || !strings.Contains(got, "tool=fact_store") {
		t.Errorf("the log says\n%s", got)
	}
}

func TestAListenerKeepsNoClientThatLeft(t *testing.T) {
	b := newBench(t)
	p, u := behind(t, Options{Guard: b.guard, Caller: b.caller("session-1"), Server: "web", Nonce: "n", Wait: time.Hour})
	p.send(`{"jsonrpc":"2.0","id":1,"method":"subscriptions/listen"}`)
	u.next()
	if err := p.to.Close(); err != nil {
		t.Fatal(err)
	}
	go func() { _, _ = io.Copy(io.Discard, p.from) }()
	if err := <-p.done; err != nil {
		t.Errorf("the proxy ended with %v", err)
	}
}

func TestADeafServerIsStopped(t *testing.T) {
	t.Parallel()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	b := newBench(t)
	client := Pipe{In: strings.NewReader(""), Out: io.Discard}
	cmd := Command{Args: []string{self}, Env: append(os.Environ(), childRole+"=deaf")}
	if err := Run(t.Context(), client, cmd, Options{Guard: b.guard, Caller: b.caller("session-1")}); err != nil {
		t.Errorf("a server that does not end by itself: %v", err)
	}
}

func TestRunSaysWhatDoesNotStart(t *testing.T) {
	for name, args := range map[string][]string{"no command": nil, "no such file": {filepath.Join(t.TempDir(), "none")}} {
		if err := Run(t.Context(), Pipe{}, Command{Args: args}, Options{}); err == nil || !strings.Contains(err.Error(), "command after --") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestATooLargeWriteSaysWhatToDo(t *testing.T) {
	b := newBench(t)
	p, _ := behind(t, memoryOptions(t, b, b.caller("session-1")))
	many := strings.Repeat(`"x",`, 10_000) + `"x"`
	p.send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"add_observations","arguments":{"observations":[{"entityName":"a","contents":[` + many + `]}]}}}`)
	if got := p.line(); !strings.Contains(got, `"code":-32600`) || !strings.Contains(got, "split it") {
		t.Errorf("a write of too many things: %s", got)
	}
}

// Where the server has no tool to take a text out, the record is not said to be
// withdrawn, and the log hears of it once.
func TestWhatCannotBeTakenOutStays(t *testing.T) {
	b := newBench(t)
	o := memoryOptions(t, b, b.caller("session-1"))
	cautious, err := LoadProfile("cautious")
	if err != nil {
		t.Fatal(err)
	}
	var log bytes.Buffer
	o.Profile, o.Log = cautious, slog.New(slog.NewTextHandler(&log, nil))
	p, u := behind(t, o)
	p.send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"add","arguments":{"text":"Port is 8080"}}}`)
	_, rest, _ := strings.Cut(u.next(), `"id":`)
	id, _, _ := strings.Cut(rest, `,"method"`)
	u.line(`{"jsonrpc":"2.0","id":` + id + `,"result":{"content":[]}}`)
	p.line()
	b.decide(reviewer.Revoke, only(t, b).Record.ID)
	idle := newProxy(io.Discard, io.Discard, o)
	for range 2 {
		if err := idle.tasks(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if r := only(t, b).Record; r.Delivery != hearsay.Applied || strings.Count(log.String(), "still in the store") != 1 {
		t.Errorf("the record is %s; the log says\n%s", r.Delivery, log.String())
	}
}
