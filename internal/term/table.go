package term

import (
	"fmt"
	"strings"
)

// gap stands between two columns of a table.
const gap = "  "

// minColumn is the narrowest that a wrapped column becomes, in terminal columns.
const minColumn = 8

// Table prints rows in aligned columns under a bold header; an empty header is left out. Cells are strings, [Styled]
// or anything that fmt prints, made safe. On a terminal the widest columns are wrapped until the rows fit; nothing is
// cut. Rows may be shorter than the header.
func (p *Printer) Table(header []string, rows [][]any) {
	var cells [][]Styled
	if len(header) > 0 {
		row := make([]Styled, len(header))
		for i, h := range header {
			row[i] = p.Bold(h)
		}
		cells = append(cells, row)
	}
	columns := len(header)
	for _, r := range rows {
		row := make([]Styled, len(r))
		for i, c := range r {
			if st, ok := c.(Styled); ok {
				row[i] = st
			} else {
				row[i] = Styled{text: Safe(fmt.Sprint(c))}
			}
		}
		cells = append(cells, row)
		columns = max(columns, len(row))
	}
	widths := make([]int, columns)
	for _, row := range cells {
		for i, c := range row {
			widths[i] = max(widths[i], Width(c.text))
		}
	}
	p.fit(widths)
	for _, row := range cells {
		p.row(row, widths)
	}
}

// fit narrows the widest columns, one step at a time, until a row fits the terminal or nothing more can be done.
func (p *Printer) fit(widths []int) {
	if p.width == 0 {
		return
	}
	total := len(gap) * (len(widths) - 1)
	for _, w := range widths {
		total += w
	}
	for total > p.width {
		widest := 0
		for i, w := range widths {
			if w > widths[widest] {
				widest = i
			}
		}
		if widths[widest] <= minColumn {
			return
		}
		widths[widest]--
		total--
	}
}

func (p *Printer) row(row []Styled, widths []int) {
	parts := make([][]string, len(row))
	height := 1
	for i, c := range row {
		columns := 0
		if p.width > 0 {
			columns = widths[i]
		}
		parts[i] = wrap(c.text, columns)
		height = max(height, len(parts[i]))
	}
	for line := range height {
		var b strings.Builder
		pad := 0 // written only before more text, so that lines have no trailing spaces
		for i, c := range row {
			text := ""
			if line < len(parts[i]) {
				text = parts[i][line]
			}
			if text != "" {
				b.WriteString(strings.Repeat(" ", pad))
				pad = 0
				if c.code != "" {
					b.WriteString("\x1b[" + c.code + "m" + text + "\x1b[0m")
				} else {
					b.WriteString(text)
				}
			}
			pad += widths[i] - Width(text) + len(gap)
		}
		p.write(b.String() + "\n")
	}
}
