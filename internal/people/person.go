package people

import (
	"errors"
	"fmt"
	"os"
	"runtime"

	xterm "golang.org/x/term"

	"github.com/hearsay-memory/hearsay/internal/term"
)

// Person is whoever sits at the terminal. It is opened at the first question and
// kept until close, so that keys that were typed ahead are not lost. The zero value
// is ready.
type Person struct {
	tty    *term.TTY
	screen *os.File
}

// Terminal opens the controlling terminal. Standard input does not count: a piped
// answer is nobody's.
func (p *Person) Terminal() (*term.TTY, error) {
	if p.tty == nil {
		tty, err := term.OpenTTY()
		if err != nil {
			return nil, err
		}
		p.tty = tty
	}
	return p.tty, nil
}

// Printer prints on the terminal itself, wherever standard output goes: what is held
// is for the eyes of a person and not for a program that collects the output.
func (p *Person) Printer() (*term.Printer, error) {
	if p.screen == nil {
		name := "/dev/tty"
		if runtime.GOOS == "windows" {
			name = "CONOUT$"
		}
		f, err := os.OpenFile(name, os.O_WRONLY, 0)
		if err != nil {
			return nil, fmt.Errorf("%w: %w; run the command in a terminal of your own", term.ErrNoTerminal, err)
		}
		p.screen = f
	}
	out := term.New(p.screen, os.Getenv)
	if columns, _, err := xterm.GetSize(int(p.screen.Fd())); err == nil && columns == 0 {
		out.WithWidth(usualWidth) // a serial line or a bare pseudo-terminal has no size
	}
	return out, nil
}

// Close lets the terminal go. Nothing was promised to it, so an error changes nothing.
func (p *Person) Close() {
	if p.tty != nil {
		p.tty.Close()
	}
	if p.screen != nil {
		p.screen.Close()
	}
}

// Confirm asks a question that only a person answers. yes stands for an answer that
// was given with the command line.
func (p *Person) Confirm(yes bool, question string) error {
	if yes {
		return nil
	}
	tty, err := p.Terminal()
	if err != nil {
		return fmt.Errorf("%w, or say --yes", err)
	}
	ok, err := tty.Confirm(question)
	if err != nil {
		return err
	}
	if !ok {
		return errors.New("nothing was changed: you said no")
	}
	return nil
}

// usualWidth is taken for a terminal that does not say how wide it is, in columns.
const usualWidth = 80
