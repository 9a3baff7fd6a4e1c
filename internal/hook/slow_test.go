package hook_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/hearsay-memory/hearsay/internal/memfile"
)

// TestLongCommands: a command that would take longer to read than a host waits is not
// run, whether the guard can be asked or not.
func TestLongCommands(t *testing.T) {
	w := newWorld(t, "claude")
	w.write("$WORK/CLAUDE.md", "# Rules\n")
	w.send(start("s", "startup"))
	long := bash("s", "echo x > CLAUDE.md; echo "+strings.Repeat(`'a'"b"`, 150_000))
	w.want(long, "deny")
	if !w.files(w.work).Grave(w.event(long), w.policy) {
		t.Error("it goes on where the guard cannot be asked")
	}
	w.send(after(long, ran)) // a host that ran it all the same
	w.want(bash("s", "cat <<'E' > notes.txt\n"+strings.Repeat("a line of notes\n", 2_000)+"E"), "")
	w.verify()
}

// linkedWorld has n memory files and a second name for each of m others, and of a memory file.
func linkedWorld(t *testing.T, n, m int) *world {
	t.Helper()
	w := newWorld(t, "claude")
	for i := range n {
		w.write(fmt.Sprintf("$WORK/memory/%d.md", i), "x")
	}
	w.write("$WORK/base", "x")
	link := func(from, to string) {
		if err := os.Link(w.expand(from), w.expand(to)); err != nil {
			t.Fatal(err)
		}
	}
	for i := range m {
		link("$WORK/base", fmt.Sprintf("$WORK/src/h%d", i))
	}
	link("$WORK/memory/0.md", "$WORK/src/memory")
	return w
}

// TestManySecondNames: the memory files are looked for once for all files with a second
// name, as stores of packages have them by the thousand.
func TestManySecondNames(t *testing.T) {
	w := linkedWorld(t, 2_000, 2_000)
	f := w.files(w.work)
	for i := range 2_000 {
		if c := f.Class(w.expand(fmt.Sprintf("$WORK/src/h%d", i))); c != memfile.Ordinary {
			t.Fatalf("h%d is %v", i, c)
		}
	}
	if c := f.Class(w.expand("$WORK/src/memory")); c != memfile.Memory {
		t.Errorf("a second name of a memory file is %v", c)
	}
}
