package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/user"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hearsay-memory/hearsay/internal/home"
	"github.com/hearsay-memory/hearsay/internal/hosts/install"
	"github.com/hearsay-memory/hearsay/internal/hosts/setup"
	"github.com/hearsay-memory/hearsay/internal/instance"
	"github.com/hearsay-memory/hearsay/internal/people"
	"github.com/hearsay-memory/hearsay/internal/reviewer"
	"github.com/hearsay-memory/hearsay/policy"
)

// initCommand makes a home.
func (a *app) initCommand() *cobra.Command {
	var s people.Setup
	var batch bool
	var file string
	var f hostFlags
	c := &cobra.Command{
		Use:   "init",
		Short: "Make a home, a reviewer and a signed policy; put hooks into agent hosts",
		Long: `Make a home: a ledger with its key, the first reviewer, a policy that they sign and,
where you say so, copies of the signed checkpoints outside.

On a terminal it asks for the reviewer's passphrase and for where the copies go.
Without one, --batch goes on without both, and says what that costs.

With --host it also puts Hearsay's hooks into the settings of agent hosts, and with
--servers the proxy before their MCP servers. Where there is a home already, it does only
that. Memory that is in the working directory already, or in --project, is recorded as nobody's
word that was seen, and what was found is listed.

Each file of settings is shown as a diff first, and changed when you say yes; a copy is kept
beside it. --remove takes out what was put in, and leaves the home alone.`,
		Example: `  hearsay init --host claude-code,codex --servers
  hearsay init --host claude-code --project . --agent nightly
  hearsay init --host codex --remove`,
		Args: exactArgs(0),
		RunE: func(c *cobra.Command, _ []string) error {
			hosts, err := f.hosts(c)
			if err != nil {
				return err
			}
			return a.init(c, newHome{&s, file, batch}, &f, hosts)
		},
	}
	flags := c.Flags()
	flags.StringVar(&s.Principal, "principal", "", "whose memory it is (default: your user name)")
	flags.StringVar(&s.Profile, "profile", "default", "policy to begin with: "+strings.Join(policy.Profiles(), ", "))
	flags.StringVar(&s.Reviewer, "reviewer", "", "name of the first reviewer (default: the principal)")
	flags.StringArrayVar(&s.Copies, "checkpoints", nil, "folder or file for copies of checkpoints; can be repeated")
	flags.BoolVar(&batch, "batch", false, "ask nothing")
	flags.StringVar(&file, "passphrase-file", "", "read the reviewer's passphrase from the first line of `FILE`")
	f.flags(c)
	return c
}

// newHome is how a home is made, as far as the command line says it.
type newHome struct {
	*people.Setup
	file  string // with the passphrase
	batch bool   // ask nothing
}

// init makes a home, unless there is one and only hosts are meant, and does to the
// hosts' settings what was asked for. What can be refused is refused before anything is
// made, and settings are changed last: a hook without a home stops every tool.
func (a *app) init(c *cobra.Command, s newHome, f *hostFlags, hosts []install.Host) error {
	ctx := c.Context()
	var p people.Person
	defer p.Close()
	var err error
	if s.Dir, err = a.dir(); err != nil {
		return err
	}
	at, err := f.place()
	if err != nil {
		return err
	}
	if f.remove {
		j, err := setup.PlanRemove(hosts, at)
		if err != nil {
			return err
		}
		if err := a.agreed(ctx, &p, j, at, s.Dir, f.yes, s.batch); err != nil {
			return err
		}
		if err := a.apply(j); err != nil {
			return err
		}
		return a.silence(ctx, hosts, s.Dir)
	}
	needed := len(hosts) == 0 || !isHome(s.Dir)
	if needed {
		if err := a.prepare(&s); err != nil {
			return err
		}
	} else if name := changed(c, "principal", "profile", "reviewer", "checkpoints", "passphrase-file"); name != "" {
		return usageError("%s is a home already: --%s is for a new one", s.Dir, name)
	} else if err := usable(ctx, s.Dir); err != nil {
		return err
	}
	var j *setup.Job
	if len(hosts) > 0 {
		var profile func([]string) string
		if f.servers {
			profile = a.startedProfile(s.Dir)
		}
		if j, err = setup.PlanInstall(hosts, at, s.Dir, f.agent, profile); err != nil {
			return err
		}
		if err := a.agreed(ctx, &p, j, at, s.Dir, f.yes, s.batch); err != nil {
			return err
		}
	}
	if needed {
		if err := a.makeHome(ctx, &p, &s, j == nil); err != nil {
			return err
		}
	}
	if j != nil {
		if err := a.apply(j); err != nil {
			return err
		}
	}
	dir := f.project
	if dir == "" {
		if dir, err = os.Getwd(); err != nil {
			return err
		}
	}
	return a.adoptTree(ctx, dir)
}

// makeHome makes a home and says what was made. Last says that nothing follows.
func (a *app) makeHome(ctx context.Context, p *people.Person, s *newHome, last bool) error {
	if s.batch {
		s.Unprotected = s.Passphrase == ""
	} else if err := s.Ask(p); err != nil {
		return err
	}
	made, err := people.Create(ctx, *s.Setup)
	if errors.Is(err, fs.ErrExist) {
		return errHomeExists(s.Dir)
	}
	if err != nil {
		return err
	}
	return a.printMade(*s.Setup, made, s.batch, last)
}

// isHome reports whether a home was made in dir.
func isHome(dir string) bool {
	_, err := os.Lstat(filepath.Join(dir, home.FileConfig))
	return err == nil
}

// usable refuses a home that a hook could not open either.
func usable(ctx context.Context, dir string) error {
	in, err := instance.Open(ctx, dir, instance.Options{ReadOnly: true})
	if err != nil {
		return err
	}
	return in.Close()
}

// changed returns the first of the flags that was given; "" if none was.
func changed(c *cobra.Command, names ...string) string {
	for _, name := range names {
		if c.Flags().Changed(name) {
			return name
		}
	}
	return ""
}

func errHomeExists(dir string) error {
	return fmt.Errorf("%s is a home already and was left as it is; use it, or give another --home", dir)
}

// prepare fills in what was not said and refuses what cannot work before anything is
// asked or made.
func (a *app) prepare(s *newHome) error {
	if isHome(s.Dir) {
		return errHomeExists(s.Dir)
	}
	if !slices.Contains(policy.Profiles(), s.Profile) {
		return usageError("there is no profile %q: choose one of %s", s.Profile, strings.Join(policy.Profiles(), ", "))
	}
	if s.Principal == "" {
		u, err := user.Current()
		if err != nil {
			return fmt.Errorf("your user name cannot be told: %w; give --principal", err)
		}
		s.Principal = u.Username
	}
	if s.Reviewer == "" {
		s.Reviewer = people.ReviewerName(s.Principal)
	}
	if err := reviewer.CheckName(s.Reviewer); err != nil {
		return usageError("%v; give another --reviewer", err)
	}
	for i, t := range s.Copies {
		if t == "" {
			return usageError("an empty --checkpoints names no place")
		}
		target, err := people.CopyTarget(t)
		if err != nil {
			return err
		}
		s.Copies[i] = target
	}
	if s.file == "" {
		return nil
	}
	pass, err := people.ReadPassphrase(s.file)
	s.Passphrase = pass
	return err
}

// printMade says what was made, what was skipped, the recovery key and, where nothing
// follows, what is next.
func (a *app) printMade(s people.Setup, made *people.Made, batch, last bool) error {
	p := a.printer()
	protected := "key under a passphrase"
	if s.Unprotected {
		protected = "key not protected"
	}
	p.Table(nil, [][]any{
		{"home", s.Dir},
		{"principal", s.Principal},
		{"reviewer", s.Reviewer + ", " + protected},
		{"policy", s.Profile + ", signed"},
		{"ledger", made.LogID},
		{"copies", cmp.Or(strings.Join(s.Copies, ", "), "none")},
	})
	if batch && s.Unprotected {
		p.Printf("\nSkipped: the passphrase. Whatever runs as you can sign as %s.\n", s.Reviewer)
	}
	if len(s.Copies) == 0 {
		skipped := ""
		if batch {
			skipped = "Skipped: "
		}
		p.Printf("\n%sno copies of checkpoints. `hearsay verify` can only say \"internally consistent\".\n", skipped)
	}
	p.Printf("\nRecovery key of %s. Keep it on paper, off this machine: it replaces a lost key,\nit is shown this once, and it is stored nowhere.\n\n", s.Reviewer)
	p.Text("    ", made.Recovery)
	if last {
		p.Printf("\nNext: `hearsay init --host claude-code` for an agent host, or `hearsay mcp -- COMMAND` in front\nof a memory server; then `hearsay doctor`.\n")
	}
	return p.Err()
}
