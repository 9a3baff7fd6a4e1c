package term

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// chunks delivers each string in one read, as a terminal does with what one key press sends.
type chunks []string

func (c *chunks) Read(p []byte) (int, error) {
	if len(*c) == 0 {
		return 0, io.EOF
	}
	n := copy(p, (*c)[0])
	if (*c)[0] = (*c)[0][n:]; (*c)[0] == "" {
		*c = (*c)[1:]
	}
	return n, nil
}

// fake is a TTY without a terminal. Raw counts how often raw mode was entered and not left.
func fake(in ...string) (t *TTY, out *bytes.Buffer, raw *int) {
	out, raw = new(bytes.Buffer), new(int)
	c := chunks(in)
	return &TTY{
		out:  out,
		keys: keyReader{r: &c},
		raw: func() (func() error, error) {
			*raw++
			return func() error { *raw--; return nil }, nil
		},
		stop: func() error { return nil },
	}, out, raw
}

func TestReadPassphrase(t *testing.T) {
	for _, tt := range []struct {
		name string
		in   []string
		want string
		err  error
	}{
		{name: "typed", in: []string{"p", "a", "s", "s", "\r"}, want: "pass"},
		{name: "pasted", in: []string{"päss wörd\n"}, want: "päss wörd"},
		{name: "corrected", in: []string{"pä", "\x7f", "x\b", "ass\r"}, want: "pass"},
		{name: "rune split between reads", in: []string{"p\xc3", "\xa4\r"}, want: "pä"},
		{name: "started over", in: []string{"wrong\x15right\r"}, want: "right"},
		{name: "backspace on nothing", in: []string{"\x7f\x7fa\r"}, want: "a"},
		{name: "arrows are not letters", in: []string{"a", "\x1b[D", "\x1bOA", "b\r"}, want: "ab"},
		{name: "controls are not letters", in: []string{"a\x01\x00\x16b\r"}, want: "ab"},
		{name: "empty", in: []string{"\r"}},
		{name: "Ctrl-C", in: []string{"pass\x03"}, err: ErrInterrupted},
		{name: "Ctrl-D on nothing", in: []string{"\x04"}, err: io.EOF},
		{name: "Ctrl-D within", in: []string{"pa\x04ss\r"}, want: "pass"},
		{name: "hung up", in: []string{"pass"}, err: io.EOF},
		{name: "longest", in: []string{strings.Repeat("x", MaxPassphrase), "\r"}, want: strings.Repeat("x", MaxPassphrase)},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tty, out, raw := fake(tt.in...)
			got, err := tty.ReadPassphrase("Passphrase\x1b: ")
			if got != tt.want || !errors.Is(err, tt.err) {
				t.Errorf("%q, %v; want %q, %v", got, err, tt.want, tt.err)
			}
			if out.String() != "Passphrase\\x1b: \r\n" {
				t.Errorf("the screen shows %q", out)
			}
			if *raw != 0 {
				t.Error("the terminal was left in raw mode")
			}
		})
	}
	tty, _, raw := fake(strings.Repeat("x", MaxPassphrase+1) + "\r")
	if got, err := tty.ReadPassphrase(""); err == nil || *raw != 0 {
		t.Errorf("too long: %d bytes", len(got))
	}
}

func TestTwoPassphrasesOfOnePaste(t *testing.T) {
	tty, _, _ := fake("first\nfirst\n")
	for range 2 {
		if got, err := tty.ReadPassphrase(""); got != "first" || err != nil {
			t.Errorf("%q, %v", got, err)
		}
	}
}

func TestReadKey(t *testing.T) {
	for _, tt := range []struct {
		name string
		in   []string
		want []Key
		err  error
	}{
		{name: "letters", in: []string{"a", "ré"}, want: []Key{'a', 'r', 'é'}, err: io.EOF},
		{name: "Enter, both ways", in: []string{"\r", "\n"}, want: []Key{KeyEnter, KeyEnter}, err: io.EOF},
		{name: "arrows never approve", in: []string{"\x1b[A", "\x1b[1;5A", "\x1bOA", "\x1b[15~", "q"}, want: []Key{KeyOther, KeyOther, KeyOther, KeyOther, 'q'}, err: io.EOF},
		{name: "a sequence split between reads", in: []string{"\x1b[", "A", "q"}, want: []Key{KeyOther, 'q'}, err: io.EOF},
		{name: "… right after Escape", in: []string{"\x1b", "[A", "q"}, want: []Key{KeyEscape, KeyOther, 'q'}, err: io.EOF},
		{name: "Escape alone", in: []string{"\x1b", "a"}, want: []Key{KeyEscape, 'a'}, err: io.EOF},
		{name: "Alt with a letter", in: []string{"\x1ba", "q"}, want: []Key{KeyOther, 'q'}, err: io.EOF},
		{name: "Alt with a wide letter", in: []string{"\x1bé", "q"}, want: []Key{KeyOther, 'q'}, err: io.EOF},
		{name: "broken bytes", in: []string{"\xff", "\xc2\x9b", "a"}, want: []Key{KeyOther, KeyOther, 'a'}, err: io.EOF},
		{name: "Ctrl-C", in: []string{"\x03"}, err: ErrInterrupted},
		{name: "Ctrl-C in a sequence", in: []string{"\x1b[\x03"}, want: []Key{KeyOther}, err: ErrInterrupted},
		{name: "Ctrl-C after Escape", in: []string{"\x1b\x03"}, want: []Key{KeyOther}, err: ErrInterrupted},
		{name: "Ctrl-D", in: []string{"\x04"}, err: io.EOF},
		{name: "a sequence without end", in: []string{"\x1b[" + strings.Repeat("1;", 100)}, want: []Key{KeyOther}, err: io.EOF},
		{name: "reports of the terminal", in: []string{"\x1b]11;rgb:aaaa/aaaa\x1b\\", "\x1b]52;c;YQ==\a", "\x1bP1$r\x1b\\q"}, want: []Key{KeyOther, KeyOther, KeyOther, 'q'}, err: io.EOF},
		{name: "Ctrl-C in a report", in: []string{"\x1b]11\x03"}, want: []Key{KeyOther}, err: ErrInterrupted},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tty, _, raw := fake(tt.in...)
			var got []Key
			var err error
			for err == nil {
				var k Key
				if k, err = tty.ReadKey(); err == nil {
					got = append(got, k)
				}
			}
			if diff := cmp.Diff(tt.want, got); diff != "" || !errors.Is(err, tt.err) {
				t.Errorf("%v, %s", err, diff)
			}
			if *raw != 0 {
				t.Error("the terminal was left in raw mode")
			}
		})
	}
}

func TestConfirm(t *testing.T) {
	for _, tt := range []struct {
		in   []string
		want bool
		err  error
	}{
		{in: []string{"y"}, want: true},
		{in: []string{"Y"}, want: true},
		{in: []string{"n"}},
		{in: []string{"\r"}},
		{in: []string{"\x1b"}},
		{in: []string{"x", "\x1b[A", "y"}, want: true},
		{in: []string{"x"}, err: io.EOF},
		{in: []string{"\x03"}, err: ErrInterrupted},
		{err: io.EOF},
	} {
		tty, out, _ := fake(tt.in...)
		got, err := tty.Confirm("Release \x1b[2K?")
		if got != tt.want || !errors.Is(err, tt.err) {
			t.Errorf("%q: %v, %v", tt.in, got, err)
		}
		if strings.Contains(out.String(), "\x1b") {
			t.Errorf("%q: the screen gets %q", tt.in, out)
		}
	}
}

func TestAsk(t *testing.T) {
	tty, out, raw := fake("aj\x7fna", "\x1b[A", "\u202e", "\x7f\x7f\x7f\x7f\x7fok\r")
	got, err := tty.Ask("Name: ")
	if got != "ok" || err != nil || *raw != 0 {
		t.Errorf("%q, %v", got, err)
	}
	if strings.ContainsAny(out.String(), "\x1b\u202e") {
		t.Errorf("the screen gets %q", out)
	}
	for in, want := range map[string]error{"a\x03": ErrInterrupted, "\x04": io.EOF, "a": io.EOF} {
		tty, _, _ := fake(in)
		if got, err := tty.Ask(""); !errors.Is(err, want) || got != "" {
			t.Errorf("%q: %q, %v", in, got, err)
		}
	}
}

func TestWithoutRawModeNothingIsAsked(t *testing.T) {
	tty, _, _ := fake("y")
	tty.raw = func() (func() error, error) { return nil, errors.New("not a terminal") }
	if ok, err := tty.Confirm("?"); ok || !errors.Is(err, ErrNoTerminal) {
		t.Errorf("%v, %v", ok, err)
	}
	if _, err := tty.ReadPassphrase(""); !errors.Is(err, ErrNoTerminal) {
		t.Error(err)
	}
}

func TestRestoreErrorsAreTold(t *testing.T) {
	tty, _, _ := fake("y")
	tty.raw = func() (func() error, error) { return func() error { return errors.New("gone") }, nil }
	if k, err := tty.ReadKey(); err == nil || !strings.Contains(err.Error(), "stty sane") {
		t.Errorf("%v, %v", k, err)
	}
}

func FuzzKeys(f *testing.F) {
	f.Add("a\x1b[A\x1bOBé\x03")
	f.Fuzz(func(t *testing.T, in string) {
		c := chunks{in}
		if in == "" {
			c = nil
		}
		k := keyReader{r: &c}
		for n := 0; ; n++ {
			key, err := k.next()
			if err != nil {
				return
			}
			if key < KeyOther || n > len(in) {
				t.Fatalf("key %d after %d keys of %q", key, n, in)
			}
		}
	})
}
