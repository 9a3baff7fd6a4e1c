package main

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/event"
	"github.com/hearsay-memory/hearsay/guard"
	"github.com/hearsay-memory/hearsay/internal/instance"
	"github.com/hearsay-memory/hearsay/internal/memfile"
	"github.com/hearsay-memory/hearsay/internal/reviewer"
	"github.com/hearsay-memory/hearsay/internal/tell"
	"github.com/hearsay-memory/hearsay/internal/term"
)

// cardReads is how many of the things that a session took in a card shows.
const cardReads = 12

// card is one record with all that a person decides by.
type card struct {
	*guard.Shown
	trace  *guard.Trace
	reason string // of the deciding rule, where the policy that decided is in force
	change string // of a write to files that waits: what it would make of them now
}

// loadCard reads a record for a person. Text that was changed in the store is an error.
func loadCard(ctx context.Context, in *instance.Instance, id hearsay.RecordID) (*card, error) {
	shown, err := in.Guard.Show(ctx, id)
	if err != nil {
		return nil, err
	}
	trace, err := in.Guard.Trace(ctx, id)
	if err != nil {
		return nil, err
	}
	c := &card{Shown: shown, trace: trace}
	if p := in.Guard.Policy(); p.Hash() == shown.Record.PolicyHash {
		for _, rule := range p.Rules() {
			if rule.ID == shown.Record.Rule {
				c.reason = rule.Reason
			}
		}
	}
	if shown.Record.Rule == memfile.Overwrites {
		c.reason = memfile.OverwritesReason
	}
	c.change, err = proposed(ctx, in, shown)
	return c, err
}

func (c *card) id() hearsay.RecordID { return c.Record.ID }

func (c *card) what() string { return memoryItem }

// decidable implements [item].
func (c *card) decidable(d reviewer.Decision, _ int64) error {
	if c.Record.Standing != hearsay.Held {
		return fmt.Errorf("record %s is %s, not held: there is nothing to %s", c.Record.ID, c.Record.Standing, d)
	}
	return nil
}

// decide implements [item].
func (c *card) decide(ctx context.Context, in *instance.Instance, signer *reviewer.Signer, ch choice) (string, error) {
	c.change = ""
	r, err := in.Decide(ctx, signer, c.Record, ch.decision, ch.note)
	if err != nil {
		return "", err
	}
	if r.Store == memfile.Store && r.Standing == hearsay.Released {
		became, err := released(ctx, in, r)
		if err == nil {
			c.change, err = offered(ctx, in, r.ID)
		}
		return became, err
	}
	return outcome(r), nil
}

// outcome says what a decided record is now.
func outcome(r *event.Record) string {
	if r.Standing == hearsay.Released {
		return fmt.Sprintf("released; it goes to store %s with the next call there, label still %s", r.Store, r.Label)
	}
	return r.Standing.String()
}

// facts prints what is known of the record, in words that are Hearsay's own or
// checked: no held and no foreign text.
func (c *card) facts(p *term.Printer) {
	r := c.Record
	rows := [][]any{
		{"record", r.ID},
		{"standing", fmt.Sprintf("%s, %s; written %s", r.Standing, r.Delivery, tell.Ago(r.Created, time.Now()))},
		{"label", p.Yellow(r.Label.String())},
		{"source", r.Source},
		{"rule", cmp.Or(r.Rule, "none matched") + tell.Prefixed(": ", c.reason)},
	}
	if r.Attributed {
		rows = append(rows, []any{"words", tell.Attributed})
	}
	if len(r.Evidence) > 0 {
		rows = append(rows, []any{"found", p.Yellow(strings.Join(r.Evidence, ", "))})
	}
	rows = append(rows, []any{"session", fmt.Sprintf("%s, agent %s, by way of %s", r.Session, cmp.Or(r.Agent, "(default)"), r.Surface)})
	for _, clamp := range r.Clamps {
		rows = append(rows, []any{"claim", fmt.Sprintf("%s %g was lowered to %g", clamp.Field, clamp.From, clamp.To)})
	}
	for _, parent := range r.Parents {
		rows = append(rows, []any{"derived from", parent})
	}
	rows = append(rows, []any{"change", fmt.Sprintf("%s in %s of store %s, %d bytes", r.Op, cmp.Or(r.Namespace.String(), "the root"), r.Store, r.Bytes)})
	p.Table(nil, rows)
}

// words prints what others wrote: the content, who says so, and what the session had
// read. It is for the eyes of a person.
func (c *card) words(p *term.Printer) {
	s := c.Side
	var rows [][]any
	for _, row := range [...][2]string{{"from", s.Ref}, {"actor", s.Actor}, {"tool", s.Tool}, {"project", s.Project}, {"note", s.Note}} {
		if row[1] != "" {
			rows = append(rows, []any{row[0], row[1]})
		}
	}
	if cl := s.Claimed; cl != nil {
		rows = append(rows, []any{"claims of itself", tell.Join(", ", tell.Prefixed("source ", cl.Source), tell.Prefixed("kind ", cl.Kind), tell.Prefixed("namespace ", strings.Join(cl.Namespace, " / ")))})
	}
	reads := c.trace.Reads
	if n := len(reads) - cardReads; n > 0 {
		rows = append(rows, []any{"took in", fmt.Sprintf("%d things, and then", n)})
		reads = reads[n:]
	}
	for _, read := range reads {
		what := read.Source + tell.Prefixed(" ", read.Ref)
		if len(read.Records) > 0 {
			what = fmt.Sprintf("%d memories of low trust, by recall", len(read.Records))
		}
		rows = append(rows, []any{"took in", what + " → " + read.Label.String()})
	}
	p.Table(nil, rows)
	if c.Erased {
		p.Println("The words were erased.")
		return
	}
	p.Println("")
	if c.change != "" {
		p.Text(tell.Bar, c.change)
		p.Println("\nThe call, as it is held:")
	}
	if !memoryWords(p, c.Shown) {
		tell.Content(p, s.Content)
	}
	if len(s.Decoded) > 0 {
		p.Printf("%s\n", p.Red("Invisible characters in it spell:"))
		for _, text := range s.Decoded {
			p.Text(tell.Bar, text)
		}
	}
	if p.Terminal() && len(s.Shared) > 0 {
		printShared(p, s.Shared)
	}
}

// printShared shows the words of a record beside the sources of its session that have
// them too.
func printShared(p *term.Printer, shared []event.Share) {
	p.Println("")
	var rows [][]any
	for _, s := range shared {
		from := fmt.Sprintf("%s (%s)", s.Source, s.Certainty)
		if len(s.Words) == 0 {
			rows = append(rows, []any{"which words cannot be told", from})
		}
		for _, words := range s.Words {
			rows = append(rows, []any{p.Yellow(words), from})
		}
	}
	p.Table([]string{"words of it", "that the session read in"}, rows)
}
