package event

import (
	"bytes"

	"github.com/hearsay-memory/hearsay"
)

// The images that there are many of, and side blobs, read themselves. A field that is
// added to one is added here, in the same place; TestDecoderAgrees fails until it is.

// readEvent returns an event whose encoding is b, and which encoding/json would read, or
// nil: then it may be one all the same.
func readEvent(b []byte) *Event {
	d, e := decoder{b: b}, new(Event)
	d.open()
	var v int64
	d.optInt("v", &v)
	e.V = int(v)
	d.optInt("seq", &e.Seq)
	d.optInt("t", &e.T)
	member(&d, "kind", &e.Kind)
	member(&d, "subject", &e.Subject)
	switch {
	case d.key("record"):
		e.Record = new(Record)
		d.record(e.Record)
	case d.key("session"):
		e.Session = new(Session)
		d.session(e.Session)
	}
	member(&d, "side", &e.Side)
	d.close()
	if !d.done() {
		return nil
	}
	if again, err := e.Encode(); err != nil || !bytes.Equal(again, b) {
		return nil
	}
	return e
}

// readRecord is [readEvent] for the value of a row.
func readRecord(b []byte) *Record {
	d, r := decoder{b: b}, new(Record)
	d.record(r)
	if !d.done() {
		return nil
	}
	again := encoder{b: make([]byte, 0, len(b))}
	if again.record(r); again.err != nil || !bytes.Equal(again.b, b) {
		return nil
	}
	return r
}

func (d *decoder) record(r *Record) {
	d.open()
	d.optText("id", &r.ID)
	d.optText("standing", &r.Standing)
	d.optText("delivery", &r.Delivery)
	d.label(&r.Label)
	member(d, "source", &r.Source)
	member(d, "principal", &r.Principal)
	member(d, "project", &r.Project)
	member(d, "agent", &r.Agent)
	member(d, "session", &r.Session)
	member(d, "surface", &r.Surface)
	member(d, "store", &r.Store)
	d.optStrings("namespace", (*[]string)(&r.Namespace))
	member(d, "kind", &r.Kind)
	member(d, "op", &r.Op)
	d.optIDs("parents", &r.Parents)
	d.optIDs("replaces", &r.Replaces)
	d.optInt("exposure", &r.Exposure)
	member(d, "rule", &r.Rule)
	member(d, "policy", &r.PolicyHash)
	d.optFloat("weight", &r.Weight)
	if d.key("claims") {
		d.open()
		d.optFloat("salience", &r.Claims.Salience)
		d.optFloat("confidence", &r.Claims.Confidence)
		d.optTrue("pin", &r.Claims.Pin)
		d.optTrue("stable", &r.Claims.Stable)
		d.close()
	}
	if d.key("clamps") {
		r.Clamps = items(d, func() (c hearsay.Clamp) {
			d.open()
			member(d, "field", &c.Field)
			d.optFloat("from", &c.From)
			d.optFloat("to", &c.To)
			d.close()
			return c
		})
	}
	d.optStrings("evidence", &r.Evidence)
	d.optTrue("flagged", &r.Flagged)
	d.optTrue("attributed", &r.Attributed)
	member(d, "content", &r.Content)
	d.optInt("side_at", &r.Side)
	var size int64
	d.optInt("bytes", &size)
	r.Bytes = int(size)
	d.optInt("created", &r.Created)
	d.close()
}

func (d *decoder) label(l *hearsay.Label) {
	if !d.key("label") {
		return
	}
	d.open()
	d.optText("origin", &l.Origin)
	if d.key("taint") {
		l.Taint = hearsay.NewTaint(items(d, d.string)...)
	}
	d.close()
}

func (d *decoder) session(s *Session) {
	d.open()
	member(d, "id", &s.ID)
	member(d, "principal", &s.Principal)
	member(d, "surface", &s.Surface)
	d.label(&s.Label)
	member(d, "source", &s.Source)
	if d.key("class") {
		s.Class = new(hearsay.Class)
		d.open()
		d.optText("origin", &s.Class.Origin)
		d.optText("reach", &s.Class.Reach)
		member(d, "tag", &s.Class.Tag)
		d.close()
	}
	d.optIDs("records", &s.Records)
	d.close()
}

// readSide returns a side blob as encoding/json would read it; ok is false where it may be
// one that is not written so. What is read has no member twice and none that is unknown.
func readSide(b []byte) (s Side, ok bool) {
	d := decoder{b: b}
	d.open()
	member(&d, "ref", &s.Ref)
	member(&d, "actor", &s.Actor)
	member(&d, "tool", &s.Tool)
	member(&d, "note", &s.Note)
	member(&d, "project", &s.Project)
	if d.key("claimed") {
		s.Claimed = new(Claimed)
		d.open()
		member(&d, "source", &s.Claimed.Source)
		member(&d, "kind", &s.Claimed.Kind)
		d.optStrings("namespace", &s.Claimed.Namespace)
		d.close()
	}
	d.optBytes("content", &s.Content)
	if d.key("items") {
		s.Items = items(&d, d.bytes)
	}
	d.optStrings("decoded", &s.Decoded)
	if d.key("shared") {
		s.Shared = items(&d, func() (share Share) {
			d.open()
			member(&d, "source", &share.Source)
			member(&d, "certainty", &share.Certainty)
			d.optStrings("words", &share.Words)
			d.close()
			return share
		})
	}
	d.optBytes("former", &s.Former)
	d.close()
	return s, d.done()
}
