package attrib

import (
	"encoding/binary"
	"math/bits"
)

// sipKey is a key of SipHash-2-4, the keyed hash of Aumasson and Bernstein for
// short inputs (https://www.aumasson.jp/siphash/siphash.pdf): fast enough for each
// word of a page, and not to be predicted without the key. The standard library has
// it only with keys of its own making.
type sipKey struct{ k0, k1 uint64 }

type sipState struct{ v0, v1, v2, v3 uint64 }

func (k sipKey) start() sipState {
	return sipState{
		k.k0 ^ 0x736f6d6570736575,
		k.k1 ^ 0x646f72616e646f6d,
		k.k0 ^ 0x6c7967656e657261,
		k.k1 ^ 0x7465646279746573,
	}
}

func (s *sipState) round() {
	s.v0 += s.v1
	s.v1 = bits.RotateLeft64(s.v1, 13) ^ s.v0
	s.v0 = bits.RotateLeft64(s.v0, 32)
	s.v2 += s.v3
	s.v3 = bits.RotateLeft64(s.v3, 16) ^ s.v2
	s.v0 += s.v3
	s.v3 = bits.RotateLeft64(s.v3, 21) ^ s.v0
	s.v2 += s.v1
	s.v1 = bits.RotateLeft64(s.v1, 17) ^ s.v2
	s.v2 = bits.RotateLeft64(s.v2, 32)
}

func (s *sipState) block(m uint64) {
	s.v3 ^= m
	s.round()
	s.round()
	s.v0 ^= m
}

func (s *sipState) finish(last uint64) uint64 {
	s.block(last)
	s.v2 ^= 0xff
	s.round()
	s.round()
	s.round()
	s.round()
	return s.v0 ^ s.v1 ^ s.v2 ^ s.v3
}

// bytes returns the hash of b.
func (k sipKey) bytes(b []byte) uint64 {
	s := k.start()
	last := uint64(len(b)) << 56
	for len(b) >= 8 {
		s.block(binary.LittleEndian.Uint64(b))
		b = b[8:]
	}
	for i, c := range b {
		last |= uint64(c) << (8 * i)
	}
	return s.finish(last)
}

// ring returns the hash of the n newest of a ring of numbers, oldest first, where
// at is one past the place of the newest: that of their bytes, little endian.
func (k sipKey) ring(ring *[ringSize]uint64, at, n uint) uint64 {
	s := k.start()
	for i := at - n; i != at; i++ {
		s.block(ring[i%ringSize])
	}
	return s.finish(uint64(n*8) << 56)
}
