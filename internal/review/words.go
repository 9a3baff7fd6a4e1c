package review

import (
	"fmt"
	"strings"

	"github.com/hearsay-memory/hearsay/event"
	"github.com/hearsay-memory/hearsay/internal/tell"
	"github.com/hearsay-memory/hearsay/internal/term"
)

// cardReads is how many of the things that a session took in a card shows.
const cardReads = 12

// Words prints what others wrote: the content, who says so, and what the session had
// read. It is for the eyes of a person.
func (c *Card) Words(p *term.Printer) {
	s := c.Side
	var rows [][]any
	for _, row := range [...][2]string{{"from", s.Ref}, {"actor", s.Actor}, {"tool", s.Tool}, {"project", s.Project}, {"note", s.Note}} {
		if row[1] != "" {
			rows = append(rows, []any{row[0], row[1]})
		}
	}
	if cl := s.Claimed; cl != nil {
		rows = append(rows, []any{"claims of itself", tell.Join(", ", tell.Prefixed("source ", cl.Source), tell.Prefixed("kind ", cl.Kind), tell.Prefixed("namespace ", strings.Join(cl.Namespace, " / ")))})
	}
	reads := c.trace.Reads
	if n := len(reads) - cardReads; n > 0 {
		rows = append(rows, []any{"took in", fmt.Sprintf("%d things, and then", n)})
		reads = reads[n:]
	}
	for _, read := range reads {
		rows = append(rows, []any{"took in", tell.TakenIn(read.Source, read.Ref, read.Records) + " → " + read.Label.String()})
	}
	p.Table(nil, rows)
	if c.Erased {
		p.Println("The words were erased.")
		return
	}
	p.Println("")
	if c.change != "" {
		p.Text(tell.Bar, c.change)
		p.Println("\nThe call, as it is held:")
	}
	if !MemoryWords(p, c.Shown) {
		tell.Content(p, s.Content)
	}
	if len(s.Decoded) > 0 {
		p.Printf("%s\n", p.Red("Invisible characters in it spell:"))
		for _, text := range s.Decoded {
			p.Text(tell.Bar, text)
		}
	}
	if p.Terminal() && len(s.Shared) > 0 {
		printShared(p, s.Shared)
	}
}

// printShared shows the words of a record beside the sources of its session that have
// them too.
func printShared(p *term.Printer, shared []event.Share) {
	p.Println("")
	var rows [][]any
	for _, s := range shared {
		from := fmt.Sprintf("%s (%s)", s.Source, s.Certainty)
		if len(s.Words) == 0 {
			rows = append(rows, []any{"which words cannot be told", from})
		}
		for _, words := range s.Words {
			rows = append(rows, []any{p.Yellow(words), from})
		}
	}
	p.Table([]string{"words of it", "that the session read in"}, rows)
}
