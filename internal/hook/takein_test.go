package hook_test

import (
	"fmt"
	"testing"
)

// Reading a folder of memory takes in what flowed into its files, telling their names does
// not, and a folder without foreign lines taints nobody.
func TestReadingAMemoryFolder(t *testing.T) {
	w, _ := mixed(t)
	w.file("notes/memory/mine.md", "- by hand\n")
	n := 0
	for command, taints := range map[string]bool{
		"ls memory": false, "ls -la memory && stat memory/a.md": false, "tree memory": false, "du -sh memory": false,
		"cat memory/*.md": true, "grep -rn invoices memory": true, "ls memory | xargs cat": true, "cat $(ls memory/*)": true, "find memory -name '*.md' -exec cat {} +": true,
		"cat notes/memory/*.md": false, "grep -r hand notes/memory": false, "grep -rn invoices .": true,
	} {
		n++
		w.process = fmt.Sprint("reader-", n)
		c := w.chat(fmt.Sprint("reader-", n))
		c.wants(command, c.run(command), "")
		if got := c.label(); got.Taint.Has("web") != taints {
			t.Errorf("%s: the session is %s", command, got)
		}
	}
	w.verify()
}
