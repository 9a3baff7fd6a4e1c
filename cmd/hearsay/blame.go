package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/internal/instance"
	"github.com/hearsay-memory/hearsay/internal/memfile"
	"github.com/hearsay-memory/hearsay/internal/memfile/segment"
	"github.com/hearsay-memory/hearsay/internal/term"
)

// blameCommand shows who said each line of a memory file.
func (a *app) blameCommand() *cobra.Command {
	return a.jsonFlag(&cobra.Command{
		Use:   "blame FILE",
		Short: "Show who said each line of a memory file",
		Long: `Show each line of a guarded file with its origin, what flowed into it, and the record of
the write that it came with. A line that nobody was seen writing has no record: it is
unverified, and has the taint of every session that was open when it appeared.

Nothing is written: what changed since the file was last looked at is shown, and sealed
when an agent's session starts. hearsay attest adopts lines as your own word.`,
		Args: exactArgs(1),
		RunE: func(c *cobra.Command, args []string) error { return a.blame(c.Context(), args[0]) },
	})
}

// blamed is what blame says with --json: a run of lines of one owner. It has no text.
type blamed struct {
	From   int              `json:"from"` // 1-based
	To     int              `json:"to"`
	Origin hearsay.Origin   `json:"origin"`
	Taint  hearsay.Taint    `json:"taint"`
	Record hearsay.RecordID `json:"record,omitzero"`
	Agent  string           `json:"agent,omitempty"`
	Tool   string           `json:"tool,omitempty"`
	T      int64            `json:"t,omitempty"` // UTC ms
}

func (a *app) blame(ctx context.Context, name string) error {
	in, err := a.open(ctx, true)
	if err != nil {
		return err
	}
	defer in.Close()
	s, err := lookAt(ctx, in, name)
	if err != nil {
		return err
	}
	runs, err := blameOf(ctx, in, s)
	if err != nil {
		return err
	}
	if a.json {
		return term.JSON(a.out, runs)
	}
	p := a.printer()
	lines := bytes.Split(bytes.TrimSuffix(s.Data, []byte("\n")), []byte("\n"))
	var rows [][]any
	for _, r := range runs {
		for n := r.From; n <= r.To && n <= len(lines); n++ {
			label := hearsay.Label{Origin: r.Origin, Taint: r.Taint}
			who, when := "nobody was seen", ""
			if !r.Record.IsZero() {
				who, when = r.Record.String()[:13]+" "+r.Tool, ago(r.T, time.Now())
			}
			rows = append(rows, []any{strconv.Itoa(n), label.String(), who, when, string(lines[n-1])})
		}
	}
	p.Table([]string{"line", "said by", "record", "when", "text"}, rows)
	return p.Err()
}

// lookAt looks at a file without sealing anything.
func lookAt(ctx context.Context, in *instance.Instance, name string) (*memfile.State, error) {
	abs, err := filepath.Abs(name)
	if err != nil {
		return nil, err
	}
	if real, err := filepath.EvalSymlinks(abs); err == nil {
		abs = real
	}
	t := memfile.Tracker{Guard: in.Guard, Caller: in.Caller(hearsay.SurfaceCLI)}
	s, err := t.Look(ctx, filepath.ToSlash(abs))
	if err != nil {
		return nil, err
	}
	if s.Data == nil {
		return nil, fmt.Errorf("%s: %w", name, fs.ErrNotExist)
	}
	return s, nil
}

// blameOf joins the runs of a file with what is known of their records.
func blameOf(ctx context.Context, in *instance.Instance, s *memfile.State) ([]blamed, error) {
	out := []blamed{}
	for r, o := range s.File.All() {
		b := blamed{From: r.From + 1, To: r.To, Origin: o.Label.Origin, Taint: o.Label.Taint, Record: o.Record}
		if !o.Record.IsZero() {
			shown, err := in.Guard.Show(ctx, o.Record)
			if err != nil {
				return nil, err
			}
			b.Agent, b.Tool, b.T = shown.Record.Agent, shown.Side.Tool, shown.Record.Created
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
