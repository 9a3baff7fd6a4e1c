package mcp

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
)

// phrase is a line that a server is known to say by itself, taken apart at its gaps: * is
// any text, ? is one word, which says nothing where no others can stand beside it.
type phrase struct {
	parts []string // around the gaps
	word  []bool   // of each gap
	fixed int      // bytes of the parts
}

// maxGaps bounds the gaps of a phrase.
const maxGaps = 8

func parsePhrase(text string) (phrase, error) {
	var ph phrase
	rest := text
	for {
		i := strings.IndexAny(rest, "*?")
		if i < 0 {
			break
		}
		ph.parts, ph.word = append(ph.parts, rest[:i]), append(ph.word, rest[i] == '?')
		rest = rest[i+1:]
	}
	ph.parts = append(ph.parts, rest)
	ph.fixed = len(text) - len(ph.word)
	switch {
	case strings.TrimSpace(text) != text || strings.Contains(text, "\n"):
		return phrase{}, fmt.Errorf("%q: want one line without white space around it", text)
	case strings.TrimSpace(strings.Join(ph.parts, "")) == "":
		return phrase{}, fmt.Errorf("%q would be any line", text)
	case len(ph.word) > maxGaps:
		return phrase{}, fmt.Errorf("%q has more than %d gaps", text, maxGaps)
	}
	if slices.Contains(ph.parts[1:max(len(ph.parts)-1, 1)], "") {
		return phrase{}, fmt.Errorf("%q: two gaps need something between them", text)
	}
	return ph, nil
}

// match gives the texts in the gaps: each is as short as can be, the last takes the rest.
// It is false where a gap for a word holds more.
func (p phrase) match(text string) (gaps []string, ok bool) {
	rest, ok := strings.CutPrefix(text, p.parts[0])
	if !ok || len(p.word) == 0 {
		return nil, ok && rest == ""
	}
	var all []string
	last := len(p.word) - 1
	for _, between := range p.parts[1 : last+1] {
		gap, after, ok := strings.Cut(rest, between)
		if !ok {
			return nil, false
		}
		all, rest = append(all, gap), after
	}
	gap, ok := strings.CutSuffix(rest, p.parts[last+1])
	if !ok {
		return nil, false
	}
	for i, gap := range append(all, gap) {
		switch {
		case !p.word[i]:
			gaps = append(gaps, gap)
		case !isWord(gap):
			return nil, false
		}
	}
	return gaps, true
}

func isLetterOrDigit(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }
