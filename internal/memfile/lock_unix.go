//go:build unix

package memfile

import (
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// lockTries and lockPause bound how long a folder's lock is waited for: one second. An
// agent that holds it must not keep a file from being put right.
const (
	lockTries = 200
	lockPause = 5 * time.Millisecond
)

// lock takes the lock of a folder, by which the writes of this program take turns. It is
// a courtesy: where it is not to be had the write goes on, and looks at what it replaced
// as it always does.
func lock(root *os.Root) (unlock func()) {
	dir, err := root.Open(".")
	if err != nil {
		return func() {}
	}
	for range lockTries {
		if err = unix.Flock(int(dir.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != unix.EWOULDBLOCK && err != unix.EINTR {
			break
		}
		time.Sleep(lockPause)
	}
	return func() { _ = dir.Close() } // which unlocks it; nothing was written through it
}
