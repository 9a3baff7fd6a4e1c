package ledger

import (
	"crypto/sha256"

	"golang.org/x/mod/sumdb/tlog"
)

// Hash is a SHA-256 leaf, node or root of the tree. Its String is standard base64.
type Hash = tlog.Hash

// smallEntry is the size, in bytes, up to which an entry is hashed from a buffer on
// the stack in one go. It covers nearly every event; longer ones stream.
const smallEntry = 511

// LeafHash returns SHA-256(0x00 ‖ entry), the leaf of RFC 6962 section 2.1. The
// prefix keeps an entry that looks like two hashes from passing for a node.
func LeafHash(entry []byte) Hash {
	if len(entry) <= smallEntry {
		var buf [1 + smallEntry]byte
		return sha256.Sum256(buf[:1+copy(buf[1:], entry)])
	}
	h := sha256.New()
	h.Write([]byte{0x00})
	h.Write(entry)
	var sum Hash
	h.Sum(sum[:0])
	return sum
}

// nodeHash returns SHA-256(0x01 ‖ left ‖ right), the inner node of RFC 6962 section 2.1.
func nodeHash(left, right *Hash) Hash {
	var buf [1 + 2*tlog.HashSize]byte
	buf[0] = 0x01
	copy(buf[1:], left[:])
	copy(buf[1+tlog.HashSize:], right[:])
	return sha256.Sum256(buf[:])
}
