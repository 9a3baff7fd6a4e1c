package memtool

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net/http"
)

// Lines reads one input a line and writes one reply a line, as JSON with the fields text
// and is_error, until the input ends or ctx does. What failed here is logged. A line that
// is longer than [MaxInput] is an error of its own, and the next one is read.
//
// Where ctx ends first, a goroutine stays that waits for the input to end.
func (h *Handler) Lines(ctx context.Context, in io.Reader, out io.Writer) error {
	lines, ended := make(chan []byte), make(chan error, 1)
	go func() {
		ended <- readLines(ctx, in, lines)
		close(lines)
	}()
	enc := json.NewEncoder(out)
	enc.SetEscapeHTML(false)
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case data, more := <-lines:
			if !more {
				return <-ended
			}
			reply, failed := h.Do(ctx, data)
			if failed != nil {
				h.log().Error("a command was not carried out", "error", failed)
			}
			if err := enc.Encode(reply); err != nil {
				return err
			}
		}
	}
}

// readLines hands on the lines that are not blank, until the input ends or ctx does.
func readLines(ctx context.Context, in io.Reader, lines chan<- []byte) error {
	r := bufio.NewReaderSize(in, 64<<10)
	for {
		data, err := readLine(r)
		if len(bytes.TrimSpace(data)) > 0 {
			select {
			case lines <- data:
			case <-ctx.Done():
				return ctx.Err()
			}
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// readLine reads up to a line feed. Of a line that is too long it returns one byte more
// than is taken, which [Handler.Do] refuses.
func readLine(r *bufio.Reader) ([]byte, error) {
	var line []byte
	for {
		part, err := r.ReadSlice('\n')
		line = append(line, part[:min(len(part), MaxInput+1-len(line))]...)
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, err
		}
	}
}

// HTTP answers a POST of one input with one reply, both JSON. who makes the handler of a
// request from what its connection proves, never from its body; where it returns an
// error, the answer is 403. A command that is refused or held is 200 with is_error, as it
// is a tool result; only a fault of ours is 500.
//
// It takes no request that a browser makes for another site's page. Limit who can reach
// it before it: it asks for no password.
func HTTP(who func(*http.Request) (*Handler, error)) http.Handler {
	return http.NewCrossOriginProtection().Handler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodPost {
			w.Header().Set("Allow", http.MethodPost)
			http.Error(w, "want POST", http.StatusMethodNotAllowed)
			return
		}
		if kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || kind != "application/json" {
			http.Error(w, "want application/json", http.StatusUnsupportedMediaType)
			return
		}
		h, err := who(r)
		if err != nil || h == nil {
			http.Error(w, "forbidden", http.StatusForbidden)
			return
		}
		data, err := io.ReadAll(http.MaxBytesReader(w, r.Body, MaxInput))
		if err != nil {
			http.Error(w, "the input is too long or was cut short", http.StatusBadRequest)
			return
		}
		reply, failed := h.Do(r.Context(), data)
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Cache-Control", "no-store")
		w.Header().Set("X-Content-Type-Options", "nosniff")
		if failed != nil {
			h.log().Error("a command was not carried out", "error", failed)
			w.WriteHeader(http.StatusInternalServerError)
		}
		enc := json.NewEncoder(w)
		enc.SetEscapeHTML(false)
		if err := enc.Encode(reply); err != nil {
			h.log().Warn("a reply was not sent", "error", err)
		}
	}))
}
