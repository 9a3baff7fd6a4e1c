package attrib

import (
	"slices"
	"strings"
)

// judge finds the clauses that are not the speaker's own statement.
func (o *outline) judge() {
	o.questions()
	for i := range o.clauses {
		c := &o.clauses[i]
		if reports(c.tokens) {
			o.report = true
			o.voidFrom(c.paragraph)
		}
		if o.turn && handsOver(c) {
			o.report = true
			for j := i; j < len(o.clauses); j++ {
				o.clauses[j].void = true
			}
		}
		if qualifies(c.tokens) {
			for j := i; j >= 0 && (o.clauses[j].paragraph == c.paragraph || j == i-1); j-- {
				o.clauses[j].void = true
			}
		}
		if !hasContent(c.tokens) {
			c.void = true
			if denies(c.tokens) && i+1 < len(o.clauses) {
				o.clauses[i+1].void = true // "Never! Deploy …"
			}
		}
	}
}

// voidFrom voids all from a paragraph on: where someone's words begin is seen, where
// they end is not.
func (o *outline) voidFrom(paragraph int) {
	for i := range o.clauses {
		if o.clauses[i].paragraph >= paragraph {
			o.clauses[i].void = true
		}
	}
}

// questions marks what is asked: a question mark covers all that no point ended.
func (o *outline) questions() {
	asked := false
	for i := len(o.clauses) - 1; i >= 0; i-- {
		c := &o.clauses[i]
		same := i+1 < len(o.clauses) && o.clauses[i+1].paragraph == c.paragraph
		asked = c.end == '?' || asked && same && (c.end == ';' || c.end == 0)
		c.question = asked
	}
}

// reportReach is how many tokens after a subject a verb of saying counts.
const reportReach = 4

// reports reports whether tokens tell what someone else says, writes or wants, or
// what is only supposed.
func reports(tokens []string) bool {
	last := -reportReach // of a token that names someone else
	for i, t := range tokens {
		switch {
		case reporting.has(t) && (i == 0 || tokens[i-1] != "i"):
			return true
		case reportingBase.has(t) && i-last < reportReach:
			return true
		case others.has(t):
			last = i
		}
	}
	joined := strings.Join(tokens, "")
	for _, s := range reportingChars {
		if strings.Contains(joined, s) {
			return true
		}
	}
	return false
}

// handsOver reports whether a clause gives the agent a text to work on, so that what
// follows it is likely not the user's: "summarise this", "here is the mail", an address.
func handsOver(c *clause) bool {
	t := c.tokens
	if announces(t) {
		return false
	}
	points, document, working, here := false, false, false, false
	for i, w := range t {
		switch {
		case placing.has(w):
			return true
		case handing.has(w) && i < 5:
			return true
		}
		points = points || pointing.has(w)
		document = document || documents.has(w)
		working = working || workingOn.has(w)
		here = here || w == "here"
	}
	joined := strings.Join(t, "")
	for _, s := range handingChars {
		if strings.Contains(joined, s) {
			return true
		}
	}
	alone := len(t) == 1 && strings.Contains(t[0], "://")
	ends := c.last && (points && working || document && (points || here)) // what it points to is on the next line
	return alone || here && document || ends || points && t[len(t)-1] == colon
}

// qualifies reports whether tokens take back or limit what was said before them.
func qualifies(tokens []string) bool {
	if len(tokens) == 0 {
		return false
	}
	if qualifying.has(tokens[0]) {
		return true
	}
	for _, p := range qualifyingPhrases() {
		if hasPrefix(tokens, p) {
			return true
		}
	}
	return conditional.has(tokens[0]) && !slices.Contains(tokens, comma) || !hasContent(tokens) && denies(tokens)
}

// denies reports whether tokens hold a negation that is no interjection.
func denies(tokens []string) bool {
	for _, t := range tokens {
		if negation.has(t) && !interjection.has(t) {
			return true
		}
	}
	return false
}

func hasPrefix(tokens, p []string) bool {
	if len(p) == 0 || len(tokens) < len(p) {
		return false
	}
	return slices.Equal(tokens[:len(p)], p)
}

// hasContent reports whether tokens say something by themselves: a word beside
// function words, framing and light verbs.
func hasContent(tokens []string) bool {
	points := false
	for _, t := range tokens {
		points = points || pointing.has(t)
	}
	for _, t := range tokens {
		switch {
		case t == colon, t == comma, t == breakMark, function.has(t), framing.has(t), keeping.has(t), interjection.has(t), pointing.has(t):
		case points && light.has(t):
		default:
			return true
		}
	}
	return false
}

// mostAnnounce is how many tokens a heading or the like may have.
const mostAnnounce = 10

// announces reports whether tokens only say that something follows. In a text such
// clauses are passed over, so no words count that could order something.
func announces(tokens []string) bool {
	if len(tokens) > mostAnnounce {
		return false
	}
	for _, t := range tokens {
		if t != colon && t != comma && !framing.has(t) && !announcing.has(t) {
			return false
		}
	}
	return true
}
