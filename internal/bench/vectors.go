package bench

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"log/slog"
	"math"
	"slices"
	"time"

	"github.com/hearsay-memory/hearsay/internal/home"
	kept "github.com/hearsay-memory/hearsay/internal/memory"
)

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
