package policy

import (
	"iter"
	"slices"

	"github.com/hearsay-memory/hearsay"
)

// contexts yields at most so many writes without a label that the rules can tell
// apart: first, for each rule, one that meets its terms, then the combinations of
// the names that the rules hold.
func contexts(p *Policy, most int) iter.Seq[Write] {
	return func(yield func(Write) bool) {
		left := max(most, 1)
		for i := range p.rules {
			own := axesOf(p.rules[i : i+1])
			if left--; left < 0 || !yield(own.write(0)) {
				return
			}
		}
		all := axesOf(p.rules)
		for i := range min(all.size(), left) {
			if !yield(all.write(i)) {
				return
			}
		}
	}
}

// axes are the values that the rules tell apart for each thing that is known of
// a write beside its label. The last of each list is one that no rule names.
type axes struct {
	sources, kinds, agents, tools, surfaces []string
	namespaces                              []hearsay.Namespace
	tags                                    [][]string
	texts                                   [][]byte
}

func axesOf(rules []rule) *axes {
	var a axes
	var tags []string
	scanned := false
	for i := range rules {
		w := &rules[i].when
		addSamples(&a.sources, w.sources)
		addSamples(&a.kinds, w.kinds)
		addSamples(&a.agents, w.agents)
		addSamples(&a.tools, w.tools)
		addSamples(&a.surfaces, w.surfaces)
		addSamples(&tags, w.tags)
		a.namespaces = append(a.namespaces, w.prefixes...)
		scanned = scanned || len(w.content.regexps) > 0
	}
	for _, list := range []*[]string{&a.sources, &a.kinds, &a.agents, &a.tools, &a.surfaces} {
		*list = append(*list, fresh)
	}
	a.namespaces = append(a.namespaces, hearsay.Namespace{fresh})
	if len(tags) > 0 {
		a.tags = append(a.tags, tags)
	}
	a.tags = append(a.tags, nil)
	if scanned {
		a.texts = append(a.texts, make([]byte, maxScan+1))
	}
	a.texts = append(a.texts, nil)
	return &a
}

// addSamples adds a name for each term that the list does not have yet.
func addSamples(list *[]string, terms []string) {
	for _, t := range terms {
		if s := sample(t); !slices.Contains(*list, s) {
			*list = append(*list, s)
		}
	}
}

// size is the number of combinations; it saturates.
func (a *axes) size() int {
	size := 1
	for _, n := range []int{
		len(a.sources), len(a.namespaces), len(a.kinds), len(a.tags), len(a.texts), len(a.agents), len(a.tools), len(a.surfaces),
	} {
		if size *= n; size > maxDecisions {
			return maxDecisions
		}
	}
	return size
}

// write returns the i-th combination; the 0th takes the first of every list.
func (a *axes) write(i int) Write {
	pick := func(n int) int {
		at := i % n
		i /= n
		return at
	}
	return Write{
		Source:    a.sources[pick(len(a.sources))],
		Namespace: a.namespaces[pick(len(a.namespaces))],
		Kind:      a.kinds[pick(len(a.kinds))],
		Tags:      a.tags[pick(len(a.tags))],
		Text:      a.texts[pick(len(a.texts))],
		Agent:     a.agents[pick(len(a.agents))],
		Tool:      a.tools[pick(len(a.tools))],
		Surface:   hearsay.Surface(a.surfaces[pick(len(a.surfaces))]),
	}
}
