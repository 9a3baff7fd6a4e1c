package attrib

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/hearsay-memory/hearsay/internal/textfold"
)

// Tokens that stand for signs and persons. Plain text has no control characters, so
// no word of a text is one of them.
const (
	colon     = "\x02:"
	comma     = "\x02,"
	dash      = "\x02-"
	breakMark = "\x02/"
	person    = "\x02i"  // the user
	persons   = "\x02my" // the user's
	agent     = "\x02you"
	agents    = "\x02your"
)

// lex cuts plain text into tokens: words as they compare, literals as they are, one
// token for each character of a script without spaces, and colons, commas and dashes.
func lex(s string) []string {
	var out []string
	s = emphasis(s)
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		switch {
		case unicode.IsSpace(r):
			i += size
			continue
		case unspaced(r):
			out = append(out, s[i:i+size])
			i += size
			continue
		}
		start := i
		for i < len(s) {
			r, size := utf8.DecodeRuneInString(s[i:])
			if unicode.IsSpace(r) || unspaced(r) {
				break
			}
			i += size
		}
		out = appendChunk(out, s[start:i])
	}
	return out
}

// emphasis takes pairs of ** off words. Between letters, or beside a slash, they are
// a power or a glob.
func emphasis(s string) string {
	n := strings.Count(s, "**")
	if n == 0 || n%2 != 0 {
		return s
	}
	for i := 0; i+1 < len(s); i++ {
		if s[i] != '*' || s[i+1] != '*' {
			continue
		}
		before, after := i > 0 && s[i-1] != ' ', i+2 < len(s) && s[i+2] != ' '
		if before && (s[i-1] == '/' || after && wordByte(s[i-1]) && wordByte(s[i+2])) || after && strings.IndexByte("/.*", s[i+2]) >= 0 {
			return s
		}
		i++
	}
	return strings.ReplaceAll(s, "**", "")
}

func appendChunk(out []string, w string) []string {
	if strings.Trim(w, "-") == "" {
		return append(out, dash)
	}
	w = strings.TrimLeft(w, "([{`,;:")
	var tail string
	for w != "" {
		c := w[len(w)-1]
		if strings.IndexByte(")]}`,;:.!?", c) < 0 || closes(w, c) {
			break
		}
		w, tail = w[:len(w)-1], w[len(w)-1:]+tail
	}
	if w != "" {
		out = appendWord(out, w)
	}
	switch {
	case strings.Contains(tail, ":"):
		out = append(out, colon)
	case strings.Contains(tail, ","):
		out = append(out, comma)
	}
	return out
}

// closes reports whether c, which ends w, closes a bracket that w opens.
func closes(w string, c byte) bool {
	switch c {
	case ')':
		return strings.IndexByte(w, '(') >= 0
	case ']':
		return strings.IndexByte(w, '[') >= 0
	case '}':
		return strings.IndexByte(w, '{') >= 0
	}
	return false
}

// appendWord appends what a word without its punctuation compares as.
func appendWord(out []string, w string) []string {
	c := compare(w)
	if c == "" {
		return out
	}
	if strings.IndexByte(c, '\'') < 0 {
		if c == "cannot" {
			return append(out, "can", "not")
		}
		return append(out, c)
	}
	if two, ok := contractions[c]; ok {
		return append(out, two[0], two[1])
	}
	if base, ok := strings.CutSuffix(c, "n't"); ok && base != "" {
		return append(out, base, "not")
	}
	for _, e := range endings {
		if base, ok := strings.CutSuffix(c, e[0]); ok && base != "" {
			return append(out, base, e[1])
		}
	}
	return append(out, c)
}

var contractions = map[string][2]string{
	"can't": {"can", "not"}, "won't": {"will", "not"}, "shan't": {"shall", "not"}, "ain't": {"be", "not"},
	"it's": {"it", "be"}, "that's": {"that", "be"}, "what's": {"what", "be"}, "there's": {"there", "be"},
	"here's": {"here", "be"}, "he's": {"he", "be"}, "she's": {"she", "be"}, "let's": {"let", "us"},
}

var endings = [][2]string{{"'m", "be"}, {"'re", "be"}, {"'ve", "have"}, {"'ll", "will"}, {"'d", "would"}}

// compare returns the form in which a word is compared. Words fold case, width and
// accents; letters that only look like others stay apart, because in an address they
// lead elsewhere. Literals, which have digits or punctuation inside, fold case alone,
// and paths, addresses and names in code not even that.
func compare(w string) string {
	if textfold.ASCII(w) {
		if literalWord(w) && strings.ContainsAny(w, `/\@=$_`) {
			return w
		}
		return strings.ToLower(w)
	}
	if literalWord(w) {
		return w
	}
	folded := string(textfold.Fold(nil, w))
	for _, r := range w {
		if r >= utf8.RuneSelf && !accented(r) {
			return folded + "\x01" + strings.ToLower(w)
		}
	}
	return folded
}

// literalWord reports whether w has digits or punctuation other than ' and - inside.
func literalWord(w string) bool {
	for _, r := range w {
		if r < utf8.RuneSelf && r != '\'' && r != '-' && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z') || unicode.IsDigit(r) {
			return true
		}
	}
	return false
}

// accented reports whether r is a Latin letter with an accent, a wide one, or an accent.
func accented(r rune) bool {
	return r >= 0xC0 && r <= 0x17F || r >= 0x1E00 && r <= 0x1EFF || r >= 0x300 && r <= 0x36F ||
		r >= 0xFF21 && r <= 0xFF3A || r >= 0xFF41 && r <= 0xFF5A
}

// unframe returns the tokens of a sentence without what only frames it: clauses set
// apart by commas, and phrases at its front. Interjections are framing in a turn, not
// in a text: there they could answer a question. Where nothing else is said, all stays.
func unframe(s string, turn bool) []string {
	all := lex(s)
	tokens := all
	for {
		before := len(tokens)
		if i := index(tokens, separates); i >= 0 && frames(tokens[:i], turn) {
			tokens = tokens[i+1:]
		}
		if i := lastIndex(tokens, separates); i >= 0 && frames(tokens[i+1:], turn) {
			tokens = tokens[:i]
		}
		tokens = afterFront(tokens)
		if n := len(tokens); n > 1 && (tokens[n-1] == "please" || turn && tokens[n-1] == "thanks") {
			tokens = tokens[:n-1]
		}
		if len(tokens) == before {
			break
		}
	}
	if !hasContent(tokens) {
		return all
	}
	return tokens
}

// afterFront returns tokens without a framing phrase that they begin with.
func afterFront(tokens []string) []string {
	n := firstOf(frontPhrases, tokens)
	if m := firstOf(frontNouns, tokens); m > n && m < len(tokens) && (tokens[m] == colon || separates(tokens[m]) || frontNext.has(tokens[m])) {
		n = m
	}
	rest := tokens[n:]
	if n > 0 && len(rest) > 0 && (rest[0] == colon || separates(rest[0])) {
		rest = rest[1:]
	}
	if !hasContent(rest) {
		return tokens
	}
	return rest
}

func separates(t string) bool { return t == comma || t == dash }

func frames(tokens []string, turn bool) bool {
	if len(tokens) == 0 {
		return true
	}
	if framingClauses.has(strings.Join(tokens, " ")) {
		return true
	}
	for _, t := range tokens {
		if !turn || !interjection.has(t) {
			return false
		}
	}
	return true
}

func index(tokens []string, is func(string) bool) int {
	for i, t := range tokens {
		if is(t) {
			return i
		}
	}
	return -1
}

func lastIndex(tokens []string, is func(string) bool) int {
	for i := len(tokens) - 1; i >= 0; i-- {
		if is(tokens[i]) {
			return i
		}
	}
	return -1
}
