package review

import (
	"strings"

	"github.com/hearsay-memory/hearsay/event"
	"github.com/hearsay-memory/hearsay/guard"
	"github.com/hearsay-memory/hearsay/internal/memory"
	"github.com/hearsay-memory/hearsay/internal/tell"
	"github.com/hearsay-memory/hearsay/internal/term"
	"github.com/hearsay-memory/hearsay/recall"
)

// IsMemory reports whether a record is one of our own memory that has words.
func IsMemory(r *event.Record) bool { return r.Store == guard.OwnStore && r.Op != event.Delete }

// MemoryWords shows to a person what a record would remember: every field of it. It
// reports whether the record is one of our own memory in the form that is sealed.
func MemoryWords(p *term.Printer, shown *guard.Shown) bool {
	if !IsMemory(shown.Record) {
		return false
	}
	d, err := memory.DecodeDoc(shown.Side.Content)
	if err != nil {
		return false
	}
	rows := [][]any{{"kind", d.Kind}}
	for _, row := range [...][2]string{{"title", d.Title}, {"tags", strings.Join(d.Tags, ", ")}, {"about", d.Subject}} {
		if row[1] != "" {
			rows = append(rows, []any{row[0], row[1]})
		}
	}
	if d.Form != recall.Semantic {
		rows = append(rows, []any{"form", d.Form})
	}
	for _, id := range d.Links {
		rows = append(rows, []any{"points to", id})
	}
	c := shown.Record.Claims
	if c.Salience > 0 || c.Confidence > 0 {
		rows = append(rows, []any{"matters", c.Salience}, []any{"is sure", c.Confidence})
	}
	p.Table(nil, rows)
	p.Println("")
	p.Text(tell.Bar, d.Text)
	return true
}
