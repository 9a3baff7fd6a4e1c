package event

import (
	"encoding/json"
	"fmt"

	"github.com/hearsay-memory/hearsay"
)

// FilesStore is the id of the store of guarded files, the only one of which it is known
// what a deletion took out.
const FilesStore = "files"

// Queue tells what the record waits for.
func (r *Record) Queue() Queue {
	switch {
	case r.Standing == hearsay.Held:
		return QueueReview
	case r.Standing.Visible() && (r.Delivery == hearsay.Undelivered || r.Delivery == hearsay.Intent || r.Delivery == hearsay.UnknownDelivery):
		return QueueDelivery
	case (r.Standing == hearsay.Revoked || r.Standing == hearsay.Erased) && (r.Op != Delete || r.Store == FilesStore) &&
		(r.Delivery == hearsay.Applied || r.Delivery == hearsay.UnknownDelivery || r.Delivery == hearsay.Intent):
		return QueueDelivery // what landed has to be taken out, or put back
	}
	return QueueNone
}

// Displaces reports whether what the record replaces is out of service for it: while it is
// served itself, and for good once its words were erased while it was.
func (r *Record) Displaces() bool {
	return len(r.Replaces) > 0 && (r.Standing.Visible() || r.Standing == hearsay.Erased)
}

// DecodeRecord reads the value of a row of [Records].
func DecodeRecord(b []byte) (*Record, error) {
	if r := readRecord(b); r != nil {
		return r, nil
	}
	r := new(Record)
	if err := json.Unmarshal(b, r); err != nil {
		return nil, fmt.Errorf("decode record: %w", err)
	}
	return r, nil
}

// DecodeAction reads the value of a row of [Actions].
func DecodeAction(b []byte) (*Action, error) {
	a := new(Action)
	if err := json.Unmarshal(b, a); err != nil {
		return nil, fmt.Errorf("decode action: %w", err)
	}
	return a, nil
}

// DecodeFile reads the value of a row of [Files].
func DecodeFile(b []byte) (*File, error) {
	f := new(File)
	if err := json.Unmarshal(b, f); err != nil {
		return nil, fmt.Errorf("decode file: %w", err)
	}
	return f, nil
}

// DecodeAudit reads the value of a row of [Audits].
func DecodeAudit(b []byte) (*Audit, error) {
	a := new(Audit)
	if err := json.Unmarshal(b, a); err != nil {
		return nil, fmt.Errorf("decode audit: %w", err)
	}
	return a, nil
}

// DecodeReviewer reads the value of a row of [Reviewers].
func DecodeReviewer(b []byte) (*Reviewer, error) {
	r := new(Reviewer)
	if err := json.Unmarshal(b, r); err != nil {
		return nil, fmt.Errorf("decode reviewer: %w", err)
	}
	return r, nil
}

// DecodePolicy reads the value of a row of [Policies].
func DecodePolicy(b []byte) (*Policy, error) {
	p := new(Policy)
	if err := json.Unmarshal(b, p); err != nil {
		return nil, fmt.Errorf("decode policy: %w", err)
	}
	return p, nil
}
