package recall

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

func randVector(r *rand.Rand, d int) []float32 {
	v := make([]float32, d)
	for i := range v {
		v[i] = float32(r.NormFloat64())
	}
	if err := Normalize(v); err != nil {
		v[0] = 1
	}
	return v
}

func TestNearestAgainstSorting(t *testing.T) {
	r := newRand()
	for range rounds / 10 {
		d, n, k := 1+r.IntN(40), r.IntN(60), r.IntN(20)
		query := randVector(r, d)
		var matrix []float32
		var all []Neighbour
		for row := range n {
			v := randVector(r, d)
			if row > 0 && r.IntN(3) == 0 { // ties
				v = slices.Clone(matrix[:d])
			}
			matrix = append(matrix, v...)
			all = append(all, Neighbour{row, max(-1, min(1, float64(dot(v, query))))})
		}
		slices.SortFunc(all, func(a, b Neighbour) int {
			if a.farther(b) {
				return 1
			}
			return -1
		})
		want := all[:min(k, n)]
		first := []Neighbour{{-1, 9}}
		got, err := Nearest(first, matrix, query, k)
		if err != nil || !slices.Equal(got[1:], want) || got[0] != first[0] {
			t.Fatalf("%d rows of %d, %d of them: got %v, %v, want %v", n, d, k, got, err, want)
		}
		// In two parts, as two processors would.
		half := n / 2
		a, err := Nearest(nil, matrix[:half*d], query, k)
		if err != nil {
			t.Fatal(err)
		}
		b, err := Nearest(nil, matrix[half*d:], query, k)
		if err != nil {
			t.Fatal(err)
		}
		for i := range b {
			b[i].Row += half
		}
		if got := Merge(nil, k, a, b); !slices.Equal(got, want) {
			t.Fatalf("in two parts: got %v, want %v", got, want)
		}
	}
}

func TestNearestBadInput(t *testing.T) {
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	for name, c := range map[string]struct {
		matrix, query []float32
	}{
		"no query":     {[]float32{1, 0}, nil},
		"part of rows": {[]float32{1, 0, 1}, []float32{1, 0}},
	} {
		if got, err := Nearest(nil, c.matrix, c.query, 3); err == nil || len(got) != 0 {
			t.Errorf("%s: %v, %v", name, got, err)
		}
	}
	got, err := Nearest(nil, []float32{nan, 0, 3e38, 3e38, inf, 0, 0, 0, -9, 0, inf, -inf}, []float32{1, 1}, 10)
	if want := []Neighbour{{1, 1}, {2, 1}, {3, 0}, {4, -1}}; err != nil || !slices.Equal(got, want) {
		t.Errorf("rows that were not scaled: %v, %v, want %v", got, err, want)
	}
	for _, k := range []int{0, -1} {
		if got, err := Nearest(nil, []float32{1, 0}, []float32{1, 0}, k); err != nil || len(got) != 0 {
			t.Errorf("%d of them: %v, %v", k, got, err)
		}
		if got := Merge(nil, k, []Neighbour{{1, 1}}); len(got) != 0 {
			t.Errorf("%d merged: %v", k, got)
		}
	}
	if got := Merge(nil, 3, []Neighbour{{1, math.NaN()}, {2, .5}}); !slices.Equal(got, []Neighbour{{2, .5}}) {
		t.Errorf("merged: %v", got)
	}
	for name, v := range map[string][]float32{"empty": nil, "zero": {0, 0}, "NaN": {1, nan}, "infinite": {1, inf}} {
		was := slices.Clone(v)
		err := Normalize(v)
		if err == nil {
			t.Errorf("%s has a direction", name)
		}
		for i := range v {
			if math.Float32bits(v[i]) != math.Float32bits(was[i]) {
				t.Errorf("%s was changed to %v", name, v)
			}
		}
	}
	for name, v := range map[string][]float32{"smallest": {1e-45, 0}, "greatest": {3e38, -3e38, 3e38}} {
		if err := Normalize(v); err != nil || math.Abs(float64(dot(v, v))-1) > 1e-6 {
			t.Errorf("%s: %v, %v", name, v, err)
		}
	}
}

func TestNearestAllocatesNothing(t *testing.T) {
	r := newRand()
	query := randVector(r, 16)
	var matrix []float32
	for range 200 {
		matrix = append(matrix, randVector(r, 16)...)
	}
	dst := make([]Neighbour, 0, 10)
	if n := testing.AllocsPerRun(100, func() {
		if _, err := Nearest(dst, matrix, query, 10); err != nil {
			t.Fatal(err)
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func FuzzNearest(f *testing.F) {
	f.Add([]byte{0, 0, 128, 63, 0, 0, 192, 127}, []byte{0, 0, 128, 63}, 3)
	f.Fuzz(func(t *testing.T, m, q []byte, k int) {
		matrix, query := floats(m), floats(q)
		got, err := Nearest(nil, matrix, query, k)
		if err != nil {
			return
		}
		if len(got) > max(0, k) || len(got) > len(matrix)/len(query) {
			t.Fatalf("%d of them, asked for %d", len(got), k)
		}
		for i, n := range got {
			if !(n.Cosine >= -1 && n.Cosine <= 1) || i > 0 && got[i-1].farther(n) {
				t.Fatalf("%v", got)
			}
		}
		if Normalize(query) == nil && math.Abs(float64(dot(query, query))-1) > 1e-4 {
			t.Fatalf("scaled to %v", dot(query, query))
		}
	})
}

func floats(b []byte) []float32 {
	var v []float32
	for ; len(b) >= 4; b = b[4:] {
		v = append(v, math.Float32frombits(binary.LittleEndian.Uint32(b)))
	}
	return v
}

func TestTextRelevance(t *testing.T) {
	for name, c := range map[string]struct {
		scores []float64
		scale  float64
		want   []float64
		bad    bool
	}{
		"none":           {nil, 0, []float64{}, false},
		"over the best":  {[]float64{4, 1, 2}, 0, []float64{1, .25, .5}, false},
		"over the scale": {[]float64{4, 1, 2}, 8, []float64{.5, .125, .25}, false},
		"small scale":    {[]float64{4, 1, 2}, 2, []float64{1, .25, .5}, false},
		"negative scale": {[]float64{4, 1, 2}, -9, []float64{1, .25, .5}, false},
		"tiny":           {[]float64{1e-6, 5e-7}, 0, []float64{1, .5}, false},
		"below nothing":  {[]float64{-3, 0, 2}, 0, []float64{0, 0, 1}, false},
		"only below":     {[]float64{-3, -1}, 0, []float64{0, 0}, false},
		"smallest":       {[]float64{5e-324, 0}, 0, []float64{1, 0}, false},
		"not a number":   {[]float64{1, math.NaN()}, 0, nil, true},
		"infinite":       {[]float64{math.Inf(1), 1}, 0, nil, true},
		"no scale":       {[]float64{1}, math.NaN(), nil, true},
	} {
		got, err := TextRelevance(c.scores, c.scale)
		if (err != nil) != c.bad || !slices.Equal(got, c.want) {
			t.Errorf("%s: got %v, %v, want %v", name, got, err, c.want)
		}
	}
}

func TestVectorRelevance(t *testing.T) {
	nan := math.NaN()
	for _, c := range [][3]float64{
		{1, 0, 1}, {.5, 0, .5}, {-1, 0, 0}, {.3, .3, 0}, {.65, .3, .5}, {1, .3, 1}, {2, .3, 1},
		{.5, 1, 0}, {.5, -.1, 0}, {nan, 0, 0}, {1, nan, 0}, {math.Inf(1), 0, 1},
	} {
		if got := VectorRelevance(c[0], c[1]); math.Abs(got-c[2]) > 1e-12 {
			t.Errorf("%v above %v: got %v, want %v", c[0], c[1], got, c[2])
		}
	}
}

// Either is commutative, grows with both, never falls below one of them, and what
// was not found by one search costs nothing.
func FuzzEither(f *testing.F) {
	f.Add(.5, .5, .1)
	f.Add(1., math.NaN(), math.Inf(-1))
	f.Fuzz(func(t *testing.T, a, b, more float64) {
		got := Either(a, b)
		if !inUnit(got) || got != Either(b, a) || got < unit(a) || got < unit(b) || Either(a, 0) != unit(a) {
			t.Fatalf("%v, %v: %v", a, b, got)
		}
		if up := Either(unit(a)+unit(more), b); up < got-1e-15 {
			t.Fatalf("%v, %v: %v, and with more %v", a, b, got, up)
		}
	})
}
