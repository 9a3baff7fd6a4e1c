package tell

import (
	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/internal/term"
)

// Label is a label for people; one that is tainted stands out.
func Label(p *term.Printer, l hearsay.Label) any {
	if l.Tainted() {
		return p.Yellow(l.String())
	}
	return l
}

// Origin is a label's origin, coloured as [Label] colours the label.
func Origin(p *term.Printer, l hearsay.Label) any {
	if l.Tainted() {
		return p.Yellow(l.Origin.String())
	}
	return l.Origin
}

// Taint is a label's taint, coloured as [Label] colours the label.
func Taint(p *term.Printer, l hearsay.Label) any {
	if l.Tainted() {
		return p.Yellow(l.Taint.String())
	}
	return l.Taint
}

// ByOrigin colours a text by who said it: the user's own green, what nobody was seen
// writing yellow, a stranger's and whatever is tainted red.
func ByOrigin(p *term.Printer, l hearsay.Label, text string) any {
	switch {
	case l.Tainted(), l.Origin == hearsay.External:
		return p.Red(text)
	case l.Origin == hearsay.Unverified:
		return p.Yellow(text)
	case l.Origin == hearsay.User:
		return p.Green(text)
	case l.Origin == hearsay.Tool:
		return p.Dim(text)
	}
	return text
}
