package mark_test

import (
	"strings"
	"testing"

	"github.com/hearsay-memory/hearsay/mark"
)

func TestInline(t *testing.T) {
	for _, name := range []string{"billing", "", "[hearsay external n] x", "a\nb"} {
		shown := mark.Inline("n0nce", name)
		if got, ok := mark.StripInline("n0nce", shown); !ok || got != name {
			t.Errorf("StripInline(Inline(%q)) = %q, %v", name, got, ok)
		}
		if _, ok := mark.StripInline("other", shown); ok {
			t.Errorf("the mark of another nonce was taken off %q", shown)
		}
		if got := mark.Defang(shown); strings.HasPrefix(got, "[hearsay") {
			t.Errorf("an inline mark inside content keeps its authority: %q", got)
		}
	}
}

func TestWithheldSaysHowMany(t *testing.T) {
	if mark.Withheld(0) != "" || !strings.Contains(mark.Withheld(3), "3 entries") {
		t.Errorf("Withheld(0) = %q, Withheld(3) = %q", mark.Withheld(0), mark.Withheld(3))
	}
}
