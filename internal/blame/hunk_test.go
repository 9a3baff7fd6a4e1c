package blame

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/hearsay-memory/hearsay/internal/memfile/segment"
)

// TestPlaces: outside the places that changed, a file is line by line what it was, and they
// come in order.
func TestPlaces(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	text := func() []byte {
		var b strings.Builder
		for range random.IntN(9) {
			b.WriteString(string(rune('a'+random.IntN(4))) + "\n")
		}
		return []byte(b.String())
	}
	for range 2000 {
		before, after := text(), text()
		was, now := TextLines(before), TextLines(after)
		var same [2][]string
		at := [2]int{}
		for _, h := range places(before, after) {
			if h.was.From < at[0] || h.now.From < at[1] || h.was.To > len(was) || h.now.To > len(now) {
				t.Fatalf("%q, %q: %v and %v are out of order", was, now, h.was, h.now)
			}
			same[0] = append(same[0], was[at[0]:h.was.From]...)
			same[1] = append(same[1], now[at[1]:h.now.From]...)
			at = [2]int{h.was.To, h.now.To}
		}
		same[0], same[1] = append(same[0], was[at[0]:]...), append(same[1], now[at[1]:]...)
		if !slices.Equal(same[0], same[1]) {
			t.Fatalf("%q became %q, and %q is left of the one, %q of the other", was, now, same[0], same[1])
		}
	}
}

func TestSpan(t *testing.T) {
	for want, r := range map[string]segment.Range{"1,2": {From: 0, To: 2}, "0,0": {}, "3,0": {From: 3, To: 3}, "4,1": {From: 3, To: 4}} {
		if got := span(r.From, r.Len()); got != want {
			t.Errorf("%v is %s, want %s", r, got, want)
		}
	}
}
