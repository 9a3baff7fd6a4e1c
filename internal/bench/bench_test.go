package bench

import "testing"

// The figures are not judged here: a shared machine would decide. That each path is
// measured beside a floor is.
func TestEveryResultHasAFloor(t *testing.T) {
	pure, err := Pure()
	if err != nil {
		t.Fatal(err)
	}
	durable, err := Store(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range append(pure, durable...) {
		if !(r.Value > 0) || !(r.Floor > 0) || r.Ratio != r.Value/r.Floor || r.Name == "" || r.Unit == "" {
			t.Errorf("%+v: want a value, a floor and their ratio", r)
		}
	}
}
