package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/hearsay-memory/hearsay/guard"
	"github.com/hearsay-memory/hearsay/internal/home"
	"github.com/hearsay-memory/hearsay/internal/instance"
	"github.com/hearsay-memory/hearsay/internal/term"
)

// The exit codes.
const (
	exitFailed    = 1
	exitUsage     = 2
	exitHeld      = 3
	exitIntegrity = 4
)

// streams are where a command reads and writes.
type streams struct {
	in       io.Reader
	out, err io.Writer
}

// app is what every command needs.
type app struct {
	streams
	homeFlag string
	json     bool
}

// exitError ends a command with a code of its own. An empty text prints nothing.
type exitError struct {
	code int
	text string
}

func (e *exitError) Error() string { return e.text }

// usageError is a mistake on the command line.
func usageError(format string, args ...any) error {
	return &exitError{exitUsage, fmt.Sprintf(format, args...)}
}

// run runs one command line and returns the exit code.
func run(ctx context.Context, args []string, s streams) int {
	a := &app{streams: s}
	root := a.root(args)
	root.SetArgs(args)
	root.SetIn(s.in)
	root.SetOut(s.out)
	root.SetErr(s.err)
	err := root.ExecuteContext(ctx)
	if err == nil {
		return 0
	}
	code, text := exitFailed, err.Error()
	if e, ok := errors.AsType[*exitError](err); ok {
		code, text = e.code, e.text
	} else if strings.HasPrefix(text, "unknown command") {
		code = exitUsage // cobra has no type for it
	} else if errors.Is(err, guard.ErrTampered) {
		code = exitIntegrity
	}
	if text != "" {
		fmt.Fprintf(s.err, "hearsay: %s\n", term.SafeText(text))
	}
	return code
}

// root is the command that has the others which a command line needs.
func (a *app) root(args []string) *cobra.Command {
	root := &cobra.Command{
		Use:   "hearsay",
		Short: "A provenance firewall for the memory of AI agents",
		Long: `Hearsay records who is really speaking for every memory write of an agent, decides
by that origin and not by the wording, holds what comes from strangers for a person
to review, and marks what is recalled.

Begin with:  hearsay init        make a home, a reviewer and a signed policy
             hearsay demo        see the whole story with nothing installed
             hearsay mcp -- …    put it in front of an MCP server

Exit codes: 0 done, 1 failed, 2 usage, 3 held or denied, 4 integrity failure.`,
		SilenceErrors: true,
		SilenceUsage:  true,
	}
	root.PersistentFlags().StringVar(&a.homeFlag, "home", "", "home directory (default $HEARSAY_HOME, then ~/.hearsay)")
	root.SetFlagErrorFunc(func(c *cobra.Command, err error) error {
		return usageError("%v; see `%s --help`", err, c.CommandPath())
	})
	root.AddCommand(a.commands(args)...)
	return root
}

// dir resolves the home directory.
func (a *app) dir() (string, error) {
	return home.Resolve(a.homeFlag, os.Getenv, userHome())
}

// open opens the home. Commands that change nothing say so.
func (a *app) open(ctx context.Context, readOnly bool) (*instance.Instance, error) {
	dir, err := a.dir()
	if err != nil {
		return nil, err
	}
	return instance.Open(ctx, dir, instance.Options{ReadOnly: readOnly})
}

// flagDir resolves the home for what an agent may start itself, which could set the
// environment: that is not asked.
func (a *app) flagDir() (string, error) {
	return home.Resolve(a.homeFlag, func(string) string { return "" }, userHome())
}

// openByFlag opens the home of [app.flagDir], to write.
func (a *app) openByFlag(ctx context.Context) (*instance.Instance, error) {
	dir, err := a.flagDir()
	if err != nil {
		return nil, err
	}
	return instance.Open(ctx, dir, instance.Options{})
}

// jsonFlag gives a read command its --json.
func (a *app) jsonFlag(c *cobra.Command) *cobra.Command {
	c.Flags().BoolVar(&a.json, "json", false, "print JSON, one object a line")
	return c
}

// objects prints each of a list as JSON, one a line.
func objects[T any](a *app, list []T) error {
	for _, one := range list {
		if err := term.JSON(a.out, one); err != nil {
			return err
		}
	}
	return nil
}

// warn tells people on standard error, beside what a command prints.
func (a *app) warn(text string) { fmt.Fprintf(a.err, "hearsay: %s\n", term.SafeText(text)) }

// printer prints to people on standard output.
func (a *app) printer() *term.Printer { return term.New(a.out, os.Getenv) }

// missingRecord says what to do about an id that no record has.
func missingRecord(err error) error {
	if errors.Is(err, guard.ErrNotFound) {
		return fmt.Errorf("%w; `hearsay review list --status all` shows the ids", err)
	}
	return err
}

// userHome is the user's home directory; empty where there is none.
func userHome() string {
	dir, err := os.UserHomeDir()
	if err != nil {
		return ""
	}
	return dir
}

// nowMS is the time in UTC ms.
func nowMS() int64 { return time.Now().UnixMilli() }
