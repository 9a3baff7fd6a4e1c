package event

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
)

// Table names a folded table. Its rows are a function of the log alone.
type Table string

// The folded tables.
const (
	Records    Table = "record"    // key: the 16 bytes of a record id
	Policies   Table = "policy"    // key: "current"
	Reviewers  Table = "reviewer"  // key: "name/NAME", and "key/KEYID" of every key ever enrolled
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
	var puts []Put
	put := func(t Table, key []byte, v any, q Queue) error {
		b, err := json.Marshal(v)
		if err != nil {
			return fmt.Errorf("fold event %d: %w", e.Seq, err)
		}
		puts = append(puts, Put{Table: t, Key: key, Seq: e.Seq, Value: b, Queue: q})
		return nil
	}
	var err error
	switch {
	case e.Record != nil:
		err = put(Records, e.Record.ID[:], e.Record, e.Record.Queue())
	case e.Policy != nil:
		err = put(Policies, []byte("current"), e.Policy, QueueNone)
	case e.Reviewer != nil:
		// Besides the row of the name, one of each key: a key that was once known
		// never comes back in another role.
		for _, key := range [...]string{"name/" + e.Reviewer.Name, "key/" + e.Reviewer.KeyID, "key/" + e.Reviewer.RecoveryID} {
			if err = put(Reviewers, []byte(key), e.Reviewer, QueueNone); err != nil {
				break
			}
		}
	}
	if err == nil && e.Proof != nil && len(e.Proof.Statement) > 0 {
		spent := sha256.Sum256(e.Proof.Statement)
		err = put(Statements, spent[:], e.Proof.Reviewer, QueueNone)
	}
	if err != nil {
		return nil, err
	}
	return puts, nil
}
