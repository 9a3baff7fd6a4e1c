package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/guard"
	"github.com/hearsay-memory/hearsay/internal/caller"
	"github.com/hearsay-memory/hearsay/internal/instance"
	"github.com/hearsay-memory/hearsay/internal/memory"
	"github.com/hearsay-memory/hearsay/internal/people"
	"github.com/hearsay-memory/hearsay/internal/source"
	"github.com/hearsay-memory/hearsay/internal/tell"
	"github.com/hearsay-memory/hearsay/internal/term"
	"github.com/hearsay-memory/hearsay/recall"
)

// remembering is what remember is asked.
type remembering struct {
	signing                                   signing
	sign, yes, pin, stable                    bool
	kind, form, title, subject, from, project string
	tags, links, replaces                     []string
	salience, confidence                      float64
}

// rememberCommand keeps a memory.
func (a *app) rememberCommand() *cobra.Command {
	var f remembering
	c := &cobra.Command{
		Use:   "remember TEXT|-",
		Short: "Keep a memory",
		Long: `Keep a memory. - reads the text from standard input.

With --sign it is your own word: you see what will be kept and sign for it with a
reviewer's key. Without, it is what the sessions above this process are, which is how an
agent calls it; where there is none, nobody was seen saying it, and it is unverified.

What a memory claims for itself, its salience and confidence, is bounded by who says it;
what was lowered is told. Only your own word is pinned, which shows it at the start of
every session, or stable, which keeps it from fading. A memory that takes the place of
another hides it, until it is revoked itself.

It ends with 3 where the memory is held for a person to look at, or blocked.`,
		Example: `  hearsay remember "Deploys run on Tuesdays at noon" --kind procedure --tag deploy --sign
  git log -1 --format=%B | hearsay remember - --kind decision --source '[{"type":"github_commit"}]'`,
		Args: exactArgs(1),
		RunE: func(c *cobra.Command, args []string) error { return a.remember(c.Context(), &f, args[0]) },
	}
	f.signing.flags(c)
	fl := c.Flags()
	fl.BoolVar(&f.sign, "sign", false, "say it as your own word, with a reviewer's key")
	fl.BoolVar(&f.yes, "yes", false, "with --sign: do not ask, the text was looked at before")
	fl.StringVar(&f.kind, "kind", "observation", "`KIND`: decision, insight, goal, experience, learning, relationship, preference, observation, procedure")
	fl.StringVar(&f.form, "form", "semantic", "`FORM`: semantic, episodic, procedural")
	fl.StringVar(&f.title, "title", "", "`TITLE`, one line (default: how the text begins)")
	fl.StringArrayVar(&f.tags, "tag", nil, "a `TAG`; again for more")
	fl.StringArrayVar(&f.links, "link", nil, "`ID` of a memory that it points to; again for more")
	fl.StringVar(&f.subject, "subject", "", "whom or `WHAT` it is about, see `hearsay forget --subject`")
	fl.Float64Var(&f.salience, "salience", 0, "how much it matters, 0 to 1")
	fl.Float64Var(&f.confidence, "confidence", 0, "how sure it is, 0 to 1")
	fl.BoolVar(&f.pin, "pin", false, "show it at the start of every session; your own word only")
	fl.BoolVar(&f.stable, "stable", false, "do not let it fade; your own word only")
	fl.StringArrayVar(&f.replaces, "replace", nil, "`ID` of a memory whose place it takes; again for more")
	fl.StringVar(&f.from, "source", "", "where the text comes from, as `JSON`: a list of {\"type\",\"ref\",\"actor\"}; it can only lower trust")
	fl.StringVar(&f.project, "project", "", "`DIR` of the project that it belongs to (default: none)")
	return a.jsonFlag(c)
}

// remembered is what remember says with --json.
type remembered struct {
	ID       hearsay.RecordID `json:"id"`
	Standing hearsay.Standing `json:"standing"`
	Label    hearsay.Label    `json:"label"`
	Rule     string           `json:"rule,omitempty"`
	Reasons  []string         `json:"reasons,omitempty"`
	Clamps   []hearsay.Clamp  `json:"clamps,omitempty"`
	Waiting  int              `json:"waiting,omitempty"` // memories that wait for a person
}

func (f *remembering) doc(text string) (n memory.New, err error) {
	n = memory.New{
		Doc:    memory.Doc{Title: f.title, Text: text, Tags: f.tags, Subject: f.subject},
		Claims: hearsay.Claims{Salience: f.salience, Confidence: f.confidence, Pin: f.pin, Stable: f.stable},
		Tool:   "hearsay remember",
	}
	if n.Kind, err = recall.ParseKind(f.kind); err != nil {
		return n, usageError("--kind: %v", err)
	}
	if n.Form, err = recall.ParseForm(f.form); err != nil {
		return n, usageError("--form: %v", err)
	}
	if n.Links, err = parseIDs(f.links); err != nil {
		return n, err
	}
	if n.Replaces, err = parseIDs(f.replaces); err != nil {
		return n, err
	}
	if err := n.Check(); err != nil {
		return n, usageError("%v", err)
	}
	return n, nil
}

func (a *app) remember(ctx context.Context, f *remembering, arg string) error {
	text, err := a.readText(arg)
	if err != nil {
		return err
	}
	n, err := f.doc(text)
	if err != nil {
		return err
	}
	if f.sign && f.from != "" {
		return usageError("--source says that it is somebody else's word, --sign that it is yours: leave one out")
	}
	project, err := projectOf(f.project)
	if err != nil {
		return err
	}
	in, m, done, err := a.openMemory(ctx, false)
	if err != nil {
		return err
	}
	defer done()
	if f.sign {
		return a.sayMemory(ctx, in, m, f, n, project)
	}
	c, said, err := caller.Speaker(ctx, in)
	if err != nil {
		return err
	}
	c.Project, n.Source = project, said
	if f.from != "" {
		sources, malformed := source.Parse([]byte(f.from))
		if malformed != nil {
			return usageError("--source: %v", malformed)
		}
		for _, s := range sources {
			if _, err := in.Guard.Observe(ctx, c, guard.Observation{Source: s, Tool: n.Tool}); err != nil {
				return err
			}
		}
		if len(sources) > 0 {
			n.Claimed.Source, n.Claimed.Also = sources[0], sources[1:]
		}
	}
	d, err := m.Remember(ctx, c, n)
	if errors.Is(err, guard.ErrRefused) {
		return &exitError{exitHeld, err.Error()}
	}
	if err != nil {
		return err
	}
	out := remembered{d.ID, d.Standing, d.Verdict.Label, d.Verdict.Rule.ID, d.Verdict.Reasons, d.Verdict.Clamps, d.Waiting}
	if err := a.tellRemembered(out); err != nil {
		return err
	}
	if !d.Standing.Visible() {
		return &exitError{exitHeld, ""}
	}
	return nil
}

// sayMemory keeps a memory as the user's own word.
func (a *app) sayMemory(ctx context.Context, in *instance.Instance, m *memory.Store, f *remembering, n memory.New, project string) error {
	var who people.Person
	defer who.Close()
	if !f.yes {
		p := a.printer()
		p.Println("As your own word, this would be kept:")
		if n.Title != "" {
			p.Text(tell.Bar, n.Title)
		}
		p.Text(tell.Bar, n.Text)
		if err := p.Err(); err != nil {
			return err
		}
	}
	signer, err := f.signing.confirmed(in, &who, f.yes, "Keep it?")
	if err != nil {
		return err
	}
	defer signer.Wipe()
	c := in.Caller(hearsay.SurfaceCLI)
	c.Project = project
	r, err := m.Say(ctx, c, n, signer.Sign)
	if err != nil {
		return err
	}
	return a.tellRemembered(remembered{ID: r.ID, Standing: r.Standing, Label: r.Label, Clamps: r.Clamps})
}

func (a *app) tellRemembered(r remembered) error {
	if a.json {
		return term.JSON(a.out, r)
	}
	p := a.printer()
	switch {
	case r.Standing.Visible():
		p.Printf("%s %s, as %s.\n", p.Green("Remembered"), r.ID, tell.Label(p, r.Label))
	case r.Standing == hearsay.Held:
		p.Printf("%s %s: a person decides, with `hearsay review`.\n", p.Yellow("Held"), r.ID)
	default:
		p.Printf("%s %s: it is kept out.\n", p.Red(r.Standing.String()), r.ID)
	}
	for _, why := range r.Reasons {
		p.Printf("  because %s\n", why)
	}
	if r.Rule != "" {
		p.Printf("  by rule %s\n", r.Rule)
	}
	for _, c := range r.Clamps {
		p.Printf("  %s\n", clamped(c))
	}
	return p.Err()
}

// clamped says what became of a claim.
func clamped(c hearsay.Clamp) string {
	if c.Field == "pin" || c.Field == "stable" {
		return fmt.Sprintf("%s was refused: only the user's own word can be", cmp.Or(map[string]string{"pin": "pinning"}[c.Field], c.Field))
	}
	return fmt.Sprintf("%s %g was lowered to %g", c.Field, c.From, c.To)
}
