package recall

import (
	"bytes"
	"math"
	"slices"
	"time"

	"github.com/hearsay-memory/hearsay"
)

const (
	tieStep  = .10  // part of what is missing to 1 that being recalled together adds
	tieDecay = .998 // a day
	tieFloor = .05  // below it a tie is dropped
)

// Tie is an edge between two memories that were recalled together. A is the smaller
// id.
type Tie struct {
	A, B   hearsay.RecordID
	Weight float64   // 0 … 1 as it was at At
	At     time.Time // when they last were
}

// WeightAt returns the weight at a time: it loses .2 % a day. A tie that has become
// weaker than .05 is 0, and can be dropped, as is one that is not well formed. A
// clock that went backwards counts as no days.
func (t Tie) WeightAt(at time.Time) float64 {
	if t.A == t.B || t.A.IsZero() || t.B.IsZero() || !inUnit(t.Weight) {
		return 0
	}
	w := t.Weight * math.Pow(tieDecay, daysBetween(t.At, at))
	if w < tieFloor {
		return 0
	}
	return w
}

// Together returns the ties after an answer at a time: those that are still strong
// enough, each pair of trusted results tied a tenth of the missing closer, in
// ascending order. Untrusted results are tied to nothing. Of repeated ties the
// strongest counts. Of a long answer the first 16 trusted results are tied.
func Together(ties []Tie, a Answer, at time.Time) []Tie {
	type pair struct{ a, b hearsay.RecordID }
	all := make(map[pair]Tie, len(ties))
	for _, t := range ties {
		if compareIDs(t.A, t.B) > 0 {
			t.A, t.B = t.B, t.A
		}
		key := pair{t.A, t.B}
		if w := t.WeightAt(at); w > 0 && w >= all[key].WeightAt(at) {
			all[key] = t
		}
	}
	var ids []hearsay.RecordID
	for _, r := range a.Results {
		if r.Trusted && len(ids) < MaxTied {
			ids = append(ids, r.Memory.ID)
		}
	}
	slices.SortFunc(ids, compareIDs)
	ids = slices.Compact(ids)
	for i, x := range ids {
		for _, y := range ids[i+1:] {
			w := all[pair{x, y}].WeightAt(at)
			all[pair{x, y}] = Tie{A: x, B: y, Weight: w + (1-w)*tieStep, At: at}
		}
	}
	out := make([]Tie, 0, len(all))
	for _, t := range all {
		out = append(out, t)
	}
	slices.SortFunc(out, func(s, t Tie) int {
		if c := compareIDs(s.A, t.A); c != 0 {
			return c
		}
		return compareIDs(s.B, t.B)
	})
	return out
}

// MaxTied bounds the trusted results of one answer that are tied to each other, see [Together].
const MaxTied = 16

func compareIDs(a, b hearsay.RecordID) int { return bytes.Compare(a[:], b[:]) }
