package reviewer

import (
	"bytes"
	"crypto/ed25519"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// seed makes a key seed from one byte, so that keys in tests are the same in every run.
func seed(b byte) []byte { return bytes.Repeat([]byte{b}, ed25519.SeedSize) }

func signer(t testing.TB, name string, b byte) *Signer {
	t.Helper()
	s, err := NewSigner(name, seed(b))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// approval is a statement with each field set.
func approval() Statement {
	return Statement{
		LogID: "01-log", RecordID: "0198c0de-0000-7000-8000-000000000001", Subject: "one",
		ContentDigest: strings.Repeat("c0", 32), LabelOrigin: "external", LabelTaint: []string{"document", "web"},
		Decision: Approve, Time: 1_767_323_045_006, NoteDigest: strings.Repeat("0d", 32),
		TreeSize: 258, TreeRoot: strings.Repeat("7e", 32), Nonce: strings.Repeat("4e", 16),
	}
}

func sign(t testing.TB, s *Signer, st Statement) Signed {
	t.Helper()
	signed, err := s.Sign(st)
	if err != nil {
		t.Fatal(err)
	}
	return signed
}

// The bytes that are signed are for ever: a program in another language, years later, must build the same ones.
func TestStatementGolden(t *testing.T) {
	signed := sign(t, signer(t, "ana", 1), approval())
	b, err := signed.Statement.Encode()
	if err != nil {
		t.Fatal(err)
	}
	got := fmt.Sprintf("encoding  %x\nid        %s\nkey id    %s\nsignature %x\n", b, signed.Statement.ID(), signed.Statement.KeyID, signed.Signature)
	const golden = "testdata/statement_v1.golden"
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatalf("%v\ngot:\n%s", err, got)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Error(diff)
	}
}

// The golden file shows that bytes stay; this shows what they are.
func TestStatementLayout(t *testing.T) {
	st := sign(t, signer(t, "ana", 1), approval()).Statement
	field := func(s string) string { return fmt.Sprintf("%08x%x", len(s), s) }
	want := hex.EncodeToString([]byte("hearsay/statement/v1\x00")) +
		field(st.LogID) + field(st.RecordID) + field(st.Subject) + field(st.ContentDigest) + field("external") +
		"00000002" + field("document") + field("web") +
		field("approve") + field("ana") + field(st.KeyID) +
		fmt.Sprintf("%016x", st.Time) + field(st.NoteDigest) + "0000000000000102" + field(st.TreeRoot) + field(st.Nonce)
	b, err := st.Encode()
	if diff := cmp.Diff(want, hex.EncodeToString(b)); diff != "" || err != nil {
		t.Error(diff, err)
	}
	back, err := Decode(b)
	if diff := cmp.Diff(st, back); diff != "" || err != nil {
		t.Error(diff, err)
	}
}

// Whichever field is changed, the signature no longer matches. The fields are found by reflection, so that one that is
// added to the struct and forgotten in the encoding fails here.
func TestEachFieldIsSigned(t *testing.T) {
	s := signer(t, "ana", 1)
	signed := sign(t, s, approval())
	if err := Verify(signed.Statement, signed.Signature, s.Public()); err != nil {
		t.Fatal(err)
	}
	other := map[string]any{
		"V": 2, "LogID": "other", "RecordID": "other", "Subject": "other", "ContentDigest": strings.Repeat("c1", 32),
		"LabelOrigin": "user", "LabelTaint": []string{"web"}, "Decision": Attest, "Reviewer": "eve", "KeyID": KeyID(signer(t, "eve", 2).Public()),
		"Time": int64(1), "NoteDigest": "", "TreeSize": uint64(259), "TreeRoot": strings.Repeat("7f", 32), "Nonce": strings.Repeat("4f", 16),
	}
	for i := range reflect.TypeFor[Statement]().NumField() {
		name := reflect.TypeFor[Statement]().Field(i).Name
		value, ok := other[name]
		if !ok {
			t.Errorf("no other value for %s: add one", name)
			continue
		}
		st := signed.Statement
		reflect.ValueOf(&st).Elem().Field(i).Set(reflect.ValueOf(value))
		if err := Verify(st, signed.Signature, s.Public()); err == nil {
			t.Errorf("%s was changed to %v and the signature still matches", name, value)
		}
		if st.ID() == signed.Statement.ID() {
			t.Errorf("%s was changed to %v and the identity stayed", name, value)
		}
	}
}

func TestVerifyRefuses(t *testing.T) {
	ana, eve := signer(t, "ana", 1), signer(t, "eve", 2)
	signed := sign(t, ana, approval())
	for i := range signed.Signature {
		bad := bytes.Clone(signed.Signature)
		bad[i] ^= 1
		if err := Verify(signed.Statement, bad, ana.Public()); !errors.Is(err, ErrSignature) {
			t.Fatalf("byte %d of the signature changed: %v", i, err)
		}
	}
	for name, sig := range map[string][]byte{"none": nil, "short": signed.Signature[:63], "long": append(bytes.Clone(signed.Signature), 0)} {
		if err := Verify(signed.Statement, sig, ana.Public()); !errors.Is(err, ErrSignature) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := Verify(signed.Statement, signed.Signature, eve.Public()); !errors.Is(err, ErrSignature) {
		t.Errorf("another key: %v", err)
	}
	if err := Verify(signed.Statement, signed.Signature, nil); !errors.Is(err, ErrSignature) {
		t.Errorf("no key: %v", err)
	}
	// A signature by the same key over the same bytes without our domain must not pass for a statement.
	msg, _ := signed.Statement.Encode()
	if err := Verify(signed.Statement, ed25519.Sign(ana.key, msg[len(domain):]), ana.Public()); !errors.Is(err, ErrSignature) {
		t.Errorf("another domain: %v", err)
	}
}

func TestSignRefuses(t *testing.T) {
	ana := signer(t, "ana", 1)
	for name, change := range map[string]func(*Statement){
		"another reviewer": func(st *Statement) { st.Reviewer = "bob" },
		"another key":      func(st *Statement) { st.KeyID = "rk1-00" },
		"no content":       func(st *Statement) { st.ContentDigest = "" },
	} {
		st := approval()
		change(&st)
		if _, err := ana.Sign(st); err == nil {
			t.Errorf("%s: signed", name)
		}
	}
	ana.Wipe()
	if _, err := ana.Sign(approval()); err == nil {
		t.Error("a wiped key signed")
	}
	if _, err := NewSigner("ana", seed(1)[1:]); err == nil {
		t.Error("a short seed makes a key")
	}
	if _, err := NewSigner("../ana", seed(1)); err == nil {
		t.Error("a path is a name")
	}
}

func TestStatementRules(t *testing.T) {
	for name, change := range map[string]func(*Statement){
		"version":             func(st *Statement) { st.V = 2 },
		"unknown decision":    func(st *Statement) { st.Decision = "bless" },
		"no decision":         func(st *Statement) { st.Decision = "" },
		"no log":              func(st *Statement) { st.LogID = "" },
		"no record":           func(st *Statement) { st.RecordID = "" },
		"no content":          func(st *Statement) { st.ContentDigest = "" },
		"no origin":           func(st *Statement) { st.LabelOrigin = "" },
		"unknown origin":      func(st *Statement) { st.LabelOrigin = "root" },
		"no reviewer":         func(st *Statement) { st.Reviewer = "" },
		"no key":              func(st *Statement) { st.KeyID = "" },
		"no time":             func(st *Statement) { st.Time = 0 },
		"time before 1970":    func(st *Statement) { st.Time = -1 },
		"no root":             func(st *Statement) { st.TreeRoot = "" },
		"no nonce":            func(st *Statement) { st.Nonce = "" },
		"short nonce":         func(st *Statement) { st.Nonce = "00" },
		"upper-case digest":   func(st *Statement) { st.ContentDigest = strings.Repeat("C0", 32) },
		"digest not hex":      func(st *Statement) { st.NoteDigest = strings.Repeat("zz", 32) },
		"taint not sorted":    func(st *Statement) { st.LabelTaint = []string{"web", "document"} },
		"taint twice":         func(st *Statement) { st.LabelTaint = []string{"web", "web"} },
		"empty taint":         func(st *Statement) { st.LabelTaint = []string{""} },
		"too many taints":     func(st *Statement) { st.LabelTaint = make([]string, maxTaint+1) },
		"control character":   func(st *Statement) { st.Subject = "a\x1b[2K" },
		"C1 control":          func(st *Statement) { st.Subject = "a\u009b" },
		"not UTF-8":           func(st *Statement) { st.Subject = "a\xff" },
		"too long":            func(st *Statement) { st.Subject = strings.Repeat("a", maxString+1) },
		"policy of nothing":   func(st *Statement) { st.Decision, st.Subject = Policy, "" },
		"revocation of what?": func(st *Statement) { st.Decision, st.Subject, st.RecordID = Revoke, "", "" },
		"erase of no record":  func(st *Statement) { st.Decision, st.RecordID = Erase, "" },
	} {
		st := sign(t, signer(t, "ana", 1), approval()).Statement
		change(&st)
		if err := st.Check(); !errors.Is(err, ErrStatement) {
			t.Errorf("%s: %v", name, err)
		}
		if b, err := st.Encode(); err == nil {
			t.Errorf("%s: has the encoding %x", name, b)
		}
		if st.ID() != "" {
			t.Errorf("%s: has an identity", name)
		}
	}
	revocation := approval()
	revocation.Decision, revocation.RecordID, revocation.ContentDigest, revocation.LabelOrigin, revocation.LabelTaint = Revoke, "", "", "", nil
	sign(t, signer(t, "ana", 1), revocation)
	for d := range needs {
		if !d.Valid() {
			t.Errorf("%s is not valid", d)
		}
	}
	if Decision("bless").Valid() || Decision("").Valid() {
		t.Error("an unknown decision is valid")
	}
}

func TestDecodeRefuses(t *testing.T) {
	whole, err := sign(t, signer(t, "ana", 1), approval()).Statement.Encode()
	if err != nil {
		t.Fatal(err)
	}
	for n := range whole {
		if _, err := Decode(whole[:n]); !errors.Is(err, ErrStatement) {
			t.Fatalf("cut at %d: %v", n, err)
		}
	}
	if _, err := Decode(append(bytes.Clone(whole), 0)); !errors.Is(err, ErrStatement) {
		t.Errorf("a byte too many: %v", err)
	}
	if _, err := Decode(make([]byte, maxEncoded+1)); !errors.Is(err, ErrStatement) {
		t.Errorf("far too long: %v", err)
	}
	huge := append([]byte(domain), 0xff, 0xff, 0xff, 0xff)
	if _, err := Decode(huge); !errors.Is(err, ErrStatement) {
		t.Errorf("a length that lies: %v", err)
	}
}

func FuzzDecode(f *testing.F) {
	whole, err := sign(f, signer(f, "ana", 1), approval()).Statement.Encode()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(whole)
	f.Add([]byte(domain))
	f.Fuzz(func(t *testing.T, b []byte) {
		st, err := Decode(b)
		if err != nil {
			return
		}
		again, err := st.Encode()
		if err != nil || !bytes.Equal(again, b) {
			t.Errorf("two encodings of one statement:\n%x\n%x, %v", b, again, err)
		}
	})
}

func TestStatementSurvivesJSON(t *testing.T) {
	s := signer(t, "ana", 1)
	signed := sign(t, s, approval())
	b, err := json.Marshal(signed)
	if err != nil {
		t.Fatal(err)
	}
	var back Signed
	if err := json.Unmarshal(b, &back); err != nil {
		t.Fatal(err)
	}
	if err := Verify(back.Statement, back.Signature, s.Public()); err != nil {
		t.Error(err)
	}
}

func TestSignerNeverPrintsItsKey(t *testing.T) {
	s := signer(t, "ana", 0xa5)
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%d"} {
		for _, v := range []any{s, *s, []*Signer{s}, struct{ S *Signer }{s}} {
			if out := strings.ToLower(fmt.Sprintf(verb, v)); strings.Contains(out, "a5a5a5") || strings.Contains(out, "165 165") || strings.Contains(out, "0xa5, 0xa5") || strings.Contains(out, `\xa5\xa5`) || strings.Contains(out, "\xa5\xa5") {
				t.Errorf("%s of %T prints the key", verb, v)
			}
		}
	}
	if b, err := json.Marshal(s); err == nil {
		t.Errorf("encoded as %s", b)
	}
}

func TestNonce(t *testing.T) {
	if n, err := Nonce(bytes.NewReader(seed(7))); err != nil || n != strings.Repeat("07", 16) {
		t.Errorf("%q, %v", n, err)
	}
	if n, err := Nonce(bytes.NewReader(nil)); err == nil {
		t.Errorf("%q from no randomness", n)
	}
}

func TestCheckName(t *testing.T) {
	for _, good := range []string{"ana", "a", "9", "ana-maria.o_o", strings.Repeat("a", 64)} {
		if err := CheckName(good); err != nil {
			t.Error(err)
		}
	}
	for _, bad := range []string{"", ".", "..", ".ana", "-ana", "_ana", "Ana", "a/b", `a\b`, "a b", "a\x00", "aná", "a:b", strings.Repeat("a", 65)} {
		if CheckName(bad) == nil {
			t.Errorf("%q is a name", bad)
		}
	}
}

func TestProofLevels(t *testing.T) {
	var zero ProofLevel
	if zero != ProofNone || ProofNone >= ProofClient || ProofClient >= ProofSigned {
		t.Error("levels are out of order")
	}
	for p := ProofNone; p <= ProofSigned; p++ {
		if got, err := ParseProofLevel(p.String()); got != p || err != nil {
			t.Errorf("%v: %v, %v", p, got, err)
		}
		b, err := json.Marshal(p)
		var back ProofLevel
		if err := errors.Join(err, json.Unmarshal(b, &back)); back != p || err != nil {
			t.Errorf("%v through JSON: %v, %v", p, back, err)
		}
	}
	level := ProofSigned
	if err := level.UnmarshalText([]byte("Signed")); err == nil || level != ProofNone {
		t.Errorf("rubbish gives %v, %v", level, err)
	}
	if s := ProofLevel(9).String(); s != "none" {
		t.Errorf("an impossible level is called %s", s)
	}
}
