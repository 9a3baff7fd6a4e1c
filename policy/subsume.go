package policy

import (
	"regexp"
	"slices"

	"github.com/hearsay-memory/hearsay"
)

// firstCovering returns the first rule before rules[i] that matches whenever
// rules[i] does, or -1. It is sound and not complete: each term is compared with
// its own kind, so two rules that cover a third only together are not found.
func firstCovering(rules []rule, i int) int {
	for j := range i {
		// A rule on tags lets the ones below it be read.
		if len(rules[j].when.tags) == 0 && wider(&rules[j], &rules[i]) {
			return j
		}
	}
	return -1
}

// wider reports whether a matches every write that b matches.
func wider(a, b *rule) bool {
	v, w := &a.when, &b.when
	return implied(v.mismatch, w.mismatch) && implied(v.session, w.session) &&
		(!v.hasLow || v.low == hearsay.External || w.hasLow && w.low >= v.low) &&
		(!v.hasHigh || v.high == hearsay.User || w.hasHigh && w.high <= v.high) &&
		widerTaint(v, w) &&
		widerList(v.sources, w.sources) && widerList(v.kinds, w.kinds) && widerList(v.agents, w.agents) &&
		widerList(v.tools, w.tools) && widerList(v.surfaces, w.surfaces) &&
		widerPrefixes(v.prefixes, w.prefixes) && widerContent(a, b)
}

// implied reports whether what b asks for is enough for a.
func implied(a, b tri) bool { return a == absent || a == b }

// widerList reports whether every name that b admits, a admits; an empty list
// admits all.
func widerList(a, b []string) bool {
	return len(a) == 0 || len(b) > 0 && coversAll(a, b)
}

// coversAll reports whether each of the names is covered by one of the patterns.
func coversAll(patterns, names []string) bool {
	for _, n := range names {
		if !slices.ContainsFunc(patterns, func(p string) bool { return covers(p, n) }) {
			return false
		}
	}
	return true
}

// widerTaint reports whether every taint that b admits, a admits.
func widerTaint(a, b *when) bool {
	if a.hasOnly && !(b.hasOnly && coversAll(a.only, b.only)) {
		return false
	}
	for _, t := range a.all {
		if !slices.ContainsFunc(b.all, func(have string) bool { return covers(t, have) }) {
			return false
		}
	}
	if len(a.any) == 0 {
		return true
	}
	// Some tag that b requires satisfies a: each of b's any, or one of b's all.
	if len(b.any) > 0 && coversAll(a.any, b.any) {
		return true
	}
	return slices.ContainsFunc(b.all, func(have string) bool { return coversAll(a.any, []string{have}) })
}

// widerPrefixes reports whether each namespace under one of b's is under one of
// a's; no prefixes admit every namespace.
func widerPrefixes(a, b []hearsay.Namespace) bool {
	if len(a) == 0 {
		return true
	}
	for _, p := range b {
		if !underAny(p, a) {
			return false
		}
	}
	return len(b) > 0
}

// widerContent reports whether every text that b matches, a matches.
func widerContent(a, b *rule) bool {
	c, d := &a.when.content, &b.when.content
	if c.empty() {
		return true
	}
	if d.empty() || d.classes&^c.classes != 0 {
		return false
	}
	// The two kinds of action heed evidence and long text differently.
	if (a.action == hearsay.Allow) != (b.action == hearsay.Allow) {
		return false
	}
	for _, re := range d.regexps {
		if !slices.ContainsFunc(c.regexps, func(have *regexp.Regexp) bool { return have.String() == re.String() }) {
			return false
		}
	}
	return true
}
