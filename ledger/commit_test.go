package ledger

import (
	"bytes"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"strings"
	"testing"
)

func TestCommit(t *testing.T) {
	salt, other := [32]byte{1}, [32]byte{2}
	content := []byte("prefers tabs")
	c := Commit(salt, content)

	// The same with the standard library alone, from the text of the format.
	h := hmac.New(sha256.New, salt[:])
	h.Write([]byte("hearsay/content/v1\x00prefers tabs"))
	if !bytes.Equal(h.Sum(nil), c[:]) {
		t.Errorf("Commit = %x, want %x", c, h.Sum(nil))
	}
	const golden = "63ceca8eee7873c71415b3a4e03e592ad6b28b2cdd83e0354aed27c7d6aa3773" // salt 01 00…00, content "prefers tabs"
	if got := hex.EncodeToString(c[:]); got != golden {
		t.Errorf("Commit = %s, want %s", got, golden)
	}

	if !CheckCommit(salt, content, c) {
		t.Error("the commitment does not match its own content")
	}
	if CheckCommit(other, content, c) || CheckCommit(salt, []byte("prefers tab"), c) || CheckCommit(salt, content, [32]byte{}) {
		t.Error("a commitment matches another salt, content or commitment")
	}
	if CheckCommit([32]byte{}, content, Commit([32]byte{}, content)) {
		t.Error("an erased salt matches")
	}
}

func TestNewSalt(t *testing.T) {
	a, errA := NewSalt(rand.Reader)
	b, errB := NewSalt(rand.Reader)
	if errA != nil || errB != nil || a == b {
		t.Errorf("two salts: %x, %x, %v, %v", a, b, errA, errB)
	}
	for name, r := range map[string]io.Reader{
		"short":      strings.NewReader("31 bytes are not enough for one"),
		"only zeros": constReader(0),
	} {
		if salt, err := NewSalt(r); err == nil || salt != [32]byte{} {
			t.Errorf("%s: salt %x, %v", name, salt, err)
		}
	}
}

func TestIndexKey(t *testing.T) {
	k := IndexKey{1}
	parts := func(s ...string) [][]byte {
		var p [][]byte
		for _, s := range s {
			p = append(p, []byte(s))
		}
		return p
	}
	seen := map[[32]byte]string{}
	for name, d := range map[string][32]byte{
		"a bc":         k.Digest("d", parts("a", "bc")...),
		"ab c":         k.Digest("d", parts("ab", "c")...),
		"abc":          k.Digest("d", parts("abc")...),
		"abc and none": k.Digest("d", parts("abc", "")...),
		"none and abc": k.Digest("d", parts("", "abc")...),
		"no parts":     k.Digest("d"),
		"empty part":   k.Digest("d", nil),
		"domain":       k.Digest("da", parts("bc")...),
		"other domain": k.Digest("e", parts("abc")...),
		"other key":    IndexKey{2}.Digest("d", parts("abc")...),
		"commitment":   Commit(k, []byte("abc")),
	} {
		if other, ok := seen[d]; ok {
			t.Errorf("%q and %q have one digest", name, other)
		}
		seen[d] = name
	}
	const golden = "2c4b9473b559d19f019f6c440f0c53cee0e0f6f699f2e101e4532ec230592389" // key 01 00…00, domain "text", parts "a" and "bc"
	if d := k.Digest("text", parts("a", "bc")...); hex.EncodeToString(d[:]) != golden {
		t.Errorf("Digest = %x, want %s", d, golden)
	}
}

// constReader is a source of randomness that is broken.
type constReader byte

func (r constReader) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = byte(r)
	}
	return len(p), nil
}
