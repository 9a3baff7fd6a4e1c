package shell

import "strings"

// The bounds of an analysis. What is over one of them is opaque.
const (
	maxCommand = 1 << 20 // bytes of a command
	maxNesting = 4000    // places in a text where the parser may go one level deeper
	maxDepth   = 48      // commands within commands, calls within calls
	maxFound   = 4096    // paths or sources in one list
	maxWords   = 256     // words that one word may become
	maxText    = 1 << 20 // bytes of a text that flows from one command to another
	maxValue   = 1 << 16 // bytes of one word
	maxPath    = 4096    // bytes of a path; systems take no longer ones
	maxChoices = 8       // values that a variable, or the directory, may have

	// The work that a command may cause, in bytes of words looked at: so much,
	// and so many times its length.
	baseWork = 1 << 17
	workRate = 16
	perStep  = 24 // what one command costs beside its words
	perWord  = 8  // what one word costs beside its bytes
)

// nesting is an upper bound of how deep the parser can go into a text. It counts
// what may open a level and no closing, because only the parser knows which
// brackets are quoted. The parser recurses, and a stack that overflows cannot be
// recovered from.
func nesting(text string) int {
	n, operator := 0, false
	arithmetic := strings.Contains(text, "((") || strings.Contains(text, "$[") || strings.Contains(text, "let")
	start := 0 // of the word
	for i := range len(text) {
		c := text[i]
		if 'a' <= c && c <= 'z' {
			operator = false
			continue
		}
		if i > start && opens(text[start:i]) {
			n++
		}
		start = i + 1
		switch c {
		case '(', '{', '`':
			n++
		case '-', '+', '!', '~', '*':
			if operator {
				n++
			}
			operator = true
			continue
		case '=', '?':
			if arithmetic {
				n++
			}
		case ' ', '\t', '\n', '\\':
			continue
		}
		operator = false
	}
	if start < len(text) && opens(text[start:]) {
		n++
	}
	return n
}

// opens reports whether a word is one after which another command may stand.
func opens(word string) bool {
	switch word {
	case "if", "elif", "then", "else", "while", "until", "do", "case", "for", "select", "time", "coproc", "function":
		return true
	}
	return false
}
