package detect

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hearsay-memory/hearsay"
)

// The weights of a drip: what an origin may write in a day makes the whole line, so that
// a mixture of origins is weighed by each one's share. All of low trust.
const dripLine = BurstExternal * BurstTool

func dripWeight(m *Memory) int { return dripLine / burstLine(voice(m.Label)) }

// drips finds what stays below the line of a burst for weeks: memories of low trust of one
// source, one session or one tag that within 30 days make what would be a burst in one,
// on different days; and of an origin as a whole, whatever it varies, three times as much.
func (f *finder) drips() {
	// Groups that overlap are one finding: who gives each memory many tags makes no more
	// of them.
	u := newUnion(len(f.low))
	hit := make([]bool, len(f.low))
	for _, g := range f.dripGroups() {
		ms := pick(f.low, g)
		for _, run := range runs(ms, span{window: DripWindow, line: dripLine, days: DripDays, weight: dripWeight}) {
			first := slices.Index(ms, run[0])
			for _, i := range g[first : first+len(run)] {
				u.join(g[first], i)
				hit[i] = true
			}
		}
	}
	for _, set := range u.sets(DripDays) {
		if !hit[set[0]] {
			continue
		}
		ms := pick(f.low, set)
		f.about(Finding{
			Rule: RuleDrip, Level: worst(ms),
			Text: fmt.Sprintf("%d memories of low trust of one source, session or tag, spread over days", len(ms)),
		}, "group", ms)
	}
	for o := hearsay.External; o <= hearsay.Tool; o++ {
		var ms []*Memory
		for _, m := range f.low {
			if voice(m.Label) == o {
				ms = append(ms, m)
			}
		}
		for _, run := range runs(ms, span{window: DripWindow, line: DripAll * dripLine, days: DripDays, weight: dripWeight}) {
			f.about(Finding{
				Rule: RuleDrip, Level: Note,
				Text: fmt.Sprintf("%d memories of %s origin, from whatever source, spread over days", len(run), o),
			}, "origin", run)
		}
	}
}

// dripGroups returns the groups of low by source, by session and by tag that are large
// enough to matter.
func (f *finder) dripGroups() [][]int {
	type key struct {
		kind byte
		a, b string
		tag  int32
	}
	number := make(map[key]int32)
	var groups [][]int
	var size []int
	all := make([]int32, 0, 4*len(f.low)) // of each memory in turn: how many groups, and which
	for i, m := range f.low {
		at := len(all)
		all = append(all, 0)
		put := func(k key) {
			n, ok := number[k]
			if !ok {
				n = int32(len(size))
				number[k] = n
				size = append(size, 0)
			}
			size[n]++
			all[at]++
			all = append(all, n)
		}
		put(key{kind: 's', a: m.Source.BaseType(), b: place(m.Source)})
		if m.Session != "" {
			put(key{kind: 'i', a: m.Session})
		}
		for _, t := range f.tags[i] {
			if f.tagged[t] >= DripDays {
				put(key{kind: 't', tag: t})
			}
		}
	}
	groups = make([][]int, len(size))
	for i := range f.low {
		n := all[0]
		for _, g := range all[1 : 1+n] {
			if size[g] >= DripDays {
				groups[g] = append(groups[g], i)
			}
		}
		all = all[1+n:]
	}
	return slices.DeleteFunc(groups, func(g []int) bool { return len(g) == 0 })
}

// place is where a source is, without what its owner can vary for nothing: the host of a
// URL, else the ref, else who wrote it.
func place(s hearsay.Source) string {
	ref := s.Ref
	if _, rest, ok := strings.Cut(ref, "://"); ok {
		host := strings.TrimLeft(rest, "/")
		if i := strings.IndexAny(host, "/?#\\"); i >= 0 {
			host = host[:i]
		}
		return site(host[strings.LastIndexByte(host, '@')+1:])
	}
	if ref != "" {
		return ref
	}
	return s.Actor
}

// site is a host without its port, and without all but the last two labels of its name:
// who has a name has every name below it. That makes one of many names below a public
// suffix such as co.uk, which finds more and not less.
func site(host string) string {
	host = strings.TrimSuffix(strings.ToLower(host), ".")
	if i := strings.LastIndexByte(host, ':'); i >= 0 && !strings.HasSuffix(host, "]") {
		host = host[:i]
	}
	labels := strings.Split(host, ".")
	if n := len(labels); n > 2 && labels[n-1] != "" && (labels[n-1][0] < '0' || labels[n-1][0] > '9') {
		labels = labels[n-2:]
	}
	return strings.Join(labels, ".")
}
