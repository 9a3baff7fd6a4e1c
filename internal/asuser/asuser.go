// Package asuser runs tests of what a user may not do where the superuser runs them.
package asuser

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

// rerun tells a test that it is the second run.
const rerun = "HEARSAY_TEST_AS_USER"

// Again reports whether the test is over: as the superuser, whom no mode of a file stops,
// it runs the calling test once more in a process that modes do stop, and takes over what
// came of it. Anybody else, and that process, go on with the test. Where the right to
// override modes cannot be given away, the test is skipped.
func Again(t *testing.T) (over bool) {
	t.Helper()
	if os.Geteuid() != 0 || os.Getenv(rerun) != "" {
		return false
	}
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	var only []string
	for part := range strings.SplitSeq(t.Name(), "/") {
		only = append(only, "^"+part+"$")
	}
	cmd := exec.CommandContext(t.Context(), exe, "-test.v", "-test.count=1", "-test.run="+strings.Join(only, "/"))
	cmd.Env = append(os.Environ(), rerun+"=1")
	out, err := output(cmd)
	if err == errNoWay {
		t.Skip(err)
	}
	if err != nil || !strings.Contains(string(out), "--- PASS: "+t.Name()) {
		t.Errorf("as a user: %v\n%s", err, out)
	}
	return true
}
