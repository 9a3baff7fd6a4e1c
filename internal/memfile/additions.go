package memfile

import (
	"bytes"
	"strings"
)

// Additions returns the lines of after that are not lines of before, in order, and
// whether all lines of before are still there, in their order.
func Additions(before, after []byte) (text string, all bool) {
	var old [][]byte
	for line := range bytes.Lines(before) {
		old = append(old, bytes.TrimRight(line, "\r\n"))
	}
	var out []string
	for line := range bytes.Lines(after) {
		line = bytes.TrimRight(line, "\r\n")
		if len(old) > 0 && bytes.Equal(old[0], line) {
			old = old[1:]
			continue
		}
		if len(bytes.TrimSpace(line)) > 0 {
			out = append(out, string(line))
		}
	}
	return strings.Join(out, "\n"), len(old) == 0
}
