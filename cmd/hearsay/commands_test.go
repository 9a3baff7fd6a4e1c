package main

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Each command is made alone by its own name, and all are there for a line that begins
// with anything else.
func TestCommandsAreMadeByName(t *testing.T) {
	a := new(app)
	var want, got []string
	for _, c := range a.all() {
		want = append(want, c.name)
		alone := a.commands([]string{c.name, "--help"})
		if len(alone) != 1 || alone[0].Name() != c.name {
			t.Errorf("%s makes %d commands, the first of which is %s", c.name, len(alone), alone[0].Name())
		}
	}
	for _, args := range [][]string{nil, {"help", "ls"}, {"--home", "x", "ls"}, {"nothing"}, {"__complete", "l"}} {
		got = nil
		for _, c := range a.commands(args) {
			got = append(got, c.Name())
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%q (-want +got):\n%s", args, d)
		}
	}
}
