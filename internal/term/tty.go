package term

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"unicode/utf8"

	"golang.org/x/term"
)

var (
	// ErrNoTerminal is returned when there is nobody to ask.
	ErrNoTerminal = errors.New("no terminal to ask on")
	// ErrInterrupted is returned when the person pressed Ctrl-C.
	ErrInterrupted = errors.New("interrupted")
)

// MaxPassphrase bounds a passphrase, in bytes.
const MaxPassphrase = 1024

// TTY asks the person at the controlling terminal, not whoever feeds standard input: a piped "y" is no answer. Reading
// is in raw mode, which is left again before each method returns. A TTY is not safe for concurrent use.
type TTY struct {
	out  io.Writer
	keys keyReader
	raw  func() (restore func() error, err error)
	stop func() error
}

// OpenTTY opens the controlling terminal, or returns [ErrNoTerminal]. Close it after use.
func OpenTTY() (*TTY, error) {
	in, out, err := openConsole()
	if err != nil || !term.IsTerminal(int(in.Fd())) {
		if err == nil {
			in.Close()
		}
		return nil, fmt.Errorf("term: %w; run the command in a terminal of your own", ErrNoTerminal)
	}
	return &TTY{
		out:  out,
		keys: keyReader{r: in},
		raw: func() (func() error, error) {
			state, err := term.MakeRaw(int(in.Fd()))
			if err != nil {
				return nil, err
			}
			return func() error { return term.Restore(int(in.Fd()), state) }, nil
		},
		stop: func() error {
			if out == in {
				return in.Close()
			}
			return errors.Join(in.Close(), out.Close())
		},
	}, nil
}

// Close closes the terminal.
func (t *TTY) Close() error { return t.stop() }

// inRaw runs f in raw mode.
func (t *TTY) inRaw(f func() error) (err error) {
	restore, err := t.raw()
	if err != nil {
		return fmt.Errorf("term: %w: %w", ErrNoTerminal, err)
	}
	defer func() {
		if rerr := restore(); err == nil && rerr != nil {
			err = fmt.Errorf("term: cannot restore the terminal: %w; run: stty sane", rerr)
		}
	}()
	return f()
}

// ReadPassphrase asks for a line without showing it. Backspace and Ctrl-U correct. Ctrl-C gives [ErrInterrupted],
// Ctrl-D on an empty line or the end of input io.EOF. An empty line is an empty passphrase; refusing it is the
// caller's. The prompt is the program's own text and is made safe.
func (t *TTY) ReadPassphrase(prompt string) (string, error) {
	fmt.Fprint(t.out, Safe(prompt))
	var line []byte
	defer func() { clear(line[:cap(line)]) }()
	err := t.inRaw(func() error {
		line = make([]byte, 0, MaxPassphrase) // never grows, so that no copy stays behind
		for {
			k, err := t.keys.next()
			if err != nil {
				return err
			}
			switch {
			case k == KeyEnter:
				return nil
			case k == KeyInterrupt:
				return ErrInterrupted
			case k == KeyEOF && len(line) == 0:
				return io.EOF
			case k == KeyBackspace:
				_, size := utf8.DecodeLastRune(line)
				line = line[:len(line)-size]
			case k == ctrlU:
				line = line[:0]
			case k < 0x20:
			case len(line)+utf8.RuneLen(rune(k)) > MaxPassphrase:
				return fmt.Errorf("term: a passphrase has at most %d bytes", MaxPassphrase)
			default:
				line = utf8.AppendRune(line, rune(k))
			}
		}
	})
	fmt.Fprint(t.out, "\r\n")
	if err != nil {
		return "", err
	}
	return string(line), nil
}

// ReadKey waits for one key. Ctrl-C gives [ErrInterrupted], Ctrl-D or the end of input io.EOF. Arrows and other keys
// that send a sequence are [KeyOther], never the letters of that sequence.
func (t *TTY) ReadKey() (key Key, err error) {
	err = t.inRaw(func() error {
		key, err = t.keys.next()
		return err
	})
	switch {
	case err != nil:
		return KeyOther, err
	case key == KeyInterrupt:
		return key, ErrInterrupted
	case key == KeyEOF:
		return key, io.EOF
	}
	return key, nil
}

// Confirm asks a question that only y answers with yes; n, Enter and Escape say no, other keys ask again. On an error
// the answer is no.
func (t *TTY) Confirm(question string) (bool, error) {
	for {
		fmt.Fprintf(t.out, "%s [y/N] ", Safe(question))
		k, err := t.ReadKey()
		if err != nil {
			fmt.Fprint(t.out, "\r\n")
			return false, err
		}
		switch k {
		case 'y', 'Y':
			fmt.Fprint(t.out, "yes\r\n")
			return true, nil
		case 'n', 'N', KeyEnter, KeyEscape:
			fmt.Fprint(t.out, "no\r\n")
			return false, nil
		}
		fmt.Fprint(t.out, "\r\n")
	}
}

// Ask reads a visible word, for a confirmation that must be typed in full. It echoes what it reads, made safe.
func (t *TTY) Ask(prompt string) (string, error) {
	fmt.Fprint(t.out, Safe(prompt))
	var line []rune
	err := t.inRaw(func() error {
		for {
			k, err := t.keys.next()
			if err != nil {
				return err
			}
			switch {
			case k == KeyEnter:
				return nil
			case k == KeyInterrupt:
				return ErrInterrupted
			case k == KeyEOF && len(line) == 0:
				return io.EOF
			case k == KeyBackspace && len(line) > 0:
				last := Width(Safe(string(line[len(line)-1:])))
				line = line[:len(line)-1]
				fmt.Fprint(t.out, strings.Repeat("\b \b", last))
			case k >= 0x20 && len(line) < MaxPassphrase:
				line = append(line, rune(k))
				fmt.Fprint(t.out, Safe(string(rune(k))))
			}
		}
	})
	fmt.Fprint(t.out, "\r\n")
	if err != nil {
		return "", err
	}
	return string(line), nil
}

// console opens a device for reading and writing under the names of the platform.
func console(in, out string) (*os.File, *os.File, error) {
	r, err := os.OpenFile(in, os.O_RDWR, 0)
	if err != nil {
		return nil, nil, err
	}
	if in == out {
		return r, r, nil
	}
	w, err := os.OpenFile(out, os.O_RDWR, 0)
	if err != nil {
		r.Close()
		return nil, nil, err
	}
	return r, w, nil
}
