package shell

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp/cmpopts"
)

// butPrograms leaves out of a comparison what runs, which has tests of its own.
var butPrograms = cmpopts.IgnoreFields(Effects{}, "Programs")

func TestPrograms(t *testing.T) {
	c := Context{Dir: "/w", Home: "/home/u", Workspace: []string{"/w"}}
	for command, want := range map[string]string{
		"hearsay-hook claude < x":               "hearsay-hook",
		"/usr/local/bin/hearsay review show 1":  "hearsay",
		"env A=1 sudo h''earsay ls":             "hearsay",
		"echo x | xargs hearsay-hook claude":    "hearsay-hook",
		"bash -c 'hearsay --home /h policy'":    "hearsay",
		"find . -exec hearsay-hook claude \\;":  "hearsay-hook",
		"$(echo hearsay-hook) claude; true":     "true",
		"cat x && timeout 5 hearsay-hook codex": "hearsay-hook",
	} {
		if got := Analyze(command, c).Programs; !slices.Contains(got, want) {
			t.Errorf("%s runs %v, want %s among them", command, got, want)
		}
	}
	if got := Analyze("cd hearsay && go test ./hearsay && cat hearsay", c).Programs; slices.Contains(got, "hearsay") {
		t.Errorf("what is only named runs: %v", got)
	}
}

// MC-109: in awk ">" compares, but for what is printed.
func TestMC109AwkCompares(t *testing.T) {
	c := Context{Dir: "/w", Home: "/home/u", Workspace: []string{"/w"}}
	for _, command := range []string{"awk '$1 > 3' f", "awk 'NR > 3' f", "awk '{ if ($1 > 3) n++ }' f", "awk '$1 > 3 { print }' f"} {
		if e := Analyze(command, c); len(e.Writes) > 0 || !slices.Equal(e.Actions, []string{"shell.execute"}) {
			t.Errorf("%s: %+v", command, e)
		}
	}
	if e := Analyze(`awk '{ print > "out.txt" }' f`, c); !slices.Contains(e.Writes, "/w/out.txt") {
		t.Errorf("a print to a file writes %v", e.Writes)
	}
}
