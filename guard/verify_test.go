package guard_test

import (
	"crypto/rand"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/mod/sumdb/note"
	zsqlite "zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/event"
	"github.com/hearsay-memory/hearsay/guard"
	"github.com/hearsay-memory/hearsay/internal/reviewer"
	"github.com/hearsay-memory/hearsay/internal/store/sqlite"
	"github.com/hearsay-memory/hearsay/ledger"
)

// tamper changes the file behind the store's back, as somebody with a shell can.
func (w *world) tamper(statements ...string) {
	w.t.Helper()
	c, err := zsqlite.OpenConn(w.path, zsqlite.OpenReadWrite)
	if err != nil {
		w.t.Fatal(err)
	}
	for _, sql := range append([]string{"DROP TRIGGER log_keeps", "DROP TRIGGER log_holds"}, statements...) {
		if err := sqlitex.ExecuteTransient(c, sql, nil); err != nil {
			w.t.Fatalf("%s: %v", sql, err)
		}
	}
	if err := c.Close(); err != nil {
		w.t.Fatal(err)
	}
}

// story leaves a log with every kind of row: a reviewer, a tainted session with a held
// and a released record, and a clean one with a record of its own.
func story(t *testing.T) (w *world, held, released, own hearsay.RecordID) {
	t.Helper()
	w = newWorld(t, "default")
	c := w.session("ana", "session-1")
	w.read(c, "https://example.test/invoices")
	held = w.write(c, lesson(invoice), hearsay.Held).ID
	released = w.write(c, lesson("Port is 8080"), hearsay.Held).ID
	w.review(reviewer.Approve, released)
	own = w.write(w.session("ana", "session-2"), lesson("Backups run at 02:00"), hearsay.Allowed).ID
	hash := strings.Repeat("ab", 32)
	if err := w.PutPolicy(t.Context(), hash, hearsay.Enforce, w.sign(w.SubjectStatement(t.Context(), reviewer.Policy, hash))); err != nil {
		t.Fatal(err)
	}
	if rep := w.verify(); !rep.Consistent || rep.Entries != 10 || rep.Sessions != 2 || rep.Sides == 0 {
		t.Fatalf("the story does not verify: %+v, %v", rep, rep.Fault)
	}
	return w, held, released, own
}

// sqlID writes a record id as SQL does.
func sqlID(id hearsay.RecordID) string { return fmt.Sprintf("x'%x'", id[:]) }

// cut returns the SQL that makes the head that of the first n entries.
func (w *world) cut(n int64) string {
	w.t.Helper()
	var f ledger.Frontier
	for e, err := range w.store.Log(w.t.Context(), 0) {
		if err != nil {
			w.t.Fatal(err)
		}
		if e.Seq < n {
			f.Append(ledger.LeafHash(e.Body))
		}
	}
	packed, err := f.MarshalBinary()
	if err != nil {
		w.t.Fatal(err)
	}
	return fmt.Sprintf("UPDATE head SET size = %d, frontier = x'%x'", n, packed)
}

func TestVerifyFindsTampering(t *testing.T) {
	const noSeq = -1
	tests := map[string]struct {
		change func(w *world, held, released, own hearsay.RecordID) []string
		kind   ledger.FaultKind
		seq    int64
	}{
		"entry edited": {func(*world, hearsay.RecordID, hearsay.RecordID, hearsay.RecordID) []string {
			return []string{"UPDATE log SET body = CAST(replace(CAST(body AS TEXT), 'web', 'wed') AS BLOB) WHERE seq = 2"}
		}, ledger.HashMismatch, 2},
		"entry and its leaf edited": {func(w *world, _, _, _ hearsay.RecordID) []string {
			var body string
			for e := range w.store.Log(w.t.Context(), 2) {
				body = strings.ReplaceAll(string(e.Body), "web", "wed")
				break
			}
			leaf := ledger.LeafHash([]byte(body))
			return []string{fmt.Sprintf("UPDATE log SET body = x'%x', leaf = x'%x' WHERE seq = 2", body, leaf[:])}
		}, ledger.RootMismatch, noSeq},
		"entry dropped": {func(*world, hearsay.RecordID, hearsay.RecordID, hearsay.RecordID) []string {
			return []string{"DELETE FROM log WHERE seq = 3"}
		}, ledger.MissingEntry, 3},
		"entry dropped and the gap closed": {func(*world, hearsay.RecordID, hearsay.RecordID, hearsay.RecordID) []string {
			return []string{"DELETE FROM log WHERE seq = 3", "UPDATE log SET seq = -seq WHERE seq > 3", "UPDATE log SET seq = -seq - 1 WHERE seq < 0"}
		}, ledger.HashMismatch, 3},
		"entries swapped": {func(*world, hearsay.RecordID, hearsay.RecordID, hearsay.RecordID) []string {
			return []string{"UPDATE log SET seq = -4 WHERE seq = 4", "UPDATE log SET seq = 4 WHERE seq = 5", "UPDATE log SET seq = 5 WHERE seq = -4"}
		}, ledger.HashMismatch, 4},
		"tail cut": {func(*world, hearsay.RecordID, hearsay.RecordID, hearsay.RecordID) []string {
			return []string{"DELETE FROM log WHERE seq >= 8"}
		}, ledger.Truncated, 8},
		"tail cut and the head rewritten": {func(w *world, _, _, _ hearsay.RecordID) []string {
			return []string{w.cut(8), "DELETE FROM log WHERE seq >= 8"}
		}, ledger.Truncated, 8},
		"head rewritten": {func(w *world, _, _, _ hearsay.RecordID) []string {
			return []string{w.cut(8)}
		}, ledger.RootMismatch, 8},
		"entry added": {func(*world, hearsay.RecordID, hearsay.RecordID, hearsay.RecordID) []string {
			return []string{"INSERT INTO log SELECT 10, body, leaf FROM log WHERE seq = 9"}
		}, ledger.RootMismatch, 10},
		"checkpoint edited": {func(*world, hearsay.RecordID, hearsay.RecordID, hearsay.RecordID) []string {
			return []string{"UPDATE head SET checkpoint = CAST(replace(CAST(checkpoint AS TEXT), char(10) || '10' || char(10), char(10) || '11' || char(10)) AS BLOB)"}
		}, ledger.BadSignature, noSeq},
		"checkpoint dropped": {func(*world, hearsay.RecordID, hearsay.RecordID, hearsay.RecordID) []string {
			return []string{"UPDATE head SET checkpoint = x''"}
		}, ledger.BadSignature, noSeq},
		"log renamed": {func(*world, hearsay.RecordID, hearsay.RecordID, hearsay.RecordID) []string {
			return []string{"UPDATE head SET log_id = 'other'"}
		}, ledger.BadSignature, noSeq},
		"held record released in its row": {func(_ *world, held, _, _ hearsay.RecordID) []string {
			return []string{`UPDATE record SET queue = 2, val = CAST(replace(CAST(val AS TEXT), '"held"', '"released"') AS BLOB) WHERE id = ` + sqlID(held)}
		}, ledger.StateMismatch, 4},
		"held record out of its queue": {func(_ *world, held, _, _ hearsay.RecordID) []string {
			return []string{"UPDATE record SET queue = 0 WHERE id = " + sqlID(held)}
		}, ledger.StateMismatch, 4},
		"record row of another entry": {func(_ *world, _, released, _ hearsay.RecordID) []string {
			return []string{"UPDATE record SET seq = 5 WHERE id = " + sqlID(released)}
		}, ledger.StateMismatch, 6},
		"record row dropped": {func(_ *world, _, _, own hearsay.RecordID) []string {
			return []string{"DELETE FROM record WHERE id = " + sqlID(own)}
		}, ledger.StateMismatch, 8},
		"record row added": {func(_ *world, _, _, own hearsay.RecordID) []string {
			id := own
			id[15]++
			return []string{"INSERT INTO record SELECT " + sqlID(id) + ", seq, queue, val FROM record WHERE id = " + sqlID(own)}
		}, ledger.StateMismatch, noSeq},
		"words edited": {func(*world, hearsay.RecordID, hearsay.RecordID, hearsay.RecordID) []string {
			return []string{"UPDATE side SET blob = CAST(replace(CAST(blob AS TEXT), 'example.test', 'harmless.test') AS BLOB) WHERE seq = 2"}
		}, ledger.HashMismatch, 2},
		"words and salt exchanged": {func(*world, hearsay.RecordID, hearsay.RecordID, hearsay.RecordID) []string {
			return []string{"UPDATE side SET (salt, blob) = (SELECT salt, blob FROM side WHERE seq = 5) WHERE seq = 4"}
		}, ledger.HashMismatch, 4},
		"salt edited": {func(*world, hearsay.RecordID, hearsay.RecordID, hearsay.RecordID) []string {
			return []string{"UPDATE side SET salt = zeroblob(32) WHERE seq = 4"}
		}, ledger.HashMismatch, 4},
		"words added": {func(*world, hearsay.RecordID, hearsay.RecordID, hearsay.RecordID) []string {
			return []string{"INSERT INTO side SELECT 1, salt, blob FROM side WHERE seq = 4"}
		}, ledger.StateMismatch, 1},
		"session made cleaner": {func(*world, hearsay.RecordID, hearsay.RecordID, hearsay.RecordID) []string {
			return []string{`UPDATE session SET label = (SELECT label FROM session WHERE id = CAST('session-2' AS BLOB)) WHERE id = CAST('session-1' AS BLOB)`}
		}, ledger.SessionCleaner, noSeq},
		"session moved to another principal": {func(*world, hearsay.RecordID, hearsay.RecordID, hearsay.RecordID) []string {
			return []string{`UPDATE session SET principal = CAST('ben' AS BLOB) WHERE id = CAST('session-2' AS BLOB)`}
		}, ledger.SessionCleaner, noSeq},
		"statement dropped, to be used again": {func(*world, hearsay.RecordID, hearsay.RecordID, hearsay.RecordID) []string {
			return []string{"DELETE FROM row WHERE tbl = 'statement' AND seq = 6"}
		}, ledger.StateMismatch, 6},
		"statement of another": {func(*world, hearsay.RecordID, hearsay.RecordID, hearsay.RecordID) []string {
			return []string{`UPDATE row SET val = CAST('"eve"' AS BLOB) WHERE tbl = 'statement' AND seq = 6`}
		}, ledger.StateMismatch, 6},
		"reviewer's key exchanged": {func(*world, hearsay.RecordID, hearsay.RecordID, hearsay.RecordID) []string {
			return []string{`UPDATE row SET val = CAST(replace(CAST(val AS TEXT), '"public":"', '"public":"AA') AS BLOB) WHERE tbl = 'reviewer' AND key = CAST('name/ana' AS BLOB)`}
		}, ledger.StateMismatch, 0},
		"reviewer added": {func(*world, hearsay.RecordID, hearsay.RecordID, hearsay.RecordID) []string {
			return []string{`INSERT INTO row SELECT tbl, CAST('name/eve' AS BLOB), seq, val FROM row WHERE key = CAST('name/ana' AS BLOB)`}
		}, ledger.StateMismatch, noSeq},
		"policy exchanged": {func(*world, hearsay.RecordID, hearsay.RecordID, hearsay.RecordID) []string {
			return []string{`UPDATE row SET val = CAST(replace(CAST(val AS TEXT), 'abab', 'cdcd') AS BLOB) WHERE tbl = 'policy'`}
		}, ledger.StateMismatch, 9},
		"policy dropped": {func(*world, hearsay.RecordID, hearsay.RecordID, hearsay.RecordID) []string {
			return []string{"DELETE FROM row WHERE tbl = 'policy'"}
		}, ledger.StateMismatch, 9},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			w, held, released, own := story(t)
			w.tamper(tt.change(w, held, released, own)...)
			rep := w.verify()
			if rep.Consistent || rep.Fault == nil {
				t.Fatalf("it verifies: %+v", rep)
			}
			if rep.Fault.Kind != tt.kind || rep.Fault.Seq != tt.seq {
				t.Errorf("%v, want %s at %d", rep.Fault, tt.kind, tt.seq)
			}
		})
	}
}

// TestVerifyFindsForgery: somebody who holds the ledger key, and so can seal what they
// like, still cannot sign for a person.
func TestVerifyFindsForgery(t *testing.T) {
	tests := map[string]func(w *world, r *event.Record, proof *event.Proof) event.Event{
		"no proof": func(_ *world, r *event.Record, _ *event.Proof) event.Event {
			return event.Event{Kind: event.Approve, Record: r}
		},
		"the proof of another record, again": func(_ *world, r *event.Record, proof *event.Proof) event.Event {
			return event.Event{Kind: event.Approve, Record: r, Proof: proof}
		},
		"a rejection as approval": func(w *world, r *event.Record, proof *event.Proof) event.Event {
			signed := w.sign(w.Statement(w.t.Context(), reviewer.Reject, r.ID, ""))
			return event.Event{Kind: event.Approve, Record: r, Proof: prove(w.t, proof, signed)}
		},
		"an approval of other bytes": func(w *world, r *event.Record, proof *event.Proof) event.Event {
			signed := w.sign(w.Statement(w.t.Context(), reviewer.Approve, r.ID, ""))
			r.Content = strings.Repeat("0", 64)
			return event.Event{Kind: event.Approve, Record: r, Proof: prove(w.t, proof, signed)}
		},
		"an approval with a cleaner label": func(w *world, r *event.Record, proof *event.Proof) event.Event {
			signed := w.sign(w.Statement(w.t.Context(), reviewer.Approve, r.ID, ""))
			r.Label = hearsay.LabelIdentity
			return event.Event{Kind: event.Approve, Record: r, Proof: prove(w.t, proof, signed)}
		},
		"a stranger": func(w *world, r *event.Record, proof *event.Proof) event.Event {
			stranger, err := reviewer.NewSigner("ana", []byte(strings.Repeat("x", 32)))
			if err != nil {
				w.t.Fatal(err)
			}
			st, err := w.Statement(w.t.Context(), reviewer.Approve, r.ID, "")
			if err != nil {
				w.t.Fatal(err)
			}
			signed, err := stranger.Sign(st)
			if err != nil {
				w.t.Fatal(err)
			}
			return event.Event{Kind: event.Approve, Record: r, Proof: prove(w.t, proof, signed)}
		},
		"a policy that nobody signed": func(_ *world, _ *event.Record, proof *event.Proof) event.Event {
			return event.Event{Kind: event.PolicyLoad, Policy: &event.Policy{Hash: "x", Mode: hearsay.Off}, Proof: proof}
		},
		"a reviewer who let themselves in": func(w *world, _ *event.Record, _ *event.Proof) event.Event {
			return event.Event{Kind: event.ReviewerAdd, Reviewer: &event.Reviewer{Name: "eve"}}
		},
	}
	for name, forge := range tests {
		t.Run(name, func(t *testing.T) {
			w, held, _, _ := story(t)
			shown, err := w.Show(t.Context(), held)
			if err != nil {
				t.Fatal(err)
			}
			var proof *event.Proof
			for entry := range w.store.Log(t.Context(), 6) {
				e, err := event.Decode(entry.Body)
				if err != nil || e.Kind != event.Approve {
					t.Fatalf("entry 6 is no approval: %v", err)
				}
				proof = e.Proof
				break
			}
			r := shown.Record
			r.Standing = hearsay.Released
			forged := forge(w, r, proof)
			if _, err := w.store.Update(t.Context(), func(guard.Tx) ([]event.Draft, error) { return []event.Draft{{Event: forged}}, nil }); err != nil {
				t.Fatal(err)
			}
			rep := w.verify()
			if rep.Fault == nil || rep.Fault.Kind != ledger.BadSignature || rep.Fault.Seq != 10 {
				t.Errorf("%v, want bad_signature at 10", rep.Fault)
			}
		})
	}
}

// prove makes the proof that goes with a signed statement, like another one.
func prove(t *testing.T, like *event.Proof, signed reviewer.Signed) *event.Proof {
	t.Helper()
	msg, err := signed.Statement.Encode()
	if err != nil {
		t.Fatal(err)
	}
	return &event.Proof{Level: like.Level, Reviewer: like.Reviewer, Statement: msg, Signature: signed.Signature}
}

// TestVerifyOutside: an older copy of a store verifies by itself, and not against a
// checkpoint that was kept elsewhere.
func TestVerifyOutside(t *testing.T) {
	w, held, _, _ := story(t)
	backup := filepath.Join(t.TempDir(), "hearsay.db")
	w.tamper("VACUUM INTO '" + strings.ReplaceAll(backup, "'", "''") + "'")
	before, err := w.store.Head(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	w.review(reviewer.Reject, held)
	after, err := w.store.Head(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if rep := w.verify(before.Checkpoint, after.Checkpoint); !rep.Consistent || rep.Outside != 2 || rep.Confirmed != 11 {
		t.Errorf("the store against its own checkpoints: %+v, %v", rep, rep.Fault)
	}
	old := &world{t: t, verifier: w.verifier}
	if old.store, err = sqlite.Open(t.Context(), sqlite.Options{Path: backup}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := old.store.Close(); err != nil {
			t.Error(err)
		}
	})
	if rep := old.verify(before.Checkpoint); !rep.Consistent {
		t.Errorf("the copy as it was: %v", rep.Fault)
	}
	rep := old.verify(after.Checkpoint)
	if rep.Fault == nil || rep.Fault.Kind != ledger.Truncated || rep.Fault.Seq != 10 {
		t.Errorf("the copy against a later checkpoint: %v, want truncated at 10", rep.Fault)
	}
	private, _, err := note.GenerateKey(rand.Reader, "test/log")
	if err != nil {
		t.Fatal(err)
	}
	other, err := note.NewSigner(private)
	if err != nil {
		t.Fatal(err)
	}
	forged, err := ledger.Checkpoint{Origin: "test/log", Size: after.Frontier.Size(), Root: after.Frontier.Root()}.Sign(other)
	if err != nil {
		t.Fatal(err)
	}
	for name, msg := range map[string][]byte{"another key": forged, "no checkpoint": []byte("rubbish")} {
		if rep := w.verify(msg); rep.Fault == nil || rep.Fault.Kind != ledger.BadSignature {
			t.Errorf("%s: %v, want bad_signature", name, rep.Fault)
		}
	}
}

// TestVerifyErasedWords: words that are gone leave the log as it was sealed.
func TestVerifyErasedWords(t *testing.T) {
	w, held, _, _ := story(t)
	if _, err := w.store.Update(t.Context(), func(tx guard.Tx) ([]event.Draft, error) { return nil, tx.EraseSide(4) }); err != nil {
		t.Fatal(err)
	}
	if rep := w.verify(); !rep.Consistent || rep.Erased != 1 {
		t.Errorf("%+v, %v: want one erased", rep, rep.Fault)
	}
	if shown, err := w.Show(t.Context(), held); err != nil || !shown.Erased {
		t.Errorf("shown as %+v, %v: want erased", shown, err)
	}
}

// TestVerifyClosed: what cannot be read is no fault, and is not called good either.
func TestVerifyClosed(t *testing.T) {
	w, _, _, _ := story(t)
	if err := w.store.Close(); err != nil {
		t.Fatal(err)
	}
	rep, err := guard.Verify(t.Context(), w.store, guard.Expect{Keys: note.VerifierList(w.verifier)})
	if !errors.Is(err, guard.ErrClosed) || rep.Consistent || rep.Fault != nil {
		t.Errorf("verifying a closed store: %+v, %v; want closed and no verdict", rep, err)
	}
}
