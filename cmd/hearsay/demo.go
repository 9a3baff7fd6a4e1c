package main

import (
	"context"
	"errors"
	"os"

	"github.com/spf13/cobra"

	"github.com/hearsay-memory/hearsay/internal/demo"
	"github.com/hearsay-memory/hearsay/internal/term"
)

// demoCommand plays the story.
func (a *app) demoCommand() *cobra.Command {
	var keep string
	c := a.jsonFlag(&cobra.Command{
		Use:   "demo",
		Short: "Play the whole story, with nothing installed",
		Long: `Play the story end to end in a temporary home: a page is read, a lesson from it is
held, the recall is clean, a review, a derived lesson, a revocation, a recall from
Hearsay's own memory, a tampering that is found. Two small MCP servers, a memory and a web reader, are built in; the proxies,
the store and the log are the real ones.`,
		Args: exactArgs(0),
		RunE: func(c *cobra.Command, _ []string) error { return a.demo(c.Context(), keep) },
	})
	c.Flags().StringVar(&keep, "keep", "", "play in this new `DIR` and leave the home there, to look around with --home DIR/home")
	return c
}

// played is the summary of a demo with --json.
type played struct {
	OK    bool        `json:"ok"`
	Steps []demo.Step `json:"steps"`
}

func (a *app) demo(ctx context.Context, keep string) (err error) {
	dir := keep
	if dir == "" {
		if dir, err = os.MkdirTemp("", "hearsay-demo-"); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	} else if err := os.Mkdir(dir, 0o700); err != nil {
		return err
	}
	p := a.printer()
	var sum played
	sum.OK, err = demo.Play(ctx, dir, func(s demo.Step) {
		sum.Steps = append(sum.Steps, s)
		if a.json {
			return
		}
		sign := p.Green("✓")
		if !s.OK {
			sign = p.Red("✗")
		}
		p.Printf("%s %s\n", sign, p.Bold(s.Name))
		p.Text("    ", s.Told)
		for _, line := range s.Shown {
			p.Text("    | ", line)
		}
		if s.Detail != "" {
			p.Text("    ", s.Detail)
		}
	})
	if err != nil {
		return err
	}
	if a.json {
		err = term.JSON(a.out, sum)
	} else {
		err = p.Err()
	}
	if err == nil && !sum.OK {
		err = &exitError{exitFailed, "the story did not go as told"}
	}
	return err
}
