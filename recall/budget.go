package recall

import "slices"

// Cut returns the answer within a budget: each result whole or not at all, in its
// order, and the ids of those that did not fit noted as omitted. size says what a
// result takes, in the unit of the budget: its length in characters with its marks
// and frame, or 1 for a budget of items. A size below 0 fits nowhere.
//
// Trusted results are fitted first, as if there were no others, so that no untrusted
// text, however long, displaces one of them. A result that does not fit leaves its
// room to those after it.
func (a Answer) Cut(budget int, size func(*Result) int) Answer {
	keep := make([]bool, len(a.Results))
	for _, trusted := range [...]bool{true, false} {
		for i, r := range a.Results {
			if r.Trusted != trusted {
				continue
			}
			if n := size(&r); n >= 0 && n <= budget {
				keep[i] = true
				budget -= n
			}
		}
	}
	out := Answer{Omitted: slices.Clone(a.Omitted)}
	for i, r := range a.Results {
		if keep[i] {
			out.Results = append(out.Results, r)
		} else {
			out.omit(r.Memory.ID, OverBudget)
		}
	}
	out.sortOmitted()
	return out
}
