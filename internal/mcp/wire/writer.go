package wire

import (
	"fmt"
	"io"
	"sync"
)

// Writer writes frames, one at a time.
type Writer struct {
	mu  sync.Mutex
	w   io.Writer
	buf []byte
}

// NewWriter writes to w.
func NewWriter(w io.Writer) *Writer { return &Writer{w: w} }

// mostKept bounds the room that is kept for the next frame.
const mostKept = 1 << 20

// Frame writes one line.
func (w *Writer) Frame(b []byte) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	// One write a frame: a reader that polls never sees half of a line we have whole. A
	// line that goes on as it came has its end behind it already.
	line := b
	if n := len(b); n < cap(b) && b[:n+1][n] == '\n' {
		line = b[:n+1]
	} else {
		w.buf = append(append(w.buf[:0], b...), '\n')
		line = w.buf
	}
	_, err := w.w.Write(line)
	if cap(w.buf) > mostKept {
		w.buf = nil
	}
	if err != nil {
		return fmt.Errorf("write frame: %w", err)
	}
	return nil
}
