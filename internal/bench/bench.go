// Package bench measures the hot paths, each beside its floor in one run: only the
// ratio counts, because the same machine is twice as fast an hour later.
package bench

import (
	"cmp"
	"slices"
	"time"
)

// Result is one measurement. Ratio is Value/Floor where less is better, and the other
// way round for rates, so that it reads as the goal is stated.
type Result struct {
	Name  string  `json:"name"`
	Value float64 `json:"value"`
	Unit  string  `json:"unit"`
	Floor float64 `json:"floor"`
	Ratio float64 `json:"ratio"`
}

// result makes a result of two values of one unit.
func result(name, unit string, value, floor float64) Result {
	return Result{Name: name, Value: value, Unit: unit, Floor: floor, Ratio: value / floor}
}

// span is how long one measurement goes on.
const span = 300 * time.Millisecond

// perCall returns how long one call takes, in ns: the median of five slices.
func perCall(f func()) float64 {
	var slicesOf []float64
	for range 5 {
		n, start := 0, time.Now()
		for time.Since(start) < span/5 {
			for range 16 {
				f()
			}
			n += 16
		}
		slicesOf = append(slicesOf, float64(time.Since(start).Nanoseconds())/float64(n))
	}
	return median(slicesOf)
}

func median[T cmp.Ordered](v []T) T {
	slices.Sort(v)
	return v[len(v)/2]
}
