package attrib

import (
	"encoding/binary"
	"testing"
)

// The vectors are those of the paper (appendix A) and of its reference implementation:
// key 00 01 … 0f, input 00 01 … of the given length.
func TestSipHash(t *testing.T) {
	var b [64]byte
	for i := range b {
		b[i] = byte(i)
	}
	k := newSipKey(b[:16])
	for n, want := range map[int]uint64{0: 0x726fdb47dd0e0e31, 1: 0x74f839c593dc67fd, 8: 0x93f5f5799a932462, 15: 0xa129ca6149be45e5} {
		if got := k.bytes(b[:n]); got != want {
			t.Errorf("%d bytes: %#x, want %#x", n, got, want)
		}
	}
	n := func(i int) uint64 { return binary.LittleEndian.Uint64(b[8*i:]) }
	if k.two(n(0), n(1)) != k.bytes(b[:16]) || k.three(n(0), n(1), n(2)) != k.bytes(b[:24]) {
		t.Error("numbers hash to something else than their bytes")
	}
}
