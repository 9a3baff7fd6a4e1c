package demo

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/guard"
	"github.com/hearsay-memory/hearsay/internal/home"
	"github.com/hearsay-memory/hearsay/internal/memory"
	"github.com/hearsay-memory/hearsay/recall"
)

// wednesday is the session that reads a page of facts.
const wednesday = "proc-wednesday-of-the-demo"

// What the user says about invoices, and what a page says about them.
const (
	rule = "Invoices go to books@home.example, in German."
	fact = "Invoices of this supplier carry a number of nine digits."
)

// recall asks Hearsay's own memory, in which the user's word and a page's fact lie side by
// side: both are found, the user's first, and each says whose it is.
func (s *story) recall(ctx context.Context) (err error) {
	m := memory.Open(s.in.Guard, memory.Options{
		Principal: s.in.Config.Principal, Log: slog.New(slog.DiscardHandler),
		Dir: s.in.Home.Path(home.DirMemory + "/" + memory.Folder(s.in.Config.Principal)),
	})
	defer func() { err = errors.Join(err, m.Close()) }()
	said := memory.New{Doc: memory.Doc{Kind: recall.Preference, Text: rule}, Source: hearsay.Source{Type: "user"}}
	if _, err := m.Say(ctx, s.in.Caller(hearsay.SurfaceCLI), said, s.signer.Sign); err != nil {
		return err
	}
	c := s.in.Caller(hearsay.SurfaceOwn)
	c.Session = wednesday
	if _, err := s.in.Guard.Open(ctx, c, guard.Start{}); err != nil {
		return err
	}
	if _, err := s.in.Guard.Observe(ctx, c, guard.Observation{Source: hearsay.Source{Type: "web", Ref: pageURL}, Tool: "fetch"}); err != nil {
		return err
	}
	read := memory.New{
		Doc: memory.Doc{Kind: recall.Learning, Text: fact}, Source: hearsay.Source{Type: "agent"},
		Namespace: hearsay.Namespace{"facts"}, Claims: hearsay.Claims{Salience: 1, Confidence: 1},
	}
	d, err := m.Remember(ctx, c, read)
	if err != nil {
		return err
	}
	if d.Standing != hearsay.Allowed || len(d.Verdict.Clamps) == 0 {
		return fmt.Errorf("the page's fact is %s, clamps %v: want it let in, for less than it claims", d.Standing, d.Verdict.Clamps)
	}
	c.Session = tuesday
	got, err := m.Recall(ctx, c, memory.Ask{Query: "invoices"})
	if err != nil {
		return err
	}
	for _, r := range got.Results {
		s.shown = append(s.shown, r.Receipt)
		s.shown = append(s.shown, strings.Split(r.Text, "\n")...)
	}
	if len(got.Results) != 2 || got.Results[0].Text != rule || !got.Results[1].Flags.LowTrust {
		return fmt.Errorf("%d memories were recalled: want the user's, then the page's", len(got.Results))
	}
	return want(got.Results[1].Receipt, "external", true)
}
