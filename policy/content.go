package policy

import (
	"errors"
	"fmt"
	"regexp"
	"regexp/syntax"
	"strings"

	"github.com/hearsay-memory/hearsay"
)

// The bounds of regular expressions. Whoever writes a memory chooses the text
// that they scan, so the work of one decision is bounded by the size of the
// compiled program times the length of the text: nested repeats make short
// expressions into long programs.
const (
	maxPattern  = 512     // bytes of an expression
	maxProgram  = 256     // instructions of a compiled expression
	maxPrograms = 1024    // instructions of all expressions of a policy
	maxScan     = 4 << 10 // bytes of the text that are scanned
)

// content is what the text of a write must match; any part is enough.
type content struct {
	classes hearsay.EvidenceSet
	regexps []*regexp.Regexp
}

func (c *content) empty() bool { return c.classes == 0 && len(c.regexps) == 0 }

// matches reports whether an expression or class matches. Text beyond the bound
// was not scanned: it counts as a match where the rule restrains, and as none
// where it allows.
func (c *content) matches(action hearsay.WriteVerdict, found hearsay.EvidenceSet, text []byte) bool {
	if c.classes&found != 0 {
		return true
	}
	if len(text) > maxScan {
		return action != hearsay.Allow
	}
	for _, re := range c.regexps {
		if re.Match(text) {
			return true
		}
	}
	return false
}

// regexpTerm returns the expression of a term written between slashes.
func regexpTerm(s string) (string, bool) {
	if len(s) < 2 || !strings.HasPrefix(s, "/") || !strings.HasSuffix(s, "/") {
		return "", false
	}
	return s[1 : len(s)-1], true
}

// compileRegexp compiles an expression in RE2 syntax within the bounds, and
// returns the number of its instructions.
func compileRegexp(expr string) (re *regexp.Regexp, size int, err error) {
	if expr == "" {
		return nil, 0, errors.New("the regular expression is empty")
	}
	tree, err := syntax.Parse(expr, syntax.Perl)
	if err != nil {
		return nil, 0, fmt.Errorf("the regular expression cannot be read: %w", err)
	}
	prog, err := syntax.Compile(tree.Simplify())
	if err != nil {
		return nil, 0, fmt.Errorf("the regular expression cannot be compiled: %w", err)
	}
	if size = len(prog.Inst); size > maxProgram {
		return nil, 0, fmt.Errorf("the regular expression compiles to %d instructions: at most %d", size, maxProgram)
	}
	re, err = regexp.Compile(expr)
	return re, size, err
}
