package bench

import (
	"cmp"
	"errors"
	"math"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// slice measures one path for about d and returns its figure.
type slice func(d time.Duration) (float64, error)

// turns measures paths in turns and returns the median of each one's slices: what slows
// the machine for a while slows all of them.
func (c *Config) turns(paths ...slice) ([]float64, error) { return inTurns(c.Rounds, c.Slice, paths) }

// fineTurns is turns with slices cut into parts of their own: of what others disturb for
// a while, such as a disk, a few long slices can all be disturbed on one side.
func (c *Config) fineTurns(parts int, paths ...slice) ([]float64, error) {
	return inTurns(c.Rounds*parts, c.Slice/time.Duration(parts), paths)
}

func inTurns(rounds int, d time.Duration, paths []slice) ([]float64, error) {
	figures := make([][]float64, len(paths))
	for range rounds {
		for i, path := range paths {
			v, err := path(d)
			if err != nil {
				return nil, err
			}
			figures[i] = append(figures[i], v)
		}
	}
	out := make([]float64, len(paths))
	for i, v := range figures {
		out[i] = median(v)
	}
	return out, nil
}

// block is how long calls are made between two looks at the clock: long enough that a
// look costs nothing, and short enough that few blocks are interrupted by others.
const block = 50 * time.Microsecond

// perCall measures how long one call takes, in ns: the median of blocks of calls.
func perCall(f func() error) slice {
	calls := func(n int) (time.Duration, error) {
		start := time.Now()
		for range n {
			if err := f(); err != nil {
				return 0, err
			}
		}
		return time.Since(start), nil
	}
	return func(d time.Duration) (float64, error) {
		start := time.Now()
		n := 0
		for fastest := time.Duration(0); fastest < block; {
			n = max(2*n, 1)
			// The fastest of a few, as one that was interrupted seems long enough.
			fastest = math.MaxInt64
			for range 3 {
				took, err := calls(n)
				if err != nil {
					return 0, err
				}
				fastest = min(fastest, took)
			}
		}
		var took []time.Duration
		for len(took) == 0 || time.Since(start) < d {
			t, err := calls(n)
			if err != nil {
				return 0, err
			}
			took = append(took, t)
		}
		return float64(median(took).Nanoseconds()) / float64(n), nil
	}
}

// pure is perCall of what cannot fail.
func pure(f func()) slice { return perCall(func() error { f(); return nil }) }

// fewest is how many calls a slice makes at least.
const fewest = 8

// half measures how long half of the calls take at most, in ns: p50.
func half(f func() error) slice {
	return halfTimed(func() (time.Duration, error) {
		start := time.Now()
		err := f()
		return time.Since(start), err
	})
}

// halfTimed is half of what takes its time itself.
func halfTimed(f func() (time.Duration, error)) slice {
	return func(d time.Duration) (float64, error) {
		var took []time.Duration
		for start := time.Now(); len(took) < fewest || time.Since(start) < d; {
			t, err := f()
			if err != nil {
				return 0, err
			}
			took = append(took, t)
		}
		return float64(median(took).Nanoseconds()), nil
	}
}

// together measures the rate of n goroutines that call f again and again, in 1/s.
func together(n int, f func() error) slice {
	return func(d time.Duration) (float64, error) {
		var calls atomic.Int64
		var wg sync.WaitGroup
		failed := make([]error, n)
		start := time.Now()
		for i := range n {
			wg.Go(func() {
				for {
					if failed[i] = f(); failed[i] != nil {
						return
					}
					calls.Add(1)
					if time.Since(start) >= d {
						return
					}
				}
			})
		}
		wg.Wait()
		return float64(calls.Load()) / time.Since(start).Seconds(), errors.Join(failed...)
	}
}

// once measures the rate of one pass over n things, in 1/s, however long it takes.
func once(n int, pass func() error) slice {
	return func(time.Duration) (float64, error) {
		start := time.Now()
		err := pass()
		return float64(n) / time.Since(start).Seconds(), err
	}
}

func median[T cmp.Ordered](v []T) T {
	slices.Sort(v)
	return v[len(v)/2]
}
