package adopt

import (
	"fmt"
	"strings"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/internal/blame"
	"github.com/hearsay-memory/hearsay/internal/lint"
	"github.com/hearsay-memory/hearsay/internal/memfile"
	"github.com/hearsay-memory/hearsay/internal/tell"
)

// gradesOf is what lint finds in each line of a file, counted from 0. A phrase that runs
// over the end of a line counts for both.
func gradesOf(lines []string) []hearsay.EvidenceSet {
	out := make([]hearsay.EvidenceSet, len(lines))
	for i, line := range lines {
		out[i] = lint.Text(line).Kinds
	}
	for i := 0; i+1 < len(lines); i++ {
		both := lint.Text(lines[i] + " " + strings.TrimSpace(lines[i+1])).Kinds
		for _, kind := range suspicious {
			if both.Has(kind) && !out[i].Has(kind) && !out[i+1].Has(kind) {
				out[i], out[i+1] = out[i].With(kind), out[i+1].With(kind)
			}
		}
	}
	return out
}

// suspicious are the grades that need a look at the line. Memory is full of instructions,
// and a key is no danger to who reads it.
var suspicious = [...]hearsay.EvidenceKind{hearsay.EvidenceHidden, hearsay.EvidenceInjection}

// grade names what is suspicious of a line; empty where nothing is.
func grade(set hearsay.EvidenceSet) string {
	var out []string
	for _, kind := range suspicious {
		if set.Has(kind) {
			out = append(out, kind.String())
		}
	}
	return strings.Join(out, ", ")
}

// Suspects names the lines of a file that need a look, by their grade.
func Suspects(s *memfile.State) string {
	var out []string
	grades := gradesOf(blame.TextLines(s.Data))
	for _, kind := range suspicious {
		var lines []int
		for i, set := range grades {
			if set.Has(kind) {
				lines = append(lines, i)
			}
		}
		if len(lines) > 0 {
			out = append(out, fmt.Sprintf("%s: line %s", kind, tell.Lines(lines)))
		}
	}
	return strings.Join(out, "; ")
}
