package blame

import (
	"fmt"
	"strings"

	"github.com/hearsay-memory/hearsay/internal/tell"
	"github.com/hearsay-memory/hearsay/internal/term"
)

// diffContext is how many lines that did not change stand around those that did.
const diffContext = 3

// PrintHunks shows what changed, with the lines around it, as unified diffs do.
func PrintHunks(p *term.Printer, hunks []*Hunk, before, after []string) {
	from := 0
	for i, h := range hunks {
		to := len(after)
		if i+1 < len(hunks) {
			to = hunks[i+1].now.From
		}
		from = h.print(p, before, after, from, to)
	}
}

// print shows a place with the lines around it: those from, behind the place before, up
// to the place that comes next. It returns where the lines end that were shown.
func (h *Hunk) print(p *term.Printer, before, after []string, from, to int) int {
	first := max(from, h.now.From-diffContext)
	last := min(to, h.now.To+diffContext)
	lead, tail := h.now.From-first, last-h.now.To
	p.Printf("@@ -%s +%s @@ %s\n", span(h.was.From-lead, h.was.Len()+lead+tail), span(first, last-first), byOrigin(p, h.Blame, h.told()))
	show := func(sign string, lines []string) {
		for _, line := range lines {
			p.Text(sign, line)
		}
	}
	show(" ", after[first:h.now.From])
	show("-", before[h.was.From:h.was.To])
	show("+", after[h.now.From:h.now.To])
	show(" ", after[h.now.To:last])
	return last
}

// told says whom a place is blamed on.
func (h *Hunk) told() string {
	var parts []string
	if said := sayers(h.Blame); said != "" {
		parts = append(parts, said)
	}
	if gone := sayers(h.Gone); gone != "" {
		parts = append(parts, "gone: "+gone)
	}
	if len(parts) == 0 {
		return "the byte-order mark"
	}
	return strings.Join(parts, "; ")
}

// sayers names who said runs, each once.
func sayers(runs []Run) string {
	var out []string
	seen := make(map[string]bool)
	for _, r := range runs {
		one := r.label().String() + ", " + r.by()
		if !seen[one] {
			seen[one] = true
			out = append(out, one)
		}
	}
	return strings.Join(out, " and ")
}

// byOrigin colours a text by the least of those who said it.
func byOrigin(p *term.Printer, runs []Run, text string) any {
	if len(runs) == 0 {
		return p.Dim(text)
	}
	label := runs[0].label()
	for _, r := range runs[1:] {
		label = label.Join(r.label())
	}
	return tell.ByOrigin(p, label, text)
}

// span writes a range of lines as unified diffs do.
func span(from, lines int) string {
	if lines > 0 {
		from++
	}
	return fmt.Sprintf("%d,%d", from, lines)
}
