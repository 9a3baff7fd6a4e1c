package main

import (
	"fmt"
	"os"
	"runtime"

	xterm "golang.org/x/term"

	"github.com/hearsay-memory/hearsay/internal/term"
)

// usualWidth is taken for a terminal that does not say how wide it is, in columns.
const usualWidth = 80

// person is whoever sits at the terminal. It is opened at the first question and
// kept until close, so that keys that were typed ahead are not lost. The zero value
// is ready.
type person struct {
	tty    *term.TTY
	screen *os.File
}

// terminal opens the controlling terminal. Standard input does not count: a piped
// answer is nobody's.
func (p *person) terminal() (*term.TTY, error) {
	if p.tty == nil {
		tty, err := term.OpenTTY()
		if err != nil {
			return nil, err
		}
		p.tty = tty
	}
	return p.tty, nil
}

// printer prints on the terminal itself, wherever standard output goes: what is held
// is for the eyes of a person and not for a program that collects the output.
func (p *person) printer() (*term.Printer, error) {
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

// close lets the terminal go. Nothing was promised to it, so an error changes nothing.
func (p *person) close() {
	if p.tty != nil {
		p.tty.Close()
	}
	if p.screen != nil {
		p.screen.Close()
	}
}

// confirm asks a question that only a person answers. yes stands for an answer that
// was given with the command line.
func (p *person) confirm(yes bool, question string) error {
	if yes {
		return nil
	}
	tty, err := p.terminal()
	if err != nil {
		return fmt.Errorf("%w, or say --yes", err)
	}
	ok, err := tty.Confirm(question)
	if err != nil {
		return err
	}
	if !ok {
		return &exitError{exitFailed, "nothing was changed: you said no"}
	}
	return nil
}
