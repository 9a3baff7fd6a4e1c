package memfile

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"unicode/utf8"

	"github.com/hearsay-memory/hearsay/event"
)

// Store is the id of the store of guarded files: a thing in it is named by its file's
// real path.
const Store = event.FilesStore

// Call is a tool call that changes guarded files, as it is held and made again. Paths
// are real, absolute and slash separated.
type Call struct {
	Host  string            `json:"host"`
	Tool  string            `json:"tool"`
	Edits []Edit            `json:"edits"`
	Base  map[string]string `json:"base"` // what each file was when the call was decided: SHA-256 in hex; empty: it was not there
}

// Edit is one change of one file.
type Edit struct {
	Path   string `json:"path"`
	Old    string `json:"old,omitempty"` // what is replaced
	New    string `json:"new,omitempty"`
	All    bool   `json:"all,omitempty"`    // wherever Old stands
	At     Place  `json:"at,omitempty"`     // where Old has to stand
	Whole  bool   `json:"whole,omitempty"`  // New is the whole file
	Delete bool   `json:"delete,omitempty"` // the file goes
	MoveTo string `json:"move_to,omitempty"`
	Cell   string `json:"cell,omitempty"` // of a notebook
}

// Encode returns the bytes that are held. A name that is not UTF-8 is an error: it would
// come back as another one.
func (c *Call) Encode() ([]byte, error) {
	for _, name := range c.Paths() {
		if !utf8.ValidString(name) {
			return nil, errors.New("the name of a guarded file is not UTF-8: rename it")
		}
	}
	return json.Marshal(c)
}

// wireEdit is an [Edit] in JSON, where text that is not UTF-8 stands as bytes.
type wireEdit struct {
	plainEdit
	OldBytes []byte `json:"old_bytes,omitempty"`
	NewBytes []byte `json:"new_bytes,omitempty"`
}

type plainEdit Edit

// MarshalJSON implements json.Marshaler.
func (e Edit) MarshalJSON() ([]byte, error) {
	w := wireEdit{plainEdit: plainEdit(e)}
	if !utf8.ValidString(w.Old) {
		w.Old, w.OldBytes = "", []byte(w.Old)
	}
	if !utf8.ValidString(w.New) {
		w.New, w.NewBytes = "", []byte(w.New)
	}
	return json.Marshal(w)
}

// UnmarshalJSON implements json.Unmarshaler.
func (e *Edit) UnmarshalJSON(b []byte) error {
	var w wireEdit
	if err := json.Unmarshal(b, &w); err != nil {
		return err
	}
	if w.OldBytes != nil {
		w.Old = string(w.OldBytes)
	}
	if w.NewBytes != nil {
		w.New = string(w.NewBytes)
	}
	*e = Edit(w.plainEdit)
	return nil
}

// DecodeCall reads what [Call.Encode] wrote. What it reads was checked against its
// commitment before.
func DecodeCall(b []byte) (*Call, error) {
	c := new(Call)
	if err := json.Unmarshal(b, c); err != nil {
		return nil, fmt.Errorf("read a held call: %w", err)
	}
	if len(c.Edits) == 0 {
		return nil, errors.New("read a held call: it changes nothing")
	}
	return c, nil
}

// Sum is the digest of a file's bytes, in hex. Nil bytes are of a file that is not there.
func Sum(data []byte) string {
	if data == nil {
		return ""
	}
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}
