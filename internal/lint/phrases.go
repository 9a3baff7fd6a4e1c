package lint

import (
	_ "embed"
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/internal/textfold"
)

//go:embed phrases.txt
var phrases string

// defaultGap is how many bytes may lie between two phrases of a sequence.
const defaultGap = 32

// rule is one id of phrases.txt and what finding it means.
type rule struct {
	id   string
	kind hearsay.EvidenceKind
}

// sequence is one line of phrases.txt: phrases that must follow each other.
type sequence struct {
	rule  int
	parts int // how many phrases
	place int // where the first phrase's progress is in Scratch
	gap   int
	check check // nil counts always
}

// phrase is one part of a sequence in the form that the automata match.
type phrase struct {
	symbols string // folded; one space for every border and separator, '0' for a digit
	core    string // symbols without the borders
	border  bool   // symbols ends with one
	rule    int
	seq     int
	part    int
}

// catalogue is phrases.txt, read.
type catalogue struct {
	rules     []rule
	sequences []sequence
	phrases   []phrase
	places    int // how many the sequences' progress takes
}

// readCatalogue reads the embedded table, and adds for each English injection
// its letters turned by thirteen.
func readCatalogue(table string) (*catalogue, error) {
	var c catalogue
	n := 0
	for line := range strings.Lines(table) {
		n++
		line = strings.TrimRight(line, "\n")
		if line == "" || line[0] == '#' {
			continue
		}
		f := strings.Split(line, "\t")
		if len(f) != 3 {
			return nil, fmt.Errorf("phrases, line %d: %d fields: want rule, kind and pattern", n, len(f))
		}
		if err := c.add(f[0], f[1], f[2]); err != nil {
			return nil, fmt.Errorf("phrases, line %d: %w", n, err)
		}
	}
	return &c, nil
}

func (c *catalogue) add(id, kind, pattern string) error {
	kind, gap, err := cutGap(kind)
	if err != nil {
		return err
	}
	kind, name, checked := strings.Cut(kind, "?")
	seq := sequence{gap: gap}
	if checked {
		if seq.check = checks[name]; seq.check == nil {
			return fmt.Errorf("no check is called %q", name)
		}
	}
	k, err := parseKind(kind)
	if err != nil {
		return err
	}
	parts := strings.Split(pattern, " … ")
	var alternatives [][]string
	for _, p := range parts {
		choices, err := expand(p)
		if err != nil {
			return err
		}
		alternatives = append(alternatives, choices)
	}
	c.addSequence(rule{id, k}, seq, alternatives, func(s string) string { return s })
	if strings.HasPrefix(id, "injection.en.") {
		c.addSequence(rule{id + "+rot13", k}, seq, alternatives, rot13)
	}
	return nil
}

func (c *catalogue) addSequence(r rule, seq sequence, parts [][]string, spell func(string) string) {
	seq.rule = -1
	for i := range c.rules {
		if c.rules[i] == r {
			seq.rule = i
		}
	}
	if seq.rule < 0 {
		seq.rule = len(c.rules)
		c.rules = append(c.rules, r)
	}
	seq.parts, seq.place = len(parts), c.places
	c.places += len(parts)
	for part, choices := range parts {
		for _, text := range choices {
			s := spell(symbols(text))
			c.phrases = append(c.phrases, phrase{s, strings.Trim(s, " "), s[len(s)-1] == ' ', seq.rule, len(c.sequences), part})
		}
	}
	c.sequences = append(c.sequences, seq)
}

func cutGap(kind string) (rest string, gap int, err error) {
	rest, n, ok := strings.Cut(kind, "~")
	if !ok {
		return rest, defaultGap, nil
	}
	gap, err = strconv.Atoi(n)
	return rest, gap, err
}

func parseKind(s string) (hearsay.EvidenceKind, error) {
	for _, k := range []hearsay.EvidenceKind{hearsay.EvidenceInstruction, hearsay.EvidenceInjection, hearsay.EvidenceSecret} {
		if k.String() == s {
			return k, nil
		}
	}
	return 0, fmt.Errorf("unknown kind %q", s)
}

// expand returns the phrases that a pattern with choices stands for.
func expand(p string) ([]string, error) {
	before, rest, ok := strings.Cut(p, "(")
	if !ok {
		if strings.ContainsAny(p, "()|") || strings.TrimSpace(p) == "" {
			return nil, fmt.Errorf("malformed pattern %q", p)
		}
		return []string{p}, nil
	}
	choices, after, ok := strings.Cut(rest, ")")
	if !ok {
		return nil, fmt.Errorf("a choice without end in %q", p)
	}
	var out []string
	for choice := range strings.SplitSeq(choices, "|") {
		tails, err := expand(before + choice + after)
		if err != nil {
			return nil, err
		}
		out = append(out, tails...)
	}
	return out, nil
}

// symbols turns a phrase into what the automata match.
func symbols(p string) string {
	left, right := !strings.HasPrefix(p, "*"), !strings.HasSuffix(p, "*")
	p = strings.Trim(p, "*")
	first, _ := utf8.DecodeRuneInString(p)
	last, _ := utf8.DecodeLastRuneInString(p)
	left = left && !unspaced(first)
	right = right && !unspaced(last) && !unicode.Is(unicode.Hangul, last) // Korean puts particles after a word
	b := []byte{' '}
	for _, c := range textfold.FoldWords(nil, p) {
		switch {
		case c >= '0' && c <= '9':
			b = append(b, '0')
		case c >= 'a' && c <= 'z' || c >= utf8.RuneSelf:
			b = append(b, c)
		case b[len(b)-1] != ' ':
			b = append(b, ' ')
		}
	}
	if right && b[len(b)-1] != ' ' {
		b = append(b, ' ')
	}
	if !left {
		b = b[1:]
	}
	return string(b)
}

// unspaced reports whether r belongs to a script that puts no spaces between words.
func unspaced(r rune) bool {
	return r >= 0x0E00 && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar)
}

func rot13(s string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' {
			return 'a' + (r-'a'+13)%26
		}
		return r
	}, s)
}
