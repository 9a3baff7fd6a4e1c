package policy

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Severity says whether a [Problem] keeps a policy from being used.
// The zero value is [SeverityError].
type Severity uint8

// The severities.
const (
	SeverityError   Severity = iota // the file is refused
	SeverityWarning                 // the file works, and somebody should look
)

// String returns "error" or "warning".
func (s Severity) String() string {
	if s == SeverityWarning {
		return "warning"
	}
	return "error"
}

// Problem is one thing that is wrong with a file, and what to do about it.
type Problem struct {
	File       string   `json:"file"`
	Line       int      `json:"line"`   // 1-based; 0 where it is the whole file
	Column     int      `json:"column"` // 1-based, in characters; 0 where unknown
	Severity   Severity `json:"-"`
	Message    string   `json:"message"`
	Suggestion string   `json:"suggestion,omitempty"`
}

// String returns "file:line: message; suggestion", a warning marked as such.
func (p Problem) String() string {
	var b strings.Builder
	b.WriteString(p.File)
	if p.Line > 0 {
		fmt.Fprintf(&b, ":%d", p.Line)
	}
	b.WriteString(": ")
	if p.Severity == SeverityWarning {
		b.WriteString("warning: ")
	}
	b.WriteString(p.Message)
	if p.Suggestion != "" {
		b.WriteString("; ")
		b.WriteString(p.Suggestion)
	}
	return b.String()
}

// Errors is everything that is wrong with a file, in the order of its lines. It is
// the error of [Parse] and [ParseCases]; take it back with errors.AsType.
type Errors []Problem

// Error returns one problem a line.
func (e Errors) Error() string {
	lines := make([]string, len(e))
	for i, p := range e {
		lines[i] = p.String()
	}
	return strings.Join(lines, "\n")
}

// sortProblems orders problems by where they stand.
func sortProblems(list []Problem) {
	slices.SortStableFunc(list, func(a, b Problem) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	})
}

// nearest returns a suggestion that names the candidate closest to got, or all of
// them where they are few and none is close.
func nearest(got string, candidates []string) string {
	best, bound := "", 1+len(got)/3
	for _, c := range candidates {
		if d := distance(strings.ToLower(got), strings.ToLower(c)); d <= bound && (best == "" || d < bound) {
			best, bound = c, d
		}
	}
	switch {
	case best != "":
		return fmt.Sprintf("did you mean %q?", best)
	case len(candidates) == 0:
		return ""
	case len(candidates) == 1:
		return fmt.Sprintf("want %q", candidates[0])
	}
	return "want one of " + strings.Join(candidates, ", ")
}

// distance counts the letters to insert, delete, replace or swap with a neighbour
// to make b of a. Long strings are cut, so that a file cannot make it slow.
func distance(a, b string) int {
	const longest = 48
	a, b = a[:min(len(a), longest)], b[:min(len(b), longest)]
	var before, last, row [longest + 1]int
	for j := range len(b) + 1 {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		for j := 1; j <= len(b); j++ {
			step := 1
			if a[i-1] == b[j-1] {
				step = 0
			}
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+step)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, last = last, row
	}
	return last[len(b)]
}
