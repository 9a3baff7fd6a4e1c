// Package blamepage writes who said each line of a memory file as one HTML page that
// needs nothing else: no script, no picture, no address.
//
// The text of the file is hostile. It is escaped twice: hidden characters are written
// out, as on a terminal, and then nothing of it is markup. The page forbids scripts and
// loads by its own policy besides, and each line is set apart from what reads in the
// other direction around it.
package blamepage

import (
	"bufio"
	"fmt"
	"html"
	"io"
	"strings"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/internal/term"
)

// Page is what is shown. Every text in it may be anybody's.
type Page struct {
	Name  string // of the file
	Sum   string // SHA-256 of its bytes, in hex
	Made  string // when it was looked at
	Lines []Line
}

// Line is one line of the file, without its line end, and who said it.
type Line struct {
	Text   string
	Label  hearsay.Label
	Record string // empty: nobody was seen writing it
	Who    string // agent, session and tool
	When   string
}

// colour is an origin's colour on a light and on a dark ground, and what the origin means.
type colour struct {
	origin      hearsay.Origin
	light, dark string
	means       string
}

// palette has the origins from the highest down. The words beside them say the same:
// nothing is told by colour alone.
var palette = [...]colour{
	{hearsay.User, "#1a7f37", "#3fb950", "you said it, or adopted it"},
	{hearsay.Channel, "#0969da", "#58a6ff", "a person known to the policy"},
	{hearsay.Agent, "#57606a", "#b1bac4", "the agent's own word"},
	{hearsay.Tool, "#7d4e00", "#d4a72c", "a tool's result"},
	{hearsay.Unverified, "#bc4c00", "#f0883e", "nobody was seen writing it"},
	{hearsay.External, "#cf222e", "#ff7b72", "a stranger's word"},
}

// Colour returns the colour of an origin, on a dark ground or a light one.
func Colour(o hearsay.Origin, dark bool) string {
	for _, c := range palette {
		if c.origin == o {
			if dark {
				return c.dark
			}
			return c.light
		}
	}
	return Colour(hearsay.External, dark)
}

// Write writes the page.
func Write(w io.Writer, p *Page) error {
	b := bufio.NewWriter(w)
	name := text(p.Name)
	fmt.Fprintf(b, head, name, style())
	fmt.Fprintf(b, "<h1>%s</h1>\n<p class=m>%d lines, looked at %s, SHA-256 %s</p>\n<ul>\n", name, len(p.Lines), text(p.Made), text(p.Sum))
	counts := make(map[hearsay.Origin]int)
	for _, l := range p.Lines {
		counts[l.Label.Origin]++
	}
	for _, c := range palette {
		fmt.Fprintf(b, "<li class=%s><b>%s</b> %s: %d</li>\n", c.origin, c.origin, c.means, counts[c.origin])
	}
	b.WriteString("</ul>\n<p class=m>In brackets stands what flowed into a line. A bar at its left means that it is tainted. Hidden characters are written out.</p>\n" +
		"<table>\n<thead><tr><th>line<th>said by<th>record<th>when<th>text</thead>\n<tbody>\n")
	for i, l := range p.Lines {
		class := l.Label.Origin.String()
		if l.Label.Tainted() {
			class += " t"
		}
		who := "nobody was seen"
		if l.Record != "" {
			who = strings.TrimSpace(l.Record + " " + l.Who)
		}
		fmt.Fprintf(b, "<tr class=%q><td>%d<td>%s<td><bdi>%s</bdi><td>%s<td><code dir=auto>%s</code>\n",
			class, i+1, text(l.Label.String()), text(who), text(l.When), html.EscapeString(term.SafeText(l.Text)))
	}
	b.WriteString("</tbody>\n</table>\n")
	return b.Flush()
}

// text makes one line of anybody's words text of the page.
func text(s string) string { return html.EscapeString(term.Safe(s)) }

// head is the page up to its body: the title and the styles go in.
const head = `<!doctype html>
<html lang=en>
<meta charset=utf-8>
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'">
<meta name=referrer content=no-referrer>
<meta name=viewport content="width=device-width, initial-scale=1">
<title>%s: who said each line</title>
<style>
%s</style>
`

// style is the style sheet, dark where the reader's system is.
func style() string {
	var s strings.Builder
	s.WriteString(`:root { color-scheme: light dark; --ground: #fff; --ink: #1f2328; --line: #d0d7de }
body { background: var(--ground); color: var(--ink); font: 14px/1.5 system-ui, sans-serif; margin: 2em }
h1 { font-size: 1.3em; overflow-wrap: anywhere }
.m { color: GrayText }
ul { list-style: none; padding: 0; columns: 20em }
table { border-collapse: collapse; width: 100% }
th, td { text-align: left; vertical-align: top; padding: 1px 12px 1px 6px; border-bottom: 1px solid var(--line) }
td:nth-child(-n+4) { white-space: nowrap; font-size: 12px }
td:nth-child(3) { white-space: normal; max-width: 22em; overflow-wrap: anywhere }
td:first-child { text-align: right; color: GrayText; border-left: 3px solid transparent }
.t td:first-child { border-left-color: currentColor }
code { white-space: pre-wrap; overflow-wrap: anywhere; unicode-bidi: isolate; tab-size: 4 }
`)
	write := func(c colour, value string) {
		fmt.Fprintf(&s, "li.%s b, tr.%s td:nth-child(2), tr.%s code, tr.%s.t td:first-child { color: %s }\n", c.origin, c.origin, c.origin, c.origin, value)
	}
	for _, c := range palette {
		write(c, c.light)
	}
	s.WriteString("@media (prefers-color-scheme: dark) {\n:root { --ground: #0d1117; --ink: #e6edf3; --line: #30363d }\n")
	for _, c := range palette {
		write(c, c.dark)
	}
	s.WriteString("}\n")
	return s.String()
}
