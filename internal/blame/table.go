package blame

import (
	"bytes"
	"cmp"
	"strconv"
	"time"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/internal/git"
	"github.com/hearsay-memory/hearsay/internal/memfile"
	"github.com/hearsay-memory/hearsay/internal/tell"
	"github.com/hearsay-memory/hearsay/internal/term"
)

// Rows is a row for each line.
func Rows(p *term.Printer, runs []Run, lines []string, now time.Time) [][]any {
	var rows [][]any
	for _, r := range runs {
		for n := r.From; n <= r.To && n <= len(lines); n++ {
			rows = append(rows, []any{strconv.Itoa(n), tell.ByOrigin(p, r.label(), r.label().String()), r.by(), r.when(now), tell.ByOrigin(p, r.label(), lines[n-1])})
		}
	}
	return rows
}

// PrintRecords tells once of each record that lines came with what a table of lines has
// no room for.
func PrintRecords(p *term.Printer, runs []Run, now time.Time) {
	var rows [][]any
	seen := make(map[hearsay.RecordID]bool)
	for _, r := range runs {
		if r.Record.IsZero() || seen[r.Record] {
			continue
		}
		seen[r.Record] = true
		rows = append(rows, []any{r.Record, cmp.Or(r.Agent, "-"), cmp.Or(r.Session, "-"), cmp.Or(r.Tool, "-"), r.when(now)})
	}
	if len(rows) > 0 {
		p.Println("")
		p.Table([]string{"record", "agent", "session", "tool", "when"}, rows)
	}
}

// ByGit is what the repository says of a file with lines that nobody was seen writing;
// empty where there are none, or it says nothing.
func ByGit(s *memfile.State, runs []Run) string {
	for _, r := range runs {
		if r.Record.IsZero() {
			return new(git.Reader).Explain(s.Path, s.Data, 1).String()
		}
	}
	return ""
}

// TextLines is a file's lines without their line feeds.
func TextLines(data []byte) (lines []string) {
	for line := range bytes.Lines(data) {
		lines = append(lines, string(bytes.TrimSuffix(line, []byte("\n"))))
	}
	return lines
}
