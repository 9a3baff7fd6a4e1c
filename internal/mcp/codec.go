package mcp

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/hearsay-memory/hearsay/internal/strictjson"
)

// limits bound a frame.
var limits = strictjson.Limits{MaxBytes: 64 << 20, MaxDepth: 128}

// errTooLong is returned by readLine for a line over the bound; the line is gone.
var errTooLong = errors.New("the frame is longer than 64 MiB")

// lines reads frames: lines of bounded length. Memory is used as lines come, not
// up to the bound at once.
type lines struct {
	r *bufio.Reader
	// again says that a line is done with when the next one is asked for: its room is
	// used again, as far as it is worth keeping.
	again bool
	room  []byte
}

func newLines(r io.Reader) *lines { return &lines{r: bufio.NewReaderSize(r, 64<<10)} }

// next returns the next line without its end, which stands behind it in the same room.
// The slice is the caller's, or, where lines are read again and again, good until the
// next call.
func (l *lines) next() ([]byte, error) {
	var line []byte
	if l.again {
		line = l.room[:0]
	}
	long := false
	for {
		part, err := l.r.ReadSlice('\n')
		if !long {
			line = append(line, part...)
			long = len(line) > limits.MaxBytes+1
		}
		if l.again && cap(line) <= mostKept {
			l.room = line
		}
		switch {
		case long && (err == nil || err == io.EOF):
			return nil, errTooLong
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

// writer writes frames, one at a time.
type writer struct {
	mu  sync.Mutex
	w   io.Writer
	buf []byte
}

// mostKept bounds the room that is kept for the next frame.
const mostKept = 1 << 20

// frame writes one line.
func (w *writer) frame(b []byte) error {
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

// Codes of JSON-RPC 2.0 errors, and one of ours from the range it leaves to servers.
const (
	codeParse    = -32700
	codeInvalid  = -32600
	codeInternal = -32603
	codeUpstream = -32010 // the server behind does not answer, or not in a form that is let through
)

// reply encodes a result. id is the raw id of the request.
func reply(id []byte, result strictjson.Value) []byte {
	b := append([]byte(`{"jsonrpc":"2.0","id":`), id...)
	b = append(b, `,"result":`...)
	return append(strictjson.AppendValue(b, result), '}')
}

// replyError encodes an error. text is ours and never foreign. A nil id is null.
func replyError(id []byte, code int64, text string) []byte {
	if id == nil {
		id = []byte("null")
	}
	b := append([]byte(`{"jsonrpc":"2.0","id":`), id...)
	b = append(b, `,"error":`...)
	e := strictjson.Object(
		strictjson.Member{Key: "code", Value: strictjson.Int(code)},
		strictjson.Member{Key: "message", Value: strictjson.String("hearsay: " + text)})
	return append(strictjson.AppendValue(b, e), '}')
}

// request encodes a request.
func request(id []byte, method string, params strictjson.Value) []byte {
	b := append([]byte(`{"jsonrpc":"2.0","id":`), id...)
	b = append(b, `,"method":`...)
	b = strictjson.AppendValue(b, strictjson.String(method))
	b = append(b, `,"params":`...)
	return append(strictjson.AppendValue(b, params), '}')
}

// passable returns the bytes of a frame that may go on: as they came, or re-encoded
// where some reader of lines would find more than one line in them.
func passable(f strictjson.Frame) ([]byte, error) {
	if f.OneLine {
		return f.Raw, nil
	}
	v, err := limits.Parse(f.Raw)
	if err != nil {
		return nil, err
	}
	return strictjson.AppendValue(nil, v), nil
}

// withID puts the client's id on an answer that came under another.
func withID(f strictjson.Frame, id []byte) []byte {
	v, err := limits.Parse(f.Raw)
	if err != nil {
		return replyError(id, codeUpstream, err.Error())
	}
	if e, ok := v.Get("error"); ok {
		b := append([]byte(`{"jsonrpc":"2.0","id":`), id...)
		return append(strictjson.AppendValue(append(b, `,"error":`...), e), '}')
	}
	result, _ := v.Get("result")
	return reply(id, result)
}
