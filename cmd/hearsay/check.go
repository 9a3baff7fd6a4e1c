package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/event"
	"github.com/hearsay-memory/hearsay/guard"
	"github.com/hearsay-memory/hearsay/internal/caller"
	"github.com/hearsay-memory/hearsay/internal/hostproc"
	"github.com/hearsay-memory/hearsay/internal/instance"
	"github.com/hearsay-memory/hearsay/internal/source"
	"github.com/hearsay-memory/hearsay/internal/strictjson"
	"github.com/hearsay-memory/hearsay/internal/tell"
	"github.com/hearsay-memory/hearsay/internal/term"
)

// checking is what check is asked on its command line. None of it can raise trust.
type checking struct {
	names                                    []string
	target, session, taint, dir, args, agent string
	unattended                               bool
}

// checkCommand asks for a script whether an action may go on.
func (a *app) checkCommand() *cobra.Command {
	var f checking
	c := &cobra.Command{
		Use:   "check --action NAME… --target T --session ID",
		Short: "Ask whether an action may go on, for scripts",
		Long: `Ask whether an agent may do something, as the hooks of agent hosts ask. It exits with
0 where it may go on, and with 3 where a person is asked first or it is denied; any
other code is no answer, and the action must not go on.

A session that read something untrusted is asked about what the policy calls
privileged. A reviewer approves with ` + "`hearsay review`" + `; then check again with the very
same flags. An approval is of just this call and is spent by it, or, where the
reviewer says so, of the action in its directory for 30 minutes. project.delete and
database.drop are denied to such a session, and nothing lifts that.

Nothing here raises trust. A session that nobody opened is tainted: all of them are one,
the shared session of the principal. --taint sinks the session for good, because it took
that in; sources that cannot be read sink it too. What the sessions above this process
read counts. --agent must be the session's own, and gives no softer mode to a session
that nobody opened.

What it is asked is what the script says of itself: it is for scripts that mean to ask,
and stops none that does not. The home comes from --home or is ~/.hearsay; the environment
is not asked, because an agent can set it.`,
		Example: `  hearsay check --action shell.execute,deploy.run --target "helm upgrade web" --session "$RUN"
  hearsay check --action file.outside --target /etc/hosts --session "$RUN" \
      --taint '[{"type":"web","ref":"https://example.test/page"}]'`,
		Args: exactArgs(0),
		RunE: func(c *cobra.Command, _ []string) error {
			host, err := hostproc.Current()
			return a.check(c.Context(), f, host.ID, err == nil)
		},
	}
	c.Flags().StringSliceVar(&f.names, "action", nil, "`NAME` of what it amounts to, dotted, such as deploy.run; again or with commas for more")
	c.Flags().StringVar(&f.target, "target", "", "`TARGET`: the command line, path or host that it is done to; people see it")
	c.Flags().StringVar(&f.session, "session", "", "`ID` of the session that does it, see `hearsay session ls`")
	c.Flags().StringVar(&f.taint, "taint", "", "what flowed in besides, as `JSON`: a list of {\"type\",\"ref\",\"actor\"}")
	c.Flags().StringVar(&f.dir, "dir", "", "`DIR` that it is done in (default: the current one)")
	c.Flags().StringVar(&f.args, "args", "", "its arguments, as `JSON`: an approval is of just these")
	c.Flags().StringVar(&f.agent, "agent", "", "`NAME` of the agent (default: the session's)")
	c.Flags().BoolVar(&f.unattended, "unattended", false, "nobody can be asked: what would ask is denied")
	return a.jsonFlag(c)
}

// checked is what check says with --json.
type checked struct {
	Verdict    hearsay.ActionVerdict `json:"verdict"`
	Rule       string                `json:"rule"` // the pattern that decided; empty: the policy's default
	Reason     string                `json:"reason"`
	ID         hearsay.RecordID      `json:"id,omitzero"` // of the question; left out where nothing was sealed
	State      event.ActionState     `json:"state"`
	Label      hearsay.Label         `json:"label"` // of the session, with what flowed in besides
	Session    string                `json:"session"`
	Known      bool                  `json:"session_known"` // a surface opened it
	Flagged    bool                  `json:"flagged,omitempty"`
	Absolute   bool                  `json:"absolute,omitempty"`
	Unanswered bool                  `json:"unanswered,omitempty"`
	Next       string                `json:"next"`
}

// check asks the guard. host is the process that this one runs beneath, empty where
// there is none; told is whether that could be told.
func (a *app) check(ctx context.Context, f checking, host string, told bool) error {
	action, err := f.action()
	if err != nil {
		return err
	}
	in, err := a.openByFlag(ctx)
	if err != nil {
		return err
	}
	defer in.Close()
	if in.PolicyNote != "" {
		a.warn(in.PolicyNote)
	}
	c, opener, err := sessionNamed(ctx, in, hearsay.SurfaceCLI, f.session, f.agent)
	if err != nil {
		return err
	}
	if f.taint != "" {
		if action.Sources, err = f.takeIn(ctx, in, c, opener); err != nil {
			return err
		}
	}
	if action.Above, err = caller.Above(ctx, in, host, told); err != nil {
		return err
	}
	got, err := in.Guard.Check(ctx, c, action)
	if errors.Is(err, guard.ErrRefused) {
		return usageError("%v", err)
	}
	if err != nil {
		return err
	}
	reason := got.Reason
	if reason == "" {
		reason = "nothing of it is asked about"
		if in.Guard.Policy().ModeFor(c.Agent) == hearsay.Off {
			reason = "the mode is off"
		}
	}
	out := checked{
		Verdict: got.Verdict, Rule: got.Pattern, Reason: reason, ID: got.ID, State: got.State, Label: got.Label,
		Session: f.session, Known: opener != "", Flagged: got.Flagged, Absolute: got.Absolute, Unanswered: got.Unanswered,
		Next: a.next(in, action, got),
	}
	if err := a.tell(out); err != nil {
		return err
	}
	if got.Verdict != hearsay.AllowAction {
		return &exitError{exitHeld, ""}
	}
	return nil
}

// action reads what is asked about.
func (f *checking) action() (guard.Action, error) {
	none := guard.Action{}
	switch {
	case len(f.names) == 0:
		return none, usageError("say what it amounts to: --action deploy.run, once for each name")
	case f.target == "":
		return none, usageError("say what it is done to, for the person who is asked: --target")
	case f.session == "":
		return none, usageError("say which session does it: --session; `hearsay session ls` shows the live ones")
	}
	args := []byte(nil)
	if f.args != "" {
		v, err := strictjson.Limits{MaxBytes: maxCheckArgs}.Parse([]byte(f.args))
		if err != nil {
			return none, usageError("--args: %v", err)
		}
		args = strictjson.AppendCanonical(nil, v)
	}
	dir, err := realDir(f.dir)
	if err != nil {
		return none, usageError("--dir: %v", err)
	}
	return guard.Action{Names: f.names, Tool: "hearsay check", Target: f.target, Dir: dir, Args: args, Unattended: f.unattended}, nil
}

// maxCheckArgs bounds the arguments that are told, in bytes.
const maxCheckArgs = 1 << 20

// sessionNamed is [ofSession] for flags.
func sessionNamed(ctx context.Context, in *instance.Instance, surface hearsay.Surface, session, agent string) (hearsay.Caller, hearsay.Surface, error) {
	c, opener, err := caller.OfSession(ctx, in, surface, session, agent)
	if e, ok := errors.AsType[caller.Misnamed](err); ok {
		return c, opener, usageError("%s", e)
	}
	return c, opener, err
}

// takeIn seals what flowed in besides. The session took it in, so it sinks, as it does
// by what cannot be read. The row stays that of the surface that opened it.
func (f *checking) takeIn(ctx context.Context, in *instance.Instance, c hearsay.Caller, opener hearsay.Surface) ([]hearsay.Source, error) {
	sources, malformed := source.Parse([]byte(f.taint))
	c.Surface = cmp.Or(opener, c.Surface)
	for _, s := range sources {
		if _, err := in.Guard.Observe(ctx, c, guard.Observation{Source: s, Tool: "hearsay check"}); err != nil {
			return nil, err
		}
	}
	if malformed != nil {
		return nil, usageError("--taint: %v; what cannot be read taints, so session %s is tainted by it now, and nothing was decided", malformed, f.session)
	}
	return sources, nil
}

// next says what to do after an answer.
func (a *app) next(in *instance.Instance, action guard.Action, got guard.ActionAnswer) string {
	hearsayCommand := "hearsay"
	if a.homeFlag != "" {
		hearsayCommand = "hearsay --home " + in.Home.Dir()
	}
	override := fmt.Sprintf("%s review override %s --note REASON", hearsayCommand, got.ID)
	switch {
	case got.Verdict == hearsay.AllowAction && got.Flagged:
		return "Go on. In mode enforce it would not have gone on by itself."
	case got.Verdict == hearsay.AllowAction:
		return "Go on."
	case got.Verdict == hearsay.Ask:
		return fmt.Sprintf("Do not go on. A person decides within the hour: `%s review`, or `%s review approve %s`. Then check again with the same flags.", hearsayCommand, hearsayCommand, got.ID)
	case got.Absolute:
		return "Do not go on, and do not ask again: the user does this, or a session that has read nothing from outside."
	case got.Unanswered:
		return fmt.Sprintf("Do not go on. Check without --unattended where a person can answer, or let a reviewer say why it must go on: `%s`. Then check again with the same flags.", override)
	case in.Guard.Policy().DecideAction(action.Names, got.Label.Tainted()).Verdict == hearsay.Ask:
		return fmt.Sprintf("Do not go on. A person answers what waits: `%s review`. Then check again.", hearsayCommand)
	}
	return fmt.Sprintf("Do not go on. A reviewer can say why it must: `%s`. Then check again with the same flags.", override)
}

// tell prints an answer.
func (a *app) tell(c checked) error {
	if a.json {
		return term.JSON(a.out, c)
	}
	p := a.printer()
	verdict := p.Green(c.Verdict.String())
	if c.Verdict != hearsay.AllowAction {
		verdict = p.Red(c.Verdict.String())
	}
	rows := [][]any{{"verdict", verdict}, {"rule", cmp.Or(c.Rule, "the policy's default")}, {"reason", c.Reason}}
	if c.Flagged {
		rows = append(rows, []any{"flagged", p.Yellow("it goes on only because of the mode")})
	}
	if !c.ID.IsZero() {
		rows = append(rows, []any{"id", c.ID})
	}
	rows = append(rows, []any{"session", c.Session})
	if !c.Known {
		rows = append(rows, []any{"", p.Yellow("nobody opened it: it is taken for the shared session, which is tainted")})
	}
	p.Table(nil, append(rows, []any{"label", tell.Label(p, c.Label)}, []any{"next", c.Next}))
	return p.Err()
}
