package recall

import (
	"slices"

	"github.com/hearsay-memory/hearsay"
)

// Context is what a session is about. It comes from the surface, like a caller. The
// zero value says nothing, and then nothing overlaps with it.
type Context struct {
	Project   string
	Namespace hearsay.Namespace
	Tags      []string // of what the session works on; repeated ones count once
}

// Overlap returns how much of m lies in the context, 0 … 1: the mean over what the
// context states of
//
//	project     1 if it is the same, else 0
//	namespace   the first segments that both share, over those of the context
//	tags        the tags that both have, over those that either has
func (x Context) Overlap(m Memory) float64 {
	p := x.prepare()
	return p.overlap(&m)
}

// prepared is a [Context] for many memories.
type prepared struct {
	Context
	tags map[string]bool
}

func (x Context) prepare() prepared {
	p := prepared{Context: x, tags: make(map[string]bool, len(x.Tags))}
	for _, t := range x.Tags {
		p.tags[t] = true
	}
	return p
}

func (p *prepared) overlap(m *Memory) float64 {
	sum, stated := 0.0, 0
	if p.Project != "" {
		stated++
		if p.Project == m.Project {
			sum++
		}
	}
	if n := len(p.Namespace); n > 0 {
		stated++
		sum += float64(sharedSegments(p.Namespace, m.Namespace)) / float64(n)
	}
	if n := len(p.tags); n > 0 {
		stated++
		both, own := 0, 0
		for i, t := range m.Tags[:min(len(m.Tags), MaxTags)] {
			if slices.Contains(m.Tags[:i], t) {
				continue
			}
			own++
			if p.tags[t] {
				both++
			}
		}
		sum += float64(both) / float64(n+own-both)
	}
	if stated == 0 {
		return 0
	}
	return sum / float64(stated)
}

// sharedSegments returns how many first segments a and b have in common.
func sharedSegments(a, b hearsay.Namespace) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}
