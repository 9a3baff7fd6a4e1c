package termtest

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"golang.org/x/term"
)

const (
	endOfInput = 0x04 // what Ctrl-D sends
	glance     = time.Millisecond
)

// Typing is a program for the scripts of testscript: `exec typing KEYS PROGRAM ARG…` runs
// a program on a terminal of its own. As soon as the program takes keys one by one, what
// the file KEYS holds is typed, and Ctrl-D after it, so that one who asks for more is not
// waited for. It ends with the program's exit code; what the terminal showed is then in
// the file screen of the script's folder.
func Typing() {
	if len(os.Args) < 3 {
		fmt.Fprintln(os.Stderr, "usage: typing KEYS PROGRAM ARG…")
		os.Exit(2)
	}
	screen, err := typing(os.Args[1], exec.Command(os.Args[2], os.Args[3:]...))
	err = errors.Join(err, os.WriteFile(filepath.Join(os.Getenv("WORK"), "screen"), screen, 0o600))
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		os.Exit(exit.ExitCode())
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "typing:", err)
		os.Exit(2)
	}
}

// typing runs a command and returns what its terminal showed.
func typing(file string, cmd *exec.Cmd) ([]byte, error) {
	keys, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	person, program, err := open()
	if err != nil {
		return nil, err
	}
	defer person.Close()
	before, err := term.GetState(int(program.Fd()))
	if err != nil {
		return nil, errors.Join(err, program.Close())
	}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	control(cmd, program)
	if err := cmd.Start(); err != nil {
		return nil, errors.Join(err, program.Close())
	}
	seen := make(chan []byte, 1)
	go func() { seen <- readAll(person) }()
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	for typed := false; ; {
		select {
		case err = <-ended:
			// Only when nobody has it open any more does the reader come to its end.
			err = errors.Join(err, program.Close())
			return <-seen, err
		case <-time.After(glance):
		}
		if now, err := term.GetState(int(program.Fd())); !typed && err == nil && *now != *before {
			typed = true
			// A terminal that takes no keys is one of a program that has ended.
			_, _ = person.Write(append(keys, endOfInput))
		}
	}
}

// readAll reads a terminal until all who had it open are gone; that end is an error on
// some systems, and what came before it counts.
func readAll(f *os.File) (all []byte) {
	buf := make([]byte, 4096)
	for {
		n, err := f.Read(buf)
		all = append(all, buf[:n]...)
		if err != nil {
			return all
		}
	}
}
