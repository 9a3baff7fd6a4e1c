package effect

import (
	"cmp"
	"context"
	"strconv"

	"github.com/hearsay-memory/hearsay/event"
	"github.com/hearsay-memory/hearsay/guard"
	"github.com/hearsay-memory/hearsay/internal/instance"
	"github.com/hearsay-memory/hearsay/internal/tell"
	"github.com/hearsay-memory/hearsay/internal/term"
)

// Line is one change that a write makes: a thing in a knowledge graph, or a value
// of any other content with its path.
type Line struct {
	Sign  string   `json:"sign"`           // "+", "-", or "=": it changes nothing there
	Kind  string   `json:"kind,omitempty"` // entity, type, observation, relation
	Parts []string `json:"parts,omitempty"`
	Path  string   `json:"path,omitempty"`
	Text  string   `json:"text,omitempty"`
	Note  string   `json:"note,omitempty"`
}

// Print shows a change to a person. Names stand on one line and words behind a bar, so
// that neither can pass for another change.
func (l *Line) Print(p *term.Printer) {
	sign := p.Dim(l.Sign)
	switch l.Sign {
	case "+":
		sign = p.Green(l.Sign)
	case "-":
		sign = p.Red(l.Sign)
	}
	what, words := l.Path, l.Text
	switch l.Kind {
	case "entity":
		what, words = "entity "+strconv.Quote(l.Parts[0]), ""
	case "type":
		what, words = "type of "+strconv.Quote(l.Parts[0]), l.Parts[1]
	case "observation":
		what, words = "observation of "+strconv.Quote(l.Parts[0]), l.Parts[1]
	case "relation":
		what, words = "relation from "+strconv.Quote(l.Parts[0])+" to "+strconv.Quote(l.Parts[1]), l.Parts[2]
	}
	p.Printf("%s %s", sign, cmp.Or(what, "content"))
	if l.Note != "" {
		p.Printf("  %s", p.Dim("# "+l.Note))
	}
	p.Printf("\n")
	if words != "" {
		p.Text(tell.Bar, words)
	}
}

// Of says what a record's write changes, or would.
func Of(ctx context.Context, in *instance.Instance, shown *guard.Shown) ([]Line, error) {
	if tool, items, ok := GraphItems(shown.Side.Content); ok {
		return graphLines(ctx, in, shown.Record, tool, items)
	}
	sign := "+"
	if shown.Record.Op == event.Delete {
		sign = "-"
	}
	values, err := tell.Values(shown.Side.Content)
	if err != nil {
		values = []tell.Value{{Text: string(shown.Side.Content)}}
	}
	lines := make([]Line, len(values))
	for i, v := range values {
		lines[i] = Line{Sign: sign, Path: v.Path, Text: v.Text}
	}
	return lines, nil
}
