package event

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hearsay-memory/hearsay"
)

// update writes the goldens of kinds that have none yet. It never rewrites one:
// the bytes of a version are pinned for ever, a changed meaning is a new version.
var update = flag.Bool("update", false, "write the golden files that are missing")

func mustID(s string) hearsay.RecordID {
	id, err := hearsay.ParseRecordID(s)
	if err != nil {
		panic(err)
	}
	return id
}

var (
	idOne = mustID("017f22e2-79b0-7cc3-98c4-dc0c0c07398f")
	idTwo = mustID("017f22e2-79b1-7000-8000-000000000002")
)

const (
	hashA = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
	hashB = "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"
	hashC = "cccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccc"
)

// plainRecord is a record image with nothing that can be left out.
func plainRecord() *Record {
	return &Record{
		ID: idOne, Standing: hearsay.Allowed, Delivery: hearsay.Intent, Label: hearsay.LabelIdentity,
		Source: "user", Principal: "ana", Session: "s1", Surface: hearsay.SurfaceMCP, Store: "memory",
		Namespace: hearsay.Namespace{"facts"}, Op: Create, Exposure: 7, Rule: "user", PolicyHash: hashA, Weight: 1,
		Content: hashB, Side: 8, Bytes: 12, Created: 1645557742000,
	}
}

// fullRecord is a record image with everything set, and text that JSON encoders
// are tempted to escape.
func fullRecord() *Record {
	return &Record{
		ID: idOne, Standing: hearsay.Held, Delivery: hearsay.Undelivered,
		Label:  hearsay.Label{Origin: hearsay.External, Taint: hearsay.NewTaint("web", "mcp:github")},
		Source: "web", Principal: "Ana <ana@example.com>", Project: "/home/ana/資料 & more", Agent: "nightly",
		Session: "s1", Surface: hearsay.SurfaceMCP, Store: "memory", Namespace: hearsay.Namespace{"lessons", "a/b", "é"},
		Kind: "procedure", Op: Update, Parents: []hearsay.RecordID{idTwo}, Exposure: 7, Rule: "hold-untrusted-lessons",
		PolicyHash: hashA, Weight: 0.3, Claims: hearsay.Claims{Salience: 0.4, Confidence: 0.25, Pin: true, Stable: true},
		Clamps:   []hearsay.Clamp{{Field: "salience", From: 1, To: 0.4}, {Field: "pin", From: 1}},
		Evidence: []string{"instruction", "hidden"}, Flagged: true,
		Content: hashB, Side: 8, Bytes: 12, Created: 1645557742000,
	}
}

// recordAs is a plain record that stands and was delivered so.
func recordAs(s hearsay.Standing, d hearsay.Delivery) *Record {
	r := plainRecord()
	r.Standing, r.Delivery = s, d
	return r
}

// actionAs is a question with everything set.
func actionAs(s ActionState, v hearsay.ActionVerdict) *Action {
	a := &Action{
		ID: idOne, State: s, Verdict: v, Label: hearsay.Label{Taint: hearsay.NewTaint("web")},
		Principal: "ana", Agent: "nightly", Session: "s1", Surface: hearsay.SurfaceHook, Names: []string{"shell.execute", "deploy.run"},
		Rule: "deploy.*", PolicyHash: hashA, Content: hashB, Side: 8, Asked: 1645557742000,
	}
	switch s {
	case ActionWaiting:
		a.Slot, a.Expires = 1, 1645557742999
	case ActionApproved:
		a.Scope, a.Expires = ScopeDirectory, 1645557742999
	case ActionWent:
		a.Flagged = true
	}
	return a
}

func guardedFile(l hearsay.Label) *File {
	return &File{ID: "0a0b", Principal: "ana", Label: l, Lines: 3, Content: hashB, Side: 8}
}

// examples has one event of each kind, as its golden has it.
func examples() map[Kind]*Event {
	external := hearsay.Label{Taint: hearsay.NewTaint("web")}
	signed := &Proof{Level: "signed", Reviewer: "ana", Statement: []byte("statement"), Signature: []byte("signature")}
	all := map[Kind]*Event{
		SessionStart: {Session: &Session{
			ID: "s1", Principal: "ana", Surface: hearsay.SurfaceHook, Label: hearsay.LabelIdentity,
		}},
		SessionObserve: {Side: hashC, Session: &Session{
			ID: "s1", Principal: "ana", Surface: hearsay.SurfaceHook, Label: external, Source: "web",
			Class: &hearsay.Class{Origin: hearsay.External, Reach: hearsay.ReachSession, Tag: "web"},
		}},
		SessionTaint: {Session: &Session{ID: "s1", Principal: "ana", Surface: hearsay.SurfaceMCP}},
		Recall: {Session: &Session{
			ID: "s1", Principal: "ana", Surface: hearsay.SurfaceMCP, Label: external, Records: []hearsay.RecordID{idOne, idTwo},
		}},
		WriteAllowed: {Side: hashC, Record: plainRecord()},
		WriteFlagged: {Side: hashC, Record: func() *Record {
			r := fullRecord()
			r.Standing, r.Delivery = hearsay.Allowed, hearsay.Intent
			return r
		}()},
		WriteRefused:   {Side: hashC, Record: recordAs(hearsay.Blocked, hearsay.Undelivered)},
		WriteApplied:   {Record: recordAs(hearsay.Allowed, hearsay.Applied)},
		Hold:           {Side: hashC, Record: fullRecord()},
		Approve:        {Side: hashC, Record: recordAs(hearsay.Released, hearsay.Intent), Proof: signed},
		Reject:         {Record: recordAs(hearsay.Rejected, hearsay.Undelivered), Proof: &Proof{Level: "client", Reviewer: "ana"}},
		Revoke:         {Record: recordAs(hearsay.Revoked, hearsay.Applied), Proof: signed},
		Erase:          {Record: recordAs(hearsay.Erased, hearsay.Withdrawn), Proof: signed},
		ActionAllowed:  {Side: hashC, Action: actionAs(ActionWent, hearsay.AllowAction)},
		ActionHeld:     {Side: hashC, Action: actionAs(ActionWaiting, hearsay.Ask)},
		ActionDenied:   {Side: hashC, Action: actionAs(ActionRefused, hearsay.Deny)},
		ActionApprove:  {Action: actionAs(ActionApproved, hearsay.Ask), Proof: signed},
		ActionOverride: {Action: actionAs(ActionApproved, hearsay.Deny), Proof: signed},
		Drift:          {Side: hashC, File: guardedFile(hearsay.Label{Origin: hearsay.Unverified, Taint: hearsay.NewTaint("web")})},
		Baseline:       {Side: hashC, File: guardedFile(hearsay.Label{Origin: hearsay.Unverified, Taint: hearsay.Untainted})},
		FileWritten:    {Side: hashC, File: guardedFile(hearsay.Label{Origin: hearsay.Agent, Taint: hearsay.Untainted})},
		Attest:         {Side: hashC, Record: recordAs(hearsay.Allowed, hearsay.Applied), Proof: signed},
		Pin: {Proof: signed, Record: func() *Record {
			r := recordAs(hearsay.Released, hearsay.Applied)
			r.Claims.Pin, r.Replaces = true, []hearsay.RecordID{idTwo}
			return r
		}()},
		PolicyLoad: {Policy: &Policy{Hash: hashA, Mode: hearsay.Warn}, Proof: signed},
		ReviewerAdd: {Reviewer: &Reviewer{
			Name: "ana", KeyID: "0102", Public: []byte{1, 2}, RecoveryID: "0304", Recovery: []byte{3, 4}, Retired: true,
		}},
		AuditFinding: {Audit: &Audit{
			ID: idOne, Principal: "ana", Held: []hearsay.RecordID{idTwo}, Left: 4,
			Found: []Found{{Rule: "HS001-burst", Level: "warning", Findings: 1, Count: 5}},
		}},
	}
	for k, e := range all {
		e.V, e.Seq, e.T, e.Kind = Version, 8, 1645557742000, k
		e.Subject = e.subject()
	}
	return all
}

// example returns the event of one kind.
func example(k Kind) *Event { return examples()[k] }

// rawJSON encodes an event as Encode does, without asking whether it is well formed.
func rawJSON(t testing.TB, e *Event) string {
	t.Helper()
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(e); err != nil {
		t.Fatal(err)
	}
	return strings.TrimSuffix(buf.String(), "\n")
}

func golden(k Kind) string { return filepath.Join("testdata", string(k)+".json") }

// The goldens hold the exact bytes of version 1, without a final newline.
func TestGolden(t *testing.T) {
	all := examples()
	for k := range image {
		t.Run(string(k), func(t *testing.T) {
			e := all[k]
			if e == nil {
				t.Fatal("the kind has no example")
			}
			body, err := e.Encode()
			if err != nil {
				t.Fatal(err)
			}
			want, err := os.ReadFile(golden(k))
			if *update && errors.Is(err, fs.ErrNotExist) {
				want, err = body, os.WriteFile(golden(k), body, 0o644)
			}
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(body, want) {
				t.Errorf("encoded\n%s\nand pinned\n%s", body, want)
			}
			got, err := Decode(want)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(e, got, sameTaint); diff != "" {
				t.Errorf("decoded (-want +got):\n%s", diff)
			}
			again, err := got.Encode()
			if err != nil || !bytes.Equal(again, want) {
				t.Errorf("encoded again\n%s, %v\nand pinned\n%s", again, err, want)
			}
		})
	}
	files, err := filepath.Glob(golden("*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		if k := Kind(strings.TrimSuffix(filepath.Base(name), ".json")); image[k] == "" {
			t.Errorf("%s is the golden of no kind: a kind that was once written stays readable", name)
		}
	}
}

// Whatever is not the exact bytes that were sealed is no event.
func TestDecodeRefuses(t *testing.T) {
	body := rawJSON(t, example(WriteAllowed))
	replace := func(old, repl string) string {
		if strings.Count(body, old) == 0 {
			t.Fatalf("%s is not in %s", old, body)
		}
		return strings.Replace(body, old, repl, 1)
	}
	with := func(k Kind, change func(*Event)) string {
		e := example(k)
		change(e)
		return rawJSON(t, e)
	}
	for name, text := range map[string]string{
		"empty":                    "",
		"no JSON":                  "{",
		"null":                     "null",
		"array":                    "[]",
		"empty object":             "{}",
		"leading space":            " " + body,
		"trailing space":           body + " ",
		"final newline":            body + "\n",
		"byte order mark":          "\ufeff" + body,
		"space after a colon":      replace(`"v":1`, `"v": 1`),
		"space in the record":      replace(`"id":`, `"id" :`),
		"second value":             body + body,
		"trailing brace":           body + "}",
		"reordered keys":           replace(`"v":1,"seq":8`, `"seq":8,"v":1`),
		"reordered record keys":    replace(`"exposure":7,"rule":"user"`, `"rule":"user","exposure":7`),
		"duplicate key":            replace(`"seq":8`, `"seq":8,"seq":8`),
		"duplicate standing":       replace(`"standing":"allowed"`, `"standing":"held","standing":"allowed"`),
		"unknown key":              replace(`"v":1`, `"v":1,"x":0`),
		"unknown record key":       replace(`"store":`, `"shop":"x","store":`),
		"case variant":             replace(`"seq":`, `"Seq":`),
		"case variant beside":      replace(`"seq":8`, `"seq":8,"SEQ":8`),
		"missing key":              replace(`"seq":8,`, ``),
		"missing standing":         replace(`"standing":"allowed",`, ``),
		"missing taint":            replace(`,"taint":[]`, ``),
		"null taint":               replace(`"taint":[]`, `"taint":null`),
		"null standing":            replace(`"standing":"allowed"`, `"standing":null`),
		"null origin":              replace(`"origin":"user"`, `"origin":null`),
		"explicit null":            replace(`"op":"create"`, `"op":"create","parents":null`),
		"escaped letter":           replace(`"ana"`, `"\u0061na"`),
		"number in another form":   replace(`"weight":1`, `"weight":1.0`),
		"number with an exponent":  replace(`"seq":8`, `"seq":8e0`),
		"number that is too large": replace(`"seq":8`, `"seq":9223372036854775808`),
		"string for a number":      replace(`"seq":8`, `"seq":"8"`),
		"standing of no name":      replace(`"allowed"`, `"trusted"`),
		"standing as a number":     replace(`"standing":"allowed"`, `"standing":1`),
		"upper-case id":            strings.ReplaceAll(body, idOne.String(), strings.ToUpper(idOne.String())),
		"malformed UTF-8":          replace(`"ana"`, "\"an\xff\""),
		"negative seq":             with(WriteAllowed, func(e *Event) { e.Seq = -1 }),
		"negative time":            with(WriteAllowed, func(e *Event) { e.T = -1 }),
		"version 0":                with(WriteAllowed, func(e *Event) { e.V = 0 }),
		"negative version":         with(WriteAllowed, func(e *Event) { e.V = -1 }),
		"no kind":                  with(WriteAllowed, func(e *Event) { e.Kind = "" }),
		"unknown kind":             with(WriteAllowed, func(e *Event) { e.Kind = "memory.write.trusted" }),
		"case variant of a kind":   with(WriteAllowed, func(e *Event) { e.Kind = "Memory.write.allowed" }),
		"no image":                 with(WriteAllowed, func(e *Event) { e.Record = nil }),
		"two images":               with(WriteAllowed, func(e *Event) { e.Session = example(SessionStart).Session }),
		"two images, other kind":   with(SessionStart, func(e *Event) { e.Record = plainRecord() }),
		"image of another kind":    with(SessionStart, func(e *Event) { e.Kind = WriteAllowed }),
		"record for a policy":      with(WriteAllowed, func(e *Event) { e.Kind = PolicyLoad }),
		"no subject":               with(WriteAllowed, func(e *Event) { e.Subject = "" }),
		"another record":           with(WriteAllowed, func(e *Event) { e.Subject = "record/" + idTwo.String() }),
		"another session":          with(SessionStart, func(e *Event) { e.Subject = "session/s2" }),
		"another policy":           with(PolicyLoad, func(e *Event) { e.Subject = "policy/" + hashB }),
		"another reviewer":         with(ReviewerAdd, func(e *Event) { e.Subject = "reviewer/bob" }),
		"subject with a tail":      with(WriteAllowed, func(e *Event) { e.Subject += "/" }),
	} {
		t.Run(name, func(t *testing.T) {
			e, err := Decode([]byte(text))
			if err == nil || e != nil {
				t.Errorf("%s\nis read as %+v, %v", text, e, err)
			}
			if errors.Is(err, ErrNewer) {
				t.Errorf("%s\nis taken for a newer event: %v", text, err)
			}
		})
	}
	if _, err := Decode([]byte(body)); err != nil {
		t.Errorf("the event that all of these are made of: %v", err)
	}
}

// An event of a later version says so, whatever else is in it.
func TestDecodeNewer(t *testing.T) {
	e := example(Hold)
	e.V = Version + 1
	for _, text := range []string{rawJSON(t, e), `{"v":2}`, `{"v":9,"kind":"memory.dream","dream":{}}`} {
		if got, err := Decode([]byte(text)); !errors.Is(err, ErrNewer) || got != nil {
			t.Errorf("%s: got %+v, %v; want %v", text, got, err, ErrNewer)
		}
	}
	if _, err := e.Encode(); err == nil {
		t.Error("an event of a later version is written")
	}
}

// Encode refuses what Decode would.
func TestEncodeRefuses(t *testing.T) {
	for name, change := range map[string]func(*Event){
		"version":       func(e *Event) { e.V = 0 },
		"seq":           func(e *Event) { e.Seq = -1 },
		"time":          func(e *Event) { e.T = -1 },
		"kind":          func(e *Event) { e.Kind = "memory.dream" },
		"no image":      func(e *Event) { e.Record = nil },
		"two images":    func(e *Event) { e.Policy = &Policy{Hash: hashA} },
		"other image":   func(e *Event) { e.Kind = SessionStart },
		"other subject": func(e *Event) { e.Subject = "record/" + idTwo.String() },
	} {
		e := example(WriteAllowed)
		change(e)
		if b, err := e.Encode(); err == nil {
			t.Errorf("%s: encoded as %s", name, b)
		}
	}
}

// Names of people and paths are in the log as they stand, not escaped for a web page.
func TestEncodeDoesNotEscape(t *testing.T) {
	body, err := example(Hold).Encode()
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`Ana <ana@example.com>`, `資料 & more`} {
		if !strings.Contains(string(body), want) {
			t.Errorf("%s is not, as it stands, in %s", want, body)
		}
	}
}

// What decodes encodes to the same bytes, and folds.
func FuzzDecode(f *testing.F) {
	for k := range image {
		body, err := os.ReadFile(golden(k))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(body)
		f.Add(body[:len(body)/2])
		f.Add(append(slices.Clone(body), '\n'))
		f.Add(bytes.Replace(body, []byte(`"v":1`), []byte(`"v":2`), 1))
	}
	f.Add([]byte(`{}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		e, err := Decode(b)
		if err != nil {
			if e != nil {
				t.Fatalf("refused and yet read as %+v: %v", e, err)
			}
			return
		}
		again, err := e.Encode()
		if err != nil {
			t.Fatalf("what was read cannot be written: %v", err)
		}
		if !bytes.Equal(again, b) {
			t.Fatalf("read\n%s\nand wrote\n%s", b, again)
		}
		puts, err := Fold(e)
		if err != nil {
			t.Fatalf("what was read cannot be folded: %v", err)
		}
		for _, p := range puts {
			if p.Seq != e.Seq || len(p.Key) == 0 || !json.Valid(p.Value) {
				t.Fatalf("folded into the row %+v", p)
			}
		}
	})
}
