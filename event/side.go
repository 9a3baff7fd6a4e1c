package event

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// Side is the free text of an event. It is stored beside the log as one blob with
// a salt of its own; the event holds the commitment. Erasing blob and salt erases
// the words and leaves the log valid. The zero value has nothing and is not stored.
type Side struct {
	Ref     string   `json:"ref,omitempty"`     // URL, path or message id of the source
	Actor   string   `json:"actor,omitempty"`   // who wrote it there
	Tool    string   `json:"tool,omitempty"`    // the tool that was called
	Note    string   `json:"note,omitempty"`    // a reviewer's note, or what a tool was asked
	Project string   `json:"project,omitempty"` // canonical real path
	Claimed *Claimed `json:"claimed,omitempty"` // what the payload said of itself; never raises trust
	Content []byte   `json:"content,omitempty"` // the exact bytes of the write
	Items   [][]byte `json:"items,omitempty"`   // store-keyed digests of the things that the write makes
	Decoded []string `json:"decoded,omitempty"` // what invisible tag characters spell
	Shared  []Share  `json:"shared,omitempty"`  // words of the content that sources of the session had
	Former  []byte   `json:"former,omitempty"`  // of a guarded file: how it was before, and whose write that changed
}

// Share is words that a source of the session had too.
type Share struct {
	Source    string   `json:"source"` // its type
	Certainty string   `json:"certainty"`
	Words     []string `json:"words,omitempty"` // of the content
}

// Claimed is what a payload says of itself. It is logged and can only tighten a verdict.
type Claimed struct {
	Source    string   `json:"source,omitempty"`
	Kind      string   `json:"kind,omitempty"`
	Namespace []string `json:"namespace,omitempty"`
}

// IsZero reports whether there is nothing to store.
func (s *Side) IsZero() bool {
	return s.Ref == "" && s.Actor == "" && s.Tool == "" && s.Note == "" && s.Project == "" &&
		s.Claimed == nil && s.Content == nil && s.Items == nil && s.Decoded == nil && s.Shared == nil && s.Former == nil
}

// Encode returns the bytes that the event commits to.
func (s *Side) Encode() ([]byte, error) {
	b, err := json.Marshal(s)
	if err != nil {
		return nil, fmt.Errorf("encode side blob: %w", err)
	}
	return b, nil
}

// DecodeSide reads what [Side.Encode] writes.
func DecodeSide(b []byte) (Side, error) {
	if s, ok := readSide(b); ok {
		return s, nil
	}
	var s Side
	dec := json.NewDecoder(bytes.NewReader(b))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&s); err != nil {
		return Side{}, fmt.Errorf("decode side blob: %w", err)
	}
	if _, err := dec.Token(); err != io.EOF {
		return Side{}, errors.New("decode side blob: trailing data")
	}
	return s, nil
}
