package lint

import "strings"

// check decides whether the phrases of a sequence count. after is where the
// first phrase ends; the last one is text[start:end]. It looks at a few bytes of
// text, or remembers in Scratch what it has read, so that the scan stays linear.
type check func(s *Scratch, text string, after, start, end int) bool

// checks are the names that phrases.txt may use after a question mark.
var checks = map[string]check{
	"destination": destination,
	"piped":       piped,
	"substituted": substituted,

	"aws":          (&keyShape{[]string{"AKIA", "ASIA"}, upperDigit, 16, 16, false}).check,
	"github":       (&keyShape{[]string{"ghp_", "gho_", "ghu_", "ghs_", "ghr_"}, alnum, 36, 255, false}).check,
	"github-fine":  (&keyShape{[]string{"github_pat_"}, alnumLine, 50, 255, true}).check,
	"sk":           (&keyShape{[]string{"sk-"}, alnumDash, 20, 255, true}).check,
	"stripe":       (&keyShape{[]string{"sk_live_", "rk_live_"}, alnum, 16, 255, false}).check,
	"slack":        (&keyShape{[]string{"xoxa-", "xoxb-", "xoxe-", "xoxp-", "xoxr-", "xoxs-"}, alnumDash, 20, 255, true}).check,
	"google":       (&keyShape{[]string{"AIza"}, alnumDash, 35, 35, true}).check,
	"gitlab":       (&keyShape{[]string{"glpat-"}, alnumDash, 20, 255, true}).check,
	"npm":          (&keyShape{[]string{"npm_"}, alnum, 36, 36, true}).check,
	"hugging-face": (&keyShape{[]string{"hf_"}, alnum, 30, 255, true}).check,
	"age":          (&keyShape{[]string{"AGE-SECRET-KEY-1"}, upperDigit, 58, 58, false}).check,
	"pem":          pemHeader,
}

// reach is how far behind the last phrase an address may begin.
const reach = 120

// destination reports whether an address stands between the verb and a little
// after the noun.
func destination(s *Scratch, text string, after, _, end int) bool {
	return s.scheme.next(text, "://", after) < end+reach || s.mailbox.next(text, "@", after) < end+reach
}

// finder remembers where a separator of addresses was found, so that many
// questions about one stretch of text read it once. The zero value knows nothing.
type finder struct{ from, found int }

// next returns where sep first stands in text at from or later, or past every
// window if it does not.
func (f *finder) next(text, sep string, from int) int {
	if from < f.from || from > f.found || f.found == 0 {
		f.from, f.found = from, len(text)+reach+1
		if i := strings.Index(text[from:], sep); i >= 0 {
			f.found = from + i
		}
	}
	return f.found
}

// substituted reports whether a download's output becomes part of a shell's
// command line: bash <(curl …), eval "$(curl …)", iex (iwr …).
func substituted(_ *Scratch, text string, after, start, _ int) bool {
	bracket := false
	for i := after; i < start; i++ { // no longer than the gap of the rule
		switch text[i] {
		case '`':
			return true
		case '(':
			if i > after && (text[i-1] == '$' || text[i-1] == '<') {
				return true
			}
			bracket = true
		}
	}
	if !bracket {
		return false
	}
	word := strings.ToLower(text[max(0, after-3):after])
	return word == "iex" || word == "ion"
}
