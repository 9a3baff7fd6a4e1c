package sleep

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/guard"
	"github.com/hearsay-memory/hearsay/internal/memory"
	"github.com/hearsay-memory/hearsay/recall"
)

// Bounds of a plan.
const (
	// Floor is the strength below which a memory is pruned, see [recall.Memory.Prunable].
	Floor = .05
	// fading is the strength below which memories are summed up: while they still say something.
	fading = 3 * Floor

	maxPruned = 500 // memories of one change
	maxMerged = 64  // memories of one change
	maxRivals = 8   // memories that one is compared with, of those that say the same
)

// planner makes a plan of what was seen.
type planner struct {
	ctx      context.Context
	store    *memory.Store
	ceilings hearsay.Ceilings
	at       time.Time
	seen     sight

	taken map[hearsay.RecordID]bool
}

// plan returns the changes of a run: first what is pruned, then what is merged, then what
// is summed up, whose text is not there yet. No memory is part of two of them.
func (p *planner) plan(sums bool) ([]change, error) {
	p.taken = make(map[hearsay.RecordID]bool)
	merged, err := p.merge()
	if err != nil {
		return nil, err
	}
	plan := append(p.prune(), merged...)
	if sums {
		plan = append(plan, p.sum()...)
	}
	return plan, nil
}

// prune lets go of what has faded, each label's apart.
func (p *planner) prune() []change {
	byLabel := make(map[string][]*item)
	for i := range p.seen.items {
		it := &p.seen.items[i]
		if !p.taken[it.ID] && it.Prunable(&p.ceilings, p.at, Floor) {
			byLabel[it.Label.String()] = append(byLabel[it.Label.String()], it)
		}
	}
	var out []change
	for _, label := range sortedKeys(byLabel) {
		for some := range slices.Chunk(byLabel[label], maxPruned) {
			ch := change{what: Prune, Consolidation: memory.Consolidation{Of: p.take(some), Why: "faded"}}
			ch.Heir.Label, ch.Heir.Namespace = some[0].Label, memory.DefaultNamespace
			out = append(out, ch)
		}
	}
	return out
}

// take takes memories out of what is left.
func (p *planner) take(items []*item) []hearsay.RecordID {
	ids := make([]hearsay.RecordID, len(items))
	for i, it := range items {
		ids[i] = it.ID
		p.taken[it.ID] = true
	}
	return ids
}

// merge finds memories that say the same, see plain, and are of one label, namespace,
// project, kind, form, weight and subject. The one with most beside its text stays, as it is.
func (p *planner) merge() ([]change, error) {
	var same []*item
	for i := range p.seen.items {
		if it := &p.seen.items[i]; !it.kept() && !it.Vetted && !it.settled && !it.Prunable(&p.ceilings, p.at, Floor) {
			same = append(same, it)
		}
	}
	slices.SortFunc(same, func(a, b *item) int { return cmp.Or(bytes.Compare(a.says[:], b.says[:]), p.keeperFirst(a, b)) })
	var groups [][]*item
	for len(same) > 0 {
		n := 1
		for n < len(same) && same[n].says == same[0].says {
			n++
		}
		groups = append(groups, gather(same[:n])...)
		same = same[n:]
	}
	slices.SortFunc(groups, func(a, b []*item) int { return cmp.Or(trustedFirst(a[0], b[0]), compareIDs(a[0].ID, b[0].ID)) })
	return p.merged(groups)
}

// trustedFirst orders what is trusted before the rest, so that no number of strangers'
// memories takes what a run has for those.
func trustedFirst(a, b *item) int {
	switch x := a.Label.Trusted(); {
	case x == b.Label.Trusted():
		return 0
	case x:
		return -1
	}
	return 1
}

// gather divides memories that say the same, in their order, into those that can be one:
// each goes to the first before it that has all that it has. What stays alone is left out.
func gather(same []*item) [][]*item {
	var groups, open [][]*item // open are those that are compared still
	for _, it := range same {
		i := slices.IndexFunc(open, func(g []*item) bool { return holds(g[0], it) })
		if i < 0 {
			i = len(open)
			open = append(open, nil)
		}
		open[i] = append(open[i], it)
		full := len(open[i]) == maxMerged
		if !full {
			if len(open) <= maxRivals {
				continue
			}
			i = 0
		}
		groups = append(groups, open[i])
		open = slices.Delete(open, i, i+1)
	}
	groups = append(groups, open...)
	return slices.DeleteFunc(groups, func(g []*item) bool { return len(g) == 1 })
}

// keeperFirst orders memories by which of two that say the same would stay: the one that
// has more beside its text, then the stronger.
func (p *planner) keeperFirst(a, b *item) int {
	return cmp.Or(cmp.Compare(min(len(b.title), 1), min(len(a.title), 1)), cmp.Compare(len(b.Tags), len(a.Tags)), cmp.Compare(len(b.Links), len(a.Links)),
		cmp.Compare(b.StrengthAt(&p.ceilings, p.at), a.StrengthAt(&p.ceilings, p.at)), compareIDs(a.ID, b.ID))
}

// holds reports whether a memory has all that another has beside its text.
func holds(k, it *item) bool {
	return (it.title == "" || plain(it.title) == plain(k.title)) &&
		!slices.ContainsFunc(it.Tags, func(t string) bool { return !slices.Contains(k.Tags, t) }) &&
		!slices.ContainsFunc(it.Links, func(id hearsay.RecordID) bool { return !slices.Contains(k.Links, id) && id != k.ID })
}

// merged makes a change of each group, of which the first stays.
func (p *planner) merged(groups [][]*item) ([]change, error) {
	var out []change
	for _, all := range groups {
		m, err := p.read(all[0].ID)
		if err != nil {
			return nil, err
		}
		if m == nil {
			continue
		}
		heir, err := p.heir(all)
		if err != nil {
			return nil, err
		}
		out = append(out, change{what: Merge, Consolidation: memory.Consolidation{Of: p.take(all), Doc: m.Doc, Heir: heir}})
	}
	return out, nil
}

// read returns a memory, or nil where it has gone since.
func (p *planner) read(id hearsay.RecordID) (*memory.Memory, error) {
	m, err := p.store.Read(p.ctx, id)
	if errors.Is(err, guard.ErrNotFound) {
		return nil, nil
	}
	return m, err
}

func (p *planner) heir(of []*item) (recall.Memory, error) {
	parents := make([]recall.Memory, len(of))
	for i, it := range of {
		parents[i] = it.Memory
		parents[i].Tags = it.Tags[:min(len(it.Tags), recall.MaxTags)]
	}
	return recall.Heir(&p.ceilings, parents, p.at)
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
