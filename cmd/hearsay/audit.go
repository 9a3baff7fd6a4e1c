package main

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/event"
	"github.com/hearsay-memory/hearsay/internal/audit"
	"github.com/hearsay-memory/hearsay/internal/detect"
	"github.com/hearsay-memory/hearsay/internal/doctor"
	"github.com/hearsay-memory/hearsay/internal/hosts/setup"
	"github.com/hearsay-memory/hearsay/internal/tell"
	"github.com/hearsay-memory/hearsay/internal/term"
)

// auditing is what audit is asked.
type auditing struct {
	apply, sarif   bool
	since, project string
}

// auditCommand looks for what an attack leaves behind.
func (a *app) auditCommand() *cobra.Command {
	var f auditing
	c := &cobra.Command{
		Use:   "audit",
		Short: "Look for what an attack on the memory leaves behind",
		Long: `Look for what an attack on the memory leaves behind: bursts of writes, memories of low
trust that hold together by tags or say the same, ones that session after session takes
in and nobody looked at, ones that arrive slowly, files that are not as they were
sealed, hooks that fell silent, reviews that nobody saw for weeks. It judges by who
wrote, when, how often and how alike, never by what a text says, and prints no word of
any memory. What it cannot find: a lie that is told once.

--apply holds what was found again, at most ` + fmt.Sprint(detect.MaxApplied) + ` memories a run, as in review: never your own
word, what is pinned, or what you let go. Without it nothing is changed.

Exit code 1 if a finding is an error: a file of your own word is not as it was sealed.`,
		Example: `  hearsay audit --since 7d
  hearsay audit --apply
  hearsay audit --sarif > hearsay.sarif`,
		Args: exactArgs(0),
		RunE: func(c *cobra.Command, _ []string) error { return a.audit(c.Context(), &f) },
	}
	fl := c.Flags()
	fl.BoolVar(&f.apply, "apply", false, "hold what was found, until you decide")
	fl.BoolVar(&f.sarif, "sarif", false, "print SARIF 2.1.0, for code scanning")
	fl.StringVar(&f.since, "since", "", "print what happened since `TIME` alone: 2026-01-31T12:00:00Z, or 90m, 2h, 3d ago")
	fl.StringVar(&f.project, "project", ".", "also look at the memory files of the project in `DIR`")
	return a.jsonFlag(c)
}

func (a *app) audit(ctx context.Context, f *auditing) error {
	if f.sarif && a.json {
		return usageError("--sarif and --json: want one of them")
	}
	var since time.Time
	var err error
	if f.since != "" {
		if since, err = parseSince(f.since, time.Now()); err != nil {
			return err
		}
	}
	project, err := setup.ProjectDir(f.project)
	if err != nil {
		return err
	}
	in, m, done, err := a.openMemory(ctx, !f.apply)
	if err != nil {
		return err
	}
	defer done()
	scope, err := doctor.Surroundings(ctx, in, userHome(), project)
	if err != nil {
		return err
	}
	scope.Memory = m
	report, err := audit.Look(ctx, in.Guard, scope)
	if err != nil {
		return err
	}
	var run *event.Audit
	if f.apply {
		if run, err = report.Apply(ctx, in.Guard, in.Caller(hearsay.SurfaceCLI)); err != nil {
			return err
		}
	}
	if f.since != "" {
		report.Since(since.UnixMilli())
	}
	switch {
	case f.sarif:
		err = audit.SARIF(a.out, report.Found, version(), project)
	case a.json:
		err = a.auditJSON(report, run)
	default:
		err = a.auditText(report, run)
	}
	if err != nil {
		return err
	}
	for _, found := range report.Found {
		if found.Level == detect.Error {
			return &exitError{code: exitFailed}
		}
	}
	return nil
}

// auditEnd is what audit says last with --json.
type auditEnd struct {
	Memories int                   `json:"memories"`
	Findings int                   `json:"findings"`
	Holds    []hearsay.RecordID    `json:"would_hold,omitempty"`
	Held     []hearsay.RecordID    `json:"held,omitempty"`
	Left     map[detect.Reason]int `json:"left,omitempty"`
	Run      *hearsay.RecordID     `json:"run,omitempty"` // as it was sealed, with --apply
}

func (a *app) auditJSON(r *audit.Report, run *event.Audit) error {
	for _, f := range r.Found {
		if err := term.JSON(a.out, f); err != nil {
			return err
		}
	}
	end := auditEnd{Memories: r.Memories, Findings: len(r.Found), Left: r.Left}
	if run != nil {
		end.Held, end.Run = run.Held, &run.ID
	} else {
		for _, q := range r.Take {
			end.Holds = append(end.Holds, q.Record)
		}
	}
	return term.JSON(a.out, end)
}

func (a *app) auditText(r *audit.Report, run *event.Audit) error {
	p := a.printer()
	colour := map[detect.Level]func(string) term.Styled{detect.Note: p.Dim, detect.Warning: p.Yellow, detect.Error: p.Red}
	do := make(map[detect.Rule]string)
	for _, d := range detect.Rules() {
		do[d.Rule] = d.Do
	}
	rows := make([][]any, 0, 3*len(r.Found))
	for _, f := range r.Found {
		rows = append(rows, []any{colour[f.Level](string(f.Level)), string(f.Rule), f.Text})
		names := f.Files
		for _, id := range f.Records {
			names = append(names, id.String())
		}
		if len(names) > 0 {
			rows = append(rows, []any{"", "", tell.Few(names)})
		}
		rows = append(rows, []any{"", "", p.Dim("→ " + do[f.Rule])})
	}
	p.Table(nil, rows)
	if len(r.Found) == 0 {
		p.Printf("Nothing stands out in %s.\n", tell.Count(r.Memories, "memory", "memories"))
	} else {
		p.Printf("\n%s in %s.\n", tell.Count(len(r.Found), "finding", "findings"), tell.Count(r.Memories, "memory", "memories"))
	}
	switch {
	case run != nil:
		p.Printf("Held %s: run `hearsay review` to decide.\n", tell.Count(len(run.Held), "memory", "memories"))
	case len(r.Take) > 0:
		p.Printf("`hearsay audit --apply` would hold %s.\n", tell.Count(len(r.Take), "memory", "memories"))
	}
	for _, why := range detect.Reasons() {
		if n := r.Left[why]; n > 0 {
			p.Printf("%d left as they are: %s.\n", n, why)
		}
	}
	return p.Err()
}
