package hosts

import (
	"fmt"
	"testing"
)

// checkNames tests that the values from zero to last have names of their own, and
// that any other prints as zero, the safe one.
func checkNames[T interface {
	~uint8
	fmt.Stringer
}](t *testing.T, last T) {
	t.Helper()
	seen := make(map[string]bool)
	for v := range 256 {
		name := T(v).String()
		switch {
		case T(v) > last:
			if name != T(0).String() {
				t.Errorf("%T(%d) prints as %q", last, v, name)
			}
		case name == "" || seen[name]:
			t.Errorf("%T(%d) prints as %q, as another does", last, v, name)
		}
		seen[name] = true
	}
}

func TestNames(t *testing.T) {
	checkNames(t, ElicitationResult)
	checkNames(t, Forked)
	checkNames(t, Unrecognised)
	checkNames(t, Question)
	checkNames(t, PowerShell)
	checkNames(t, Deny)
}
