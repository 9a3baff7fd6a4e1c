package main

import (
	"cmp"
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
	"github.com/hearsay-memory/hearsay/internal/people"
	"github.com/hearsay-memory/hearsay/internal/reviewer"
	"github.com/hearsay-memory/hearsay/internal/term"
	"github.com/hearsay-memory/hearsay/policy"
)

// initCommand makes a home.
func (a *app) initCommand() *cobra.Command {
	var s people.Setup
	var batch bool
	var file string
	c := &cobra.Command{
		Use:   "init",
		Short: "Make a home, a reviewer and a signed policy",
		Long: `Make a home: a ledger with its key, the first reviewer, a policy that they sign and,
where you say so, copies of the signed checkpoints outside.

On a terminal it asks for the reviewer's passphrase and for where the copies go.
Without one, --batch goes on without both, and says what that costs.`,
		Args: exactArgs(0),
		RunE: func(c *cobra.Command, _ []string) error {
			var p person
			defer p.close()
			if err := a.prepare(&s); err != nil {
				return err
			}
			if file != "" {
				pass, err := readPassphrase(file)
				if err != nil {
					return err
				}
				s.Passphrase = pass
			}
			if batch {
				s.Unprotected = s.Passphrase == ""
			} else if err := askSetup(&p, &s); err != nil {
				return err
			}
			made, err := people.Create(c.Context(), s)
			if errors.Is(err, fs.ErrExist) {
				return errHomeExists(s.Dir)
			}
			if err != nil {
				return err
			}
			return a.printMade(s, made, batch)
		},
	}
	f := c.Flags()
	f.StringVar(&s.Principal, "principal", "", "whose memory it is (default: your user name)")
	f.StringVar(&s.Profile, "profile", "default", "policy to begin with: "+strings.Join(policy.Profiles(), ", "))
	f.StringVar(&s.Reviewer, "reviewer", "", "name of the first reviewer (default: the principal)")
	f.StringArrayVar(&s.Copies, "checkpoints", nil, "folder or file for copies of checkpoints; can be repeated")
	f.BoolVar(&batch, "batch", false, "ask nothing")
	f.StringVar(&file, "passphrase-file", "", "read the reviewer's passphrase from the first line of `FILE`")
	return c
}

func errHomeExists(dir string) error {
	return fmt.Errorf("%s is a home already and was left as it is; use it, or give another --home", dir)
}

// prepare fills in what was not said and refuses what cannot work before anything is
// asked or made.
func (a *app) prepare(s *people.Setup) error {
	var err error
	if s.Dir, err = a.dir(); err != nil {
		return err
	}
	if _, err := os.Lstat(filepath.Join(s.Dir, home.FileConfig)); err == nil {
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
		s.Reviewer = reviewerName(s.Principal)
	}
	if err := reviewer.CheckName(s.Reviewer); err != nil {
		return usageError("%v; give another --reviewer", err)
	}
	for i, t := range s.Copies {
		if s.Copies[i], err = absTarget(t); err != nil {
			return err
		}
	}
	return nil
}

// reviewerName makes a reviewer's name of a principal's, who may be called anything:
// DOMAIN\Ana becomes ana.
func reviewerName(principal string) string {
	name := strings.ToLower(principal[strings.LastIndexAny(principal, `\/`)+1:])
	name, _, _ = strings.Cut(name, "@")
	if reviewer.CheckName(name) != nil {
		return "owner"
	}
	return name
}

// absTarget makes a place for checkpoint copies absolute, as it is written into the
// configuration. A trailing separator, which asks for a folder, stays.
func absTarget(target string) (string, error) {
	if target == "" {
		return "", usageError("an empty --checkpoints names no place")
	}
	if scheme, _, ok := strings.Cut(target, ":"); ok && len(scheme) > 1 && !strings.ContainsAny(scheme, `/\`) {
		return target, nil
	}
	if rest, ok := strings.CutPrefix(target, "~/"); ok {
		dir, err := os.UserHomeDir()
		if err != nil {
			return "", fmt.Errorf("%s: %w; give an absolute path", target, err)
		}
		target = dir + "/" + rest
	}
	path, err := filepath.Abs(target)
	if err != nil {
		return "", fmt.Errorf("%s: %w; give an absolute path", target, err)
	}
	if os.IsPathSeparator(target[len(target)-1]) {
		path += string(filepath.Separator)
	}
	return path, nil
}

// askSetup asks the person for the passphrase and the places of the copies, each
// where the command line did not say.
func askSetup(p *person, s *people.Setup) error {
	tty, err := p.terminal()
	if err != nil {
		return fmt.Errorf("init asks for a passphrase: %w, or use --batch with --passphrase-file", err)
	}
	if s.Passphrase == "" {
		if s.Passphrase, err = askNewPassphrase(p, tty, s.Reviewer); err != nil {
			return err
		}
	}
	if len(s.Copies) > 0 {
		return nil
	}
	screen, err := p.printer()
	if err != nil {
		return err
	}
	screen.Printf("Copies of signed checkpoints, kept where this machine's programs cannot change\nthem, show whether the ledger was ever rolled back or replaced.\n")
	target, err := tty.Ask("Folder for the copies (Enter for none): ")
	if err != nil || target == "" {
		return err
	}
	if target, err = absTarget(target); err != nil {
		return err
	}
	s.Copies = []string{target}
	return nil
}

// askNewPassphrase asks twice for a passphrase that is not empty.
func askNewPassphrase(p *person, tty *term.TTY, name string) (string, error) {
	screen, err := p.printer()
	if err != nil {
		return "", err
	}
	for range passphraseTries {
		first, err := tty.ReadPassphrase(fmt.Sprintf("New passphrase of reviewer %s: ", name))
		if err != nil {
			return "", err
		}
		if first == "" {
			screen.Println("An empty passphrase protects nothing.")
			continue
		}
		again, err := tty.ReadPassphrase("Once more: ")
		if err != nil {
			return "", err
		}
		if first == again {
			return first, nil
		}
		screen.Println("The two differ.")
	}
	return "", errors.New("no passphrase was chosen; nothing was made")
}

// printMade says what was made, what was skipped, and the recovery key.
func (a *app) printMade(s people.Setup, made *people.Made, batch bool) error {
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
	p.Printf("\nNext: `hearsay doctor`, then `hearsay mcp -- COMMAND` in front of a memory server.\n")
	return p.Err()
}
