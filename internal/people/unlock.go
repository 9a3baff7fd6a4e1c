package people

import (
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"

	"github.com/hearsay-memory/hearsay/internal/instance"
	"github.com/hearsay-memory/hearsay/internal/reviewer"
	"github.com/hearsay-memory/hearsay/internal/reviewer/keyfile"
	"github.com/hearsay-memory/hearsay/internal/term"
)

// Key says who signs, and where the passphrase comes from: the terminal, or a
// file for scripts. It never is a flag's value or a variable, which other processes
// and shell histories see.
type Key struct {
	Reviewer string // empty: the only one
	File     string // whose first line is the passphrase; empty: it is asked for
}

// Unlock returns the reviewer's signer. Wipe it after use.
func (k *Key) Unlock(in *instance.Instance, p *Person) (*reviewer.Signer, error) {
	file, err := KeyFile(in, k.Reviewer)
	if err != nil {
		return nil, err
	}
	if !file.Protected() {
		return file.Unlock("")
	}
	if k.File != "" {
		pass, err := ReadPassphrase(k.File)
		if err != nil {
			return nil, err
		}
		return file.Unlock(pass)
	}
	tty, err := p.Terminal()
	if err != nil {
		return nil, fmt.Errorf("the key of %s has a passphrase: %w, or give --passphrase-file", file.Name, err)
	}
	for try := 1; ; try++ {
		pass, err := tty.ReadPassphrase(fmt.Sprintf("Passphrase of %s: ", file.Name))
		if err != nil {
			return nil, err
		}
		signer, err := file.Unlock(pass)
		if err == nil || !errors.Is(err, keyfile.ErrPassphrase) || try == passphraseTries {
			return signer, err
		}
		if screen, err := p.Printer(); err == nil {
			screen.Println("That is not it; try again.")
		}
	}
}

// passphraseTries is how often a person may mistype.
const passphraseTries = 3

// ReadPassphrase reads the first line of a file that only its owner can read. Pipes
// are as private as who made them.
func ReadPassphrase(name string) (string, error) {
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
