package mark

import (
	"testing"
	"unicode/utf8"
)

// Every character that opens something is found by its first byte.
func TestMayOpen(t *testing.T) {
	for r := rune(0); r <= utf8.MaxRune; r++ {
		if first := string(r)[0]; (bracket(fold(r)) || receiptLike(r)) && !mayOpen[first] {
			t.Errorf("%U begins with %#x, which mayOpen lacks", r, first)
		}
	}
}
