package blame

import (
	"time"

	"github.com/hearsay-memory/hearsay/internal/blamepage"
	"github.com/hearsay-memory/hearsay/internal/memfile"
)

// Page is the page for a browser.
func Page(name string, s *memfile.State, runs []Run, now time.Time) *blamepage.Page {
	page := &blamepage.Page{Name: name, Sum: memfile.Sum(s.Data), Made: now.UTC().Format(time.RFC3339)}
	lines := TextLines(s.Data)
	for _, r := range runs {
		line := blamepage.Line{Label: r.label(), Who: r.who(), When: r.when(now)}
		if !r.Record.IsZero() {
			line.Record = r.Record.String()
		}
		for n := r.From; n <= r.To && n <= len(lines); n++ {
			line.Text = lines[n-1]
			page.Lines = append(page.Lines, line)
		}
	}
	return page
}
