package attrib

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"

	"github.com/hearsay-memory/hearsay/internal/textfold"
)

// Key is the secret of a store. Without it prints can neither be made nor guessed.
// The zero value is no secret: what is made with it attributes nothing.
type Key [32]byte

// version names the meaning of prints: how text is cut and folded here. Prints of
// different versions, or of different foldings, cannot be compared.
const version = 1

// keyID tells prints of different keys and versions apart. It tells nothing of
// the key.
type keyID [8]byte

// secrets are what the key is used as: each purpose has its own.
type secrets struct {
	zero       bool
	id         keyID
	turn       [32]byte // HMAC key of clauses
	word       sipKey   // a word within a run
	runs       sipKey   // a run, of words' hashes or of characters
	literalKey sipKey
}

func (k Key) secrets() *secrets {
	sub := func(purpose string) [32]byte {
		m := hmac.New(sha256.New, k[:])
		m.Write([]byte("hearsay/attrib/"))
		m.Write([]byte{version, textfold.Version})
		m.Write([]byte(purpose))
		return [32]byte(m.Sum(nil))
	}
	id, words, literals := sub("id"), sub("words"), sub("literals")
	return &secrets{
		zero:       k == Key{},
		id:         keyID(id[:8]),
		turn:       sub("turn"),
		word:       newSipKey(words[:16]),
		runs:       newSipKey(words[16:]),
		literalKey: newSipKey(literals[:16]),
	}
}

func newSipKey(b []byte) sipKey {
	return sipKey{binary.LittleEndian.Uint64(b), binary.LittleEndian.Uint64(b[8:])}
}
