package event

import (
	"testing"

	"github.com/hearsay-memory/hearsay"
)

// What is sealed must be read back: a name that is no UTF-8 would not be, and one that
// only spells the escape for it is a name like any other.
func TestNamesAreUTF8(t *testing.T) {
	for name, ok := range map[string]bool{"ana": true, "\ufffd": true, `\ufffd`: true, `\\ufffd`: true, "an\xff": false, "\\\xff": false} {
		e := &Event{V: Version, Kind: SessionStart, Session: &Session{ID: "s", Principal: name, Label: hearsay.LabelIdentity}}
		e.Subject = e.subject()
		body, err := e.Encode()
		if (err == nil) != ok {
			t.Errorf("%q: %v, want sealed %v", name, err, ok)
		}
		if err != nil {
			continue
		}
		back, err := Decode(body)
		if err != nil || back.Session.Principal != name {
			t.Errorf("%q comes back as %+v, %v", name, back, err)
		}
	}
}

func TestMalformedIDsAreNotSealed(t *testing.T) {
	e := &Event{V: Version, Kind: Recall, Session: &Session{ID: "s", Principal: "ana", Records: []hearsay.RecordID{{}}}}
	e.Subject = e.subject()
	if _, err := e.Encode(); err == nil {
		t.Error("an event with a zero record id was encoded")
	}
}
