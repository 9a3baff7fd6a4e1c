package tell

import (
	"slices"
	"testing"
)

func TestFew(t *testing.T) {
	for n, want := range map[int]string{0: "", 1: "a", 8: "a, a, a, a, a, a, a, a", 10: "a, a, a, a, a, a, a, a and 2 more"} {
		if got := Few(slices.Repeat([]string{"a"}, n)); got != want {
			t.Errorf("%d: %s", n, got)
		}
	}
}

func TestCount(t *testing.T) {
	for n, want := range map[int]string{0: "0 memories", 1: "1 memory", 2: "2 memories"} {
		if got := Count(n, "memory", "memories"); got != want {
			t.Errorf("%d: %s", n, got)
		}
	}
}
