package term

import (
	"fmt"
	"io"
	"os"
	"strings"

	"golang.org/x/term"
)

// Printer writes to people. It colours only a terminal, and never one whose user set NO_COLOR. It is not safe for
// concurrent use. The first write error is kept and returned by Err; later writes do nothing.
type Printer struct {
	w      io.Writer
	colour bool
	width  int // columns; 0: unbounded, do not wrap
	err    error
}

// New makes a printer for w. If w is a terminal its width is read once. Getenv, normally os.Getenv, is asked for
// NO_COLOR and TERM.
func New(w io.Writer, getenv func(string) string) *Printer {
	p := &Printer{w: w}
	f, ok := w.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) {
		return p
	}
	if width, _, err := term.GetSize(int(f.Fd())); err == nil {
		p.width = max(width, minWidth)
	}
	p.colour = getenv("NO_COLOR") == "" && getenv("TERM") != "dumb" && enableColour(f)
	return p
}

// minWidth is the narrowest terminal that is laid out for, in columns.
const minWidth = 20

// WithWidth sets the width to wrap at, in columns, whatever w is; 0 stands for no wrapping.
func (p *Printer) WithWidth(columns int) *Printer {
	p.width = columns
	if columns > 0 {
		p.width = max(columns, minWidth)
	}
	return p
}

// Terminal reports whether output is laid out for a terminal.
func (p *Printer) Terminal() bool { return p.width > 0 }

// Err returns the first error of a write.
func (p *Printer) Err() error { return p.err }

// Styled is text that a Printer made safe and gave a style. Printf lets it through; there is no way to make one from
// raw text.
type Styled struct{ text, code string }

// String returns the safe text without its style.
func (s Styled) String() string { return s.text }

// Styles. Each makes its argument safe first.
func (p *Printer) Bold(s string) Styled   { return p.style("1", s) }
func (p *Printer) Dim(s string) Styled    { return p.style("2", s) }
func (p *Printer) Red(s string) Styled    { return p.style("31", s) }
func (p *Printer) Green(s string) Styled  { return p.style("32", s) }
func (p *Printer) Yellow(s string) Styled { return p.style("33", s) }

func (p *Printer) style(code, s string) Styled {
	st := Styled{text: Safe(s)}
	if p.colour {
		st.code = code
	}
	return st
}

// Printf formats like fmt.Printf, with every argument made safe, numbers excepted. The format is the program's own
// text and is not changed.
func (p *Printer) Printf(format string, args ...any) {
	safe := make([]any, len(args))
	for i, a := range args {
		switch a := a.(type) {
		case int, int8, int16, int32, int64, uint, uint8, uint16, uint32, uint64, float32, float64, bool:
			safe[i] = a
		default:
			safe[i] = argument{a}
		}
	}
	p.write(fmt.Sprintf(format, safe...))
}

// Println prints its argument, made safe, on a line.
func (p *Printer) Println(s string) { p.write(Safe(s) + "\n") }

// Text prints a foreign text of any number of lines with a prefix before each, by which people see where it begins
// and ends: without one, it could imitate our own output. On a terminal long lines are wrapped. The prefix is the
// program's own text.
func (p *Printer) Text(prefix, s string) {
	width := 0
	if p.width > 0 {
		width = max(p.width-Width(prefix), minWidth/2)
	}
	for line := range strings.SplitSeq(strings.TrimSuffix(SafeText(s), "\n"), "\n") {
		for _, part := range wrap(expandTabs(line), width) {
			p.write(prefix + part + "\n")
		}
	}
}

func (p *Printer) write(s string) {
	if p.err == nil {
		_, p.err = io.WriteString(p.w, s)
	}
}

// argument formats what it wraps and makes the result safe.
type argument struct{ value any }

// Format implements fmt.Formatter.
func (a argument) Format(f fmt.State, verb rune) {
	if st, ok := a.value.(Styled); ok {
		text := fmt.Sprintf(fmt.FormatString(f, verb), st.text)
		if st.code != "" {
			text = "\x1b[" + st.code + "m" + text + "\x1b[0m"
		}
		io.WriteString(f, text)
		return
	}
	io.WriteString(f, Safe(fmt.Sprintf(fmt.FormatString(f, verb), a.value)))
}
