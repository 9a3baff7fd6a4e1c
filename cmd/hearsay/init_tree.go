package main

import (
	"context"
	"fmt"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/internal/adopt"
	"github.com/hearsay-memory/hearsay/internal/hook"
	"github.com/hearsay-memory/hearsay/internal/memfile"
	"github.com/hearsay-memory/hearsay/internal/tell"
)

// maxFound bounds the files that init lists one by one.
const maxFound = 20

// adoptTree records the memory that is there already as nobody's word that was seen, and
// says what it found: it sinks no session, and is no agent's memory until it is adopted.
func (a *app) adoptTree(ctx context.Context, dir string) error {
	in, err := a.open(ctx, false)
	if err != nil {
		return err
	}
	defer in.Close()
	rules := in.Guard.Policy()
	if rules == nil {
		return nil // doctor says so
	}
	files := hook.NewFiles(rules, userHome(), dir, in.Home.Dir())
	names, complete := files.Memory()
	t := memfile.Tracker{Guard: in.Guard, Caller: in.Caller(hearsay.SurfaceCLI)}
	survey, err := t.Survey(ctx, memfile.Hash)
	if err != nil {
		return err
	}
	p := a.printer()
	var rows [][]any
	found, lines, odd, elsewhere := 0, 0, 0, 0
	for _, name := range names {
		s, err := survey.Settle(ctx, name)
		if err != nil {
			odd++
			continue
		}
		if s.Data == nil {
			continue
		}
		found, lines = found+1, lines+s.File.Lines()
		if s.File.Label().Tainted() {
			elsewhere++
		}
		if told := adopt.Suspects(s); told != "" || found <= maxFound {
			rows = append(rows, []any{name, fmt.Sprint(s.File.Lines()), s.File.Label().String(), told})
		}
	}
	if err := survey.Close(ctx); err != nil {
		return err
	}
	if found == 0 && odd == 0 {
		return p.Err()
	}
	p.Printf("\nMemory that is here already: %s, %s.\n\n", tell.Count(found, "file", "files"), tell.Count(lines, "line", "lines"))
	more := len(rows) - 2*maxFound
	p.Table([]string{"file", "lines", "said by", "look at"}, rows[:min(len(rows), 2*maxFound)])
	if more > 0 {
		p.Printf("and %d more of which something is to be looked at\n", more)
	}
	if odd > 0 || !complete {
		p.Printf("\nNot all of it was looked at: `hearsay doctor` says what was not, and why.\n")
	}
	if elsewhere > 0 {
		p.Printf("\nWhat came with a clone is somebody else's until you adopt it: it taints who reads it.\n")
	}
	p.Printf("\nNobody was seen writing it. Look with `hearsay blame FILE`; `hearsay attest --all` adopts what\nnothing speaks against as the agent's word.\n")
	return p.Err()
}
