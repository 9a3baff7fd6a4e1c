package recall

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/hearsay-memory/hearsay"
)

// Answer is what [Select] chose. Results are in the order in which they are shown;
// Omitted is in ascending order of reason and id.
type Answer struct {
	Results []Result
	Omitted []Omission
}

// Result is one memory of an answer and how it came to its place.
type Result struct {
	Memory       Memory
	Trusted      bool
	Score        float64            // Score(Terms) × OriginFactor × RuleWeight
	Terms        Terms              // see Terms.Parts
	OriginFactor float64            // recall factor of the origin, 0 … 1
	RuleWeight   float64            // retrieval weight of the rule, 0 … 1
	Replaces     []hearsay.RecordID // superseded candidates in whose place it stands, ascending
}

// Count returns how many candidates were left out for a reason.
func (a Answer) Count(r Reason) int {
	n := 0
	for _, o := range a.Omitted {
		if o.Reason == r {
			n++
		}
	}
	return n
}

// Select chooses and orders the results for q.
//
// trusted are candidates of an index that holds trusted records alone, with a
// relevance by the statistics of that index; rest are candidates of an index of all
// other records. g may be nil. It is an error if q is out of range, or if g is
// another principal's. Candidates that cannot be used are left out and said in
// Omitted, because one bad row must not cost the whole answer.
//
// The trusted results are the first q.K of trusted by score; equal scores are in
// ascending order of id. Neither rest nor the untrusted part of g takes any part in
// them.
//
// Of the rest, by score, at most q.MaxUntrusted external and q.K other ones are put
// between the trusted ones, each behind the last one that it does not outrank, and none ahead of a better one
// of its own. It outranks a trusted result where its score is higher and its
// relevance, times its factors, is higher than that of the trusted one times its
// factors. So fresh dates, tags, links and claims never take it past: an external
// memory has to be more relevant than the user's by a third.
//
// A memory that a candidate of the same set supersedes is not shown: the later one
// stands in its place, with the higher relevance of both. A claim to supersede
// counts if the claimant was written later and is at least as trusted, so the rest
// never displaces what is trusted. A store should therefore add to the candidates
// what supersedes them. What is superseded and stands in Omitted was left out for
// that reason.
func Select(q Query, trusted, rest []Candidate, g *Graph) (Answer, error) {
	if err := q.check(); err != nil {
		return Answer{}, err
	}
	if g == nil {
		g = NewGraph(&q.Ceilings, q.Principal, nil, nil, q.At)
	}
	if g.principal != q.Principal {
		return Answer{}, fmt.Errorf("select: the graph is of another principal than the query: make one of the query's")
	}
	var a Answer
	all := a.admit(&q, trusted, true)
	ours, replaces := a.supersede(all, nil)
	ranked := rank(&q, ours, g.spread(ours, q.Within, g.trusted), g)
	first := results(&q, ranked[:min(len(ranked), q.K)], replaces)

	others := a.without(a.admit(&q, rest, false), all)
	others, replaces = a.supersede(others, all)
	// All of the graph takes part: the trusted part is the better source.
	ranked = rank(&q, others, g.spread(slices.Concat(ours, others), q.Within, len(g.nodes)), g)
	a.Results = place(first, results(&q, a.cap(&q, ranked), replaces))
	a.sortOmitted()
	return a, nil
}

// hit is a candidate that may be chosen.
type hit struct {
	*Memory
	relevance float64
}

// byID orders hits and finds them.
func byID(x, y hit) int { return compareIDs(x.ID, y.ID) }

// admit returns the candidates that may be chosen, each memory once with its highest
// relevance, in ascending order of id, and notes the others.
func (a *Answer) admit(q *Query, from []Candidate, trusted bool) []hit {
	out := make([]hit, 0, len(from))
	for i := range from {
		m, relevance := &from[i].Memory, from[i].Relevance
		switch {
		case m.Principal != q.Principal || !m.Namespace.HasPrefix(q.Within):
			a.omit(hearsay.RecordID{}, Foreign)
		case !m.Standing.Visible():
			a.omit(m.ID, Withheld)
		case m.check() != nil || !inUnit(relevance):
			a.omit(m.ID, Malformed)
		case m.Label.Trusted() != trusted:
			a.omit(m.ID, Misplaced)
		default:
			out = append(out, hit{m, relevance})
		}
	}
	slices.SortStableFunc(out, func(x, y hit) int {
		if c := byID(x, y); c != 0 {
			return c
		}
		return cmp.Compare(y.relevance, x.relevance)
	})
	return slices.CompactFunc(out, func(x, y hit) bool { return x.ID == y.ID })
}

// without returns the hits whose ids are not those of others, which are in ascending
// order, and notes the rest.
func (a *Answer) without(from, others []hit) []hit {
	return slices.DeleteFunc(from, func(h hit) bool {
		_, taken := slices.BinarySearchFunc(others, h, byID)
		if taken {
			a.omit(h.ID, Misplaced)
		}
		return taken
	})
}

// cap returns the untrusted hits that are shown, and notes the others. Strangers have a
// cap of their own, so that they take no place of what nobody was seen writing, such as
// what the user imported.
func (a *Answer) cap(q *Query, ranked []scored) []scored {
	external, others := 0, 0
	return slices.DeleteFunc(ranked, func(s scored) bool {
		n, most := &others, q.K
		if voice(s.Label) == hearsay.External {
			n, most = &external, q.MaxUntrusted
		}
		if *n >= most {
			a.omit(s.ID, OverCap)
			return true
		}
		*n++
		return false
	})
}

// scored is a hit with its score.
type scored struct {
	hit
	terms Terms
	score float64
}

// rank scores hits and sorts them, best first.
func rank(q *Query, from []hit, arrived []float64, g *Graph) []scored {
	about := q.Context.prepare()
	out := make([]scored, len(from))
	for i, h := range from {
		top := h.ceiling(&q.Ceilings)
		t := Terms{
			Relevance: h.relevance,
			Strength:  h.strengthAt(top, q.At),
			Recency:   h.recencyAt(q.At),
			Context:   about.overlap(h.Memory),
			Salience:  h.salience(top),
		}
		if k, ok := g.index[h.ID]; ok && int(k) < len(arrived) {
			t.Spreading = spreading(arrived[k])
		}
		out[i] = scored{h, t, Score(t) * top.Recall * h.Weight}
	}
	slices.SortFunc(out, func(x, y scored) int {
		if c := cmp.Compare(y.score, x.score); c != 0 {
			return c
		}
		return byID(x.hit, y.hit)
	})
	return out
}

// results makes results of the first of those that were ranked.
func results(q *Query, from []scored, replaces map[hearsay.RecordID][]hearsay.RecordID) []Result {
	out := make([]Result, len(from))
	for i, s := range from {
		out[i] = Result{
			Memory: *s.Memory, Trusted: s.Label.Trusted(), Score: s.score, Terms: s.terms,
			OriginFactor: s.ceiling(&q.Ceilings).Recall, RuleWeight: s.Weight, Replaces: replaces[s.ID],
		}
	}
	return out
}

// place puts the results of others between those of ours.
func place(ours, others []Result) []Result {
	out := make([]Result, 0, len(ours)+len(others))
	next := 0
	for i := range others {
		to := len(ours)
		for to > next && others[i].outranks(&ours[to-1]) {
			to--
		}
		out = append(out, ours[next:to]...)
		out = append(out, others[i])
		next = to
	}
	return append(out, ours[next:]...)
}

// outranks reports whether an untrusted result passes a trusted one.
func (r *Result) outranks(t *Result) bool {
	return r.Score > t.Score && r.claim() > t.claim()
}

// claim is what a result has by its relevance alone.
func (r *Result) claim() float64 { return r.Terms.Relevance * r.OriginFactor * r.RuleWeight }

func (a *Answer) omit(id hearsay.RecordID, why Reason) {
	a.Omitted = append(a.Omitted, Omission{id, why})
}

func (a *Answer) sortOmitted() {
	slices.SortFunc(a.Omitted, func(x, y Omission) int {
		if c := cmp.Compare(x.Reason, y.Reason); c != 0 {
			return c
		}
		return compareIDs(x.ID, y.ID)
	})
}
