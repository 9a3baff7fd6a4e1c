package demo_test

import (
	"testing"

	"github.com/hearsay-memory/hearsay/internal/demo"
)

func TestStoryGoesAsTold(t *testing.T) {
	n := 0
	ok, err := demo.Play(t.Context(), t.TempDir(), func(s demo.Step) {
		n++
		if !s.OK {
			t.Errorf("%s: %s", s.Name, s.Detail)
		}
	})
	if err != nil || !ok || n != 9 {
		t.Errorf("ok %v after %d steps, %v: want all 9", ok, n, err)
	}
}
