package people

import (
	"errors"
	"fmt"

	"github.com/hearsay-memory/hearsay/internal/term"
)

// Ask asks the person for the passphrase and the places of the copies, each
// where the command line did not say.
func (s *Setup) Ask(p *Person) error {
	tty, err := p.Terminal()
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
	screen, err := p.Printer()
	if err != nil {
		return err
	}
	screen.Printf("Copies of signed checkpoints, kept where this machine's programs cannot change\nthem, show whether the ledger was ever rolled back or replaced.\n")
	target, err := tty.Ask("Folder for the copies (Enter for none): ")
	if err != nil || target == "" {
		return err
	}
	if target, err = CopyTarget(target); err != nil {
		return err
	}
	s.Copies = []string{target}
	return nil
}

// askNewPassphrase asks twice for a passphrase that is not empty.
func askNewPassphrase(p *Person, tty *term.TTY, name string) (string, error) {
	screen, err := p.Printer()
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
