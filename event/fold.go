package event

import (
	"bytes"
	"crypto/sha256"
	"fmt"

	"github.com/hearsay-memory/hearsay"
)

// Table names a folded table. Its rows are a function of the log alone.
type Table string

// The folded tables.
const (
	Records    Table = "record"    // key: the 16 bytes of a record id
	Actions    Table = "action"    // key: "id/" and the 16 bytes of a question's id, and "slot/…" of each waiting one, see [SlotKey]
	Files      Table = "file"      // key: principal and id of a guarded file, see [FileKey]
	Policies   Table = "policy"    // key: "current"
	Reviewers  Table = "reviewer"  // key: "name/NAME", and "key/KEYID" of every key ever enrolled
	Audits     Table = "audit"     // key: "last/" and a principal: the last run of the audit
	Statements Table = "statement" // key: SHA-256 of a signed statement; each is spent once
)

// Queue says what a record's row waits for, so that a store can index it.
type Queue uint8

// The queues.
const (
	QueueNone     Queue = iota // nothing
	QueueReview                // held, waits for a person
	QueueDelivery              // let in and not yet seen to land, or withdrawn and not yet taken out
)

// Put replaces one row. Rows are after-images: the last writer wins.
type Put struct {
	Table Table
	Key   []byte
	Seq   int64  // of the event that wrote it
	Value []byte // JSON of the after-image
	Queue Queue  // records only
}

// Fold gives the rows that e puts. It is pure; the same event gives the same rows
// in every version of the program.
func Fold(e *Event) ([]Put, error) {
	var enc encoder
	enc.image(e)
	if enc.err != nil {
		return nil, fmt.Errorf("fold event %d: %w", e.Seq, enc.err)
	}
	return fold(e, enc.b[bytes.IndexByte(enc.b, ':')+1:])
}

// fold takes the image as the event encodes it. It is the value of the rows.
func fold(e *Event, image []byte) ([]Put, error) {
	var puts []Put
	put := func(t Table, key, value []byte, q Queue) {
		puts = append(puts, Put{Table: t, Key: key, Seq: e.Seq, Value: value, Queue: q})
	}
	switch {
	case e.Record != nil:
		put(Records, e.Record.ID[:], image, e.Record.Queue())
	case e.Action != nil:
		a := e.Action
		if a.State == ActionWent {
			break // it was never a question
		}
		put(Actions, ActionKey(a.ID), image, QueueNone)
		if a.Slot != 0 {
			put(Actions, SlotKey(a.Principal, a.Session, a.Slot), image, QueueNone)
		}
	case e.File != nil:
		put(Files, FileKey(e.File.Principal, e.File.ID), image, QueueNone)
	case e.Policy != nil:
		put(Policies, []byte("current"), image, QueueNone)
	case e.Reviewer != nil:
		// Besides the row of the name, one of each key: a key that was once known
		// never comes back in another role.
		for _, key := range [...]string{"name/" + e.Reviewer.Name, "key/" + e.Reviewer.KeyID, "key/" + e.Reviewer.RecoveryID} {
			put(Reviewers, []byte(key), image, QueueNone)
		}
	case e.Audit != nil:
		put(Audits, AuditKey(e.Audit.Principal), image, QueueNone)
	}
	if e.Proof != nil && len(e.Proof.Statement) > 0 {
		spent := sha256.Sum256(e.Proof.Statement)
		var enc encoder
		enc.string(e.Proof.Reviewer)
		if enc.err != nil {
			return nil, fmt.Errorf("fold event %d: %w", e.Seq, enc.err)
		}
		put(Statements, spent[:], enc.b, QueueNone)
	}
	return puts, nil
}

// ActionKey is the key of a question's row.
func ActionKey(id hearsay.RecordID) []byte { return append([]byte("id/"), id[:]...) }

// SlotKey is the key of the row of a session's nth waiting question: the last one that
// took the place.
func SlotKey(principal, session string, n int) []byte {
	return fmt.Appendf(nil, "slot/%d/%d/%s%s", n, len(principal), principal, session)
}

// FileKey is the key of a guarded file's row.
func FileKey(principal, id string) []byte {
	return fmt.Appendf(nil, "%d/%s%s", len(principal), principal, id)
}

// AuditKey is the key of the row of a principal's last audit.
func AuditKey(principal string) []byte { return []byte("last/" + principal) }
