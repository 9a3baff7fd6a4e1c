// Package event holds what happened: the kinds of events, their encoding and the
// pure fold that turns an event into rows.
//
// An event is the after-image of one subject. It has no free text: URLs, paths,
// titles, actors, arguments, notes and content lie in a [Side] blob that the event
// commits to and that can be erased without harming the log. The format is
// specified in docs/formats.md; the bytes of version 1 are pinned by golden files
// and never change. A changed meaning is a new version.
package event

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/hearsay-memory/hearsay"
)

// Version is the version of the event format that this package writes.
const Version = 1

// Kind names what happened. Kinds are stable.
type Kind string

// The kinds of events.
const (
	SessionStart   Kind = "session.start"
	SessionObserve Kind = "session.observe"
	SessionTaint   Kind = "session.taint"
	WriteAllowed   Kind = "memory.write.allowed"
	WriteFlagged   Kind = "memory.write.flagged"
	WriteRefused   Kind = "memory.write.refused"
	WriteApplied   Kind = "memory.write.applied"
	Hold           Kind = "memory.quarantine.hold"
	Approve        Kind = "memory.quarantine.approve"
	Reject         Kind = "memory.quarantine.reject"
	Recall         Kind = "memory.recall"
	Revoke         Kind = "memory.revoke"
	Erase          Kind = "memory.erase"
	Attest         Kind = "memory.attest"
	Pin            Kind = "memory.pin"
	Drift          Kind = "memory.drift"
	Baseline       Kind = "memory.baseline"
	FileWritten    Kind = "memory.file"
	ActionAllowed  Kind = "action.allowed"
	ActionHeld     Kind = "action.held"
	ActionDenied   Kind = "action.denied"
	ActionApprove  Kind = "action.approve"
	ActionOverride Kind = "action.override"
	PolicyLoad     Kind = "policy.load"
	ReviewerAdd    Kind = "reviewer.add"
	AuditFinding   Kind = "audit.finding"
)

// image says which after-image an event of the kind carries.
var image = map[Kind]string{
	SessionStart: "session", SessionObserve: "session", SessionTaint: "session", Recall: "session",
	WriteAllowed: "record", WriteFlagged: "record", WriteRefused: "record", WriteApplied: "record",
	Hold: "record", Approve: "record", Reject: "record", Revoke: "record", Erase: "record", Attest: "record", Pin: "record",
	Drift: "file", Baseline: "file", FileWritten: "file",
	ActionAllowed: "action", ActionHeld: "action", ActionDenied: "action", ActionApprove: "action", ActionOverride: "action",
	PolicyLoad: "policy", ReviewerAdd: "reviewer", AuditFinding: "audit",
}

// Event is one entry of the log. Exactly one of the images is set, the one that
// belongs to its kind.
type Event struct {
	V        int       `json:"v"`
	Seq      int64     `json:"seq"` // position in the log, from 0
	T        int64     `json:"t"`   // UTC ms; never less than the entry before
	Kind     Kind      `json:"kind"`
	Subject  string    `json:"subject"` // "record/ID", "session/KEY", "action/ID", "file/ID", "policy/HASH", "reviewer/NAME", "audit/ID"
	Record   *Record   `json:"record,omitempty"`
	Session  *Session  `json:"session,omitempty"`
	Action   *Action   `json:"action,omitempty"`
	File     *File     `json:"file,omitempty"`
	Policy   *Policy   `json:"policy,omitempty"`
	Reviewer *Reviewer `json:"reviewer,omitempty"`
	Audit    *Audit    `json:"audit,omitempty"`
	Proof    *Proof    `json:"proof,omitempty"`
	Side     string    `json:"side,omitempty"` // hex commitment to the side blob; empty: none
}

// Record is the after-image of one memory.
type Record struct {
	ID         hearsay.RecordID   `json:"id"`
	Standing   hearsay.Standing   `json:"standing"`
	Delivery   hearsay.Delivery   `json:"delivery"`
	Label      hearsay.Label      `json:"label"`
	Source     string             `json:"source"` // declared source type
	Principal  string             `json:"principal"`
	Project    string             `json:"project,omitempty"`
	Agent      string             `json:"agent,omitempty"`
	Session    string             `json:"session"`
	Surface    hearsay.Surface    `json:"surface"`
	Store      string             `json:"store"` // the downstream store's id
	Namespace  hearsay.Namespace  `json:"namespace"`
	Kind       string             `json:"kind,omitempty"`
	Op         Op                 `json:"op"`
	Parents    []hearsay.RecordID `json:"parents,omitempty"`
	Replaces   []hearsay.RecordID `json:"replaces,omitempty"` // records that are not served while this one is, nor once it was erased
	Exposure   int64              `json:"exposure"`           // log size when decided: what the session had read is below it
	Rule       string             `json:"rule"`               // id of the deciding rule; empty: none matched
	PolicyHash string             `json:"policy"`             // SHA-256 of the policy in force, hex
	Weight     float64            `json:"weight"`
	Claims     hearsay.Claims     `json:"claims"`
	Clamps     []hearsay.Clamp    `json:"clamps,omitempty"`
	Evidence   []string           `json:"evidence,omitempty"`   // kinds that the lint found
	Flagged    bool               `json:"flagged,omitempty"`    // let through only because the mode was warn
	Attributed bool               `json:"attributed,omitempty"` // the session is tainted and the words are the user's own
	Content    string             `json:"content"`              // SHA-256 commitment under the record's salt, hex; see Side
	Side       int64              `json:"side_at"`              // seq of the event whose side blob has the content
	Bytes      int                `json:"bytes"`                // length of the content
	Created    int64              `json:"created"`              // UTC ms
}

// Op is what a write does to the store behind it.
type Op string

// The operations.
const (
	Create Op = "create"
	Update Op = "update"
	Delete Op = "delete"
)

// Session is the after-image of a session, or of what it took in.
type Session struct {
	ID        string             `json:"id"`
	Principal string             `json:"principal"`
	Surface   hearsay.Surface    `json:"surface"`
	Label     hearsay.Label      `json:"label"`            // of the session, after the event
	Source    string             `json:"source,omitempty"` // type of the source that was read
	Class     *hearsay.Class     `json:"class,omitempty"`  // what the source amounts to
	Records   []hearsay.RecordID `json:"records,omitempty"`
}

// Action is the after-image of one question: may the agent do this? What it is about
// lies in the side blob and is committed to, so that an approval is of just that.
type Action struct {
	ID         hearsay.RecordID      `json:"id"`
	State      ActionState           `json:"state"`
	Verdict    hearsay.ActionVerdict `json:"verdict"`
	Label      hearsay.Label         `json:"label"` // of the session when it asked
	Principal  string                `json:"principal"`
	Agent      string                `json:"agent,omitempty"`
	Session    string                `json:"session"`
	Surface    hearsay.Surface       `json:"surface"`
	Names      []string              `json:"names"`              // what the action amounts to, dotted
	Rule       string                `json:"rule"`               // the pattern that decided; empty: the policy's default
	PolicyHash string                `json:"policy"`             // SHA-256 of the policy in force, hex
	Scope      string                `json:"scope,omitempty"`    // of an approval: ScopeOnce or ScopeDirectory
	Flagged    bool                  `json:"flagged,omitempty"`  // went on only because the mode was warn
	Content    string                `json:"content"`            // commitment to what was asked, hex; see Side
	Side       int64                 `json:"side_at"`            // seq of the event whose side blob has it
	Slot       int                   `json:"slot,omitempty"`     // its place among the session's waiting questions, from 1
	Asked      int64                 `json:"asked"`              // UTC ms
	Approved   int64                 `json:"approved,omitempty"` // when a person did, by the clock of whoever sealed it; the log's time can be ahead
	Expires    int64                 `json:"expires,omitempty"`  // when the wait or the approval ends, UTC ms
}

// File is the after-image of a guarded file: who said each of its lines. The lines lie in
// the side blob, see package memfile; the path is free text and lies there too.
type File struct {
	ID        string        `json:"id"` // store-keyed digest of the path, hex
	Principal string        `json:"principal"`
	Label     hearsay.Label `json:"label"`   // the join of all its lines
	Lines     int           `json:"lines"`   // how many
	Content   string        `json:"content"` // commitment to the owners of the lines, hex; see Side
	Side      int64         `json:"side_at"` // seq of the event whose side blob has them
}

// ActionState says what became of a question.
type ActionState string

// The states of a question.
const (
	ActionWaiting    ActionState = "waiting"    // a person is asked
	ActionApproved   ActionState = "approved"   // a person said yes, and it was not used yet
	ActionSpent      ActionState = "spent"      // it went on, by an approval that is used up
	ActionWent       ActionState = "allowed"    // it went on
	ActionRefused    ActionState = "denied"     // it did not
	ActionUnanswered ActionState = "unanswered" // nobody could or did answer, which is a denial
)

// The scopes of an approval.
const (
	ScopeOnce      = "once"      // this very call, once
	ScopeDirectory = "directory" // the action in the directory, until it expires
)

// Policy is the after-image of the policy in force.
type Policy struct {
	Hash string       `json:"hash"` // SHA-256 of the exact bytes, hex
	Mode hearsay.Mode `json:"mode"`
}

// Reviewer is the after-image of one reviewer: the keys enrolled under a name.
type Reviewer struct {
	Name       string `json:"name"`
	KeyID      string `json:"key_id"`
	Public     []byte `json:"public"` // Ed25519
	RecoveryID string `json:"recovery_id"`
	Recovery   []byte `json:"recovery"`          // Ed25519; the private half is on paper
	Retired    bool   `json:"retired,omitempty"` // may not sign any more
}

// Audit is the after-image of one run of the audit that changed something or could have:
// what it found, by rule, and what it held. Which records it found is not kept: they are
// found again.
type Audit struct {
	ID        hearsay.RecordID   `json:"id"` // of the run
	Principal string             `json:"principal"`
	Found     []Found            `json:"found,omitempty"` // in the order of the rules
	Held      []hearsay.RecordID `json:"held,omitempty"`  // memories that it quarantined
	Left      int                `json:"left,omitempty"`  // memories that it found and left as they were
}

// Found is what one rule of an audit found.
type Found struct {
	Rule     string `json:"rule"`
	Level    string `json:"level"`    // the highest: "note", "warning" or "error"
	Findings int    `json:"findings"` // how many
	Count    int    `json:"count"`    // of the records, files or hosts in them
}

// Proof is how a person showed who they are.
type Proof struct {
	Level     string `json:"level"` // "signed" or "client"
	Reviewer  string `json:"reviewer"`
	Statement []byte `json:"statement,omitempty"` // the signed bytes
	Signature []byte `json:"signature,omitempty"` // Ed25519
}

// ErrNewer is wrapped by [Decode] for an event of a version that this program does not know.
var ErrNewer = errors.New("event was written by a newer version of hearsay")

// Encode returns the exact bytes of e, which are hashed and stored.
func (e *Event) Encode() ([]byte, error) {
	b, _, err := e.encode()
	return b, err
}

// encode returns also the part of the bytes that is the image.
func (e *Event) encode() (body, image []byte, err error) {
	if err := e.check(); err != nil {
		return nil, nil, err
	}
	enc := encoder{b: make([]byte, 0, 1024)}
	from, to := enc.event(e)
	if enc.err != nil {
		return nil, nil, fmt.Errorf("encode event: %w", enc.err)
	}
	return enc.b, enc.b[from:to:to], nil
}

// Decode reads what [Event.Encode] writes and nothing else: bytes that do not
// encode to themselves (other key order, spacing, duplicate or unknown keys) are
// an error. A version above [Version] is [ErrNewer].
func Decode(b []byte) (*Event, error) {
	if e := readEvent(b); e != nil {
		return e, nil
	}
	e := new(Event)
	err := json.Unmarshal(b, e)
	if e.V > Version {
		// What a newer version means by its members need not be readable.
		return nil, fmt.Errorf("decode event of version %d: %w", e.V, ErrNewer)
	}
	if err != nil {
		return nil, fmt.Errorf("decode event: %w", err)
	}
	again, err := e.Encode()
	if err != nil {
		return nil, err
	}
	if !bytes.Equal(again, b) {
		return nil, errors.New("decode event: the bytes are not in canonical form")
	}
	return e, nil
}

// Is reports whether the bytes of an event are of a kind, without reading the rest: so
// that a few are found among many. Bytes that are no event can look like one.
func Is(body []byte, k Kind) bool {
	_, rest, ok := bytes.Cut(body[:min(len(body), headBytes)], []byte(`,"kind":"`))
	rest, found := bytes.CutPrefix(rest, []byte(k))
	return ok && found && len(rest) > 0 && rest[0] == '"'
}

// headBytes is more than what stands before an event's subject.
const headBytes = 128

// check tells whether the event is well formed.
func (e *Event) check() error {
	want, ok := image[e.Kind]
	if !ok {
		return fmt.Errorf("event: unknown kind %q", e.Kind)
	}
	if e.V != Version || e.Seq < 0 || e.T < 0 {
		return fmt.Errorf("event: version %d, seq %d, t %d out of range", e.V, e.Seq, e.T)
	}
	n := 0
	for _, set := range [...]bool{e.Record != nil, e.Session != nil, e.Action != nil, e.File != nil, e.Policy != nil, e.Reviewer != nil, e.Audit != nil} {
		if set {
			n++
		}
	}
	subject := e.subject()
	if n != 1 || !strings.HasPrefix(subject, want+"/") {
		return fmt.Errorf("event: kind %s wants one %s image", e.Kind, want)
	}
	if r := e.Record; r != nil && !(wellFormed(r.Parents) && wellFormed(r.Replaces) && wellFormed([]hearsay.RecordID{r.ID})) ||
		e.Session != nil && !wellFormed(e.Session.Records) ||
		e.Action != nil && !wellFormed([]hearsay.RecordID{e.Action.ID}) ||
		e.Audit != nil && !(wellFormed([]hearsay.RecordID{e.Audit.ID}) && wellFormed(e.Audit.Held)) {
		return fmt.Errorf("event: a record id is no UUIDv7")
	}
	if e.Subject != subject {
		return fmt.Errorf("event: subject %q is not that of its image", e.Subject)
	}
	return nil
}

// wellFormed reports whether every id would be read back.
func wellFormed(ids []hearsay.RecordID) bool {
	for _, id := range ids {
		if id[6]>>4 != 7 || id[8]>>6 != 2 {
			return false
		}
	}
	return true
}

// subject derives the subject from the image.
func (e *Event) subject() string {
	switch {
	case e.Record != nil:
		return "record/" + e.Record.ID.String()
	case e.Session != nil:
		return "session/" + e.Session.ID
	case e.Action != nil:
		return "action/" + e.Action.ID.String()
	case e.File != nil:
		return "file/" + e.File.ID
	case e.Policy != nil:
		return "policy/" + e.Policy.Hash
	case e.Reviewer != nil:
		return "reviewer/" + e.Reviewer.Name
	case e.Audit != nil:
		return "audit/" + e.Audit.ID.String()
	}
	return ""
}
