package bench

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"log/slog"
	"math"
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
}

// recalls measures recall over many memories, with trust, spreading, selection and marks,
// beside a bare full-text query; then the audit of them.
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
	auditing, err := took(func() error {
		_, err := audit.Look(ctx, b.in.Guard, audit.Scope{Principal: b.in.Config.Principal, Memory: b.memory})
		return err
	})
	if err != nil {
		return nil, err
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
	out = append(out, result("audit", "ns", auditing, reading))
	pointed, err := b.vectors(ctx)
	return append(out, pointed), err
}

// dim is the length of the vectors, asks how often they are searched.
const (
	dim  = 384
	asks = 50
)

// vectors measures recall by vectors alone, beside a plain pass over the same numbers.
func (b *notebook) vectors(ctx context.Context) (Result, error) {
	var flat []float32
	m := kept.Open(b.in.Guard, kept.Options{
		Principal: b.in.Config.Principal, Log: slog.New(slog.DiscardHandler),
		Dir: b.in.Home.Path(home.DirMemory + "/" + kept.Folder(b.in.Config.Principal)),
		Embedder: func(_ context.Context, texts []string) ([][]float32, error) {
			out := make([][]float32, len(texts))
			for i, t := range texts {
				out[i] = pointing(t)
				flat = append(flat, out[i]...)
			}
			return out, nil
		},
	})
	err := func() error { _, err := m.Embed(ctx); return err }()
	defer closing(&err, m)
	if err != nil {
		return Result{}, err
	}
	var ours, floor []time.Duration
	sum := float32(0)
	for i := range asks + 1 {
		query := pointing(fmt.Sprint("query ", i))
		start := time.Now()
		if _, err = m.Recall(ctx, b.agent, kept.Ask{Vector: query, K: wanted}); err != nil {
			return Result{}, err
		}
		if i == 0 {
			continue // it read them from the disk
		}
		ours = append(ours, time.Since(start))
		start = time.Now()
		for row := range slices.Chunk(flat, dim) {
			for j, x := range row {
				sum += x * query[j]
			}
		}
		floor = append(floor, time.Since(start))
	}
	if math.IsNaN(float64(sum)) {
		return Result{}, errors.New("the vectors are not numbers")
	}
	return result("vectors-100k", "ns", at(ours, 0.5), at(floor, 0.5)), err
}

// pointing returns a vector that a text alone decides.
func pointing(text string) []float32 {
	h := fnv.New64a()
	h.Write([]byte(text))
	v, r := make([]float32, dim), h.Sum64()
	for i := range v {
		r = r*6364136223846793005 + 1442695040888963407
		v[i] = float32(int32(r>>32)) / (1 << 31)
	}
	return v
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
	in, err := instance.Open(ctx, dir, instance.Options{})
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
	texts := notes(c.Memories)
	if b.bare, err = bare.NewSearch(filepath.Join(c.Dir, "bare.db"), texts); err != nil {
		return nil, err
	}
	b.memory = kept.Open(in.Guard, kept.Options{
		Principal: in.Config.Principal, Log: slog.New(slog.DiscardHandler),
		Dir: in.Home.Path(home.DirMemory + "/" + kept.Folder(in.Config.Principal)),
	})
	if err := b.fill(ctx, texts); err != nil {
		return nil, err
	}
	return b, b.memory.Settle(ctx)
}

// fill decides and seals the notes; files and index follow in one go.
func (b *notebook) fill(ctx context.Context, texts []string) error {
	var next atomic.Int64
	var wg sync.WaitGroup
	failed := make(chan error, rushing)
	for range rushing {
		wg.Go(func() {
			for {
				i := int(next.Add(1)) - 1
				if i >= len(texts) {
					return
				}
				if err := b.write(ctx, texts[i]); err != nil {
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
