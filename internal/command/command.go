// Package command runs commands that the user configured: what goes in by standard input,
// and what comes out by standard output, within a time and a size. Who can change the
// configuration decides what runs.
package command

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// afterKill is how long a killed command may keep its output open.
const afterKill = 2 * time.Second

// Run runs a command once and returns what it wrote, at most most bytes, or an error where
// it wrote more, did not end by itself with code 0, or not before the context did. what
// names it in errors, which are for people and bear no output of the command.
//
// It is called by its name on the path or its absolute path, in the folder for temporary
// files. Where there are process groups it dies with all that it started.
func Run(ctx context.Context, what string, command []string, input []byte, most int) ([]byte, error) {
	if len(command) == 0 {
		return nil, fmt.Errorf("the %s has no name", what)
	}
	name, err := found(what, command[0])
	if err != nil {
		return nil, err
	}
	out := &bounded{most: most}
	cmd := exec.CommandContext(ctx, name, command[1:]...)
	cmd.Dir, cmd.Stdin, cmd.Stdout, cmd.WaitDelay = os.TempDir(), bytes.NewReader(input), out, afterKill
	killGroup(cmd)
	err = cmd.Run()
	exit, exited := errors.AsType[*exec.ExitError](err)
	switch {
	case ctx.Err() != nil:
		return nil, fmt.Errorf("the %s took too long", what)
	case out.over:
		return nil, fmt.Errorf("the %s wrote more than %d bytes", what, most)
	case exited:
		return nil, fmt.Errorf("the %s ended with %s", what, exit.ProcessState)
	case err != nil:
		return nil, fmt.Errorf("the %s could not be run: %w", what, err)
	}
	return out.kept, nil
}

// found returns the file of a command: never one that merely lies in the working directory.
func found(what, name string) (string, error) {
	if strings.ContainsAny(name, `/\`) && !filepath.IsAbs(name) {
		return "", fmt.Errorf("the %s %q is neither a name on the path nor an absolute path", what, name)
	}
	file, err := exec.LookPath(name)
	if err != nil {
		return "", fmt.Errorf("the %s cannot be found: %w", what, err)
	}
	return file, nil
}

// bounded keeps what is written to it, up to a bound.
type bounded struct {
	kept []byte
	most int
	over bool
}

func (b *bounded) Write(p []byte) (int, error) {
	if len(b.kept)+len(p) > b.most {
		b.over = true
		return 0, errors.New("too much output")
	}
	b.kept = append(b.kept, p...)
	return len(p), nil
}
