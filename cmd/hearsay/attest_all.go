package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/internal/hook"
	"github.com/hearsay-memory/hearsay/internal/instance"
	"github.com/hearsay-memory/hearsay/internal/memfile"
	"github.com/hearsay-memory/hearsay/internal/memfile/segment"
	"github.com/hearsay-memory/hearsay/internal/reviewer"
	"github.com/hearsay-memory/hearsay/internal/tell"
	"github.com/hearsay-memory/hearsay/internal/term"
)

// adoption is what of one file is adopted, and what is not.
type adoption struct {
	name    string // as it is shown
	state   *memfile.State
	ranges  []segment.Range
	lines   int
	skipped []skippedLine
}

// skippedLine is a line that needs a look of its own, counted from 0, and why.
type skippedLine struct {
	line int
	why  string
}

// planAdoption sorts the lines of a file. Those that are somebody's already, the agent's or the
// user's, are not spoken of.
func planAdoption(name string, s *memfile.State) *adoption {
	d := &adoption{name: name, state: s}
	text := textLines(s.Data)
	grades := graded(text)
	for r, o := range s.File.All() {
		for i := r.From; i < r.To; i++ {
			why := ""
			switch {
			case !memfile.Low(o.Label):
				continue
			case !o.Record.IsZero():
				why = "recorded as " + o.Label.String()
			case o.Label.Origin < hearsay.Unverified || o.Label.Tainted():
				why = "from elsewhere: " + o.Label.String()
			case i < len(grades):
				why = grade(grades[i])
			}
			if why != "" {
				d.skipped = append(d.skipped, skippedLine{i, why})
				continue
			}
			d.lines++
			if n := len(d.ranges); n > 0 && d.ranges[n-1].To == i {
				d.ranges[n-1].To++
				continue
			}
			d.ranges = append(d.ranges, segment.Range{From: i, To: i + 1})
		}
	}
	return d
}

// attestAll adopts old memory: every line that nobody was seen writing and nothing speaks
// against, as an agent's word.
func (a *app) attestAll(ctx context.Context, s *signing, names []string, yes bool) error {
	in, err := a.open(ctx, false)
	if err != nil {
		return err
	}
	defer in.Close()
	t := memfile.Tracker{Guard: in.Guard, Caller: in.Caller(hearsay.SurfaceCLI)}
	if names, err = memoryHere(in, names); err != nil {
		return err
	}
	p := a.printer()
	var plans []*adoption
	left := 0
	for _, name := range names {
		real, err := realName(name)
		if err != nil {
			return err
		}
		state, err := t.Look(ctx, real)
		if err == nil {
			err = t.Settle(ctx, state)
		}
		if err != nil {
			p.Printf("%s is left out: %v\n", name, err)
			continue
		}
		d := planAdoption(name, state)
		d.print(p)
		left += len(d.skipped)
		if d.lines > 0 {
			plans = append(plans, d)
		}
	}
	if left > 0 {
		p.Printf("\n%d lines need a look of their own: `hearsay blame FILE`, then `hearsay attest FILE:LINES`.\n", left)
	}
	if len(plans) == 0 {
		p.Println("There is nothing to adopt.")
		return p.Err()
	}
	if err := p.Err(); err != nil {
		return err
	}
	var who person
	defer who.close()
	if err := who.confirm(yes, "Adopt these lines as an agent's word?"); err != nil {
		return err
	}
	signer, err := s.unlock(in, &who)
	if err != nil {
		return err
	}
	defer signer.Wipe()
	var errs []error
	for _, d := range plans {
		if err := d.adopt(ctx, in, t.Caller, signer); err != nil {
			errs = append(errs, err)
			continue
		}
		p.Printf("Adopted %d lines of %s.\n", d.lines, d.name)
	}
	return errors.Join(append(errs, p.Err())...)
}

// memoryHere are the files that are named, else all memory files of the workspace and of
// the agents' own folders.
func memoryHere(in *instance.Instance, names []string) ([]string, error) {
	if len(names) > 0 {
		return names, nil
	}
	dir, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	rules := in.Guard.Policy()
	if rules == nil {
		return nil, errors.New("no policy is in force, so which files are memory is not known: run `hearsay policy sign`")
	}
	names, complete := hook.NewFiles(rules, userHome(), dir, in.Home.Dir()).Memory()
	if !complete {
		return nil, fmt.Errorf("there are more memory files than the %d that are looked at: name those that you mean", memfile.MaxListed)
	}
	return names, nil
}

// print says what would be adopted of a file, and names each line that would not.
func (d *adoption) print(p *term.Printer) {
	p.Printf("%s, SHA-256 %s: %d lines\n", d.name, memfile.Sum(d.state.Data), d.lines)
	for i := 0; i < len(d.skipped); {
		var lines []int
		j := i
		for ; j < len(d.skipped) && d.skipped[j].why == d.skipped[i].why; j++ {
			lines = append(lines, d.skipped[j].line)
		}
		p.Printf("    not line %s: %s\n", tell.Lines(lines), d.skipped[i].why)
		i = j
	}
}

// adopt seals it, if the file is still what was shown.
func (d *adoption) adopt(ctx context.Context, in *instance.Instance, c hearsay.Caller, signer *reviewer.Signer) error {
	text, _, err := d.state.AdoptAll(d.ranges, segment.Owner{})
	if err != nil {
		return err
	}
	id, st, err := in.Guard.AttestationAs(ctx, d.state.Path, text, hearsay.Agent)
	if err != nil {
		return err
	}
	signed, err := signer.Sign(st)
	if err != nil {
		return err
	}
	text, change, err := d.state.AdoptAll(d.ranges, segment.Owner{Record: id, Label: hearsay.Label{Origin: hearsay.Agent, Taint: hearsay.Untainted}})
	if err != nil {
		return err
	}
	if now, err := memfile.Read(d.state.Path); err != nil || memfile.Sum(now) != memfile.Sum(d.state.Data) {
		return fmt.Errorf("%s changed while you looked at it: nothing of it was adopted; look at it again", term.Safe(d.name))
	}
	return in.Guard.Attest(ctx, c, d.state.Known(), change, text, signed)
}
