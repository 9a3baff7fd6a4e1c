package main

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/internal/adopt"
	"github.com/hearsay-memory/hearsay/internal/blame"
	"github.com/hearsay-memory/hearsay/internal/memfile"
	"github.com/hearsay-memory/hearsay/internal/memfile/segment"
	"github.com/hearsay-memory/hearsay/internal/people"
	"github.com/hearsay-memory/hearsay/internal/tell"
	"github.com/hearsay-memory/hearsay/internal/term"
)

// attestCommand adopts lines of a memory file, or memories, as the user's own.
func (a *app) attestCommand() *cobra.Command {
	var s signing
	var yes, all bool
	c := &cobra.Command{
		Use:   "attest FILE[:FIRST-LAST] | --all [FILE...] | ID...",
		Short: "Adopt lines of a memory file, or memories, as your own word",
		Long: `Show the exact bytes of the lines, hidden characters visible, and adopt them as your own
word once you have signed. Where the file changes between the look and the signature it
is refused. History keeps who said them before.

With --all it is for memory that is older than Hearsay: all lines of the memory files here,
or of those that are named, that nobody was seen writing. They become an agent's word and
not yours, since you did not look at each. Left out, and named, are lines that hide
something or are shaped like an injection, that were recorded as somebody else's, or that
came with a clone or from a tainted session: those need a look of their own.

With the ids of memories, such as imported ones, show and adopt those: for each a new
memory with the same text takes its place, and revoking that brings the old one back.

Needs a reviewer's key: an agent cannot do it for you.`,
		Example: `  hearsay attest MEMORY.md:4-9
  hearsay attest --all
  hearsay attest 0190b5a0-0000-7000-8000-000000000000`,
		RunE: func(c *cobra.Command, args []string) error {
			if all {
				return a.attestAll(c.Context(), &s, args, yes)
			}
			if ids, err := parseIDs(args); err == nil && len(ids) > 0 {
				return a.attestMemories(c.Context(), &s, ids, yes)
			}
			if len(args) != 1 {
				return usageError("%s takes lines of one FILE, the ids of memories, or --all; see `%s --help`", c.CommandPath(), c.CommandPath())
			}
			return a.attest(c.Context(), &s, args[0], yes)
		},
	}
	s.flags(c)
	c.Flags().BoolVar(&all, "all", false, "adopt old memory as an agent's word")
	c.Flags().BoolVar(&yes, "yes", false, "do not ask: the lines or memories were looked at before")
	return c
}

func (a *app) attest(ctx context.Context, s *signing, arg string, yes bool) error {
	name, lines, err := parseLines(arg)
	if err != nil {
		return err
	}
	in, err := a.open(ctx, false)
	if err != nil {
		return err
	}
	defer in.Close()
	state, err := blame.Look(ctx, in, name)
	if err != nil {
		return err
	}
	t := memfile.Tracker{Guard: in.Guard, Caller: in.Caller(hearsay.SurfaceCLI)}
	if err := t.Settle(ctx, state); err != nil {
		return err
	}
	if lines.From >= state.File.Lines() {
		return usageError("%s has %s", name, tell.Count(state.File.Lines(), "line", "lines"))
	}
	lines.To = min(lines.To, state.File.Lines())
	text, _, err := state.Adopt(lines, segment.Owner{})
	if err != nil {
		return err
	}
	p := a.printer()
	p.Printf("Lines %d to %d of %s, as they would be adopted:\n", lines.From+1, lines.To, name)
	p.Text(tell.Bar, string(text))
	if err := p.Err(); err != nil {
		return err
	}
	var who people.Person
	defer who.Close()
	signer, err := s.confirmed(in, &who, yes, "Adopt these lines as your own word?")
	if err != nil {
		return err
	}
	defer signer.Wipe()
	id, err := adopt.SealLines(ctx, in, t.Caller, signer, state, lines)
	if errors.Is(err, adopt.ErrChanged) {
		return fmt.Errorf("%s changed while you looked at it: nothing was adopted; look at it again", term.Safe(name))
	}
	if err != nil {
		return err
	}
	p.Printf("Adopted as %s.\n", id)
	return p.Err()
}

// parseLines reads FILE, FILE:N or FILE:N-M.
func parseLines(arg string) (name string, lines segment.Range, err error) {
	colon := strings.LastIndexByte(arg, ':')
	spec := arg[colon+1:]
	if colon < 0 || spec == "" || spec[0] < '0' || spec[0] > '9' {
		return arg, segment.Range{From: 0, To: segment.MaxLines}, nil
	}
	dash := strings.LastIndexByte(spec, '-')
	first, last := spec[:max(dash, 0)], spec[dash+1:]
	if dash < 0 {
		first = last
	}
	from, err1 := strconv.Atoi(first)
	to, err2 := strconv.Atoi(last)
	if err := errors.Join(err1, err2); err != nil || from < 1 || to < from {
		return "", lines, usageError("%q: want FILE, FILE:LINE or FILE:FIRST-LAST, lines counted from 1", arg)
	}
	return arg[:colon], segment.Range{From: from - 1, To: to}, nil
}
