package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hearsay-memory/hearsay/internal/instance"
	"github.com/hearsay-memory/hearsay/internal/people"
	"github.com/hearsay-memory/hearsay/internal/reviewer"
	"github.com/hearsay-memory/hearsay/internal/reviewer/keyfile"
	"github.com/hearsay-memory/hearsay/internal/term"
)

// passphraseTries is how often a person may mistype.
const passphraseTries = 3

// signing says who signs, and where the passphrase comes from: the terminal, or a
// file for scripts. It never is a flag's value or a variable, which other processes
// and shell histories see.
type signing struct {
	reviewer string
	file     string
}

func (s *signing) flags(c *cobra.Command) {
	c.Flags().StringVar(&s.reviewer, "reviewer", "", "who signs (default: the only reviewer)")
	c.Flags().StringVar(&s.file, "passphrase-file", "", "read the passphrase from the first line of `FILE`, for scripts")
}

// unlock returns the reviewer's signer. Wipe it after use.
func (s *signing) unlock(in *instance.Instance, p *person) (*reviewer.Signer, error) {
	key, err := people.KeyFile(in, s.reviewer)
	if err != nil {
		return nil, err
	}
	if !key.Protected() {
		return key.Unlock("")
	}
	if s.file != "" {
		pass, err := readPassphrase(s.file)
		if err != nil {
			return nil, err
		}
		return key.Unlock(pass)
	}
	tty, err := p.terminal()
	if err != nil {
		return nil, fmt.Errorf("the key of %s has a passphrase: %w, or give --passphrase-file", key.Name, err)
	}
	for try := 1; ; try++ {
		pass, err := tty.ReadPassphrase(fmt.Sprintf("Passphrase of %s: ", key.Name))
		if err != nil {
			return nil, err
		}
		signer, err := key.Unlock(pass)
		if err == nil || !errors.Is(err, keyfile.ErrPassphrase) || try == passphraseTries {
			return signer, err
		}
		if screen, err := p.printer(); err == nil {
			screen.Println("That is not it; try again.")
		}
	}
}

// readPassphrase reads the first line of a file that only its owner can read. Pipes
// are as private as who made them.
func readPassphrase(name string) (string, error) {
	f, err := os.Open(name)
	if err != nil {
		return "", fmt.Errorf("read the passphrase: %w", err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return "", fmt.Errorf("read the passphrase: %w", err)
	}
	if info.Mode().IsRegular() && info.Mode().Perm()&0o077 != 0 && runtime.GOOS != "windows" {
		return "", fmt.Errorf("others can read %s, so it keeps no secret; run: chmod 600 %s", name, name)
	}
	data, err := io.ReadAll(io.LimitReader(f, 2*term.MaxPassphrase))
	if err != nil {
		return "", fmt.Errorf("read the passphrase: %w", err)
	}
	line, _, _ := strings.Cut(string(data), "\n")
	line = strings.TrimSuffix(line, "\r")
	switch {
	case line == "":
		return "", fmt.Errorf("the first line of %s is empty: it should be the passphrase", name)
	case len(line) > term.MaxPassphrase:
		return "", fmt.Errorf("the first line of %s is longer than a passphrase can be, %d bytes", name, term.MaxPassphrase)
	}
	return line, nil
}
