package bench

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"strconv"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/guard"
	"github.com/hearsay-memory/hearsay/internal/bench/bare"
	"github.com/hearsay-memory/hearsay/internal/lint"
	"github.com/hearsay-memory/hearsay/internal/mcp"
	"github.com/hearsay-memory/hearsay/ledger"
	"github.com/hearsay-memory/hearsay/policy"
)

// link is a client's end of a chain of processes that ends at a server.
type link struct {
	*process
	from *bufio.Reader
	page int
}

func (c *Config) link(ctx context.Context, args ...string) (*link, error) {
	p, err := c.child(ctx, args...)
	if err != nil {
		return nil, err
	}
	return &link{process: p, from: bufio.NewReaderSize(p.out, 64<<10)}, nil
}

// fetch asks for the same page again: its source was sealed at the first time.
func (l *link) fetch() error { return l.ask(0) }

// fetchNew asks for a page that nobody asked for before.
func (l *link) fetchNew() error {
	l.page++
	return l.ask(l.page)
}

func (l *link) ask(page int) error {
	if _, err := l.in.Write(request(1, page)); err != nil {
		return err
	}
	return skipLine(l.from)
}

// request asks a tool for a page.
func request(id, page int) []byte {
	return fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"fetch","arguments":{"url":"https://example.test/%d"}}}`+"\n", id, page)
}

// skipLine reads a line of any length.
func skipLine(r *bufio.Reader) error {
	for {
		if _, err := r.ReadSlice('\n'); !errors.Is(err, bufio.ErrBufferFull) {
			return err
		}
	}
}

// proxies measures a call through the proxy beside one through a process that only
// copies bytes between the same pipes, whole and by what each adds to a call straight to
// the server; and a call whose result has to be sealed first, beside the copied call and
// a synced append.
func proxies(ctx context.Context, c *Config) (out []Result, err error) {
	file, err := bare.OpenFile(c.Dir+"/bare.log", appended)
	if err != nil {
		return nil, err
	}
	defer closing(&err, file)
	for _, size := range sizes {
		results, err := c.chain(ctx, size.name, strconv.Itoa(size.n), file)
		if err != nil {
			return nil, err
		}
		out = append(out, results...)
	}
	return out, nil
}

// chain measures results of one size.
func (c *Config) chain(ctx context.Context, name, size string, file *bare.File) (out []Result, err error) {
	var links [3]*link
	for i, args := range [...][]string{{roleServer, size}, {roleCopy, size}, {roleProxy, size, c.Dir}} {
		if links[i], err = c.link(ctx, args...); err != nil {
			return nil, err
		}
		defer closing(&err, links[i])
		if err := links[i].fetch(); err != nil { // the first call is never like the others
			return nil, fmt.Errorf("a %s does not answer: %w", args[0], err)
		}
	}
	direct, copied, guarded := links[0], links[1], links[2]
	paths := []slice{half(direct.fetch), half(copied.fetch), half(guarded.fetch)}
	if name == sizes[0].name {
		paths = append(paths, half(guarded.fetchNew), half(func() error {
			return errors.Join(copied.fetch(), file.Append())
		}))
	}
	got, err := c.fineTurns(10, paths...)
	if err != nil {
		return nil, err
	}
	out = append(out, result("proxy-"+name, "ns", got[2], got[1]))
	// A machine with much else to do can hide the difference: it is no less than a tick.
	added := func(v float64) float64 { return math.Max(v-got[0], 1) }
	out = append(out, result("proxy-"+name+"-added", "ns", added(got[2]), added(got[1])))
	if len(got) > 3 {
		out = append(out, result("call-sealed", "ns", got[3], got[4]))
	}
	return out, nil
}

// serve answers each line with one of size bytes.
func serve(s Streams, size int) error {
	answer := append(answerOf("1", size), '\n')
	for lines := bufio.NewReader(s.In); ; {
		if err := skipLine(lines); err != nil {
			if errors.Is(err, io.EOF) {
				return nil
			}
			return err
		}
		if _, err := s.Out.Write(answer); err != nil {
			return err
		}
	}
}

// copyThrough copies bytes to and from the server behind, by a buffer and not by a call
// of the system that moves them unseen.
func copyThrough(ctx context.Context, server []string, s Streams) (err error) {
	p, err := run(ctx, server)
	if err != nil {
		return err
	}
	sent := make(chan error, 1)
	go func() {
		_, err := copyBuffer(p.in, s.In)
		sent <- errors.Join(err, p.in.Close())
	}()
	_, err = copyBuffer(s.Out, p.out)
	return errors.Join(err, <-sent, p.Close())
}

func copyBuffer(to io.Writer, from io.Reader) (int64, error) {
	return io.CopyBuffer(struct{ io.Writer }{to}, struct{ io.Reader }{from}, make([]byte, 64<<10))
}

// proxyThrough is the proxy in front of the server behind, with a store of its own.
func proxyThrough(ctx context.Context, server []string, dir string, s Streams) (err error) {
	folder, err := os.MkdirTemp(dir, "proxy-")
	if err != nil {
		return err
	}
	g, err := newGuard(ctx, folder)
	if err != nil {
		return err
	}
	defer closing(&err, g.Store())
	caller, err := opened(ctx, g, "session-1")
	if err != nil {
		return err
	}
	return mcp.Run(ctx, mcp.Pipe{In: s.In, Out: s.Out}, mcp.Command{Args: server, Env: os.Environ(), Stderr: s.Err},
		mcp.Options{Guard: g, Caller: caller, Server: "web", Nonce: "n"})
}

// newGuard makes a guard with the default policy over a new store.
func newGuard(ctx context.Context, dir string) (*guard.Guard, error) {
	data, err := policy.Profile("default")
	if err != nil {
		return nil, err
	}
	rules, err := policy.Parse("default.yaml", data)
	if err != nil {
		return nil, err
	}
	at, err := newSite(dir)
	if err != nil {
		return nil, err
	}
	s, err := at.store(ctx, "hearsay.db")
	if err != nil {
		return nil, err
	}
	return guard.New(guard.Config{Store: s, Policy: rules, Index: ledger.IndexKey{1}, Lint: lint.Text}), nil
}

// opened opens a session of ana's.
func opened(ctx context.Context, g *guard.Guard, session string) (hearsay.Caller, error) {
	c := hearsay.Caller{Principal: "ana", Session: session, Surface: hearsay.SurfaceMCP}
	_, err := g.Open(ctx, c, guard.Start{})
	return c, err
}
