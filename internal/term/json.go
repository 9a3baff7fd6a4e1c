package term

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"unicode/utf16"
	"unicode/utf8"
)

// JSON writes v as one JSON value on one line. <, > and & stay readable; control, direction and other invisible
// characters are escaped as \u…, so that the output is safe to look at and decodes to the same strings.
func JSON(w io.Writer, v any) error {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return fmt.Errorf("term: cannot write JSON: %w", err)
	}
	_, err := w.Write(escapeJSON(buf.Bytes()))
	return err
}

// escapeJSON replaces hidden runes, which stand only inside strings of what encoding/json writes, by escapes.
func escapeJSON(b []byte) []byte {
	out := make([]byte, 0, len(b))
	for len(b) > 0 {
		r, size := utf8.DecodeRune(b)
		switch {
		case r < 0x7f, !hidden(r):
			out = append(out, b[:size]...)
		case r > 0xffff:
			hi, lo := utf16.EncodeRune(r)
			out = fmt.Appendf(out, `\u%04x\u%04x`, hi, lo)
		default:
			out = fmt.Appendf(out, `\u%04x`, r)
		}
		b = b[size:]
	}
	return out
}
