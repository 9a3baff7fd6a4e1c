//go:build unix

package memory_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/internal/memory"
)

// zipfTexts returns texts of about 40 words, which are as frequent as the words of a
// language are.
func zipfTexts(n int, seed uint64) func() string {
	r := rand.New(rand.NewPCG(seed, 7))
	z := rand.NewZipf(r, 1.07, 2, 60_000)
	return func() string {
		var b strings.Builder
		for range 30 + r.IntN(21) {
			fmt.Fprintf(&b, "w%d ", z.Uint64())
		}
		return b.String()
	}
}

// bulk makes a world with n memories of the agent.
func bulk(b testing.TB, n int) (*world, hearsay.Caller) {
	w := newWorld(b)
	c := w.session("ana", "session-bulk")
	text := zipfTexts(n, 1)
	bare := w.Store
	ch := make(chan string, 256)
	done := make(chan error, 64)
	for range 64 {
		go func() {
			for t := range ch {
				doc := agents(t)
				if _, err := bare.RememberAside(b.Context(), c, doc); err != nil {
					done <- err
					return
				}
			}
			done <- nil
		}()
	}
	for range n {
		ch <- text()
	}
	close(ch)
	for range 64 {
		if err := <-done; err != nil {
			b.Fatal(err)
		}
	}
	start := time.Now()
	if err := w.Settle(b.Context()); err != nil {
		b.Fatal(err)
	}
	b.Logf("index of %d made in %v", n, time.Since(start))
	return w, c
}

func percentiles(b *testing.B, name string, took []time.Duration) {
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2].Microseconds()), name+"-p50-µs")
	b.ReportMetric(float64(took[len(took)*99/100].Microseconds()), name+"-p99-µs")
}

func BenchmarkRecall(b *testing.B) {
	w, c := bulk(b, benchSize)
	for name, query := range map[string]func(i int) string{
		"ordinary": func(i int) string { return fmt.Sprintf("w%d w%d w%d", 100+i%200, 150+i%150, 200+i%120) },
		"common":   func(i int) string { return fmt.Sprintf("w%d w%d w%d", i%3, 1+i%4, 2+i%5) },
	} {
		b.Run(name, func(b *testing.B) {
			var ours, bare []time.Duration
			i := 0
			for b.Loop() {
				i++
				start := cpu()
				got, err := w.Recall(b.Context(), c, memory.Ask{Query: query(i)})
				if err != nil || len(got.Results) != 10 {
					b.Fatal(len(got.Results), err)
				}
				ours = append(ours, cpu()-start)
				start = cpu()
				if n, err := w.BareQuery(query(i)); err != nil || n != 10 {
					b.Fatal(n, err)
				}
				bare = append(bare, cpu()-start)
			}
			percentiles(b, "ours", ours)
			percentiles(b, "bare", bare)
			b.ReportMetric(float64(ours[len(ours)/2])/float64(bare[len(bare)/2]), "ours/bare")
			b.ReportMetric(float64(peak())/(1<<20), "peak-MiB")
		})
	}
}

func BenchmarkRemember(b *testing.B) {
	w := newWorld(b)
	c := w.session("ana", "session-1")
	text := zipfTexts(0, 3)
	for b.Loop() {
		if _, err := w.Remember(b.Context(), c, agents(text())); err != nil {
			b.Fatal(err)
		}
	}
}

// benchSize is how many memories are searched.
const benchSize = 100_000

// peak is the most memory that the process ever had, in bytes.
func peak() int64 {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return u.Maxrss << 10
}

// cpu is the time that the process has computed for: others share the machine.
func cpu() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
