package reviewer

import (
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"strings"
)

// ErrSignature is returned when a signature is not one of the statement by the key.
var ErrSignature = errors.New("the signature does not match")

// Signed is a statement with its Ed25519 signature over [Statement.Encode].
type Signed struct {
	Statement Statement `json:"statement"`
	Signature []byte    `json:"signature"`
}

// KeyID names a public key: "rk1-" and 16 bytes of a SHA-256 over it, in hexadecimal. It is a name, not a proof;
// signatures are checked against whole keys.
func KeyID(pub ed25519.PublicKey) string {
	h := sha256.New()
	io.WriteString(h, "hearsay/reviewer-key/v1\x00")
	h.Write(pub)
	return "rk1-" + hex.EncodeToString(h.Sum(nil)[:16])
}

// CheckName says whether a reviewer may be called name: 1 to 64 lower-case letters, digits, dots, dashes and
// underscores, beginning with a letter or digit. Such a name is also a safe file name.
func CheckName(name string) error {
	ok := len(name) >= 1 && len(name) <= 64 && !strings.ContainsAny(name[:1], "._-")
	for _, c := range []byte(name) {
		ok = ok && (c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c == '.' || c == '_' || c == '-')
	}
	if !ok {
		return fmt.Errorf("reviewer: %.80q is not a reviewer name; use 1 to 64 lower-case letters, digits, '.', '_' and '-', beginning with a letter or digit", name)
	}
	return nil
}

// Signer holds a private key in memory. It never prints it. It may be used from several goroutines until Wipe.
type Signer struct {
	name string
	pub  ed25519.PublicKey
	key  ed25519.PrivateKey // nil after Wipe
}

// NewSigner makes a signer from a 32-byte Ed25519 seed.
func NewSigner(name string, seed []byte) (*Signer, error) {
	if err := CheckName(name); err != nil {
		return nil, err
	}
	if len(seed) != ed25519.SeedSize {
		return nil, fmt.Errorf("reviewer: a key of %d bytes, wanted %d", len(seed), ed25519.SeedSize)
	}
	key := ed25519.NewKeyFromSeed(seed)
	return &Signer{name: name, pub: key.Public().(ed25519.PublicKey), key: key}, nil
}

// Name returns the reviewer's name.
func (s *Signer) Name() string { return s.name }

// Public returns the public key. The caller must not change it.
func (s *Signer) Public() ed25519.PublicKey { return s.pub }

// KeyID returns the name of the public key.
func (s *Signer) KeyID() string { return KeyID(s.pub) }

// Format prints the name and key id whatever the verb, so that no log line can hold the private key.
func (s Signer) Format(f fmt.State, _ rune) {
	fmt.Fprintf(f, "reviewer %s (%s)", s.name, KeyID(s.pub))
}

// MarshalText fails: a private key is not data to be encoded.
func (s Signer) MarshalText() ([]byte, error) {
	return nil, errors.New("reviewer: a signer cannot be encoded; write a key file instead")
}

// Wipe overwrites the private key. Go may have copied it before; this shortens its life and no more. Signing
// afterwards fails.
func (s *Signer) Wipe() {
	clear(s.key)
	s.key = nil
}

// Sign completes and signs a statement: it sets V, Reviewer and KeyID, refusing a statement that names another
// reviewer or key. The caller sets all else, Time and Nonce included.
func (s *Signer) Sign(st Statement) (Signed, error) {
	if st.V == 0 {
		st.V = Version
	}
	if st.Reviewer == "" {
		st.Reviewer = s.name
	}
	if st.KeyID == "" {
		st.KeyID = s.KeyID()
	}
	if st.Reviewer != s.name || st.KeyID != s.KeyID() {
		return Signed{}, fmt.Errorf("reviewer: the statement is in the name of %.80q (%.80q), the key is of %v", st.Reviewer, st.KeyID, s)
	}
	msg, err := st.Encode()
	if err != nil {
		return Signed{}, err
	}
	if s.key == nil {
		return Signed{}, fmt.Errorf("reviewer: the key of %s was wiped; unlock it again", s.name)
	}
	return Signed{Statement: st, Signature: ed25519.Sign(s.key, msg)}, nil
}

// Nonce reads a fresh [Statement.Nonce] from rand, normally crypto/rand.Reader.
func Nonce(rand io.Reader) (string, error) {
	var b [nonceSize]byte
	if _, err := io.ReadFull(rand, b[:]); err != nil {
		return "", fmt.Errorf("reviewer: no randomness for a nonce: %w", err)
	}
	return hex.EncodeToString(b[:]), nil
}

// Verify checks that sig is a signature of st by pub, that st names pub as its key, and that st is valid. It says
// nothing about whose key it is, whether it was enrolled, or whether the statement was used before: see [Registry]
// and [Statement.ID].
func Verify(st Statement, sig []byte, pub ed25519.PublicKey) error {
	msg, err := st.Encode()
	if err != nil {
		return err
	}
	if len(pub) != ed25519.PublicKeySize || st.KeyID != KeyID(pub) {
		return fmt.Errorf("reviewer: %w: the statement names the key %.80q, not the one given", ErrSignature, st.KeyID)
	}
	if !ed25519.Verify(pub, msg, sig) {
		return fmt.Errorf("reviewer: %w: the statement %s in the name of %s was changed, or another key signed it", ErrSignature, st.Decision, st.Reviewer)
	}
	return nil
}
