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

// sipRound takes and returns the state as values, which the compiler keeps in registers.
func sipRound(v0, v1, v2, v3 uint64) (uint64, uint64, uint64, uint64) {
	v0 += v1
	v2 += v3
	v1 = bits.RotateLeft64(v1, 13) ^ v0
	v3 = bits.RotateLeft64(v3, 16) ^ v2
	v0 = bits.RotateLeft64(v0, 32) + v3
	v2 += v1
	v3 = bits.RotateLeft64(v3, 21) ^ v0
	v1 = bits.RotateLeft64(v1, 17) ^ v2
	return v0, v1, bits.RotateLeft64(v2, 32), v3
}

func (s sipState) block(m uint64) sipState {
	v0, v1, v2, v3 := sipRound(s.v0, s.v1, s.v2, s.v3^m)
	v0, v1, v2, v3 = sipRound(v0, v1, v2, v3)
	return sipState{v0 ^ m, v1, v2, v3}
}

func (s sipState) finish(last uint64) uint64 {
	s = s.block(last)
	v0, v1, v2, v3 := sipRound(s.v0, s.v1, s.v2^0xff, s.v3)
	v0, v1, v2, v3 = sipRound(v0, v1, v2, v3)
	v0, v1, v2, v3 = sipRound(v0, v1, v2, v3)
	v0, v1, v2, v3 = sipRound(v0, v1, v2, v3)
	return v0 ^ v1 ^ v2 ^ v3
}

// bytes returns the hash of b.
func (k sipKey) bytes(b []byte) uint64 {
	s := k.start()
	last := uint64(len(b)) << 56
	for len(b) >= 8 {
		s = s.block(binary.LittleEndian.Uint64(b))
		b = b[8:]
	}
	for i, c := range b {
		last |= uint64(c) << (8 * i)
	}
	return s.finish(last)
}

// two and three return the hash of numbers: that of their bytes, little endian.
func (k sipKey) two(a, b uint64) uint64 {
	return k.start().block(a).block(b).finish(16 << 56)
}

func (k sipKey) three(a, b, c uint64) uint64 {
	return k.start().block(a).block(b).block(c).finish(24 << 56)
}
