package reviewer

import (
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"slices"
)

// ErrNotEnrolled is returned for a key that may not make the statement: unknown, retired, or a recovery key used for
// more than enrolment.
var ErrNotEnrolled = errors.New("the key is not enrolled for this")

// Enrolment is what a reviewer brings in: two public keys under a name. Its digest is the Subject of the statement
// that enrols, rotates or removes.
type Enrolment struct {
	Name     string            `json:"name"`
	Public   ed25519.PublicKey `json:"public"`
	Recovery ed25519.PublicKey `json:"recovery"`
}

// Check reports what is wrong with e on its face.
func (e Enrolment) Check() error {
	if err := CheckName(e.Name); err != nil {
		return err
	}
	if len(e.Public) != ed25519.PublicKeySize || len(e.Recovery) != ed25519.PublicKeySize {
		return fmt.Errorf("reviewer: the enrolment of %s lacks a whole key", e.Name)
	}
	if e.Public.Equal(e.Recovery) {
		return fmt.Errorf("reviewer: %s uses one key both to sign and to recover; make a new key", e.Name)
	}
	return nil
}

// Subject is the digest of the enrolment that a statement about it carries.
func (e Enrolment) Subject() string {
	b := []byte("hearsay/enrolment/v1\x00")
	b = appendString(b, e.Name)
	b = appendString(b, string(e.Public))
	b = appendString(b, string(e.Recovery))
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

// Registry is the fold of all enrolment statements of one ledger, in their order there. The zero value knows nobody
// and accepts, once, a reviewer who enrols themselves: the one that `init` makes. Rules:
//
//   - only an active reviewer's key, or a recovery key, signs an enrolment;
//   - a recovery key adds a reviewer or rotates its owner, and signs nothing else;
//   - a key, once known under any name or role, never comes back in another;
//   - the last reviewer cannot be removed.
//
// A statement is judged by the registry as it stood when the statement was sealed: fold and verify in ledger order.
// A Registry is not safe for concurrent use while Apply runs.
type Registry struct {
	log    string // log id of the first enrolment; all others must carry it
	active map[string]Enrolment
	seen   map[string]bool // KeyIDs ever enrolled, retired ones too
}

// Active lists the names that may sign, sorted.
func (r *Registry) Active() []string { return slices.Sorted(maps.Keys(r.active)) }

// Lookup returns an active reviewer.
func (r *Registry) Lookup(name string) (Enrolment, bool) {
	e, ok := r.active[name]
	return e, ok
}

// Apply takes in one enrolment with the statement that carries it. On an error the registry is as before. That each
// statement is used once is the guard's to enforce.
func (r *Registry) Apply(e Enrolment, signed Signed) error {
	st := signed.Statement
	if err := e.Check(); err != nil {
		return err
	}
	if st.Subject != e.Subject() {
		return fmt.Errorf("reviewer: the statement %s is not about this enrolment of %s", st.Decision, e.Name)
	}
	if len(r.active) == 0 {
		if st.Decision != AddReviewer || st.Reviewer != e.Name {
			return fmt.Errorf("reviewer: the first reviewer must enrol themselves, not %s", st.Decision)
		}
		if err := Verify(st, signed.Signature, e.Public); err != nil {
			return err
		}
		r.log = st.LogID
		r.put(e)
		return nil
	}
	if err := r.check(signed); err != nil {
		return err
	}
	current, exists := r.active[e.Name]
	switch st.Decision {
	case AddReviewer, RotateReviewer:
		if exists != (st.Decision == RotateReviewer) {
			if exists {
				return fmt.Errorf("reviewer: %s is enrolled already; rotate the key instead", e.Name)
			}
			return fmt.Errorf("reviewer: %s is not enrolled, so there is no key to rotate; add the reviewer instead", e.Name)
		}
		if exists && st.Reviewer != e.Name && st.KeyID == KeyID(r.active[st.Reviewer].Recovery) {
			return fmt.Errorf("reviewer: the recovery key of %s cannot rotate %s: %w", st.Reviewer, e.Name, ErrNotEnrolled)
		}
		if r.seen[KeyID(e.Public)] || r.seen[KeyID(e.Recovery)] {
			return fmt.Errorf("reviewer: a key of %s was enrolled before; make new keys", e.Name)
		}
		r.put(e)
	case RemoveReviewer:
		if !exists || current.Subject() != e.Subject() {
			return fmt.Errorf("reviewer: %s is not enrolled with these keys", e.Name)
		}
		if len(r.active) == 1 {
			return fmt.Errorf("reviewer: %s is the last reviewer; add another first", e.Name)
		}
		delete(r.active, e.Name)
	default:
		return fmt.Errorf("reviewer: %s does not enrol anybody", st.Decision)
	}
	return nil
}

func (r *Registry) put(e Enrolment) {
	if r.active == nil {
		r.active, r.seen = make(map[string]Enrolment), make(map[string]bool)
	}
	r.active[e.Name] = e
	r.seen[KeyID(e.Public)], r.seen[KeyID(e.Recovery)] = true, true
}

// Verify checks a statement that decides about anything but enrolment: signed by an active reviewer's own key, for
// this ledger. It returns ProofSigned or an error.
func (r *Registry) Verify(signed Signed) (ProofLevel, error) {
	switch signed.Statement.Decision {
	case AddReviewer, RotateReviewer, RemoveReviewer:
		return ProofNone, fmt.Errorf("reviewer: %s must come with its enrolment", signed.Statement.Decision)
	}
	if err := r.check(signed); err != nil {
		return ProofNone, err
	}
	return ProofSigned, nil
}

// check verifies the signature against the keys that the named reviewer has now.
func (r *Registry) check(signed Signed) error {
	st := signed.Statement
	if st.LogID != r.log {
		return fmt.Errorf("reviewer: the statement is for the ledger %.80q: %w", st.LogID, ErrNotEnrolled)
	}
	who, ok := r.active[st.Reviewer]
	if !ok {
		return fmt.Errorf("reviewer: nobody called %.80q is enrolled: %w", st.Reviewer, ErrNotEnrolled)
	}
	switch st.KeyID {
	case KeyID(who.Public):
		return Verify(st, signed.Signature, who.Public)
	case KeyID(who.Recovery):
		if st.Decision != AddReviewer && st.Decision != RotateReviewer {
			return fmt.Errorf("reviewer: a recovery key cannot %s: %w; use it to rotate, then sign with the new key", st.Decision, ErrNotEnrolled)
		}
		return Verify(st, signed.Signature, who.Recovery)
	}
	return fmt.Errorf("reviewer: %s has no active key %.80q: %w", st.Reviewer, st.KeyID, ErrNotEnrolled)
}
