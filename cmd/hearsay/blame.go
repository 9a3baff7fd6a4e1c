package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/guard"
	"github.com/hearsay-memory/hearsay/internal/blamepage"
	"github.com/hearsay-memory/hearsay/internal/git"
	"github.com/hearsay-memory/hearsay/internal/hook"
	"github.com/hearsay-memory/hearsay/internal/instance"
	"github.com/hearsay-memory/hearsay/internal/memfile"
	"github.com/hearsay-memory/hearsay/internal/memfile/segment"
	"github.com/hearsay-memory/hearsay/internal/tell"
	"github.com/hearsay-memory/hearsay/internal/term"
)

// blameCommand shows who said each line of a memory file.
func (a *app) blameCommand() *cobra.Command {
	var page bool
	c := a.jsonFlag(&cobra.Command{
		Use:   "blame FILE",
		Short: "Show who said each line of a memory file",
		Long: `Show each line of a guarded file with its origin, what flowed into it, and the record of
the write that it came with. A line that nobody was seen writing has no record: it is
unverified, and has the taint of every session that was open when it appeared.

With --html it is one page for a browser, on standard output, without a script and with
nothing to load. --json says it by runs of lines, without a word of the file.

Nothing is written: what changed since the file was last looked at is shown, and sealed
when an agent's session starts. hearsay attest adopts lines as your own word.`,
		Example: `  hearsay blame MEMORY.md
  hearsay blame --html MEMORY.md > blame.html`,
		Args: exactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			if page && a.json {
				return usageError("--html and --json exclude each other")
			}
			return a.blame(c.Context(), args[0], page)
		},
	})
	c.Flags().BoolVar(&page, "html", false, "print one HTML page")
	return c
}

// blamed is what blame says with --json: a run of lines of one owner. It has no text.
type blamed struct {
	From    int              `json:"from"` // 1-based
	To      int              `json:"to"`
	Origin  hearsay.Origin   `json:"origin"`
	Taint   hearsay.Taint    `json:"taint"`
	Record  hearsay.RecordID `json:"record,omitzero"`
	Agent   string           `json:"agent,omitempty"`
	Session string           `json:"session,omitempty"`
	Tool    string           `json:"tool,omitempty"`
	T       int64            `json:"t,omitempty"` // UTC ms

	hidden bool // the record is not visible to agents
}

func (b *blamed) label() hearsay.Label { return hearsay.Label{Origin: b.Origin, Taint: b.Taint} }

// who is the agent, the session and the tool of a run.
func (b *blamed) who() string { return tell.Join(", ", b.Agent, b.Session, b.Tool) }

// when is how long before now a run was written; empty where nobody was seen writing it.
func (b *blamed) when(now time.Time) string {
	if b.Record.IsZero() {
		return ""
	}
	return tell.Ago(b.T, now)
}

// by names the record that a run came with, in short.
func (b *blamed) by() string {
	if b.Record.IsZero() {
		return nobody
	}
	return strings.TrimSpace(b.Record.String()[:shortID] + " " + b.Tool)
}

// nobody stands where there is no record, and shortID is how much of a record's id a
// table of lines has.
const (
	nobody  = "nobody was seen"
	shortID = 13
)

func (a *app) blame(ctx context.Context, name string, page bool) error {
	in, err := a.open(ctx, true)
	if err != nil {
		return err
	}
	defer in.Close()
	s, err := lookAt(ctx, in, name)
	if err != nil {
		return err
	}
	runs, err := blameOf(ctx, in, s.File.All())
	if err != nil {
		return err
	}
	now := time.Now()
	switch {
	case a.json:
		for _, r := range runs {
			if err := term.JSON(a.out, r); err != nil {
				return err
			}
		}
		return nil
	case page:
		return blamepage.Write(a.out, blamePage(name, s, runs, now))
	}
	p := a.printer()
	p.Table([]string{"line", "said by", "record", "when", "text"}, blameRows(p, runs, textLines(s.Data), now))
	printRecords(p, runs, now)
	if said := byGit(s, runs); said != "" {
		p.Printf("\nOf what nobody was seen writing: the file is %s.\n", said)
	}
	return p.Err()
}

// byGit is what the repository says of a file with lines that nobody was seen writing;
// empty where there are none, or it says nothing.
func byGit(s *memfile.State, runs []blamed) string {
	for _, r := range runs {
		if r.Record.IsZero() {
			return new(git.Reader).Explain(s.Path, s.Data, 1).String()
		}
	}
	return ""
}

// blameRows is a row for each line.
func blameRows(p *term.Printer, runs []blamed, lines []string, now time.Time) [][]any {
	var rows [][]any
	for _, r := range runs {
		for n := r.From; n <= r.To && n <= len(lines); n++ {
			rows = append(rows, []any{strconv.Itoa(n), tell.ByOrigin(p, r.label(), r.label().String()), r.by(), r.when(now), tell.ByOrigin(p, r.label(), lines[n-1])})
		}
	}
	return rows
}

// printRecords tells once of each record that lines came with what a table of lines has
// no room for.
func printRecords(p *term.Printer, runs []blamed, now time.Time) {
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

// blamePage is the page for a browser.
func blamePage(name string, s *memfile.State, runs []blamed, now time.Time) *blamepage.Page {
	page := &blamepage.Page{Name: name, Sum: memfile.Sum(s.Data), Made: now.UTC().Format(time.RFC3339)}
	lines := textLines(s.Data)
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

// textLines is a file's lines without their line feeds.
func textLines(data []byte) (lines []string) {
	for line := range bytes.Lines(data) {
		lines = append(lines, string(bytes.TrimSuffix(line, []byte("\n"))))
	}
	return lines
}

// lookAt looks at a file that is there, without sealing anything.
func lookAt(ctx context.Context, in *instance.Instance, name string) (*memfile.State, error) {
	s, err := lookFor(ctx, in, name)
	if err != nil {
		return nil, err
	}
	if s.Data == nil {
		return nil, fmt.Errorf("%s: %w", term.Safe(name), fs.ErrNotExist)
	}
	return s, nil
}

// lookFor looks at a file that may be gone. It always reads it.
func lookFor(ctx context.Context, in *instance.Instance, name string) (*memfile.State, error) {
	real, err := realName(name)
	if err != nil {
		return nil, err
	}
	t := memfile.Tracker{Guard: in.Guard, Caller: in.Caller(hearsay.SurfaceCLI)}
	return t.Look(ctx, real)
}

// realName is the name that a file is guarded by, whether it is there or not.
func realName(name string) (string, error) {
	abs, err := filepath.Abs(name)
	if err != nil {
		return "", err
	}
	return new(hook.Files).Real(abs), nil
}

// blameOf joins the runs of a file with what is known of their records.
func blameOf(ctx context.Context, in *instance.Instance, runs iter.Seq2[segment.Range, segment.Owner]) ([]blamed, error) {
	out := []blamed{}
	known := make(map[hearsay.RecordID]*guard.Shown)
	for r, o := range runs {
		b := blamed{From: r.From + 1, To: r.To, Origin: o.Label.Origin, Taint: o.Label.Taint, Record: o.Record}
		if !o.Record.IsZero() {
			shown := known[o.Record]
			if shown == nil {
				var err error
				if shown, err = in.Guard.Show(ctx, o.Record); err != nil {
					return nil, err
				}
				known[o.Record] = shown
			}
			b.Agent, b.Session, b.Tool, b.T = shown.Record.Agent, shown.Record.Session, shown.Side.Tool, shown.Record.Created
			b.hidden = !shown.Record.Standing.Visible()
		}
		out = append(out, b)
	}
	return out, nil
}

// parseLines reads FILE, FILE:N or FILE:N-M.
func parseLines(arg string) (name string, lines segment.Range, err error) {
	name, spec, found := cutLast(arg, ':')
	if !found || spec == "" || spec[0] < '0' || spec[0] > '9' {
		return arg, segment.Range{From: 0, To: segment.MaxLines}, nil
	}
	first, last, isRange := cutLast(spec, '-')
	if !isRange {
		first, last = spec, spec
	}
	from, err1 := strconv.Atoi(first)
	to, err2 := strconv.Atoi(last)
	if err := errors.Join(err1, err2); err != nil || from < 1 || to < from {
		return "", lines, usageError("%q: want FILE, FILE:LINE or FILE:FIRST-LAST, lines counted from 1", arg)
	}
	return name, segment.Range{From: from - 1, To: to}, nil
}

// cutLast cuts a text at the last c.
func cutLast(s string, c byte) (before, after string, found bool) {
	for i := len(s) - 1; i >= 0; i-- {
		if s[i] == c {
			return s[:i], s[i+1:], true
		}
	}
	return s, "", false
}
