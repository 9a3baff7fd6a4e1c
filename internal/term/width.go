package term

import (
	"strings"
	"unicode"

	"golang.org/x/text/width"
)

// Width is the number of terminal columns that a safe text takes: two for East Asian wide runes and most emoji, none
// for combining marks and joiners. Terminals differ on some emoji; the layout may then be off by a column, no text is
// lost.
func Width(s string) int {
	n := 0
	for _, r := range s {
		n += runeWidth(r)
	}
	return n
}

func runeWidth(r rune) int {
	switch {
	case r < 0x20:
		return 0
	case r < 0x7f:
		return 1
	case r == 0x200c || r == 0x200d || unicode.In(r, unicode.Mn, unicode.Me):
		return 0
	}
	switch width.LookupRune(r).Kind() {
	case width.EastAsianWide, width.EastAsianFullwidth:
		return 2
	}
	return 1
}

// wrap cuts one line into parts of at most columns, at a space where there is one in the second half, else where it
// must. Joined together, with a space for each that was cut at, the parts are the line. Columns of 0 do not wrap.
func wrap(line string, columns int) []string {
	if columns <= 0 || Width(line) <= columns {
		return []string{line}
	}
	var parts []string
	for Width(line) > columns {
		n, cut, space := 0, 0, -1
		for i, r := range line {
			w := runeWidth(r)
			if n+w > columns {
				if r == ' ' {
					space = i
				}
				cut = i
				break
			}
			if r == ' ' && n > columns/2 {
				space = i
			}
			n += w
		}
		switch {
		case space > 0:
			parts = append(parts, line[:space])
			line = line[space+1:]
		case cut > 0:
			parts = append(parts, line[:cut])
			line = line[cut:]
		default: // a single rune is wider than the column
			return append(parts, line)
		}
	}
	if line != "" {
		parts = append(parts, line)
	}
	return parts
}

// expandTabs replaces tabs by spaces up to the next multiple of eight columns, so that widths can be counted.
func expandTabs(line string) string {
	if !strings.Contains(line, "\t") {
		return line
	}
	var b strings.Builder
	n := 0
	for _, r := range line {
		if r != '\t' {
			b.WriteRune(r)
			n += runeWidth(r)
			continue
		}
		pad := 8 - n%8
		b.WriteString(strings.Repeat(" ", pad))
		n += pad
	}
	return b.String()
}
