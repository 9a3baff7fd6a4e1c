package event

import (
	"cmp"
	"encoding/hex"
	"fmt"
	"io"

	"github.com/hearsay-memory/hearsay/ledger"
)

// Draft is an event that has no place in the log yet, with its side blob.
type Draft struct {
	Event Event
	Side  Side
}

// Sealed is an event with its place, its exact bytes and what a store has to keep.
type Sealed struct {
	Event *Event
	Body  []byte      // the bytes that were hashed
	Leaf  ledger.Hash // of Body
	Blob  []byte      // encoded side blob; nil: none
	Salt  [32]byte    // of Blob
	Puts  []Put
}

// Seal gives a draft its place: version, sequence number, time and commitments.
// The time is max(now, last), in UTC ms, so a clock that goes backwards cannot
// reorder the log. random gives the salt; it must be cryptographic.
//
// An image of a record or a question whose Content is empty while the side blob has content gets the
// commitment to that content and points at this event.
func Seal(d Draft, seq, last, now int64, random io.Reader) (*Sealed, error) {
	e := d.Event
	e.V, e.Seq, e.T = Version, seq, max(now, last)
	s := &Sealed{Event: &e}
	e.Side = "" // a commitment of the draft would be to nothing that is stored
	if !d.Side.IsZero() {
		var err error
		if s.Blob, err = d.Side.Encode(); err != nil {
			return nil, err
		}
		if s.Salt, err = ledger.NewSalt(random); err != nil {
			return nil, fmt.Errorf("seal event: %w", err)
		}
		c := ledger.Commit(s.Salt, s.Blob)
		e.Side = hex.EncodeToString(c[:])
	}
	if e.Record != nil {
		r := *e.Record
		if r.Content == "" && d.Side.Content != nil {
			c := ledger.Commit(s.Salt, d.Side.Content)
			r.Content, r.Side, r.Bytes = hex.EncodeToString(c[:]), seq, len(d.Side.Content)
		}
		r.Created = cmp.Or(r.Created, e.T)
		e.Record = &r
	}
	if e.Action != nil && e.Action.Content == "" && d.Side.Content != nil {
		a := *e.Action
		c := ledger.Commit(s.Salt, d.Side.Content)
		a.Content, a.Side = hex.EncodeToString(c[:]), seq
		e.Action = &a
	}
	if e.File != nil && e.File.Content == "" && d.Side.Content != nil {
		f := *e.File
		c := ledger.Commit(s.Salt, d.Side.Content)
		f.Content, f.Side = hex.EncodeToString(c[:]), seq
		e.File = &f
	}
	e.Subject = e.subject()
	var image []byte
	var err error
	if s.Body, image, err = e.encode(); err != nil {
		return nil, err
	}
	s.Leaf = ledger.LeafHash(s.Body)
	s.Puts, err = fold(&e, image)
	return s, err
}
