package main

import (
	"strings"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/event"
	"github.com/hearsay-memory/hearsay/internal/term"
)

// shownLabel is a label for people; one that is tainted stands out.
func shownLabel(p *term.Printer, l hearsay.Label) any {
	if l.Tainted() {
		return p.Yellow(l.String())
	}
	return l
}

// shownOrigin is a label's origin, coloured as [shownLabel] colours the label.
func shownOrigin(p *term.Printer, l hearsay.Label) any {
	if l.Tainted() {
		return p.Yellow(l.Origin.String())
	}
	return l.Origin
}

// shownTaint is a label's taint, coloured as [shownLabel] colours the label.
func shownTaint(p *term.Printer, l hearsay.Label) any {
	if l.Tainted() {
		return p.Yellow(l.Taint.String())
	}
	return l.Taint
}

// spokenBy is a record's label, and whether it is that because the words are the user's.
func spokenBy(p *term.Printer, r *event.Record) any {
	if r.Attributed && !r.Label.Tainted() {
		return r.Label.String() + ", " + attributed
	}
	return shownLabel(p, r.Label)
}

// placeOf says where a record belongs: its kind, where it has one, and its namespace.
func placeOf(r *event.Record) string {
	return strings.Join(nonEmpty(r.Kind, r.Namespace.String()), "/")
}
