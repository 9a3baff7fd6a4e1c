// Package keyfile keeps a reviewer's private key in a file that is encrypted with a passphrase (age, scrypt). It is
// apart from package reviewer because only commands that sign need the cryptography in here.
//
// All I/O is in bytes in and out; internal/home writes the file.
package keyfile

import (
	"bytes"
	"crypto/ed25519"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"filippo.io/age"
	"filippo.io/age/armor"

	"github.com/hearsay-memory/hearsay/internal/reviewer"
)

// DefaultWorkFactor is the scrypt work factor, log2 of N, for new files: about 64 MiB and a tenth of a second, so that
// a person who reviews is not tempted to leave the key open. maxWorkFactor bounds what a changed file can make
// Unlock spend.
const (
	DefaultWorkFactor = 16
	maxWorkFactor     = 20
)

// MaxFile bounds a key file, in bytes.
const MaxFile = 16 << 10

var (
	// ErrPassphrase is returned when the passphrase does not open the file.
	ErrPassphrase = errors.New("wrong passphrase")
	// ErrEmptyPassphrase is returned by Generate for an empty passphrase that was not asked for.
	ErrEmptyPassphrase = errors.New("empty passphrase")
)

// The values of File.Protection.
const (
	ProtectionPassphrase = "age-scrypt"
	ProtectionNone       = "none"
)

// File is a key file, reviewers/<name>.json. Its public keys are a convenience: the ledger's enrolments decide.
type File struct {
	V          int               `json:"v"` // 1
	Name       string            `json:"name"`
	KeyID      string            `json:"key_id"`
	Public     ed25519.PublicKey `json:"public"`
	Recovery   ed25519.PublicKey `json:"recovery"` // public half of the recovery key
	Created    time.Time         `json:"created"`  // UTC
	Protection string            `json:"protection"`
	Private    string            `json:"private"` // armored age file holding the seed; in hexadecimal if unprotected
}

// Options are the choices of Generate. The zero value is the safe one.
type Options struct {
	WorkFactor int       // 0: DefaultWorkFactor; else 1 to 20
	AllowEmpty bool      // accept an empty passphrase and store the key unprotected; the caller must tell the person
	Created    time.Time // recorded in the file
}

// Protected reports whether the private key is encrypted.
func (f File) Protected() bool { return f.Protection == ProtectionPassphrase }

// Enrolment returns what the ledger needs to know of the reviewer.
func (f File) Enrolment() reviewer.Enrolment {
	return reviewer.Enrolment{Name: f.Name, Public: f.Public, Recovery: f.Recovery}
}

// Generate makes a reviewer's two keys from rand, normally crypto/rand.Reader. It returns the key file and the text of
// the recovery key, which is to be shown once and kept nowhere.
func Generate(name, passphrase string, rand io.Reader, opt Options) (File, string, error) {
	if err := reviewer.CheckName(name); err != nil {
		return File{}, "", err
	}
	if passphrase == "" && !opt.AllowEmpty {
		return File{}, "", fmt.Errorf("keyfile: %w: anybody who can read the file could sign as %s; choose a passphrase", ErrEmptyPassphrase, name)
	}
	seeds := make([]byte, 2*ed25519.SeedSize)
	defer clear(seeds)
	if _, err := io.ReadFull(rand, seeds); err != nil {
		return File{}, "", fmt.Errorf("keyfile: no randomness for a key: %w", err)
	}
	seed, recovery := seeds[:ed25519.SeedSize], seeds[ed25519.SeedSize:]
	pub := publicOf(seed)
	f := File{
		V: 1, Name: name, KeyID: reviewer.KeyID(pub), Public: pub, Recovery: publicOf(recovery),
		Created: opt.Created.UTC().Truncate(time.Millisecond), Protection: ProtectionNone,
	}
	if err := f.check(); err != nil {
		return File{}, "", err
	}
	if passphrase == "" {
		f.Private = hex.EncodeToString(seed)
		return f, reviewer.RecoveryText(recovery), nil
	}
	f.Protection = ProtectionPassphrase
	var err error
	if f.Private, err = seal(seed, passphrase, opt.WorkFactor); err != nil {
		return File{}, "", err
	}
	return f, reviewer.RecoveryText(recovery), nil
}

// Unlock decrypts the private key and checks that it belongs to the file's public key. A wrong passphrase gives
// [ErrPassphrase]. For an unprotected file the passphrase is not looked at. It takes about a tenth of a second and
// 64 MiB at the default work factor.
func (f File) Unlock(passphrase string) (*reviewer.Signer, error) {
	seed, err := f.seed(passphrase)
	if err != nil {
		return nil, err
	}
	defer clear(seed)
	return reviewer.NewSigner(f.Name, seed)
}

// seed decrypts the private key and compares it with the public one. The caller clears it.
func (f File) seed(passphrase string) (seed []byte, err error) {
	if err := f.check(); err != nil {
		return nil, err
	}
	if f.Protected() {
		seed, err = open(f.Private, passphrase)
	} else {
		seed, err = hex.DecodeString(f.Private)
	}
	if err != nil {
		return nil, fmt.Errorf("keyfile: cannot unlock the key of %s: %w", f.Name, err)
	}
	if len(seed) != ed25519.SeedSize || !publicOf(seed).Equal(f.Public) {
		clear(seed)
		return nil, fmt.Errorf("keyfile: the file of %s holds a private key that does not belong to its public key; it was changed: restore it from a backup, or rotate with the recovery key", f.Name)
	}
	return seed, nil
}

// Recover makes a signer from the recovery text, for enrolments only, and checks that it is the recovery key of this
// file's reviewer.
func (f File) Recover(text string) (*reviewer.Signer, error) {
	return Recover(f.Enrolment(), text)
}

// Recover makes a signer from the recovery text of an enrolled reviewer, whose key file may be lost.
func Recover(e reviewer.Enrolment, text string) (*reviewer.Signer, error) {
	seed, err := reviewer.ParseRecovery(text)
	if err != nil {
		return nil, err
	}
	defer clear(seed)
	s, err := reviewer.NewSigner(e.Name, seed)
	if err != nil {
		return nil, err
	}
	if !s.Public().Equal(e.Recovery) {
		return nil, fmt.Errorf("keyfile: %w, or is not the one of %s", reviewer.ErrRecovery, e.Name)
	}
	return s, nil
}

// Repassphrase returns the file with the same key under another passphrase. Old copies of the file keep the old one.
func (f File) Repassphrase(old, passphrase string, workFactor int) (File, error) {
	if passphrase == "" {
		return File{}, fmt.Errorf("keyfile: %w", ErrEmptyPassphrase)
	}
	seed, err := f.seed(old)
	if err != nil {
		return File{}, err
	}
	defer clear(seed)
	f.Protection = ProtectionPassphrase
	f.Private, err = seal(seed, passphrase, workFactor)
	return f, err
}

// Marshal returns the file's bytes.
func (f File) Marshal() ([]byte, error) {
	if err := f.check(); err != nil {
		return nil, err
	}
	b, err := json.MarshalIndent(f, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("keyfile: %w", err)
	}
	return append(b, '\n'), nil
}

// Parse reads a key file strictly. It decrypts nothing.
func Parse(data []byte) (File, error) {
	if len(data) > MaxFile {
		return File{}, fmt.Errorf("keyfile: %d bytes, at most %d are possible", len(data), MaxFile)
	}
	var f File
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&f); err != nil {
		return File{}, fmt.Errorf("keyfile: not a key file, or cut short: %w; restore it from a backup, or rotate with the recovery key", err)
	}
	if _, err := dec.Token(); err != io.EOF {
		return File{}, errors.New("keyfile: text after the closing brace")
	}
	return f, f.check()
}

func (f File) check() error {
	if f.V != 1 {
		return fmt.Errorf("keyfile: version %d, wanted 1", f.V)
	}
	if err := f.Enrolment().Check(); err != nil {
		return err
	}
	if f.KeyID != reviewer.KeyID(f.Public) {
		return fmt.Errorf("keyfile: the key id in the file of %s is not the one of its public key", f.Name)
	}
	if f.Protection != ProtectionPassphrase && f.Protection != ProtectionNone {
		return fmt.Errorf("keyfile: protection %.40q is unknown", f.Protection)
	}
	return nil
}

func seal(seed []byte, passphrase string, workFactor int) (string, error) {
	switch {
	case workFactor == 0:
		workFactor = DefaultWorkFactor
	case workFactor < 1 || workFactor > maxWorkFactor:
		return "", fmt.Errorf("keyfile: work factor %d, wanted 1 to %d", workFactor, maxWorkFactor)
	}
	to, err := age.NewScryptRecipient(passphrase)
	if err != nil {
		return "", fmt.Errorf("keyfile: %w", err)
	}
	to.SetWorkFactor(workFactor)
	var out strings.Builder
	armored := armor.NewWriter(&out)
	w, err := age.Encrypt(armored, to)
	if err != nil {
		return "", fmt.Errorf("keyfile: cannot encrypt: %w", err)
	}
	_, err = w.Write(seed)
	if err := errors.Join(err, w.Close(), armored.Close()); err != nil {
		return "", fmt.Errorf("keyfile: cannot encrypt: %w", err)
	}
	return out.String(), nil
}

func open(private, passphrase string) ([]byte, error) {
	if passphrase == "" {
		return nil, ErrPassphrase
	}
	id, err := age.NewScryptIdentity(passphrase)
	if err != nil {
		return nil, err
	}
	id.SetMaxWorkFactor(maxWorkFactor)
	r, err := age.Decrypt(armor.NewReader(strings.NewReader(private)), id)
	if _, ok := errors.AsType[*age.NoIdentityMatchError](err); ok {
		return nil, ErrPassphrase
	}
	if err != nil {
		return nil, fmt.Errorf("the file is damaged or cut short: %w", err)
	}
	seed, err := io.ReadAll(io.LimitReader(r, ed25519.SeedSize+1))
	if err != nil {
		return nil, fmt.Errorf("the file is damaged or cut short: %w", err)
	}
	return seed, nil
}

func publicOf(seed []byte) ed25519.PublicKey {
	return ed25519.NewKeyFromSeed(seed).Public().(ed25519.PublicKey)
}
