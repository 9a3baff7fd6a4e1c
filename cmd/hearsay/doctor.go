package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"github.com/spf13/cobra"

	"github.com/hearsay-memory/hearsay/internal/home"
	"github.com/hearsay-memory/hearsay/internal/hosts/setup"
	"github.com/hearsay-memory/hearsay/internal/instance"
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

// state is how one thing that doctor looks at is.
type state string

// The states.
const (
	stateOK   state = "ok"
	stateWarn state = "warn"
	stateFail state = "fail"
)

// diagnosis is one line of doctor.
type diagnosis struct {
	Host  string `json:"host,omitempty"` // the agent host that it is about
	Check string `json:"check"`
	State state  `json:"state"`
	Found string `json:"found"`
	Do    string `json:"do,omitempty"` // what to do about it; empty: nothing
}

// examination collects what doctor finds.
type examination struct {
	all []diagnosis
}

func (x *examination) add(check string, s state, do, format string, args ...any) {
	x.all = append(x.all, diagnosis{Check: check, State: s, Found: fmt.Sprintf(format, args...), Do: do})
}

// cannot adds what could not be looked at, which is never fine.
func (x *examination) cannot(check string, err error) {
	x.add(check, stateFail, "run `hearsay verify`", "cannot be looked at: %v", err)
}

func (a *app) doctor(ctx context.Context, project string) error {
	dir, err := a.dir()
	if err != nil {
		return err
	}
	if project, err = setup.ProjectDir(project); err != nil {
		return err
	}
	x := &examination{}
	var opened *instance.Instance
	in, err := instance.Open(ctx, dir, instance.Options{ReadOnly: true})
	switch {
	case errors.Is(err, fs.ErrNotExist):
		x.add("home", stateFail, "run `hearsay init`, or give the right --home; a home that was there before has lost a file", "%v", err)
	case errors.Is(err, home.ErrUnsafe):
		x.add("home", stateFail, "run the command that it names; then ask who could have changed it", "%v", err)
	case err != nil:
		x.cannot("home", err)
	default:
		opened = in
		defer in.Close()
		x.home(in)
		x.policy(in)
		x.reviewers(ctx, in)
		x.copies(ctx, in)
		x.held(ctx, in)
		x.deliveries(ctx, in)
		x.sessions(ctx, in)
		x.files(ctx, in, project)
		x.limits(in)
	}
	x.hosts(ctx, opened, dir, a.homeFlag, project)
	if err := a.printExamination(x); err != nil {
		return err
	}
	for _, d := range x.all {
		if d.State == stateFail {
			return &exitError{code: exitFailed}
		}
	}
	return nil
}

func (a *app) printExamination(x *examination) error {
	if a.json {
		for _, d := range x.all {
			if err := term.JSON(a.out, d); err != nil {
				return err
			}
		}
		return nil
	}
	p := a.printer()
	colour := map[state]func(string) term.Styled{stateOK: p.Green, stateWarn: p.Yellow, stateFail: p.Red}
	rows := make([][]any, 0, 2*len(x.all))
	for _, d := range x.all {
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
