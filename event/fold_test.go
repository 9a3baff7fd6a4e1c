package event

import (
	"crypto/sha256"
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hearsay-memory/hearsay"
)

var sameTaint = cmp.Comparer(func(a, b hearsay.Taint) bool { return a == b })

// row is a Put without its value, in a form that reads well in a diff.
type row struct {
	Table Table
	Key   string
	Queue Queue
}

func TestFold(t *testing.T) {
	record := string(idOne[:])
	digest := sha256.Sum256([]byte("statement"))
	spent := row{Statements, string(digest[:]), QueueNone}
	want := map[Kind][]row{
		SessionStart:   nil,
		SessionObserve: nil,
		SessionTaint:   nil,
		Recall:         nil,
		WriteAllowed:   {{Records, record, QueueDelivery}},
		WriteFlagged:   {{Records, record, QueueDelivery}},
		WriteRefused:   {{Records, record, QueueNone}},
		WriteApplied:   {{Records, record, QueueNone}},
		Hold:           {{Records, record, QueueReview}},
		Approve:        {{Records, record, QueueDelivery}, spent},
		Reject:         {{Records, record, QueueNone}},
		Revoke:         {{Records, record, QueueDelivery}, spent},
		Erase:          {{Records, record, QueueNone}, spent},
		ActionAllowed:  nil,
		ActionHeld:     {{Actions, "id/" + record, QueueNone}, {Actions, "slot/1/3/anas1", QueueNone}},
		ActionDenied:   {{Actions, "id/" + record, QueueNone}},
		ActionApprove:  {{Actions, "id/" + record, QueueNone}, spent},
		ActionOverride: {{Actions, "id/" + record, QueueNone}, spent},
		Drift:          {{Files, "3/ana0a0b", QueueNone}},
		Baseline:       {{Files, "3/ana0a0b", QueueNone}},
		FileWritten:    {{Files, "3/ana0a0b", QueueNone}},
		Attest:         {{Records, record, QueueNone}, spent},
		Pin:            {{Records, record, QueueNone}, spent},
		PolicyLoad:     {{Policies, "current", QueueNone}, spent},
		ReviewerAdd:    {{Reviewers, "name/ana", QueueNone}, {Reviewers, "key/0102", QueueNone}, {Reviewers, "key/0304", QueueNone}},
		AuditFinding:   {{Audits, "last/ana", QueueNone}},
	}
	all := examples()
	for k := range image {
		t.Run(string(k), func(t *testing.T) {
			rows, ok := want[k]
			if !ok {
				t.Fatal("nothing says what the kind folds into")
			}
			e := all[k]
			puts, err := Fold(e)
			if err != nil {
				t.Fatal(err)
			}
			var got []row
			for _, p := range puts {
				got = append(got, row{p.Table, string(p.Key), p.Queue})
				if p.Seq != e.Seq {
					t.Errorf("the row %s %q is of event %d, want %d", p.Table, p.Key, p.Seq, e.Seq)
				}
				checkValue(t, e, p)
			}
			if diff := cmp.Diff(rows, got); diff != "" {
				t.Errorf("rows (-want +got):\n%s", diff)
			}
			again, err := Fold(e)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(puts, again); diff != "" {
				t.Errorf("folded once more (-first +second):\n%s", diff)
			}
			if diff := cmp.Diff(examples()[k], e, sameTaint); diff != "" {
				t.Errorf("the fold changed the event:\n%s", diff)
			}
		})
	}
}

// checkValue tests that a row has the after-image of its event.
func checkValue(t *testing.T, e *Event, p Put) {
	t.Helper()
	var want, got any
	var err error
	switch p.Table {
	case Records:
		want = e.Record
		got, err = DecodeRecord(p.Value)
	case Policies:
		want = e.Policy
		got, err = DecodePolicy(p.Value)
	case Reviewers:
		want = e.Reviewer
		got, err = DecodeReviewer(p.Value)
	case Audits:
		want = e.Audit
		got, err = DecodeAudit(p.Value)
	case Statements:
		want = e.Proof.Reviewer
		var name string
		err = json.Unmarshal(p.Value, &name)
		got = name
	}
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got, sameTaint); diff != "" {
		t.Errorf("value of %s (-want +got):\n%s", p.Table, diff)
	}
}

// Every standing with every delivery, of a write that creates.
func TestQueue(t *testing.T) {
	const n, r, d = QueueNone, QueueReview, QueueDelivery
	want := map[hearsay.Standing][6]Queue{
		// undelivered, intent, applied, unknown, failed, withdrawn
		hearsay.Held:     {r, r, r, r, r, r},
		hearsay.Allowed:  {d, d, n, d, n, n},
		hearsay.Blocked:  {n, n, n, n, n, n},
		hearsay.Released: {d, d, n, d, n, n},
		hearsay.Rejected: {n, n, n, n, n, n},
		hearsay.Revoked:  {n, d, d, d, n, n},
		hearsay.Erased:   {n, d, d, d, n, n},
	}
	for s := hearsay.Held; s <= hearsay.Erased; s++ {
		for del := hearsay.Undelivered; del <= hearsay.Withdrawn; del++ {
			for _, op := range []Op{Create, Update, Delete} {
				rec := recordAs(s, del)
				rec.Op = op
				w := want[s][del]
				if op == Delete && (s == hearsay.Revoked || s == hearsay.Erased) {
					w = n // a deletion left nothing that could be taken out
				}
				if got := rec.Queue(); got != w {
					t.Errorf("%s, %s, %s: queue %d, want %d", op, s, del, got, w)
				}
			}
		}
	}
	if got := new(Record).Queue(); got != QueueReview {
		t.Errorf("the zero record: queue %d, want review", got)
	}
}

// A statement is spent by its bytes, whoever says who signed it; a proof without
// one spends nothing.
func TestFoldStatements(t *testing.T) {
	keyOf := func(p *Proof) string {
		e := example(Approve)
		e.Proof = p
		puts, err := Fold(e)
		if err != nil {
			t.Fatal(err)
		}
		for _, put := range puts {
			if put.Table == Statements {
				return string(put.Key)
			}
		}
		return ""
	}
	a := keyOf(&Proof{Level: "signed", Reviewer: "ana", Statement: []byte("one"), Signature: []byte("x")})
	b := keyOf(&Proof{Level: "signed", Reviewer: "bob", Statement: []byte("one"), Signature: []byte("y")})
	c := keyOf(&Proof{Level: "signed", Reviewer: "ana", Statement: []byte("two"), Signature: []byte("x")})
	if a == "" || a != b || a == c {
		t.Errorf("keys %x, %x, %x", a, b, c)
	}
	for _, p := range []*Proof{nil, {}, {Level: "client", Reviewer: "ana"}, {Level: "signed", Statement: []byte{}}} {
		if got := keyOf(p); got != "" {
			t.Errorf("%+v spends %x", p, got)
		}
	}
}

func TestDecodeRowsRefuse(t *testing.T) {
	for _, bad := range []string{"", "{", "[]", `"x"`, `{"id":"x","hash":1,"name":1}`} {
		if r, err := DecodeRecord([]byte(bad)); err == nil || r != nil {
			t.Errorf("record %q: got %+v, %v", bad, r, err)
		}
		if p, err := DecodePolicy([]byte(bad)); err == nil || p != nil {
			t.Errorf("policy %q: got %+v, %v", bad, p, err)
		}
		if r, err := DecodeReviewer([]byte(bad)); err == nil || r != nil {
			t.Errorf("reviewer %q: got %+v, %v", bad, r, err)
		}
		if a, err := DecodeAudit([]byte(bad)); err == nil || a != nil {
			t.Errorf("audit %q: got %+v, %v", bad, a, err)
		}
	}
}
