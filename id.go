package hearsay

import (
	"encoding/hex"
	"fmt"
)

// RecordID is a UUIDv7 (RFC 9562 §5.7). The zero value names no record.
type RecordID [16]byte

// NewRecordID makes an id of a time in Unix milliseconds and ten random bytes.
// Ids made in ascending milliseconds sort in that order.
func NewRecordID(ms int64, random [10]byte) RecordID {
	var id RecordID
	for i := range 6 {
		id[i] = byte(ms >> (8 * (5 - i)))
	}
	copy(id[6:], random[:])
	id[6] = 0x70 | id[6]&0x0f
	id[8] = 0x80 | id[8]&0x3f
	return id
}

// ParseRecordID reads the canonical form, 36 lower-case characters.
func ParseRecordID(s string) (RecordID, error) {
	var id RecordID
	bad := func() (RecordID, error) {
		return RecordID{}, fmt.Errorf("malformed record id: want a lower-case UUIDv7 such as 01a19d20-e9c6-74d7-9e33-5151ae759ef2")
	}
	if len(s) != 36 || s[8] != '-' || s[13] != '-' || s[18] != '-' || s[23] != '-' {
		return bad()
	}
	packed := s[:8] + s[9:13] + s[14:18] + s[19:23] + s[24:]
	if _, err := hex.Decode(id[:], []byte(packed)); err != nil {
		return bad()
	}
	if id.String() != s || id[6]>>4 != 7 || id[8]>>6 != 2 {
		return bad()
	}
	return id, nil
}

// IsZero reports whether id names no record.
func (id RecordID) IsZero() bool { return id == RecordID{} }

// String returns the canonical form.
func (id RecordID) String() string {
	b, _ := id.AppendText(make([]byte, 0, 36))
	return string(b)
}

// AppendText implements [encoding.TextAppender]; it never fails.
func (id RecordID) AppendText(b []byte) ([]byte, error) {
	for _, part := range [...][]byte{id[0:4], id[4:6], id[6:8], id[8:10]} {
		b = append(hex.AppendEncode(b, part), '-')
	}
	return hex.AppendEncode(b, id[10:]), nil
}

// MarshalText implements [encoding.TextMarshaler].
func (id RecordID) MarshalText() ([]byte, error) { return id.AppendText(nil) }

// UnmarshalText implements [encoding.TextUnmarshaler].
func (id *RecordID) UnmarshalText(b []byte) (err error) {
	*id, err = ParseRecordID(string(b))
	return err
}
