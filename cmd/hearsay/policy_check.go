package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hearsay-memory/hearsay/internal/home"
	"github.com/hearsay-memory/hearsay/internal/lint"
	"github.com/hearsay-memory/hearsay/internal/term"
	"github.com/hearsay-memory/hearsay/policy"
)

// policyCheckCommand tells what is wrong with a file.
func (a *app) policyCheckCommand() *cobra.Command {
	return a.jsonFlag(&cobra.Command{
		Use:   "check [FILE]",
		Short: "Tell what is wrong with a policy, by file, line and column",
		Args:  atMostOneFile,
		RunE: func(_ *cobra.Command, args []string) error {
			return a.reportProblems(a.readPolicy(args))
		},
	})
}

// readPolicy reads the file that was named, else the home's. A file of one's own needs
// no home.
func (a *app) readPolicy(args []string) (*policy.Policy, error) {
	var name string
	var data []byte
	var err error
	if len(args) == 1 {
		name = args[0]
		data, err = os.ReadFile(name)
	} else {
		name, data, err = a.homeFile(home.FilePolicy)
	}
	if err != nil {
		return nil, err
	}
	return policy.Parse(name, data)
}

// homeFile reads a small file of the home.
func (a *app) homeFile(file string) (name string, data []byte, err error) {
	dir, err := a.dir()
	if err != nil {
		return "", nil, err
	}
	h, err := home.Open(dir)
	if err != nil {
		return "", nil, err
	}
	data, err = h.ReadFile(file)
	return h.Path(file), data, err
}

// reportProblems prints the errors of a parse, or what is doubtful in what parsed.
// Errors end the command; warnings do not.
func (a *app) reportProblems(p *policy.Policy, err error) error {
	problems, failed := errors.AsType[policy.Errors](err)
	if err != nil && !failed {
		return err
	}
	if err == nil {
		problems = policy.Check(p)
	}
	for _, pr := range problems {
		if err := a.printProblem(pr); err != nil {
			return err
		}
	}
	if failed {
		return &exitError{code: exitFailed}
	}
	if a.json {
		return nil
	}
	out := a.printer()
	out.Printf("%s: %d rules, %d warning(s).\n", p.Name(), len(p.Rules()), len(problems))
	return out.Err()
}

func (a *app) printProblem(pr policy.Problem) error {
	if a.json {
		return term.JSON(a.out, struct {
			policy.Problem
			Severity string `json:"severity"`
		}{pr, pr.Severity.String()})
	}
	p := a.printer()
	severity := p.Red(pr.Severity.String())
	if pr.Severity == policy.SeverityWarning {
		severity = p.Yellow(pr.Severity.String())
	}
	p.Printf("%s:%d:%d: %s: %s\n", pr.File, pr.Line, pr.Column, severity, pr.Message)
	if pr.Suggestion != "" {
		p.Printf("    %s\n", pr.Suggestion)
	}
	return p.Err()
}

// policyTestCommand runs the cases of a policy.
func (a *app) policyTestCommand() *cobra.Command {
	var cases string
	c := &cobra.Command{
		Use:   "test [FILE]",
		Short: "Run the cases beside a policy",
		Long: `Decide the cases by the policy and compare. The cases of FOO.yaml are FOO.cases.yaml,
unless --cases names others.`,
		Args: atMostOneFile,
		RunE: func(_ *cobra.Command, args []string) error {
			p, err := a.readPolicy(args)
			if err != nil {
				return a.reportProblems(nil, err)
			}
			if cases == "" && len(args) == 1 {
				cases = strings.TrimSuffix(strings.TrimSuffix(args[0], ".yaml"), ".yml") + ".cases.yaml"
			}
			return a.policyTest(p, cases)
		},
	}
	c.Flags().StringVar(&cases, "cases", "", "`FILE` of cases")
	return a.jsonFlag(c)
}

// policyTest runs a file of cases; an empty name stands for the home's.
func (a *app) policyTest(p *policy.Policy, name string) error {
	var data []byte
	var err error
	if name == "" {
		name, data, err = a.homeFile(home.FilePolicyCases)
	} else {
		data, err = os.ReadFile(name)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("no cases to run: %w; write some beside the policy, or give --cases", err)
	}
	if err != nil {
		return err
	}
	cases, err := policy.ParseCases(name, data)
	if err != nil {
		return a.reportProblems(nil, err)
	}
	failed := 0
	for _, r := range policy.RunCases(p, cases, lint.Text) {
		if !r.Passed() {
			failed++
		}
		if err := a.printCase(r); err != nil {
			return err
		}
	}
	if !a.json {
		a.printer().Printf("%d cases, %d failed.\n", len(cases), failed)
	}
	if failed > 0 {
		return &exitError{code: exitFailed}
	}
	return nil
}

// printCase prints a case that failed; with --json, each.
func (a *app) printCase(r policy.CaseResult) error {
	if a.json {
		return term.JSON(a.out, struct {
			Name     string   `json:"name"`
			File     string   `json:"file"`
			Line     int      `json:"line"`
			Passed   bool     `json:"passed"`
			Action   string   `json:"action"`
			Rule     string   `json:"rule"`
			Failures []string `json:"failures,omitempty"`
		}{r.Case.Name, r.Case.File, r.Case.Line, r.Passed(), r.Got.Action.String(), r.Got.Rule.ID, r.Failures})
	}
	p := a.printer()
	for _, f := range r.Failures {
		p.Printf("%s:%d: %s %s: %s; decided by %s\n", r.Case.File, r.Case.Line, p.Red("failed"), r.Case.Name, f, r.Got.Rule)
	}
	return p.Err()
}
