//go:build unix

package sleep_test

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/hearsay-memory/hearsay/guard"
	"github.com/hearsay-memory/hearsay/internal/memory"
	"github.com/hearsay-memory/hearsay/internal/memory/sleep"
	"github.com/hearsay-memory/hearsay/recall"
)

// BenchmarkSleep plans a run over 100,000 memories of about 40 words, of which one in
// twenty is said twice.
func BenchmarkSleep(b *testing.B) {
	w := newWorld(b)
	const n, workers = 100_000, 64
	// One that has no folder keeps no index: that is made once, below.
	aside := memory.Open(w.guard, memory.Options{Principal: "ana", Dir: "/dev/null/none"})
	c := w.caller
	c.Session = "session-bulk"
	if _, err := w.guard.Open(b.Context(), c, guard.Start{}); err != nil {
		b.Fatal(err)
	}
	var all sync.WaitGroup
	for part := range workers {
		all.Go(func() {
			r := rand.New(rand.NewPCG(uint64(part), 7))
			z := rand.NewZipf(r, 1.07, 2, 60_000)
			last := ""
			for i := range n / workers {
				var s strings.Builder
				for range 30 + r.IntN(21) {
					fmt.Fprintf(&s, "w%d ", z.Uint64())
				}
				if i%20 != 0 || last == "" {
					last = s.String()
				}
				if _, err := aside.Remember(b.Context(), c, text(recall.Learning, last, "tag", fmt.Sprintf("tag-%d", r.IntN(100)))); err != nil {
					b.Error(err)
					return
				}
			}
		})
	}
	all.Wait()
	if err := w.Settle(b.Context()); err != nil {
		b.Fatal(err)
	}
	runs, before := 0, cpu()
	for b.Loop() {
		runs++
		got, err := sleep.Run(b.Context(), w.Store, w.caller, sleep.Options{At: time.Now().Add(30 * day), DryRun: true})
		if err != nil || got.Looked < n-workers {
			b.Fatalf("%+v, %v", got, err)
		}
		b.ReportMetric(float64(len(got.Changes)+got.Later), "changes")
	}
	b.ReportMetric((cpu()-before).Seconds()/float64(runs), "cpu-s/op") // others share the machine
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	b.ReportMetric(float64(m.HeapSys)/(1<<20), "heap-MiB")
}

// cpu is the time that the process has computed for.
func cpu() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
