package install

import (
	"fmt"
	"slices"
	"strings"
)

const (
	diffContext = 3
	maxDiffCost = 1 << 22 // steps; beyond it the middle is shown as replaced
)

// Diff shows a change as a unified diff, for people: control characters and what else
// could deceive a reader are spelt out, so it is no input for patch. Notes come first.
func Diff(c Change) string {
	var b strings.Builder
	for _, n := range c.Notes {
		fmt.Fprintf(&b, "# %s\n", shown(n))
	}
	if !c.Changed() {
		return b.String()
	}
	from, to := shown(c.File), shown(c.File)
	if !c.Exists {
		from = "/dev/null"
	}
	if c.After == nil {
		to = "/dev/null"
	}
	fmt.Fprintf(&b, "--- %s\n+++ %s\n", from, to)
	writeHunks(&b, lines(c.Before), lines(c.After))
	return b.String()
}

// shown is text of any length without what could deceive.
func shown(s string) string {
	var b strings.Builder
	for _, r := range s {
		if r == '\t' {
			b.WriteRune(r)
			continue
		}
		writeClean(&b, r)
	}
	return b.String()
}

// lines splits text; a last line without an end is marked as such.
func lines(data []byte) []string {
	var out []string
	for line := range strings.Lines(string(data)) {
		cut, ended := strings.CutSuffix(line, "\n")
		if !ended {
			cut += "\n"
		}
		out = append(out, cut)
	}
	return out
}

// step is one line of a diff: ' ' in both, '-' in the first only, '+' in the second only.
type step struct {
	kind byte
	line string
}

func writeHunks(b *strings.Builder, x, y []string) {
	steps := compare(x, y)
	for i, lineX, lineY := 0, 1, 1; i < len(steps); {
		if steps[i].kind == ' ' {
			i, lineX, lineY = i+1, lineX+1, lineY+1
			continue
		}
		start := max(0, i-diffContext)
		end, same := i, 0
		for ; end < len(steps) && same <= 2*diffContext; end++ {
			if same++; steps[end].kind != ' ' {
				same = 0
			}
		}
		end -= max(0, same-diffContext)
		hunk := steps[start:end]
		count := func(not byte) (n int) {
			for _, s := range hunk {
				if s.kind != not {
					n++
				}
			}
			return n
		}
		back := i - start
		inX, inY := count('+'), count('-')
		fmt.Fprintf(b, "@@ -%s +%s @@\n", span(lineX-back, inX), span(lineY-back, inY))
		for _, s := range hunk {
			text, unended := strings.CutSuffix(s.line, "\n")
			fmt.Fprintf(b, "%c%s\n", s.kind, shown(strings.TrimSuffix(text, "\r")))
			if unended {
				b.WriteString("\\ No newline at end of file\n")
			}
		}
		lineX, lineY, i = lineX-back+inX, lineY-back+inY, end
	}
}

func span(line, n int) string {
	if n == 0 {
		line--
	}
	if n == 1 {
		return fmt.Sprint(line)
	}
	return fmt.Sprintf("%d,%d", line, n)
}

// compare finds a shortest way from x to y, as long as that is cheap. What begins and
// ends both alike is taken off first: edits of ours are insertions.
func compare(x, y []string) []step {
	var head, tail []step
	for len(x) > 0 && len(y) > 0 && x[0] == y[0] {
		head = append(head, step{' ', x[0]})
		x, y = x[1:], y[1:]
	}
	for len(x) > 0 && len(y) > 0 && x[len(x)-1] == y[len(y)-1] {
		tail = append(tail, step{' ', x[len(x)-1]})
		x, y = x[:len(x)-1], y[:len(y)-1]
	}
	slices.Reverse(tail)
	return append(append(head, middle(x, y)...), tail...)
}

// middle is the table of longest common subsequences, or, where that is too large,
// everything out and everything in.
func middle(x, y []string) []step {
	var out []step
	w := len(y) + 1
	var longest []int32
	if len(x) > 0 && len(y) > 0 && (len(x)+1) <= maxDiffCost/w {
		longest = make([]int32, (len(x)+1)*w)
		for i := len(x) - 1; i >= 0; i-- {
			for j := len(y) - 1; j >= 0; j-- {
				if x[i] == y[j] {
					longest[i*w+j] = longest[(i+1)*w+j+1] + 1
				} else {
					longest[i*w+j] = max(longest[(i+1)*w+j], longest[i*w+j+1])
				}
			}
		}
	}
	i, j := 0, 0
	for i < len(x) || j < len(y) {
		switch {
		case longest != nil && i < len(x) && j < len(y) && x[i] == y[j]:
			out = append(out, step{' ', x[i]})
			i, j = i+1, j+1
		case i < len(x) && (longest == nil || j == len(y) || longest[(i+1)*w+j] >= longest[i*w+j+1]):
			out = append(out, step{'-', x[i]})
			i++
		default:
			out = append(out, step{'+', y[j]})
			j++
		}
	}
	return out
}
