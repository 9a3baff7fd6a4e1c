package hearsay

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// Namespace is where in a memory a record lies: a tuple of byte-exact segments,
// never a joined string, so that ("a", "bc") and ("ab", "c") stay two places.
// The empty tuple is the root.
type Namespace []string

// HasPrefix reports whether the first segments of n are exactly those of p.
func (n Namespace) HasPrefix(p Namespace) bool {
	return len(n) >= len(p) && slices.Equal(n[:len(p)], p)
}

// String shows the tuple to people, segments separated by " / "; it is not a key.
func (n Namespace) String() string {
	var s strings.Builder
	for i, seg := range n {
		if i > 0 {
			s.WriteString(" / ")
		}
		s.WriteString(seg)
	}
	return s.String()
}

// maxNamespace bounds the segments of a namespace and the bytes of one segment.
const maxNamespace = 64

// Check returns an error where the tuple is too deep or a segment is empty or longer than 256 bytes.
func (n Namespace) Check() error {
	if len(n) > maxNamespace {
		return fmt.Errorf("namespace has %d segments: at most %d", len(n), maxNamespace)
	}
	for i, seg := range n {
		if !utf8.ValidString(seg) {
			return fmt.Errorf("namespace segment %d is not UTF-8", i)
		}
		if seg == "" || len(seg) > 4*maxNamespace {
			return fmt.Errorf("namespace segment %d has %d bytes: want 1 to %d", i, len(seg), 4*maxNamespace)
		}
	}
	return nil
}

// MarshalJSON writes an array of strings, [] for the root.
func (n Namespace) MarshalJSON() ([]byte, error) {
	if n == nil {
		return []byte("[]"), nil
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false) // whoever encodes around it decides
	err := enc.Encode([]string(n))
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), err
}
