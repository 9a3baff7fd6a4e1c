package mcp

import (
	"bytes"
	"fmt"
	"io"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/event"
	"github.com/hearsay-memory/hearsay/guard"
	"github.com/hearsay-memory/hearsay/internal/bench/bare"
)

// BenchmarkSealed is passing a result of 2 KiB whose source is new, so that it is sealed
// before it is let through, beside a synced append. BenchmarkInspect has the rest of it.
func BenchmarkSealed(b *testing.B) {
	b.Run("floor-append", func(b *testing.B) {
		f, err := bare.OpenFile(filepath.Join(b.TempDir(), "bare.log"), 300)
		if err != nil {
			b.Fatal(err)
		}
		defer f.Close()
		for b.Loop() {
			if err := f.Append(); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("proxy", func(b *testing.B) {
		env := newBench(b)
		p := newProxy(io.Discard, io.Discard, Options{Guard: env.guard, Caller: env.caller("session-1"), Server: "web", Nonce: "n"})
		frame := append(answerOf("1", 2<<10), '\n')
		b.ReportAllocs()
		for page := 0; b.Loop(); page++ {
			p.ask(nil, &pending{id: []byte("1"), answer: p.sealed(b.Context(), []byte("1"), "fetch", fmt.Sprintf("https://example.test/%d", page))})
			if err := p.fromServer(b.Context(), bytes.NewReader(frame)); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// BenchmarkKnownRead is what filtering costs where a record explains each of 1,000
// observations, beside parsing and writing them unfiltered.
func BenchmarkKnownRead(b *testing.B) {
	const n = 1000
	env := newBench(b)
	c := env.caller("session-1")
	profile, err := LoadProfile("server-memory")
	if err != nil {
		b.Fatal(err)
	}
	w := guard.Write{
		Store: "store", Source: hearsay.Source{Type: "agent"}, Namespace: hearsay.Namespace{"memory"}, Op: event.Create,
		Content: []byte("a thousand"), Items: []guard.Item{{Kind: "entity", Parts: []string{"e"}}, {Kind: "type", Parts: []string{"e", "t"}}},
	}
	var observations []string
	for i := range n {
		text := fmt.Sprintf("Lesson %05d: %066d", i, i)
		observations = append(observations, fmt.Sprintf("%q", text))
		w.Items = append(w.Items, guard.Item{Kind: "observation", Parts: []string{"e", text}})
	}
	d, err := env.guard.Write(b.Context(), c, w)
	if err != nil || d.Standing != hearsay.Allowed {
		b.Fatal(d, err)
	}
	if err := env.guard.Applied(b.Context(), c, d.ID, guard.Outcome{Delivery: hearsay.Applied, Landed: w.Items}); err != nil {
		b.Fatal(err)
	}
	graph := `{"entities":[{"name":"e","entityType":"t","observations":[` + strings.Join(observations, ",") + `]}],"relations":[]}`
	result := []byte(`{"content":[{"type":"text","text":` + fmt.Sprintf("%q", graph) + `}],"structuredContent":` + graph + `}`)
	p := newProxy(io.Discard, io.Discard, Options{Guard: env.guard, Caller: c, Profile: profile, Store: "store", Nonce: "n"})
	for _, filtered := range []bool{false, true} {
		name := "floor"
		if filtered {
			name = "filter"
		}
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(result)))
			b.ReportAllocs()
			for b.Loop() {
				v, err := limits.Parse(result)
				if filtered && err == nil {
					r := reading{proxy: p, ctx: b.Context()}
					v, err = r.result(v)
				}
				if err != nil {
					b.Fatal(err)
				}
				reply([]byte("1"), v)
			}
		})
	}
}

// BenchmarkMemory tells how the heap grew over the calls of a proxy, in bytes a call.
func BenchmarkMemory(b *testing.B) {
	env := newBench(b)
	p := newProxy(io.Discard, io.Discard, Options{Guard: env.guard, Caller: env.caller("session-1"), Server: "web", Nonce: "n"})
	frame := append(answerOf("1", 2<<10), '\n')
	heap := func() float64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return float64(m.HeapAlloc)
	}
	call := func() {
		p.ask(nil, &pending{id: []byte("1"), answer: p.sealed(b.Context(), []byte("1"), "fetch", "https://example.test/")})
		if err := p.fromServer(b.Context(), bytes.NewReader(frame)); err != nil {
			b.Fatal(err)
		}
	}
	for range 1000 {
		call()
	}
	before := heap()
	for b.Loop() {
		call()
	}
	b.ReportMetric((heap()-before)/float64(b.N), "heap-B/op")
}
