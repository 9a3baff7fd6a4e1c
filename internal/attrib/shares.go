package attrib

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// mostWords bounds what a Share quotes, and mostQuote the bytes of each quote.
const (
	mostWords = 8
	mostQuote = 160
)

// mostAsked bounds the fingerprints of a text that are looked for. A text that has
// more shares with everything.
const mostAsked = 1 << 20

// question is one fingerprint of the text that is asked about.
type question struct {
	print      uint32
	strength   strength
	start, end int
}

type questions struct{ all []question }

func (q *questions) found(print uint32, st strength, start, end int) bool {
	q.all = append(q.all, question{print, st, start, end})
	return len(q.all) < mostAsked
}

// shares returns what text shares with each of seen.
func (s *secrets) shares(text string, seen []Seen) []Share {
	if len(seen) == 0 {
		return nil
	}
	var q questions
	complete := !s.zero && s.scan(text, &q)
	var out []Share
	for i := range seen {
		p := &seen[i].Prints
		if !complete || !p.told || p.id != s.id {
			out = append(out, Share{Index: i})
			continue
		}
		if sh, ok := q.within(p, text); ok {
			sh.Index = i
			out = append(out, sh)
		}
	}
	return out
}

// within finds the fingerprints that p has.
func (q *questions) within(p *Prints, text string) (Share, bool) {
	var sh Share
	var hits []question
	for _, a := range q.all {
		if p.has(a.print) {
			hits = append(hits, a)
			sh.Certainty = max(sh.Certainty, a.strength)
		}
	}
	if len(hits) == 0 {
		return sh, false
	}
	slices.SortStableFunc(hits, func(a, b question) int { return a.start - b.start })
	for i := 0; i < len(hits) && len(sh.Words) < mostWords; {
		start, end := hits[i].start, hits[i].end
		for i++; i < len(hits) && hits[i].start < end; i++ {
			end = max(end, hits[i].end)
		}
		sh.Words = append(sh.Words, quote(text[start:end]))
	}
	return sh, true
}

// quote returns a copy of s, cut to a length that a person reads, in valid UTF-8.
func quote(s string) string {
	if len(s) > mostQuote {
		end := mostQuote
		for end > 0 && !utf8.RuneStart(s[end]) {
			end--
		}
		s = s[:end] + "…"
	}
	return strings.ToValidUTF8(strings.Clone(s), "\uFFFD")
}
