package memory_test

import (
	"testing"

	"github.com/hearsay-memory/hearsay"
)

// A memory is one entry of the log, which is one commit that waits for the disk. Neither
// its file nor the index does: both can be made again.
func TestRememberIsOneDurableCommit(t *testing.T) {
	w := newWorld(t)
	c := w.session("ana", "session-1")
	size := func() int64 {
		head, err := w.store.Head(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return head.Frontier.Size()
	}
	before := size()
	w.remember(c, agents("Backups run at 02:00"), hearsay.Allowed)
	if n := size() - before; n != 1 {
		t.Errorf("%d entries of the log, want 1", n)
	}
	index, life, err := w.Synchronous()
	if err != nil || index != 0 || life != 0 {
		t.Errorf("the index waits as %d and what was learnt as %d, want 0 and 0 (%v)", index, life, err)
	}
	w.quiet()
}
