package wire

import (
	"bufio"
	"errors"
	"fmt"
	"io"
)

// ErrTooLong is wrapped by [Lines.Next] for a line over the bound; the line is gone.
var ErrTooLong = errors.New("the frame is too long")

// Lines reads frames: lines of bounded length. Memory is used as lines come, not
// up to the bound at once.
type Lines struct {
	// Again says that a line is done with when the next one is asked for: its room is
	// used again, as far as it is worth keeping.
	Again bool

	r    *bufio.Reader
	most int // bytes of a line without its end
	room []byte
}

// NewLines reads lines of at most so many bytes.
func NewLines(r io.Reader, most int) *Lines {
	return &Lines{r: bufio.NewReaderSize(r, 64<<10), most: most}
}

// Next returns the next line without its end, which stands behind it in the same room.
// The slice is the caller's, or, where lines are read again and again, good until the
// next call.
func (l *Lines) Next() ([]byte, error) {
	var line []byte
	if l.Again {
		line = l.room[:0]
	}
	long := false
	for {
		part, err := l.r.ReadSlice('\n')
		if !long {
			line = append(line, part...)
			long = len(line) > l.most+1
		}
		if l.Again && cap(line) <= mostKept {
			l.room = line
		}
		switch {
		case long && (err == nil || err == io.EOF):
			return nil, fmt.Errorf("%w: at most %d bytes", ErrTooLong, l.most)
		case err == nil:
			return line[:len(line)-1], nil
		case errors.Is(err, bufio.ErrBufferFull):
		case err == io.EOF && len(line) > 0:
			return line, nil
		default:
			return nil, err
		}
		if long {
			line = nil
		}
	}
}
