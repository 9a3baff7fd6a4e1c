package bench

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"

	"github.com/hearsay-memory/hearsay/internal/mcp"
)

// memory measures what the process holds after many calls through the proxy, beside
// what it held after the first hundredth of them. Every hundredth call names a new
// source.
func memory(ctx context.Context, c *Config) (out []Result, err error) {
	g, err := newGuard(ctx, c.Dir)
	if err != nil {
		return nil, err
	}
	defer closing(&err, g.Store())
	caller, err := opened(ctx, g, "session-1")
	if err != nil {
		return nil, err
	}
	e := between(ctx, func(ctx context.Context, client, server mcp.Pipe) error {
		return mcp.Serve(ctx, client, server, mcp.Options{Guard: g, Caller: caller, Server: "web", Nonce: "n"})
	}, append(answerOf("1", sizes[0].n), '\n'))
	defer closing(&err, e)
	calls := func(from, to int) error {
		for i := from; i < to; i++ {
			if err := e.ask(request(1, i/100)); err != nil {
				return err
			}
		}
		return nil
	}
	if err := calls(0, c.Calls/100); err != nil {
		return nil, err
	}
	heap, rss := held(c)
	if err := calls(c.Calls/100, c.Calls); err != nil {
		return nil, err
	}
	heapAfter, rssAfter := held(c)
	out = append(out, result("memory-heap", "B", heapAfter, heap))
	if rss > 0 {
		out = append(out, result("memory-rss", "B", rssAfter, rss))
	}
	return out, nil
}

// held returns the bytes of live objects and of the process; 0 where the system does
// not tell.
func held(c *Config) (heap, rss float64) {
	debug.FreeOSMemory() // it collects garbage first
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	rss, err := resident()
	if err != nil {
		c.Note("memory-rss is left out: " + err.Error())
	}
	return float64(m.HeapAlloc), rss
}

// resident returns how much memory the process has, in bytes. Only Linux tells by a
// file; elsewhere there is an error.
func resident() (float64, error) {
	data, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return 0, fmt.Errorf("the system does not tell what a process holds: %w", err)
	}
	var size, pages float64
	if _, err := fmt.Sscan(string(data), &size, &pages); err != nil {
		return 0, fmt.Errorf("read /proc/self/statm: %w", err)
	}
	return pages * float64(os.Getpagesize()), nil
}
