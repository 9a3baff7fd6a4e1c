package sleep

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
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

	maxPruned  = 500   // memories of one change
	maxMerged  = 64    // memories of one change
	maxRivals  = 8     // texts that one is compared with, in a bucket
	maxCompare = 5_000 // texts that are compared in full
)

// planner makes a plan of what was seen. It reads texts again where two have to be compared.
type planner struct {
	ctx      context.Context
	store    *memory.Store
	ceilings hearsay.Ceilings
	at       time.Time
	seen     sight

	taken    map[hearsay.RecordID]bool
	compared int
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

// merge finds memories that say the same, or nearly: of one label, namespace, project,
// kind, form, weight and subject. The one that says most stays, as it is.
func (p *planner) merge() ([]change, error) {
	type bucket struct {
		group [16]byte
		by    [16]byte
		band  int
	}
	buckets := make(map[bucket][]*item)
	put := func(b bucket, it *item) { buckets[b] = append(buckets[b], it) }
	for i := range p.seen.items {
		it := &p.seen.items[i]
		if it.kept() || it.Vetted || it.settled || it.words == 0 || it.Prunable(&p.ceilings, p.at, Floor) {
			continue
		}
		put(bucket{group: it.group, by: it.said, band: bands}, it)
		if it.words >= nearLeast {
			for band, v := range it.sketch {
				b := bucket{group: it.group, band: band}
				for i := range 8 {
					b.by[i] = byte(v >> (8 * i))
				}
				put(b, it)
			}
		}
	}
	// A bucket of equal words first, then those of like ones; each in an order of its own
	// that nothing but its memories decides.
	var order []bucket
	for b, list := range buckets {
		if len(list) > 1 {
			order = append(order, b)
			slices.SortFunc(list, p.keeperFirst)
		}
	}
	slices.SortFunc(order, func(a, b bucket) int {
		// What strangers wrote comes last: it cannot use up the comparisons.
		x, y := buckets[a][0], buckets[b][0]
		return cmp.Or(trustedFirst(x, y), cmp.Compare(y.Label.Origin, x.Label.Origin), cmp.Compare(b.band, a.band), compareIDs(x.ID, y.ID), cmp.Compare(string(a.by[:]), string(b.by[:])))
	})
	into := make(map[*item][]*item)
	gone := make(map[*item]bool)
	for _, b := range order {
		if err := p.gather(buckets[b], into, gone); err != nil {
			return nil, err
		}
	}
	return p.merged(into)
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

// gather merges what of a bucket says the same, in its order: each memory into the first
// before it that says all that it does.
func (p *planner) gather(bucket []*item, into map[*item][]*item, gone map[*item]bool) error {
	var keepers []*item
	for _, it := range bucket {
		if gone[it] {
			continue
		}
		k, err := p.keeper(keepers, it)
		if err != nil {
			return err
		}
		if k == nil {
			if len(keepers) == maxRivals {
				keepers = slices.Delete(keepers, 0, 1)
			}
			keepers = append(keepers, it)
			continue
		}
		into[k] = append(append(into[k], it), into[it]...)
		delete(into, it)
		gone[it] = true
		if len(into[k]) >= maxMerged {
			keepers = slices.DeleteFunc(keepers, func(x *item) bool { return x == k })
		}
	}
	return nil
}

// keeper returns the first of some memories that says all that another does; nil: none.
func (p *planner) keeper(of []*item, it *item) (*item, error) {
	for _, k := range of {
		if !p.holds(k, it) {
			continue
		}
		if k.said == it.said {
			return k, nil
		}
		if ok, err := p.covers(k, it); ok || err != nil {
			return k, err
		}
	}
	return nil, nil
}

// keeperFirst orders memories by which of two that say the same would stay: the one that
// says more, then the stronger.
func (p *planner) keeperFirst(a, b *item) int {
	return cmp.Or(cmp.Compare(b.words, a.words), cmp.Compare(len(b.Tags), len(a.Tags)), cmp.Compare(len(b.Links), len(a.Links)),
		cmp.Compare(b.StrengthAt(&p.ceilings, p.at), a.StrengthAt(&p.ceilings, p.at)), compareIDs(a.ID, b.ID))
}

// holds reports whether a memory has all that another says beside its text.
func (p *planner) holds(k, it *item) bool {
	return (it.title == "" || strings.EqualFold(it.title, k.title)) &&
		!slices.ContainsFunc(it.Tags, func(t string) bool { return !slices.Contains(k.Tags, t) }) &&
		!slices.ContainsFunc(it.Links, func(id hearsay.RecordID) bool { return !slices.Contains(k.Links, id) && id != k.ID })
}

// covers compares two texts in full, as often as a run may.
func (p *planner) covers(long, short *item) (bool, error) {
	if p.compared >= maxCompare || float64(short.words) < nearPart*float64(long.words) {
		return false, nil
	}
	p.compared++
	a, err := p.read(long.ID)
	if a == nil || err != nil {
		return false, err
	}
	b, err := p.read(short.ID)
	if b == nil || err != nil {
		return false, err
	}
	return covers(wordsOf(a.Text), wordsOf(b.Text)), nil
}

// merged makes changes of what goes into what.
func (p *planner) merged(into map[*item][]*item) ([]change, error) {
	keepers := make([]*item, 0, len(into))
	for k, others := range into {
		if len(others) > 0 {
			keepers = append(keepers, k)
		}
	}
	slices.SortFunc(keepers, func(a, b *item) int { return compareIDs(a.ID, b.ID) })
	var out []change
	for _, k := range keepers {
		all := append([]*item{k}, into[k]...)
		m, err := p.read(k.ID)
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
