package ledger

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"io"
)

const (
	commitDomain = "hearsay/content/v1\x00"
	indexDomain  = "hearsay/index/v1\x00"
)

// NewSalt reads a fresh salt from r, which must be a cryptographic source such as
// crypto/rand.Reader. Every commitment needs its own: once the salt is erased, the
// words cannot be guessed back from the commitment.
func NewSalt(r io.Reader) ([32]byte, error) {
	var salt [32]byte
	if _, err := io.ReadFull(r, salt[:]); err != nil {
		return [32]byte{}, fmt.Errorf("ledger: cannot read a salt: %w", err)
	}
	if salt == [32]byte{} {
		return salt, fmt.Errorf("ledger: the source of randomness gave only zeros: it is broken, nothing may be committed with it")
	}
	return salt, nil
}

// Commit returns HMAC-SHA-256(salt, "hearsay/content/v1\x00" ‖ content): what the log
// says of words that it does not hold.
func Commit(salt [32]byte, content []byte) [32]byte {
	return mac(salt, commitDomain, content)
}

// CheckCommit reports, in constant time, whether commitment was made from this salt
// and content. The zero salt, which is what is left of an erased one, never matches.
func CheckCommit(salt [32]byte, content []byte, commitment [32]byte) bool {
	if salt == [32]byte{} {
		return false
	}
	want := Commit(salt, content)
	return hmac.Equal(want[:], commitment[:])
}

// IndexKey is a secret of one store, by which it looks text up without keeping the
// text or a digest that an outsider could test guesses against. It never leaves the
// store and its digests are not in the log.
type IndexKey [32]byte

// Digest returns a keyed digest of parts for one purpose, named by domain. Equal
// digests mean equal domain and equal parts, one by one: all of them go in with
// their lengths, so ("a", "bc") and ("ab", "c") differ.
//
// The input is HMAC-SHA-256(k, "hearsay/index/v1\x00" ‖ domain ‖ part ‖ …), where
// domain and each part follow their length as eight bytes, big endian.
func (k IndexKey) Digest(domain string, parts ...[]byte) [32]byte {
	framed := make([][]byte, 0, 2+2*len(parts))
	for _, p := range append([][]byte{[]byte(domain)}, parts...) {
		framed = append(framed, binary.BigEndian.AppendUint64(nil, uint64(len(p))), p)
	}
	return mac(k, indexDomain, framed...)
}

func mac(key [32]byte, domain string, parts ...[]byte) [32]byte {
	h := hmac.New(sha256.New, key[:])
	io.WriteString(h, domain)
	for _, p := range parts {
		h.Write(p)
	}
	return [32]byte(h.Sum(nil))
}
