package recall

import (
	"fmt"
	"math"
)

// Neighbour is a row of a matrix of vectors and its cosine to a query.
type Neighbour struct {
	Row    int
	Cosine float64 // -1 … 1
}

// Normalize scales v to length 1, in place. A vector without a direction is an error
// and stays as it is: one of no or only zero numbers, or with one that is not finite.
func Normalize(v []float32) error {
	sum := 0.0
	for _, x := range v {
		sum += float64(x) * float64(x)
	}
	if !(sum > 0) || math.IsInf(sum, 0) {
		return fmt.Errorf("vector of %d numbers has no direction: want finite numbers, not all 0", len(v))
	}
	by := 1 / math.Sqrt(sum)
	for i, x := range v {
		v[i] = float32(float64(x) * by)
	}
	return nil
}

// Nearest appends to dst the k rows of a matrix nearest to a query, nearest first;
// equal ones in ascending order of row. The matrix is flat: each row has as many
// numbers as the query. Rows and query were scaled by [Normalize]; a row that is not
// a number is left out, and a cosine is never outside -1 … 1. It is an error if the
// query is empty or the matrix does not consist of whole rows.
//
// It looks at every row, and allocates nothing where dst has room for k more. To use
// more than one processor, search parts of the matrix and let [Merge] join what they
// give. Keep the vectors of trusted records in a matrix of their own: a stranger's
// rows in the same one would take places among the k.
func Nearest(dst []Neighbour, matrix, query []float32, k int) ([]Neighbour, error) {
	d := len(query)
	if d == 0 || len(matrix)%d != 0 {
		return dst, fmt.Errorf("vectors: %d numbers are not rows of %d, the length of the query", len(matrix), d)
	}
	h := dst[len(dst):]
	for row := 0; len(matrix) > 0 && k > 0; row++ {
		cos := float64(dot(matrix[:d], query))
		matrix = matrix[d:]
		if cos != cos || len(h) == k && cos <= h[0].Cosine {
			continue // rows ascend, so an equal one ranks behind
		}
		h = push(h, Neighbour{row, max(-1, min(1, cos))}, k)
	}
	return append(dst, drain(h)...), nil
}

// Merge appends to dst the k nearest of several answers of [Nearest], each to be
// shifted by the rows before its part, in the order of [Nearest].
func Merge(dst []Neighbour, k int, parts ...[]Neighbour) []Neighbour {
	h := dst[len(dst):]
	for _, part := range parts {
		for _, n := range part {
			if k > 0 && n.Cosine == n.Cosine {
				h = push(h, n, k)
			}
		}
	}
	return append(dst, drain(h)...)
}

// farther orders neighbours, the worst first.
func (n Neighbour) farther(m Neighbour) bool {
	if n.Cosine != m.Cosine {
		return n.Cosine < m.Cosine
	}
	return n.Row > m.Row
}

// push adds n to a heap of at most k, the farthest of which is its first.
func push(h []Neighbour, n Neighbour, k int) []Neighbour {
	if len(h) == k {
		if !h[0].farther(n) {
			return h
		}
		h[0] = n
		sink(h)
		return h
	}
	h = append(h, n)
	for i := len(h) - 1; i > 0; {
		up := (i - 1) / 2
		if !h[i].farther(h[up]) {
			break
		}
		h[i], h[up] = h[up], h[i]
		i = up
	}
	return h
}

// sink moves the first of a heap to where it belongs.
func sink(h []Neighbour) {
	for i := 0; ; {
		down := 2*i + 1
		if down >= len(h) {
			return
		}
		if down+1 < len(h) && h[down+1].farther(h[down]) {
			down++
		}
		if !h[down].farther(h[i]) {
			return
		}
		h[i], h[down] = h[down], h[i]
		i = down
	}
}

// drain sorts a heap, nearest first, in place.
func drain(h []Neighbour) []Neighbour {
	for n := len(h) - 1; n > 0; n-- {
		h[0], h[n] = h[n], h[0]
		sink(h[:n])
	}
	return h
}

// dot returns the product of two vectors of one length. Four sums run at once, so
// that the additions need not wait for each other.
func dot(a, b []float32) float32 {
	b = b[:len(a)]
	var s0, s1, s2, s3 float32
	i := 0
	for ; i+4 <= len(a); i += 4 {
		x, y := a[i:i+4:i+4], b[i:i+4:i+4]
		s0 += x[0] * y[0]
		s1 += x[1] * y[1]
		s2 += x[2] * y[2]
		s3 += x[3] * y[3]
	}
	for ; i < len(a); i++ {
		s0 += a[i] * b[i]
	}
	return (s0 + s1) + (s2 + s3)
}
