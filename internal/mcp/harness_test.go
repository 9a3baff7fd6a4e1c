package mcp

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/mod/sumdb/note"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/guard"
	"github.com/hearsay-memory/hearsay/internal/guardtest"
	"github.com/hearsay-memory/hearsay/internal/reviewer"
	"github.com/hearsay-memory/hearsay/internal/store/sqlite"
	"github.com/hearsay-memory/hearsay/internal/strictjson"
	"github.com/hearsay-memory/hearsay/policy"
)

// bench is a guard with a reviewer, for proxies.
type bench struct {
	t      testing.TB
	guard  *guard.Guard
	store  *sqlite.Store
	open   func(patience time.Duration) (*sqlite.Store, *guard.Guard) // as another process
	keys   note.Verifiers
	signer *reviewer.Signer
}

func newBench(t testing.TB) *bench {
	t.Helper()
	return newBenchWith(t, "")
}

// newBenchWith makes one whose policy has more lines than the default one.
func newBenchWith(t testing.TB, more string) *bench {
	t.Helper()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	data, err := policy.Profile("default")
	must(err)
	p, err := policy.Parse("default.yaml", append(data, more...))
	must(err)
	private, public := guardtest.Key(t)
	path := filepath.Join(t.TempDir(), "hearsay.db")
	open := func(patience time.Duration) (*sqlite.Store, *guard.Guard) {
		store, g, err := guardtest.OpenWithin(t.Context(), path, private, patience, guard.Config{Policy: p})
		must(err)
		t.Cleanup(func() { _ = store.Close() })
		return store, g
	}
	store, g := open(guardtest.Patience)
	return &bench{t: t, store: store, guard: g, open: open, keys: note.VerifierList(public), signer: guardtest.Enrol(t, g)}
}

// decide signs and carries out a reviewer's decision.
func (b *bench) decide(d reviewer.Decision, id hearsay.RecordID) {
	b.t.Helper()
	guardtest.Decide(b.t, b.guard, b.signer, d, id)
}

func (b *bench) verify() {
	b.t.Helper()
	rep, err := guard.Verify(b.t.Context(), b.store, guard.Expect{Keys: b.keys})
	if err != nil || !rep.Consistent {
		b.t.Errorf("verify: %v, %+v", err, rep)
	}
}

// caller opens a session of ana's.
func (b *bench) caller(session string) hearsay.Caller {
	b.t.Helper()
	return b.callerOf("ana", session)
}

func (b *bench) callerOf(principal, session string) hearsay.Caller {
	b.t.Helper()
	c := hearsay.Caller{Principal: principal, Session: session, Surface: hearsay.SurfaceMCP}
	if _, err := b.guard.Open(b.t.Context(), c, guard.Start{}); err != nil {
		b.t.Fatal(err)
	}
	return c
}

// peer is a client in front of a proxy.
type peer struct {
	t    *testing.T
	to   io.WriteCloser
	from *bufio.Reader
	id   int
	done chan error
}

// dial runs a proxy over run and connects to it.
func dial(t *testing.T, run func(ctx context.Context, client Pipe) error) *peer {
	t.Helper()
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	p := &peer{t: t, to: inW, from: bufio.NewReader(outR), done: make(chan error, 1)}
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		err := run(ctx, Pipe{In: inR, Out: outW})
		outW.CloseWithError(io.EOF)
		p.done <- err
	}()
	t.Cleanup(func() {
		cancel()
		_ = inW.Close()
		_ = outR.Close()
	})
	return p
}

// send writes one raw line.
func (p *peer) send(line string) {
	p.t.Helper()
	if _, err := io.WriteString(p.to, line+"\n"); err != nil {
		p.t.Fatal(err)
	}
}

// line reads one raw line.
func (p *peer) line() string {
	p.t.Helper()
	s, err := p.from.ReadString('\n')
	if err != nil {
		p.t.Fatalf("read from the proxy: %v", err)
	}
	return strings.TrimSuffix(s, "\n")
}

// request makes a request and returns its answer.
func (p *peer) request(method, params string) map[string]any {
	p.t.Helper()
	p.id++
	p.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`, p.id, method, params))
	for {
		var m map[string]any
		if err := json.Unmarshal([]byte(p.line()), &m); err != nil {
			p.t.Fatal(err)
		}
		if m["id"] == float64(p.id) {
			return m
		}
	}
}

// call calls a tool and returns the whole answer as text.
func (p *peer) call(tool, args string) string {
	p.t.Helper()
	b, err := json.Marshal(p.request("tools/call", fmt.Sprintf(`{"name":%q,"arguments":%s}`, tool, args)))
	if err != nil {
		p.t.Fatal(err)
	}
	return string(b)
}

func (p *peer) handshake() {
	p.t.Helper()
	p.request("initialize", `{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"test","version":"1"}}`)
	p.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
}

// upstream is a scripted server behind a proxy: it shows what reached it and says
// what a test wants said.
type upstream struct {
	t    *testing.T
	got  *bufio.Reader
	say  io.WriteCloser
	stop io.Closer
}

// answerCalls answers calls of tools by a text, or by one that says what went wrong, until
// the server ends.
func (u *upstream) answerCalls(answer func(tool string, args strictjson.Value) (text string, isError bool)) {
	for {
		line, err := u.got.ReadString('\n')
		if err != nil {
			return
		}
		f, err := strictjson.Limits{}.Frame([]byte(line))
		if err != nil || f.ID == nil {
			continue
		}
		params, _ := strictjson.Limits{}.Parse(f.Params)
		tool, _ := params.Get("name")
		args, _ := params.Get("arguments")
		said, isError := answer(tool.String(), args)
		text, _ := json.Marshal(said)
		if _, err := fmt.Fprintf(u.say, `{"jsonrpc":"2.0","id":%s,"result":{"content":[{"type":"text","text":%s}],"isError":%t}}`+"\n", f.ID, text, isError); err != nil {
			return
		}
	}
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
