package mcp

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/hearsay-memory/hearsay/guard"
)

// childRole makes the test binary a process of a pipe that is measured.
const childRole = "HEARSAY_TEST_CHILD"

func TestMain(m *testing.M) {
	switch os.Getenv(childRole) {
	case "":
		os.Exit(m.Run())
	case "server":
		serveEchoes()
	case "copy":
		copyThrough()
	case "tools":
		playTools(os.Getenv(toolsFile))
	case "deaf":
		select {}
	}
}

// answerOf is an answer of a server with a text of about size bytes.
func answerOf(id string, size int) []byte {
	text := strings.Repeat("A page has words, and 3 links. ", size/31+1)[:size]
	return fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"result":{"content":[{"type":"text","text":"%s"}]}}`, id, text)
}

var sizes = []struct {
	name string
	n    int
}{{"2KiB", 2 << 10}, {"256KiB", 256 << 10}}

// BenchmarkInspect is what passing one result of a source server costs in this
// process, the session having seen the source before, beside a copy of its bytes.
func BenchmarkInspect(b *testing.B) {
	env := newBench(b)
	c := env.caller("session-1")
	for _, size := range sizes {
		frame := append(answerOf("1", size.n), '\n')
		b.Run("copy/"+size.name, func(b *testing.B) {
			out := make([]byte, len(frame))
			b.SetBytes(int64(len(frame)))
			for b.Loop() {
				copy(out, frame)
			}
		})
		b.Run("proxy/"+size.name, func(b *testing.B) {
			p := newProxy(io.Discard, io.Discard, Options{Guard: env.guard, Caller: c, Server: "web", Nonce: "n"})
			b.SetBytes(int64(len(frame)))
			b.ReportAllocs()
			for b.Loop() {
				p.ask(nil, &pending{id: []byte("1"), answer: p.sealed(b.Context(), []byte("1"), "fetch", "https://example.test/")})
				if err := p.fromServer(b.Context(), bytes.NewReader(frame)); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkRead is what filtering a graph of one entity costs, an observation of 80
// bytes each, beside parsing and writing it unfiltered.
func BenchmarkRead(b *testing.B) {
	env := newBench(b)
	c := env.caller("session-1")
	profile, err := LoadProfile("server-memory")
	if err != nil {
		b.Fatal(err)
	}
	p := newProxy(io.Discard, io.Discard, Options{Guard: env.guard, Caller: c, Profile: profile, Store: "store", Nonce: "n"})
	for _, n := range []int{10, 1000} {
		var observations []string
		for i := range n {
			observations = append(observations, fmt.Sprintf("%q", fmt.Sprintf("Lesson %05d: %066d", i, i)))
		}
		graph := `{"entities":[{"name":"e","entityType":"t","observations":[` + strings.Join(observations, ",") + `]}],"relations":[]}`
		result := []byte(`{"content":[{"type":"text","text":` + fmt.Sprintf("%q", graph) + `}],"structuredContent":` + graph + `}`)
		b.Run(fmt.Sprintf("floor/%d", n), func(b *testing.B) {
			b.SetBytes(int64(len(result)))
			for b.Loop() {
				v, err := limits.Parse(result)
				if err != nil {
					b.Fatal(err)
				}
				reply([]byte("1"), v)
			}
		})
		b.Run(fmt.Sprintf("filter/%d", n), func(b *testing.B) {
			b.SetBytes(int64(len(result)))
			b.ReportAllocs()
			for b.Loop() {
				v, err := limits.Parse(result)
				if err != nil {
					b.Fatal(err)
				}
				r := reading{proxy: p, caller: p.Caller, ctx: b.Context()}
				if v, err = r.result(v); err != nil {
					b.Fatal(err)
				}
				reply([]byte("1"), v)
			}
		})
	}
}

// BenchmarkPipe is one request and its result over real pipes to a server in another
// process: through a process that only copies, and through the proxy.
func BenchmarkPipe(b *testing.B) {
	self, err := os.Executable()
	if err != nil {
		b.Fatal(err)
	}
	for _, size := range sizes {
		serverEnv := append(os.Environ(), childRole+"=server", fmt.Sprintf("SIZE=%d", size.n))
		b.Run("copy/"+size.name, func(b *testing.B) {
			cmd := exec.Command(self)
			cmd.Env = append(os.Environ(), childRole+"=copy", fmt.Sprintf("SIZE=%d", size.n))
			in, err := cmd.StdinPipe()
			if err != nil {
				b.Fatal(err)
			}
			out, err := cmd.StdoutPipe()
			if err != nil {
				b.Fatal(err)
			}
			if err := cmd.Start(); err != nil {
				b.Fatal(err)
			}
			exchange(b, in, out, size.n)
			_ = in.Close()
			if err := cmd.Wait(); err != nil {
				b.Fatal(err)
			}
		})
		b.Run("proxy/"+size.name, func(b *testing.B) {
			env := newBench(b)
			c := env.caller("session-1")
			if _, err := env.guard.Observe(b.Context(), c, guard.Observation{}); err != nil {
				b.Fatal(err)
			}
			clientIn, in, err := os.Pipe()
			if err != nil {
				b.Fatal(err)
			}
			out, clientOut, err := os.Pipe()
			if err != nil {
				b.Fatal(err)
			}
			done := make(chan error, 1)
			go func() {
				done <- Run(context.Background(), Pipe{In: clientIn, Out: clientOut}, Command{Args: []string{self}, Env: serverEnv},
					Options{Guard: env.guard, Caller: c, Server: "web", Nonce: "n"})
			}()
			exchange(b, in, out, size.n)
			_ = in.Close()
			if err := <-done; err != nil {
				b.Fatal(err)
			}
		})
	}
}

// exchange makes requests, one after the other.
func exchange(b *testing.B, in io.Writer, out io.Reader, size int) {
	from := bufio.NewReaderSize(out, 1<<20)
	request := []byte(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"fetch","arguments":{"url":"https://example.test/"}}}` + "\n")
	b.SetBytes(int64(size))
	for b.Loop() {
		if _, err := in.Write(request); err != nil {
			b.Fatal(err)
		}
		for {
			_, err := from.ReadSlice('\n')
			if err == nil {
				break
			}
			if err != bufio.ErrBufferFull {
				b.Fatal(err)
			}
		}
	}
}

// serveEchoes answers each line with one of SIZE bytes.
func serveEchoes() {
	var size int
	if _, err := fmt.Sscan(os.Getenv("SIZE"), &size); err != nil {
		os.Exit(1)
	}
	answer := append(answerOf("1", size), '\n')
	for s := bufio.NewScanner(os.Stdin); s.Scan(); {
		if _, err := os.Stdout.Write(answer); err != nil {
			return
		}
	}
}

// copyThrough starts a server behind and copies bytes both ways.
func copyThrough() {
	self, err := os.Executable()
	if err != nil {
		os.Exit(1)
	}
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), childRole+"=server")
	in, err := cmd.StdinPipe()
	if err != nil {
		os.Exit(1)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		os.Exit(1)
	}
	if err := cmd.Start(); err != nil {
		os.Exit(1)
	}
	go func() {
		_, _ = io.Copy(in, os.Stdin)
		_ = in.Close()
	}()
	buf := make([]byte, 64<<10)
	if _, err := io.CopyBuffer(struct{ io.Writer }{os.Stdout}, struct{ io.Reader }{out}, buf); err != nil {
		os.Exit(1)
	}
	_ = cmd.Wait()
}
