package mark

import (
	"strings"
	"unicode/utf8"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/internal/textfold"
)

// titleLength is how many characters of a title a receipt shows.
const titleLength = 120

// receiptSign begins every receipt.
const receiptSign = "◉"

// Receipt is the line that tells a person which memory was used:
//
//	◉ memory: "title" (kind, age)
//
// A memory of low trust has " ⚠ " and its origin behind that. Title, kind and age
// are escaped so that they stay inside their quotation marks and brackets, on the
// one line; a title above 120 characters is cut with an ellipsis, which the
// warning mark, standing last, outlives.
func Receipt(title, kind, age string, origin hearsay.Origin) string {
	var b strings.Builder
	b.WriteString(receiptSign + ` memory: "`)
	b.WriteString(quoted(cut(title)))
	b.WriteString(`" (`)
	b.WriteString(bracketed(kind))
	b.WriteString(", ")
	b.WriteString(bracketed(age))
	b.WriteByte(')')
	if origin.LowTrust() {
		b.WriteString(" ⚠ ")
		b.WriteString(origin.String())
	}
	return b.String()
}

// cut shortens s to the length of a title.
func cut(s string) string {
	n := 0
	for i := range s {
		if n == titleLength {
			return s[:i] + "…"
		}
		n++
	}
	return s
}

// quoted escapes s between quotation marks. Other signs that pass for one become
// an apostrophe.
func quoted(s string) string {
	return replaceFolded(oneLine(strings.ReplaceAll(s, `\`, `\\`)), func(folded string) string {
		switch folded {
		case `"`:
			return `'`
		case "⚠":
			return "!"
		}
		return ""
	})
}

// bracketed escapes s between brackets.
func bracketed(s string) string {
	return replaceFolded(oneLine(s), func(folded string) string {
		switch folded {
		case "(", ")", "[", "]", `"`, ",":
			return " "
		case "⚠":
			return "!"
		}
		return ""
	})
}

// replaceFolded replaces each character of s for whose folding with has an answer.
func replaceFolded(s string, with func(folded string) string) string {
	var b strings.Builder
	var buf [64]byte
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		if to := with(string(textfold.FoldRune(buf[:0], r))); to != "" {
			b.WriteString(to)
		} else {
			b.WriteString(s[i : i+size])
		}
		i += size
	}
	return b.String()
}
