package reviewer

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// Version is the version of the statement format that this package writes.
const Version = 1

// ErrStatement is returned for a statement that breaks the rules on [Statement], whoever signed it.
var ErrStatement = errors.New("not a valid statement")

// Decision is what a person decided.
type Decision string

// The decisions of version 1. Each needs certain fields, see [Statement].
const (
	Approve        Decision = "approve"         // let a held record be released
	Reject         Decision = "reject"          // refuse a held record
	Attest         Decision = "attest"          // adopt exact bytes as one's own word
	Revoke         Decision = "revoke"          // withdraw a record, or all from a source
	Erase          Decision = "erase"           // remove words and salt for good
	Pin            Decision = "pin"             // pin what is below origin user
	ApproveAction  Decision = "action.approve"  // allow a held action
	Override       Decision = "override"        // break-glass
	Policy         Decision = "policy"          // put a policy in force
	AddReviewer    Decision = "reviewer.add"    // enrol a new reviewer
	RotateReviewer Decision = "reviewer.rotate" // give an enrolled reviewer new keys
	RemoveReviewer Decision = "reviewer.remove" // end a reviewer's rights
)

// need says which fields a decision must carry besides those that every statement has.
type need struct{ record, subject, content bool }

var needs = map[Decision]need{
	Approve:        {record: true, content: true},
	Reject:         {record: true, content: true},
	Attest:         {record: true, content: true},
	Pin:            {record: true, content: true},
	Revoke:         {},
	Erase:          {record: true},
	ApproveAction:  {subject: true},
	Override:       {subject: true},
	Policy:         {subject: true},
	AddReviewer:    {subject: true},
	RotateReviewer: {subject: true},
	RemoveReviewer: {subject: true},
}

// Valid reports whether d is a decision of this version.
func (d Decision) Valid() bool { _, ok := needs[d]; return ok }

// Statement is one decision of one person, as it is signed. All strings are UTF-8 without control characters; digests
// are lower-case hexadecimal. A statement is about exact bytes, an exact label and a state of the ledger: if one of
// them changes, a signature says nothing about the result, and the guard must ask again.
//
// Required are V, LogID, Decision, Reviewer, KeyID, Time, TreeRoot, Nonce, and RecordID or Subject. Approve, reject,
// attest and pin need RecordID, ContentDigest and LabelOrigin; erase needs RecordID; the others need Subject, except
// revoke, which takes either.
type Statement struct {
	V             int      `json:"v"`                        // Version
	LogID         string   `json:"log_id"`                   // the ledger that the statement is for
	RecordID      string   `json:"record_id,omitempty"`      // what it is about, if a record
	Subject       string   `json:"subject,omitempty"`        // what it is about, if not: a source, or a digest of a policy, action or enrolment
	ContentDigest string   `json:"content_digest,omitempty"` // keyed commitment to the record's bytes, 32 bytes
	LabelOrigin   string   `json:"label_origin,omitempty"`   // the record's origin when the person saw it
	LabelTaint    []string `json:"label_taint,omitempty"`    // its taint: sorted, no duplicates
	Decision      Decision `json:"decision"`
	Reviewer      string   `json:"reviewer"`              // name of the signer
	KeyID         string   `json:"key_id"`                // KeyID of the signer's public key
	Time          int64    `json:"time"`                  // Unix milliseconds, UTC, > 0
	NoteDigest    string   `json:"note_digest,omitempty"` // commitment to the person's note, 32 bytes
	TreeSize      uint64   `json:"tree_size"`             // ledger head that the person saw
	TreeRoot      string   `json:"tree_root"`             // its root hash, 32 bytes
	Nonce         string   `json:"nonce"`                 // 16 random bytes: makes each statement single use
}

// Bounds on the parts of a statement, in bytes and elements.
const (
	maxString = 1024
	maxTaint  = 256
)

// Check reports the first rule on [Statement] that st breaks, wrapped in [ErrStatement].
func (st Statement) Check() error {
	if err := st.check(); err != nil {
		return fmt.Errorf("reviewer: %w: %w", ErrStatement, err)
	}
	return nil
}

func (st Statement) check() error {
	if st.V != Version {
		return fmt.Errorf("version %d, wanted %d", st.V, Version)
	}
	n, ok := needs[st.Decision]
	if !ok {
		return fmt.Errorf("decision %.40q is unknown", st.Decision)
	}
	for _, f := range []struct {
		name, value string
		required    bool
	}{
		{"log_id", st.LogID, true},
		{"record_id", st.RecordID, n.record},
		{"subject", st.Subject, n.subject},
		{"label_origin", st.LabelOrigin, n.content},
		{"reviewer", st.Reviewer, true},
		{"key_id", st.KeyID, true},
	} {
		if f.required && f.value == "" {
			return fmt.Errorf("%s is missing, %s needs it", f.name, st.Decision)
		}
		if err := checkString(f.value); err != nil {
			return fmt.Errorf("%s: %w", f.name, err)
		}
	}
	if st.RecordID == "" && st.Subject == "" {
		return errors.New("it is about nothing: record_id or subject is needed")
	}
	for _, f := range []struct {
		name, value string
		size        int
		required    bool
	}{
		{"content_digest", st.ContentDigest, sha256.Size, n.content},
		{"note_digest", st.NoteDigest, sha256.Size, false},
		{"tree_root", st.TreeRoot, sha256.Size, true},
		{"nonce", st.Nonce, nonceSize, true},
	} {
		if f.value == "" && !f.required {
			continue
		}
		if !isHex(f.value, f.size) {
			return fmt.Errorf("%s is not %d bytes in lower-case hexadecimal", f.name, f.size)
		}
	}
	if st.LabelOrigin != "" && !slices.Contains(origins, st.LabelOrigin) {
		return fmt.Errorf("label_origin %.40q is unknown", st.LabelOrigin)
	}
	if len(st.LabelTaint) > maxTaint {
		return fmt.Errorf("%d taints, at most %d are possible", len(st.LabelTaint), maxTaint)
	}
	for i, t := range st.LabelTaint {
		if err := checkString(t); err != nil || t == "" {
			return fmt.Errorf("label_taint: bad name %.40q", t)
		}
		if i > 0 && st.LabelTaint[i-1] >= t {
			return errors.New("label_taint is not sorted, or repeats a name")
		}
	}
	if st.Time <= 0 {
		return errors.New("time is missing")
	}
	return nil
}

// origins are the trust classes of a label, lowest first.
var origins = []string{"external", "unverified", "tool", "agent", "channel", "user"}

const nonceSize = 16

func checkString(s string) error {
	switch {
	case len(s) > maxString:
		return fmt.Errorf("%d bytes, at most %d are possible", len(s), maxString)
	case !utf8.ValidString(s):
		return errors.New("not UTF-8")
	case strings.IndexFunc(s, func(r rune) bool { return r < 0x20 || r >= 0x7f && r <= 0x9f }) >= 0:
		return errors.New("holds a control character")
	}
	return nil
}

func isHex(s string, size int) bool {
	if len(s) != 2*size {
		return false
	}
	for _, c := range []byte(s) {
		if (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return false
		}
	}
	return true
}

// ID is the statement's identity: SHA-256 of its encoding, in lower-case hexadecimal. The guard accepts each identity
// once; the nonce makes two statements of the same content differ. An invalid statement has no identity: "".
func (st Statement) ID() string {
	b, err := st.Encode()
	if err != nil {
		return ""
	}
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}
