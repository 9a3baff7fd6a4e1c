// Package embed makes vectors by a command of the user's, so that no model and no network
// are Hearsay's own. See docs/memory.md.
package embed

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/hearsay-memory/hearsay/internal/command"
	"github.com/hearsay-memory/hearsay/internal/memory"
)

// Bounds of what the command writes.
const (
	maxLine = 64 << 10 // bytes of one vector: 4,096 numbers with all their digits
	maxRest = 4 << 10  // of empty lines
)

// Command returns the embedder that a command is: it gets one JSON string on each line, and
// writes one JSON array of numbers on a line for each, in their order; a line that is none
// is no vector. It is run once for each batch of texts and ends when its input does.
func Command(args []string) memory.Embedder {
	return func(ctx context.Context, texts []string) ([][]float32, error) {
		var input bytes.Buffer
		enc := json.NewEncoder(&input)
		enc.SetEscapeHTML(false)
		for _, t := range texts {
			if err := enc.Encode(t); err != nil {
				return nil, fmt.Errorf("encode a text: %w", err)
			}
		}
		out, err := command.Run(ctx, "embedder", args, input.Bytes(), len(texts)*maxLine+maxRest)
		if err != nil {
			return nil, err
		}
		return decode(out, len(texts))
	}
}

// decode reads the vectors of n texts.
func decode(out []byte, n int) ([][]float32, error) {
	vectors := make([][]float32, 0, n)
	for line := range bytes.Lines(out) {
		if line = bytes.TrimSpace(line); len(line) == 0 {
			continue
		}
		if len(vectors) == n {
			return nil, errors.New("the embedder wrote more lines than it got texts")
		}
		var v []float32
		if err := json.Unmarshal(line, &v); err != nil {
			v = nil
		}
		vectors = append(vectors, v)
	}
	if len(vectors) < n {
		return nil, fmt.Errorf("the embedder wrote %d lines for %d texts", len(vectors), n)
	}
	return vectors, nil
}

// Name returns what tells the embedder of one command from that of another.
func Name(args []string) string { return fmt.Sprintf("%q", args) }
