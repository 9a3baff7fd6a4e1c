//go:build unix

package audit_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/event"
	"github.com/hearsay-memory/hearsay/guard"
	"github.com/hearsay-memory/hearsay/internal/audit"
	"github.com/hearsay-memory/hearsay/internal/memory"
	"github.com/hearsay-memory/hearsay/recall"
)

// benchSize is how many memories are looked at.
const benchSize = 100_000

// BenchmarkLook looks at memories of about 40 words each, of which a tenth is low in
// trust, with their files and without.
func BenchmarkLook(b *testing.B) {
	w := newWorld(b)
	defer w.close()
	fill(b, w, benchSize)
	start := time.Now()
	check(b, w.memory.Settle(b.Context()))
	b.Logf("files and index made in %v", time.Since(start))
	for name, of := range map[string]*memory.Store{"records": nil, "records and files": w.memory} {
		b.Run(name, func(b *testing.B) {
			spent := cpu()
			for b.Loop() {
				r, err := audit.Look(b.Context(), w.guard, audit.Scope{Principal: "ana", Memory: of})
				if err != nil || r.Memories != benchSize {
					b.Fatal(r, err)
				}
			}
			b.ReportMetric(float64((cpu()-spent).Milliseconds())/float64(b.N), "cpu-ms/op")
		})
	}
}

// fill writes n memories as fast as the store takes them, past the index.
func fill(b *testing.B, w *world, n int) {
	b.Helper()
	agent, page := w.session("session-agent"), w.session("session-page")
	r := rand.New(rand.NewPCG(1, 7))
	z := rand.NewZipf(r, 1.07, 2, 60_000)
	type write struct {
		c hearsay.Caller
		n memory.New
	}
	work, done := make(chan write, 256), make(chan error, 64)
	for range 64 {
		go func() {
			var failed error
			for x := range work {
				content, err := x.n.Encode()
				if err == nil && failed == nil {
					_, err = w.guard.Write(b.Context(), x.c, guard.Write{
						Store: guard.OwnStore, Source: x.n.Source, Namespace: x.n.Namespace, Op: event.Create,
						Texts: x.n.Texts(), Content: content, Items: []guard.Item{{Kind: "memory", Parts: []string{x.n.Title, x.n.Text}}},
						Claimed: guard.Claimed{Kind: recall.Learning.String()},
					})
				}
				if err != nil {
					failed = err
				}
			}
			done <- failed
		}()
	}
	for i := range n {
		var text strings.Builder
		for range 30 + r.IntN(21) {
			fmt.Fprintf(&text, "w%d ", z.Uint64())
		}
		x := write{agent, said("agent", "", text.String(), fmt.Sprint("tag", r.IntN(200)), fmt.Sprint("tag", r.IntN(200)+200))}
		if i%10 == 0 {
			x.c, x.n.Source = page, hearsay.Source{Type: "web", Ref: fmt.Sprintf("https://p%d.example.invalid/", r.IntN(1000))}
		}
		work <- x
	}
	close(work)
	for range 64 {
		check(b, <-done)
	}
}

// cpu is the time that the process has computed for: others share the machine.
func cpu() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
