package sleep

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
	"unicode/utf8"
)

// maxSummary bounds the text of one summary, in bytes.
const maxSummary = 16 << 10

// defaultPatience is how long one call of the command may take.
const defaultPatience = time.Minute

// afterKill is how long a killed command may keep its output open.
const afterKill = 2 * time.Second

// summarizer is a command of the user: memories go in as the files of the memory show them,
// the text of their summary comes out. What comes out is nobody's word but theirs whose
// memories went in.
type summarizer struct {
	command  []string
	patience time.Duration
}

// ask runs the command once. Errors are for people and bear no output of the command.
func (s summarizer) ask(ctx context.Context, input []byte) (string, error) {
	if s.patience <= 0 {
		s.patience = defaultPatience
	}
	ctx, cancel := context.WithTimeout(ctx, s.patience)
	defer cancel()
	name, err := found(s.command[0])
	if err != nil {
		return "", err
	}
	out := &bounded{most: maxSummary}
	cmd := exec.CommandContext(ctx, name, s.command[1:]...)
	cmd.Dir, cmd.Stdin, cmd.Stdout, cmd.WaitDelay = os.TempDir(), bytes.NewReader(input), out, afterKill
	killGroup(cmd)
	err = cmd.Run()
	exit, exited := errors.AsType[*exec.ExitError](err)
	switch {
	case ctx.Err() != nil:
		return "", errors.New("the summarizer took too long")
	case out.over:
		return "", fmt.Errorf("the summarizer wrote more than %d bytes", maxSummary)
	case exited:
		return "", fmt.Errorf("the summarizer ended with %s", exit.ProcessState)
	case err != nil:
		return "", fmt.Errorf("the summarizer could not be run: %w", err)
	case !utf8.Valid(out.kept):
		return "", errors.New("the summarizer wrote what is no UTF-8")
	}
	text := strings.TrimSpace(string(out.kept))
	if text == "" {
		return "", errors.New("the summarizer wrote nothing")
	}
	return text, nil
}

// found returns the file of a command: never one that merely lies in the working directory.
func found(name string) (string, error) {
	if strings.ContainsAny(name, `/\`) && !filepath.IsAbs(name) {
		return "", fmt.Errorf("the summarizer %q is neither a name on the path nor an absolute path", name)
	}
	file, err := exec.LookPath(name)
	if err != nil {
		return "", fmt.Errorf("the summarizer cannot be found: %w", err)
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
