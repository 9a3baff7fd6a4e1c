package recall

import (
	"slices"

	"github.com/hearsay-memory/hearsay"
)

// supersede takes out of set, which is in ascending order of id, what a hit of set or
// of above supersedes, and notes it. What stands in its place, the end of the
// chain, has the higher relevance of both; one of above is not touched. replaces
// says for what the hits of the new set stand in.
func (a *Answer) supersede(set, above []hit) (left []hit, replaces map[hearsay.RecordID][]hearsay.RecordID) {
	at := make(map[hearsay.RecordID]int, len(set))
	for i := range set {
		at[set[i].ID] = i
	}
	const standing, outside = -1, -2
	heir := slices.Repeat([]int{standing}, len(set)) // the newest of set that supersedes each
	any := false
	for i := range above {
		for _, id := range above[i].Supersedes {
			if old, ok := at[id]; ok && supersedes(above[i].Memory, set[old].Memory) {
				heir[old], any = outside, true
			}
		}
	}
	for i := range set {
		for _, id := range set[i].Supersedes {
			old, ok := at[id]
			if !ok || heir[old] == outside || !supersedes(set[i].Memory, set[old].Memory) {
				continue
			}
			if heir[old] == standing || later(set[i].Memory, set[heir[old]].Memory) {
				heir[old], any = i, true
			}
		}
	}
	if !any {
		return set, nil
	}
	left, replaces = slices.Clone(set), make(map[hearsay.RecordID][]hearsay.RecordID)
	// Oldest first: what a memory stands in for is known before it is itself replaced.
	order := make([]int, len(set))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(x, y int) int {
		if later(set[x].Memory, set[y].Memory) {
			return 1
		}
		return -1
	})
	for _, i := range order {
		if heir[i] < 0 {
			continue
		}
		id, by := set[i].ID, heir[i]
		left[by].relevance = max(left[by].relevance, left[i].relevance)
		to := set[by].ID
		replaces[to] = append(append(replaces[to], replaces[id]...), id)
		delete(replaces, id)
	}
	for _, ids := range replaces {
		slices.SortFunc(ids, compareIDs)
	}
	kept := left[:0]
	for i := range left {
		if heir[i] == standing {
			kept = append(kept, left[i])
		} else {
			a.omit(left[i].ID, Superseded)
		}
	}
	return kept, replaces
}

// supersedes reports whether the claim of a memory to correct another counts.
func supersedes(m, old *Memory) bool { return later(m, old) && old.Label.Below(m.Label) }

// later orders memories by when they were written, then by id, so that no chain of
// corrections is a circle.
func later(m, n *Memory) bool {
	if c := m.Written.Compare(n.Written); c != 0 {
		return c > 0
	}
	return compareIDs(m.ID, n.ID) > 0
}
