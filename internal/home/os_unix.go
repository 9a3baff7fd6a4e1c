//go:build unix

package home

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

const modesUnchecked = false

// owner returns the numeric owner of a file.
func owner(info fs.FileInfo) int {
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		return int(st.Uid)
	}
	return -1
}

// openNoFollow opens a file for reading and fails if its last element is a symbolic link. O_NONBLOCK keeps a planted
// FIFO from blocking us; it has no effect on regular files.
func openNoFollow(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK, 0)
	if errors.Is(err, unix.ELOOP) {
		return nil, fmt.Errorf("it is a symbolic link: %w", ErrUnsafe)
	}
	return f, err
}

// syncDir makes a rename in dir durable.
func syncDir(dir string) error {
	f, err := os.Open(dir)
	if err != nil {
		return fmt.Errorf("home: cannot sync %s: %w", dir, err)
	}
	defer f.Close()
	// Some file systems cannot sync a directory and say EINVAL; the file itself is synced by then.
	if err := f.Sync(); err != nil && !errors.Is(err, unix.EINVAL) {
		return fmt.Errorf("home: cannot sync %s: %w", dir, err)
	}
	return nil
}

// tryLock takes an exclusive flock(2) on f without waiting. The lock belongs to the open file description and ends
// with the process, however it ends.
func tryLock(f *os.File) (bool, error) {
	for {
		switch err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB); err {
		case nil:
			return true, nil
		case unix.EWOULDBLOCK:
			return false, nil
		case unix.EINTR:
		default:
			return false, err
		}
	}
}

func unlock(f *os.File) error { return unix.Flock(int(f.Fd()), unix.LOCK_UN) }
