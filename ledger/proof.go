package ledger

import (
	"crypto/sha256"
	"errors"
	"fmt"

	"golang.org/x/mod/sumdb/tlog"
)

// ErrProof is returned when a proof does not show what it should.
var ErrProof = errors.New("ledger: the proof does not hold: proof, entry and checkpoint do not belong together, or one was changed")

// ProveInclusion returns the RFC 6962 section 2.1.1 audit path that shows that the
// tree of the first size entries has the leaf at position seq. The path has one hash
// for each level, 20 for a million entries.
func ProveInclusion(size, seq int64, from tlog.HashReader) ([]Hash, error) {
	proof, err := tlog.ProveRecord(size, seq, from)
	if err != nil {
		return nil, fmt.Errorf("ledger: cannot prove entry %d in a log of %d: %w", seq, size, err)
	}
	return proof, nil
}

// CheckInclusion returns nil if proof shows that the tree of size entries with the
// given root has leaf at position seq, and [ErrProof] otherwise.
func CheckInclusion(proof []Hash, size int64, root Hash, seq int64, leaf Hash) error {
	if tlog.CheckRecord(proof, size, root, seq, leaf) != nil {
		return ErrProof
	}
	return nil
}

// ProveConsistency returns the RFC 6962 section 2.1.2 proof that the tree of the
// first size entries begins with the tree of the first old entries. From the empty
// tree, and from a tree to itself, the proof is empty.
func ProveConsistency(size, old int64, from tlog.HashReader) ([]Hash, error) {
	if old == 0 && size >= 0 {
		return nil, nil
	}
	proof, err := tlog.ProveTree(size, old, from)
	if err != nil {
		return nil, fmt.Errorf("ledger: cannot prove that a log of %d entries begins with %d: %w", size, old, err)
	}
	return proof, nil
}

// CheckConsistency returns nil if proof shows that the tree of size entries with the
// given root begins with the tree of old entries with oldRoot, and [ErrProof]
// otherwise. Every tree begins with the empty one.
func CheckConsistency(proof []Hash, size int64, root Hash, old int64, oldRoot Hash) error {
	empty := Hash(sha256.Sum256(nil))
	if old == 0 {
		if size < 0 || size == 0 && root != empty || oldRoot != empty || len(proof) != 0 {
			return ErrProof
		}
		return nil
	}
	if tlog.CheckTree(proof, size, root, old, oldRoot) != nil {
		return ErrProof
	}
	return nil
}
