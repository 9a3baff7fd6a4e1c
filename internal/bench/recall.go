package bench

import (
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/event"
	"github.com/hearsay-memory/hearsay/guard"
	"github.com/hearsay-memory/hearsay/internal/audit"
	"github.com/hearsay-memory/hearsay/internal/bench/bare"
	"github.com/hearsay-memory/hearsay/internal/home"
	"github.com/hearsay-memory/hearsay/internal/instance"
	kept "github.com/hearsay-memory/hearsay/internal/memory"
	"github.com/hearsay-memory/hearsay/internal/memory/sleep"
	ranking "github.com/hearsay-memory/hearsay/recall"
)

const (
	wanted  = 10  // results of a recall
	asked   = 200 // queries of a kind
	rushing = 64  // writers that fill the memory
)

// notebook is an agent's memory of many notes, and their bare index.
type notebook struct {
	in     *instance.Instance
	memory *kept.Store
	bare   *bare.Search
	agent  hearsay.Caller
	texts  []string
}

// recalls measures recall over many memories, with trust, spreading, selection and marks,
// beside a bare full-text query; then what else is done with them.
func recalls(ctx context.Context, c *Config) (out []Result, err error) {
	b, err := newNotebook(ctx, c)
	if err != nil {
		return nil, err
	}
	defer closing(&err, b)
	for _, kind := range []struct {
		line  string
		quant float64
		words func(i int) [3]int // by their rank in frequency
	}{
		{"recall-ordinary", 0.5, func(i int) [3]int { return [3]int{100 + i%200, 150 + i%150, 200 + i%120} }},
		{"recall-common", 0.99, func(i int) [3]int { return [3]int{i % 3, 1 + i%4, 2 + i%5} }},
	} {
		var ours, floor []time.Duration
		for i := range asked {
			w := kind.words(i)
			words := fmt.Sprintf("w%d w%d w%d", w[0], w[1], w[2])
			start := time.Now()
			if _, err := b.memory.Recall(ctx, b.agent, kept.Ask{Query: words, K: wanted}); err != nil {
				return nil, err
			}
			ours = append(ours, time.Since(start))
			start = time.Now()
			if _, err := b.bare.Best(strings.ReplaceAll(words, " ", " OR "), wanted); err != nil {
				return nil, err
			}
			floor = append(floor, time.Since(start))
		}
		out = append(out, result(kind.line, "ns", at(ours, kind.quant), at(floor, kind.quant)))
	}
	reading, err := took(func() error {
		for _, err := range b.memory.All(ctx) {
			if err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	for _, pass := range []struct {
		line string
		run  func() error
	}{
		{"audit", func() error { return b.audit(ctx, nil) }},
		{"audit-files", func() error { return b.audit(ctx, b.memory) }},
		{"sleep", func() error {
			_, err := sleep.Run(ctx, b.memory, b.agent, sleep.Options{At: time.Now().AddDate(0, 1, 0), DryRun: true})
			return err
		}},
	} {
		spent, err := took(pass.run)
		if err != nil {
			return nil, err
		}
		out = append(out, result(pass.line, "ns", spent, reading))
	}
	pointed, err := b.vectors(ctx)
	if err != nil {
		return nil, err
	}
	got, err := b.remembering(ctx, c)
	return append(out, pointed, got), err
}

// audit looks at all memories once, and at the files of a memory if there is one.
func (b *notebook) audit(ctx context.Context, files *kept.Store) error {
	_, err := audit.Look(ctx, b.in.Guard, audit.Scope{Principal: b.in.Config.Principal, Memory: files})
	return err
}

// remembering measures one more memory, with its file and in the index, beside the guard's
// sealed write of it alone.
func (b *notebook) remembering(ctx context.Context, c *Config) (Result, error) {
	n := 0
	next := func() string { n++; return fmt.Sprintf("%s and then %d", b.texts[n%len(b.texts)], n) }
	remember := half(func() error {
		d, err := b.memory.Remember(ctx, b.agent, kept.New{Doc: kept.Doc{Kind: ranking.Learning, Text: next()}, Source: hearsay.Source{Type: "agent"}})
		if err == nil && d.Standing != hearsay.Allowed {
			err = fmt.Errorf("a note of a clean agent is %s", d.Standing)
		}
		return err
	})
	got, err := c.fineTurns(5, func(d time.Duration) (float64, error) {
		// What the guard alone wrote is not for the first one to bring in.
		if err := b.memory.Settle(ctx); err != nil {
			return 0, err
		}
		return remember(d)
	}, half(func() error { return b.write(ctx, next()) }))
	if err != nil {
		return Result{}, err
	}
	return result("remember", "ns", got[0], got[1]), nil
}

// took times one pass, in ns.
func took(pass func() error) (float64, error) {
	start := time.Now()
	err := pass()
	return float64(time.Since(start).Nanoseconds()), err
}

// at returns a quantile, in ns.
func at(times []time.Duration, quantile float64) float64 {
	slices.Sort(times)
	return float64(times[int(quantile*float64(len(times)-1))].Nanoseconds())
}

func newNotebook(ctx context.Context, c *Config) (_ *notebook, err error) {
	dir, err := c.home(ctx, 0)
	if err != nil {
		return nil, err
	}
	in, err := instance.Open(ctx, dir, instance.Options{Deadline: time.Minute})
	if err != nil {
		return nil, err
	}
	b := &notebook{in: in, agent: in.Caller(hearsay.SurfaceOwn)}
	defer func() {
		if err != nil {
			closing(&err, b)
		}
	}()
	b.agent.Session = "session-of-the-bench"
	if _, err := in.Guard.Open(ctx, b.agent, guard.Start{}); err != nil {
		return nil, err
	}
	b.texts = notes(c.Memories)
	if b.bare, err = bare.NewSearch(filepath.Join(c.Dir, "bare.db"), b.texts); err != nil {
		return nil, err
	}
	b.memory = kept.Open(in.Guard, kept.Options{
		Principal: in.Config.Principal, Log: slog.New(slog.DiscardHandler),
		Dir: in.Home.Path(home.DirMemory + "/" + kept.Folder(in.Config.Principal)),
	})
	if err := b.fill(ctx); err != nil {
		return nil, err
	}
	return b, b.memory.Settle(ctx)
}

// fill decides and seals the notes; files and index follow in one go.
func (b *notebook) fill(ctx context.Context) error {
	var next atomic.Int64
	var wg sync.WaitGroup
	failed := make(chan error, rushing)
	for range rushing {
		wg.Go(func() {
			for {
				i := int(next.Add(1)) - 1
				if i >= len(b.texts) {
					return
				}
				if err := b.write(ctx, b.texts[i]); err != nil {
					failed <- err
					return
				}
			}
		})
	}
	wg.Wait()
	close(failed)
	return <-failed
}

func (b *notebook) write(ctx context.Context, text string) error {
	doc := kept.Doc{Kind: ranking.Learning, Text: text}
	content, err := doc.Encode()
	if err != nil {
		return err
	}
	d, err := b.in.Guard.Write(ctx, b.agent, guard.Write{
		Store: guard.OwnStore, Source: hearsay.Source{Type: "agent"}, Namespace: kept.DefaultNamespace, Op: event.Create,
		Claimed: guard.Claimed{Kind: doc.Kind.String()}, Texts: doc.Texts(), Content: content,
		Items: []guard.Item{{Kind: "memory", Parts: []string{doc.Title, doc.Text}}},
	})
	if err == nil && d.Standing != hearsay.Allowed {
		err = fmt.Errorf("a note of a clean agent is %s", d.Standing)
	}
	return err
}

// Close closes what is open.
func (b *notebook) Close() (err error) {
	if b.memory != nil {
		closing(&err, b.memory)
	}
	if b.bare != nil {
		closing(&err, b.bare)
	}
	closing(&err, b.in)
	return err
}

// notes are texts of about 40 words, as frequent as the words of a language are.
func notes(n int) []string {
	r := rand.New(rand.NewPCG(1, 7))
	z := rand.NewZipf(r, 1.07, 2, 60_000)
	out := make([]string, n)
	for i := range out {
		var text strings.Builder
		for range 30 + r.IntN(21) {
			fmt.Fprintf(&text, "w%d ", z.Uint64())
		}
		out[i] = text.String()
	}
	return out
}
