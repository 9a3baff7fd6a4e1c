package recall

import (
	"fmt"
	"math"
)

// TextRelevance returns the relevance of each score of one full-text search: the
// score over the best of that search, or over scale where that is greater. Greater
// scores are better: the bm25 of SQLite's FTS5 has to be negated. Scores at or below
// 0 have relevance 0. A score or scale that is not a finite number is an error.
//
// Search the trusted index with scale 0, so that its best has 1 whatever else there
// is, and the index of the rest with the best score of the trusted one, so that a
// poor match there does not count as a perfect one because there is no better.
func TextRelevance(scores []float64, scale float64) ([]float64, error) {
	if math.IsNaN(scale) || math.IsInf(scale, 0) {
		return nil, fmt.Errorf("scale of a full-text search is %v: want a finite number, 0 for none", scale)
	}
	best := max(0, scale)
	for i, s := range scores {
		if math.IsNaN(s) || math.IsInf(s, 0) {
			return nil, fmt.Errorf("score %d of a full-text search is %v: want a finite number", i, s)
		}
		best = max(best, s)
	}
	out := make([]float64, len(scores))
	if best > 0 {
		for i, s := range scores {
			out[i] = unit(s / best)
		}
	}
	return out, nil
}

// VectorRelevance returns the relevance of a cosine: 0 at floor and below, 1 at 1, in
// between in proportion. floor is what texts that have nothing to do with each other
// come to under the model that made the vectors; it is 0 … 1 and often above .3. A
// cosine or floor that is not a number has relevance 0.
func VectorRelevance(cosine, floor float64) float64 {
	if !(floor >= 0 && floor < 1) {
		return 0
	}
	return unit((cosine - floor) / (1 - floor))
}

// Either returns the relevance of what two searches found, the words and the
// vectors: each closes its part of the gap that the other leaves,
//
//	1 - (1-a)(1-b)
//
// so that being found by both is better than by one, and not being found by one
// (0) costs nothing. Values outside 0 … 1 count as the nearer end, and what is not a
// number as 0.
func Either(a, b float64) float64 {
	a, b = unit(a), unit(b)
	return unit(max(a, b) + float64((1-max(a, b))*min(a, b)))
}
