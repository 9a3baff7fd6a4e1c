package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/hearsay-memory/hearsay/internal/doctor"
	"github.com/hearsay-memory/hearsay/internal/hosts/setup"
	"github.com/hearsay-memory/hearsay/internal/term"
)

// doctorCommand says what is wrong with an installation and what to do about it.
func (a *app) doctorCommand() *cobra.Command {
	var project string
	c := a.jsonFlag(&cobra.Command{
		Use:   "doctor",
		Short: "Say what is wrong here and what to do about it",
		Long: `Look at the home's modes, the policy in force, the reviewers' keys, the copies of
checkpoints, what waits, and the memory files of this project and of your agents: what
nobody was seen writing, and whether index and topic files agree; and for each agent host at its hooks, whether they were at
work, what keeps them from it, and what becomes of a tool when they fail. It changes
nothing. Exit code 1 if something fails.

It does not prove that the store is as it was sealed: that is ` + "`hearsay verify`" + `.`,
		Args: exactArgs(0),
		RunE: func(c *cobra.Command, _ []string) error { return a.doctor(c.Context(), project) },
	})
	c.Flags().StringVar(&project, "project", ".", "also look at hosts' settings of the project in `DIR`")
	return c
}

func (a *app) doctor(ctx context.Context, project string) error {
	dir, err := a.dir()
	if err != nil {
		return err
	}
	if project, err = setup.ProjectDir(project); err != nil {
		return err
	}
	found := doctor.Examine(ctx, doctor.Subject{Dir: dir, HomeFlag: a.homeFlag, Project: project, UserHome: userHome(), Profile: a.startedProfile(dir)})
	if err := a.printDiagnoses(found); err != nil {
		return err
	}
	for _, d := range found {
		if d.State == doctor.Fail {
			return &exitError{code: exitFailed}
		}
	}
	return nil
}

func (a *app) printDiagnoses(found []doctor.Diagnosis) error {
	if a.json {
		return objects(a, found)
	}
	p := a.printer()
	colour := map[doctor.State]func(string) term.Styled{doctor.OK: p.Green, doctor.Warn: p.Yellow, doctor.Fail: p.Red}
	rows := make([][]any, 0, 2*len(found))
	for _, d := range found {
		check := d.Check
		if d.Host != "" {
			check = d.Host + " " + check
		}
		rows = append(rows, []any{colour[d.State](string(d.State)), check, d.Found})
		if d.Do != "" {
			rows = append(rows, []any{"", "", p.Dim("→ " + d.Do)})
		}
	}
	p.Table(nil, rows)
	return p.Err()
}
