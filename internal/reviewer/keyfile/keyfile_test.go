package keyfile

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hearsay-memory/hearsay/internal/reviewer"
)

// quick makes scrypt cheap. Never use it outside tests.
var quick = Options{WorkFactor: 2, Created: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)}

func generate(t testing.TB, passphrase string, opt Options) (File, string) {
	t.Helper()
	f, text, err := Generate("ana", passphrase, rand.Reader, opt)
	if err != nil {
		t.Fatal(err)
	}
	return f, text
}

// attest makes a statement that a signer can sign.
func attest() reviewer.Statement {
	return reviewer.Statement{LogID: "l", RecordID: "r", ContentDigest: strings.Repeat("00", 32), LabelOrigin: "tool", Decision: reviewer.Attest,
		Time: 1, TreeRoot: strings.Repeat("00", 32), Nonce: strings.Repeat("00", 16)}
}

func TestKeyFileOpensWithItsPassphrase(t *testing.T) {
	f, _ := generate(t, "correct horse", quick)
	b, err := f.Marshal()
	if err != nil {
		t.Fatal(err)
	}
	back, err := Parse(b)
	if diff := cmp.Diff(f, back); diff != "" || err != nil {
		t.Fatal(diff, err)
	}
	if !back.Protected() {
		t.Error("says that it is not protected")
	}
	s, err := back.Unlock("correct horse")
	if err != nil {
		t.Fatal(err)
	}
	signed, err := s.Sign(attest())
	if err != nil {
		t.Fatal(err)
	}
	if err := reviewer.Verify(signed.Statement, signed.Signature, back.Public); err != nil {
		t.Error(err)
	}
	for _, wrong := range []string{"", "correct", "correct horse ", "Correct horse"} {
		if _, err := back.Unlock(wrong); !errors.Is(err, ErrPassphrase) {
			t.Errorf("Unlock(%q) = %v", wrong, err)
		}
	}
}

func TestNothingInTheFileGivesTheKeyAway(t *testing.T) {
	seedBytes := bytes.Repeat([]byte{0xa5}, 64)
	if _, _, err := Generate("ana", "pass", bytes.NewReader(seedBytes), quick); err == nil {
		t.Fatal("both keys are one and the file was made")
	}
	copy(seedBytes[32:], bytes.Repeat([]byte{0x5a}, 32))
	f, text, err := Generate("ana", "pass", bytes.NewReader(seedBytes), quick)
	if err != nil {
		t.Fatal(err)
	}
	b, err := f.Marshal()
	if err != nil {
		t.Fatal(err)
	}
	for _, secret := range []string{"a5a5a5", "paWlpa", "5a5a5a", "WlpaWl", "pass\"", strings.Split(text, "\n")[0][3:]} {
		if bytes.Contains(b, []byte(secret)) {
			t.Errorf("the file holds %q:\n%s", secret, b)
		}
	}
}

func TestEmptyPassphrase(t *testing.T) {
	if _, _, err := Generate("ana", "", rand.Reader, quick); !errors.Is(err, ErrEmptyPassphrase) {
		t.Errorf("accepted: %v", err)
	}
	opt := quick
	opt.AllowEmpty = true
	f, _ := generate(t, "", opt)
	if f.Protected() || f.Protection != ProtectionNone {
		t.Error("an unprotected key says that it is protected")
	}
	if _, err := f.Unlock(""); err != nil {
		t.Error(err)
	}
	protected, err := f.Repassphrase("", "new", 2)
	if err != nil || !protected.Protected() {
		t.Fatal(err)
	}
	if s, err := protected.Unlock("new"); err != nil || !s.Public().Equal(f.Public) {
		t.Errorf("with its new passphrase: %v", err)
	}
	if opted, _ := generate(t, "given", opt); !opted.Protected() {
		t.Error("AllowEmpty left a key with a passphrase unprotected")
	}
}

func TestRepassphrase(t *testing.T) {
	f, _ := generate(t, "old", quick)
	if _, err := f.Repassphrase("wrong", "new", 2); !errors.Is(err, ErrPassphrase) {
		t.Errorf("with the wrong one: %v", err)
	}
	if _, err := f.Repassphrase("old", "", 2); !errors.Is(err, ErrEmptyPassphrase) {
		t.Errorf("to none: %v", err)
	}
	n, err := f.Repassphrase("old", "new", 2)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := n.Unlock("old"); !errors.Is(err, ErrPassphrase) {
		t.Errorf("the old one still opens: %v", err)
	}
	if s, err := n.Unlock("new"); err != nil || !s.Public().Equal(f.Public) {
		t.Errorf("the new one: %v", err)
	}
}

func TestRecover(t *testing.T) {
	f, text := generate(t, "pass", quick)
	s, err := f.Recover(text)
	if err != nil || s.Name() != "ana" || !s.Public().Equal(f.Recovery) || s.Public().Equal(f.Public) {
		t.Fatalf("%v, %v", s, err)
	}
	_, other := generate(t, "pass", quick)
	if _, err := f.Recover(other); !errors.Is(err, reviewer.ErrRecovery) {
		t.Errorf("somebody else's recovery key: %v", err)
	}
	typo := []byte(text)
	if typo[4]++; typo[4] == '9'+1 {
		typo[4] = 'A'
	}
	if _, err := f.Recover(string(typo)); !errors.Is(err, reviewer.ErrRecovery) {
		t.Errorf("a typo: %v", err)
	}
}

func TestUnlockRefusesAChangedFile(t *testing.T) {
	f, _ := generate(t, "pass", quick)
	eve, _ := generate(t, "pass", quick)
	unprotected, _ := generate(t, "", Options{AllowEmpty: true})
	for name, change := range map[string]func(*File){
		"another's private key": func(f *File) { f.Private = eve.Private },
		"another's public key":  func(f *File) { f.Public, f.KeyID = eve.Public, eve.KeyID },
		"another key id":        func(f *File) { f.KeyID = eve.KeyID },
		"another name's path":   func(f *File) { f.Name = "../ana" },
		"private cut short":     func(f *File) { f.Private = f.Private[:len(f.Private)/2] },
		"no private":            func(f *File) { f.Private = "" },
		"unprotected, by word":  func(f *File) { f.Protection = ProtectionNone },
		"unprotected, by key":   func(f *File) { f.Protection, f.Private = ProtectionNone, unprotected.Private },
		"protection unknown":    func(f *File) { f.Protection = "rot13" },
		"version":               func(f *File) { f.V = 2 },
		"no recovery key":       func(f *File) { f.Recovery = nil },
	} {
		changed := f
		change(&changed)
		if s, err := changed.Unlock("pass"); err == nil {
			t.Errorf("%s: unlocked %v", name, s)
		}
	}
}

func TestParseRefuses(t *testing.T) {
	f, _ := generate(t, "pass", quick)
	b, err := f.Marshal()
	if err != nil {
		t.Fatal(err)
	}
	whole := bytes.TrimSpace(b)
	for n := range whole {
		if _, err := Parse(whole[:n]); err == nil {
			t.Fatalf("cut at %d: parsed", n)
		}
	}
	for name, bad := range map[string][]byte{
		"two":           append(bytes.Clone(b), b...),
		"unknown field": bytes.Replace(b, []byte(`"v"`), []byte(`"trusted": true, "v"`), 1),
		"null":          []byte("null"),
		"large":         bytes.Repeat([]byte(" "), MaxFile+1),
	} {
		if _, err := Parse(bad); err == nil {
			t.Errorf("%s: parsed", name)
		}
	}
}

func TestGenerateRefuses(t *testing.T) {
	if _, _, err := Generate("Ana!", "pass", rand.Reader, quick); err == nil {
		t.Error("a bad name")
	}
	if _, _, err := Generate("ana", "pass", strings.NewReader("short"), quick); err == nil {
		t.Error("no randomness")
	}
	for _, factor := range []int{-1, 21, 64} {
		if _, _, err := Generate("ana", "pass", rand.Reader, Options{WorkFactor: factor}); err == nil {
			t.Errorf("work factor %d", factor)
		}
	}
}

func FuzzParse(f *testing.F) {
	file, _ := generate(f, "pass", quick)
	b, err := file.Marshal()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(b)
	f.Add([]byte(`{"v":1}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		file, err := Parse(data)
		if err != nil {
			return
		}
		out, err := file.Marshal()
		if err != nil || !json.Valid(out) {
			t.Fatalf("cannot be written again: %v", err)
		}
		if again, err := Parse(out); err != nil || again.KeyID != file.KeyID || again.Private != file.Private {
			t.Errorf("changed by writing: %v", err)
		}
	})
}

func BenchmarkUnlock(b *testing.B) {
	f, _ := generate(b, "pass", Options{})
	for b.Loop() {
		if _, err := f.Unlock("pass"); err != nil {
			b.Fatal(err)
		}
	}
}
