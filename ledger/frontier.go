package ledger

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"math/bits"

	"golang.org/x/mod/sumdb/tlog"
)

const (
	// MaxSize is the largest number of entries that a Frontier can stand for: 2⁴⁰.
	MaxSize = 1 << maxLevel

	maxLevel = 40
	sizeLen  = 8 // bytes of the size in an encoded Frontier
)

// ErrFull is returned by appends to a log of [MaxSize] entries.
var ErrFull = errors.New("ledger: the log is full (2^40 entries): start a new log and keep the last checkpoint of this one")

// Frontier is the right edge of an RFC 6962 tree: the roots of its complete
// subtrees, one for each bit set in the size. It is all that an append needs and
// all that a root is made from.
//
// The zero value is the empty tree. A Frontier is a plain value of 1.3 KiB: copies
// are independent, and two are equal by == exactly when they stand for the same
// entries.
type Frontier struct {
	size int64
	// nodes[l] is the root of the complete subtree of 2^l leaves where bit l of
	// size is set, and zero where it is not, so that == compares trees.
	nodes [maxLevel + 1]Hash
}

// Append adds one leaf at the right. It costs one node hash on average and does not
// allocate. It panics on a tree of [MaxSize] leaves; [Builder.Append] returns an
// error there.
func (f *Frontier) Append(leaf Hash) {
	if f.size >= MaxSize {
		panic(ErrFull)
	}
	level := 0
	for ; f.size>>level&1 == 1; level++ {
		leaf = nodeHash(&f.nodes[level], &leaf)
		f.nodes[level] = Hash{}
	}
	f.nodes[level] = leaf
	f.size++
}

// Size returns the number of leaves.
func (f *Frontier) Size() int64 { return f.size }

// Root returns the root of the tree as RFC 6962 section 2.1 defines it. The root of
// the empty tree is SHA-256 of no bytes.
func (f *Frontier) Root() Hash {
	if f.size == 0 {
		return sha256.Sum256(nil)
	}
	level := bits.TrailingZeros64(uint64(f.size))
	root := f.nodes[level]
	for level++; f.size>>level != 0; level++ {
		if f.size>>level&1 == 1 {
			root = nodeHash(&f.nodes[level], &root)
		}
	}
	return root
}

// MarshalBinary encodes the frontier: the size as eight bytes, big endian, then the
// subtree roots, 32 bytes each, from the largest subtree to the smallest. The error
// is always nil.
func (f Frontier) MarshalBinary() ([]byte, error) {
	buf := make([]byte, sizeLen, sizeLen+bits.OnesCount64(uint64(f.size))*tlog.HashSize)
	binary.BigEndian.PutUint64(buf, uint64(f.size))
	for level := maxLevel; level >= 0; level-- {
		if f.size>>level&1 == 1 {
			buf = append(buf, f.nodes[level][:]...)
		}
	}
	return buf, nil
}

// UnmarshalBinary decodes what [Frontier.MarshalBinary] wrote and accepts nothing
// else: the size must lie in 0..[MaxSize] and the number of hashes must be the
// number of bits set in it. On error f is unchanged.
//
// The hashes themselves cannot be checked here: a head that someone rewrote is
// found by [Verify], or by the Builder when a tile fills.
func (f *Frontier) UnmarshalBinary(data []byte) error {
	if len(data) < sizeLen {
		return fmt.Errorf("ledger: a frontier has at least %d bytes, this one has %d: the head is damaged, restore it from a backup and verify", sizeLen, len(data))
	}
	size := binary.BigEndian.Uint64(data)
	if size > MaxSize {
		return fmt.Errorf("ledger: a frontier of %d entries is larger than any log (%d): the head is damaged, restore it from a backup and verify", size, int64(MaxSize))
	}
	data = data[sizeLen:]
	if want := bits.OnesCount64(size) * tlog.HashSize; len(data) != want {
		return fmt.Errorf("ledger: a frontier of %d entries has %d bytes of hashes, this one has %d: the head is damaged, restore it from a backup and verify", size, want, len(data))
	}
	g := Frontier{size: int64(size)}
	for level := maxLevel; level >= 0; level-- {
		if size>>level&1 == 1 {
			data = data[copy(g.nodes[level][:], data):]
		}
	}
	*f = g
	return nil
}
