package sleep

import (
	"context"
	"errors"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/hearsay-memory/hearsay/internal/command"
)

// maxSummary bounds the text of one summary, in bytes.
const maxSummary = 16 << 10

// defaultPatience is how long one call of the command may take.
const defaultPatience = time.Minute

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
	out, err := command.Run(ctx, "summarizer", s.command, input, maxSummary)
	if err != nil {
		return "", err
	}
	if !utf8.Valid(out) {
		return "", errors.New("the summarizer wrote what is no UTF-8")
	}
	text := strings.TrimSpace(string(out))
	if text == "" {
		return "", errors.New("the summarizer wrote nothing")
	}
	return text, nil
}
