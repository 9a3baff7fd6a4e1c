package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/hearsay-memory/hearsay/internal/home"
	"github.com/hearsay-memory/hearsay/internal/people"
	"github.com/hearsay-memory/hearsay/internal/term"
	"github.com/hearsay-memory/hearsay/policy"
)

// policyCommand shows, checks, tests and signs policies.
func (a *app) policyCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "policy",
		Short: "Show, check, test and sign the policy",
		Long: `The policy is policy.yaml in the home. An edited file changes nothing: the policy in
force is the last one that a reviewer signed.`,
		Args: exactArgs(0),
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(a.policyShowCommand(), a.policyCheckCommand(), a.policyTestCommand(), a.policySignCommand())
	return c
}

// policyShowCommand shows the policy in force.
func (a *app) policyShowCommand() *cobra.Command {
	return a.jsonFlag(&cobra.Command{
		Use:   "show",
		Short: "Show the policy in force",
		Args:  exactArgs(0),
		RunE:  func(c *cobra.Command, _ []string) error { return a.policyShow(c.Context()) },
	})
}

func (a *app) policyShow(ctx context.Context) error {
	in, err := a.open(ctx, true)
	if err != nil {
		return err
	}
	defer in.Close()
	p := in.Guard.Policy()
	if a.json {
		mode, set := p.Mode()
		return term.JSON(a.out, struct {
			Hash    string        `json:"hash"` // SHA-256 of the exact bytes; empty: none in force
			Mode    string        `json:"mode"`
			ModeSet bool          `json:"mode_set"`
			Default string        `json:"default"`
			Rules   []policy.Rule `json:"rules"`
			Note    string        `json:"note,omitempty"`
		}{p.Hash(), mode.String(), set, p.Default().String(), p.Rules(), in.PolicyNote})
	}
	if in.PolicyNote != "" {
		a.warn(in.PolicyNote)
	}
	if p == nil {
		return &exitError{code: exitFailed}
	}
	data, err := in.Home.Signed(p.Hash())
	if err != nil {
		return err
	}
	if out := a.printer(); out.Terminal() {
		out.Text("", string(data))
		return out.Err()
	}
	_, err = a.out.Write(data) // the exact bytes that were signed, for a file or a comparison
	return err
}

// policySignCommand puts the edited policy in force.
func (a *app) policySignCommand() *cobra.Command {
	var s signing
	c := &cobra.Command{
		Use:   "sign",
		Short: "Put policy.yaml in force",
		Long: `Sign policy.yaml and put it in force. A policy with errors or with failing cases is
refused. Proxies and hooks that run take it up when they start again.`,
		Args: exactArgs(0),
		RunE: func(c *cobra.Command, _ []string) error { return a.policySign(c.Context(), &s) },
	}
	s.flags(c)
	return c
}

func (a *app) policySign(ctx context.Context, s *signing) error {
	in, err := a.open(ctx, false)
	if err != nil {
		return err
	}
	defer in.Close()
	// What is checked is what is signed: the bytes are read once.
	data, err := in.Home.ReadFile(home.FilePolicy)
	if err != nil {
		return err
	}
	p, err := policy.Parse(in.Home.Path(home.FilePolicy), data)
	if err := a.reportProblems(p, err); err != nil {
		return refusedToSign(err)
	}
	if old := in.Guard.Policy(); old.Hash() == p.Hash() {
		a.printer().Printf("It is in force already, as it stands.\n")
		return nil
	}
	if err := a.policyTest(p, ""); err != nil {
		return refusedToSign(err)
	}
	var who people.Person
	defer who.Close()
	signer, err := s.Unlock(in, &who)
	if err != nil {
		return err
	}
	defer signer.Wipe()
	sum, err := in.SignPolicy(ctx, data, signer)
	if err != nil {
		return err
	}
	mode, _ := p.Mode()
	a.printer().Printf("Signed by %s: %.12s is in force, mode %s.\n", signer.Name(), sum, mode)
	return nil
}

// refusedToSign says, where the findings were printed already, what came of them.
func refusedToSign(err error) error {
	if e, ok := errors.AsType[*exitError](err); ok && e.text == "" {
		return &exitError{e.code, "not signed: correct the file first; the last signed policy stays in force"}
	}
	return fmt.Errorf("not signed: %w", err)
}
