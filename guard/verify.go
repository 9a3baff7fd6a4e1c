package guard

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"

	"golang.org/x/mod/sumdb/note"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/event"
	"github.com/hearsay-memory/hearsay/internal/reviewer"
	"github.com/hearsay-memory/hearsay/ledger"
)

// Expect says what a store is verified against besides itself.
type Expect struct {
	Keys    note.Verifiers // of the ledger
	Outside [][]byte       // signed checkpoints that were kept elsewhere
}

// Report is what verification found. Fault is nil where all is as it was sealed.
type Report struct {
	Entries    int64         `json:"entries"`
	Root       string        `json:"root"` // hex
	LogID      string        `json:"log"`
	Rows       int64         `json:"rows"`     // folded rows compared
	Sides      int64         `json:"sides"`    // side blobs checked against their commitments
	Erased     int64         `json:"erased"`   // events whose side blob is gone
	Sessions   int64         `json:"sessions"` // live sessions compared
	Outside    int           `json:"outside"`  // outside checkpoints that agree
	Confirmed  int64         `json:"confirmed"`
	Fault      *ledger.Fault `json:"fault,omitempty"`
	Consistent bool          `json:"consistent"`
}

// Verify re-derives everything from the log: the tree and every checkpoint over it,
// the folded rows, the commitments of the side blobs, the reviewers' signatures,
// and that no live session is cleaner than its sealed events. It writes nothing.
//
// The error says that verification could not be done; what it found is in the
// report, the first fault in the order of the log.
func Verify(ctx context.Context, s Store, want Expect) (*Report, error) {
	v := &verifier{
		store: s, rows: make(map[string]rowSum), sessions: make(map[SessionKey]hearsay.Label), last: make(map[SessionKey]int64),
		records: make(map[hearsay.RecordID]*event.Record), actions: make(map[hearsay.RecordID]*event.Action), registry: &reviewer.Registry{},
	}
	rep := &Report{}
	err := v.run(ctx, want, rep)
	if fault, ok := errors.AsType[*ledger.Fault](err); ok {
		rep.Fault, err = fault, nil
	}
	rep.Consistent = err == nil && rep.Fault == nil
	return rep, err
}

type rowSum struct {
	seq   int64
	value [32]byte
}

type verifier struct {
	store    Store
	rows     map[string]rowSum // by table and key
	sessions map[SessionKey]hearsay.Label
	last     map[SessionKey]int64               // time of the last event of each
	records  map[hearsay.RecordID]*event.Record // as each was left
	actions  map[hearsay.RecordID]*event.Action // the same of questions
	registry *reviewer.Registry
	sides    []sideSum
	side     int // the next of sides to be compared
}

// sideSum is the commitment of an event to its side blob.
type sideSum struct {
	seq    int64
	digest string
}

func fault(kind ledger.FaultKind, seq int64, format string, args ...any) error {
	return &ledger.Fault{Kind: kind, Seq: seq, Detail: fmt.Sprintf(format, args...)}
}

func (v *verifier) run(ctx context.Context, want Expect, rep *Report) error {
	head, err := v.store.Head(ctx)
	if err != nil {
		return err
	}
	rep.LogID = head.LogID
	expect := ledger.Expectation{Head: head.Frontier, Tile: func(level int, index int64) ([]ledger.Hash, error) {
		return v.store.Tile(ctx, level, index)
	}}
	if head.Frontier.Size() > 0 {
		own, err := ledger.OpenCheckpoint(head.Checkpoint, want.Keys, head.LogID)
		if err != nil {
			return asFault(err, "the store's own checkpoint")
		}
		expect.Checkpoints = append(expect.Checkpoints, own)
	}
	for i, msg := range want.Outside {
		c, err := ledger.OpenCheckpoint(msg, want.Keys, head.LogID)
		if err != nil {
			return asFault(err, fmt.Sprintf("outside checkpoint %d", i+1))
		}
		expect.Checkpoints = append(expect.Checkpoints, c)
	}
	lv := ledger.NewVerifier(expect)
	for entry, err := range v.store.Log(ctx, 0) {
		if err != nil {
			return fmt.Errorf("read the log: %w", err)
		}
		if err := lv.Add(entry); err != nil {
			return err
		}
		if err := v.entry(entry, head.LogID); err != nil {
			return err
		}
	}
	sum, err := lv.Finish()
	rep.Entries, rep.Root, rep.Confirmed = sum.Size, hex.EncodeToString(sum.Root[:]), sum.Confirmed
	if err != nil {
		return err
	}
	rep.Outside = len(want.Outside)
	if err := v.compareRows(ctx, rep); err != nil {
		return err
	}
	if err := v.compareSides(ctx, rep); err != nil {
		return err
	}
	return v.compareSessions(ctx, rep)
}

// asFault makes a checkpoint that cannot be opened a fault.
func asFault(err error, what string) error {
	if f, ok := errors.AsType[*ledger.Fault](err); ok {
		return fault(f.Kind, f.Seq, "%s: %s", what, f.Detail)
	}
	return fault(ledger.BadSignature, -1, "%s: %v", what, err)
}

// entry folds one event and checks what it says of itself.
func (v *verifier) entry(entry ledger.Entry, logID string) error {
	e, err := event.Decode(entry.Body)
	if errors.Is(err, event.ErrNewer) {
		return err
	}
	if err != nil || e.Seq != entry.Seq {
		return fault(ledger.HashMismatch, entry.Seq, "the entry is no event of this place: %v", err)
	}
	puts, err := event.Fold(e)
	if err != nil {
		return fault(ledger.StateMismatch, e.Seq, "%v", err)
	}
	for _, p := range puts {
		if p.Table == event.Statements {
			if _, spent := v.rows[rowKey(p.Table, p.Key)]; spent {
				return fault(ledger.BadSignature, e.Seq, "a statement is used twice")
			}
		}
		v.rows[rowKey(p.Table, p.Key)] = rowSum{p.Seq, hashOf(p.Value)}
	}
	if e.Side != "" {
		v.sides = append(v.sides, sideSum{e.Seq, e.Side})
	}
	if e.Session != nil {
		key := SessionKey{e.Session.Principal, e.Session.ID}
		sealed, ok := v.sessions[key]
		if !ok || e.Kind == event.SessionStart && e.T-v.last[key] >= DefaultTTL.Milliseconds() {
			sealed = hearsay.LabelIdentity // its row had expired: it began anew
		}
		v.sessions[key], v.last[key] = sealed.Join(e.Session.Label), e.T
	}
	if err := v.proof(e, logID); err != nil {
		return err
	}
	if r := e.Record; r != nil {
		if was, ok := v.records[r.ID]; ok && !follows(was, r, e.Kind) {
			return fault(ledger.StateMismatch, e.Seq, "%s changes what only a person's decision may", e.Kind)
		}
		v.records[r.ID] = r
	}
	if a := e.Action; a != nil {
		if was, ok := v.actions[a.ID]; ok && (was.Label != a.Label || was.Content != a.Content || a.State == event.ActionSpent && !spends(was, e)) {
			return fault(ledger.StateMismatch, e.Seq, "%s changes what only a person's decision may", e.Kind)
		}
		v.actions[a.ID] = a
	}
	return nil
}

// follows reports whether an image may come after another one of the same record. A label
// never changes, what landed or was pinned says nothing of where a record stands, and only
// a person pins.
func follows(was, r *event.Record, k event.Kind) bool {
	return was.Label == r.Label &&
		((k != event.WriteApplied && k != event.Pin) || was.Standing == r.Standing) &&
		(k == event.Pin || was.Claims == r.Claims)
}

// spends reports whether e may use up the question: a person approved it, or told the
// host, which is as good for a question that waits.
func spends(was *event.Action, e *event.Event) bool {
	return was.State == event.ActionApproved || was.State == event.ActionWaiting && e.Proof != nil
}

// signedBy gives the decision that an event of the kind is signed as. An enrolment has
// more than one; the registry tells them apart.
var signedBy = map[event.Kind]reviewer.Decision{
	event.Approve: reviewer.Approve, event.Reject: reviewer.Reject, event.Revoke: reviewer.Revoke,
	event.Erase: reviewer.Erase, event.PolicyLoad: reviewer.Policy, event.ReviewerAdd: "",
	event.Attest: reviewer.Attest, event.Pin: reviewer.Pin,
	event.ActionApprove: reviewer.ApproveAction, event.ActionOverride: reviewer.Override,
}

// proof checks that what only a person may do was signed by one who could, about
// just this.
func (v *verifier) proof(e *event.Event, logID string) error {
	decision, needed := signedBy[e.Kind]
	if !needed {
		return nil
	}
	bad := func(format string, args ...any) error {
		return fault(ledger.BadSignature, e.Seq, "%s: %s", e.Kind, fmt.Sprintf(format, args...))
	}
	if e.Proof == nil {
		return bad("no reviewer signed it")
	}
	st, err := reviewer.Decode(e.Proof.Statement)
	if err != nil {
		return bad("%v", err)
	}
	signed := reviewer.Signed{Statement: st, Signature: e.Proof.Signature}
	if st.LogID != logID {
		return bad("the statement is for another ledger")
	}
	if e.Kind == event.ReviewerAdd {
		if err := v.registry.Apply(enrolment(e.Reviewer), signed); err != nil {
			return bad("%v", err)
		}
		return nil
	}
	if _, err := v.registry.Verify(signed); err != nil {
		return bad("%v", err)
	}
	switch {
	case st.Decision != decision || st.Reviewer != e.Proof.Reviewer:
		return bad("the statement says %s by %s", st.Decision, st.Reviewer)
	case e.Policy != nil && st.Subject != e.Policy.Hash:
		return bad("the statement is about another policy")
	case e.Kind == event.Attest:
		// The bytes are signed by a store-keyed digest, which is checked when it is sealed.
		if label, ok := attestedLabel(st); !ok || st.RecordID != e.Record.ID.String() || e.Record.Label != label {
			return bad("the statement is about another record")
		}
	case e.Record != nil && sameAsSigned(st, e.Record) != nil,
		e.Action != nil && (!sameQuestion(st, e.Action) || st.Subject != e.Action.Scope):
		return bad("the statement is about other bytes, another label or another scope")
	}
	return nil
}

// compareRows compares the folded tables with what the log folds to.
func (v *verifier) compareRows(ctx context.Context, rep *Report) error {
	for _, t := range []event.Table{event.Records, event.Actions, event.Files, event.Policies, event.Reviewers, event.Audits, event.Statements} {
		for put, err := range v.store.Rows(ctx, t) {
			if err != nil {
				return fmt.Errorf("read %s rows: %w", t, err)
			}
			key := rowKey(t, put.Key)
			want, ok := v.rows[key]
			if !ok {
				return fault(ledger.StateMismatch, -1, "%s %s is in the store and nowhere in the log", t, rowName(t, put.Key))
			}
			if want.seq != put.Seq || want.value != hashOf(put.Value) {
				return fault(ledger.StateMismatch, want.seq, "%s %s is not what this entry left", t, rowName(t, put.Key))
			}
			if t == event.Records {
				if r, err := event.DecodeRecord(put.Value); err != nil || r.Queue() != put.Queue {
					return fault(ledger.StateMismatch, want.seq, "record %s stands in the wrong queue", rowName(t, put.Key))
				}
			}
			delete(v.rows, key)
			rep.Rows++
		}
	}
	first := int64(-1)
	for _, row := range v.rows {
		if first < 0 || row.seq < first {
			first = row.seq
		}
	}
	if len(v.rows) > 0 {
		return fault(ledger.StateMismatch, first, "%d rows that the log gives are gone from the store", len(v.rows))
	}
	return nil
}

// compareSides checks every side blob against the commitment of its event.
func (v *verifier) compareSides(ctx context.Context, rep *Report) error {
	for side, err := range v.store.Sides(ctx) {
		if err != nil {
			return fmt.Errorf("read side blobs: %w", err)
		}
		for v.side < len(v.sides) && v.sides[v.side].seq < side.Seq {
			v.side++
			rep.Erased++
		}
		if v.side == len(v.sides) || v.sides[v.side].seq != side.Seq {
			return fault(ledger.StateMismatch, side.Seq, "a side blob that no event commits to")
		}
		c := ledger.Commit(side.Salt, side.Blob)
		if hex.EncodeToString(c[:]) != v.sides[v.side].digest {
			return fault(ledger.HashMismatch, side.Seq, "the words beside the entry were changed")
		}
		v.side++
		rep.Sides++
	}
	rep.Erased += int64(len(v.sides) - v.side)
	return nil
}

// compareSessions rejects a live session that is cleaner than its sealed events.
func (v *verifier) compareSessions(ctx context.Context, rep *Report) error {
	live, err := v.store.Sessions(ctx, nil, now())
	if err != nil {
		return fmt.Errorf("read sessions: %w", err)
	}
	slices.SortFunc(live, func(a, b Session) int {
		return bytes.Compare([]byte(a.Key.Principal+"\x00"+a.Key.ID), []byte(b.Key.Principal+"\x00"+b.Key.ID))
	})
	for _, s := range live {
		sealed, ok := v.sessions[s.Key]
		if !ok && s.Key.ID != sharedSession {
			return fault(ledger.SessionCleaner, -1, "a session is live that was never sealed")
		}
		if ok && !s.Label.Below(sealed) {
			return fault(ledger.SessionCleaner, -1, "session %s is %s now and was sealed as %s", s.Key.ID, s.Label, sealed)
		}
		rep.Sessions++
	}
	return nil
}

func hashOf(b []byte) [32]byte { return sha256.Sum256(b) }

func rowKey(t event.Table, key []byte) string { return string(t) + "\x00" + string(key) }

// rowName shows a row's key to people.
func rowName(t event.Table, key []byte) string {
	if t == event.Records && len(key) == 16 {
		return hearsay.RecordID(key).String()
	}
	if id, ok := bytes.CutPrefix(key, []byte("id/")); ok && t == event.Actions && len(id) == 16 {
		return hearsay.RecordID(id).String()
	}
	if t == event.Statements {
		return hex.EncodeToString(key)
	}
	return string(key)
}
